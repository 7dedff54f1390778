//! What can go wrong with a call: the server refused, or it could not be asked, or what it said makes no sense.

use loci_api::{ErrorCode, Problem};

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server answered with an error.
    #[error("{}", problem.message)]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The error.
        problem: Box<Problem>,
    },
    /// The server could not be asked.
    #[error("{message}")]
    Unreachable {
        /// What failed and what to do.
        message: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The answer is not one of the native API.
    #[error("{0}")]
    Unexpected(String),
    /// The request could not be made.
    #[error("{0}")]
    Request(String),
}

impl ClientError {
    /// True where the source of what was sent was erased there.
    pub fn is_source_erased(&self) -> bool {
        self.error_code() == Some(ErrorCode::SourceErased)
    }

    /// True where what was sent is refused because its actor was forgotten there, be it known there
    /// or new.
    pub fn is_actor_erased(&self) -> bool {
        let Self::Refused { problem, .. } = self else { return false };
        let told = problem.details.as_ref().and_then(|details| details.get("violations")?.as_array());
        self.is_source_erased() && told.is_some_and(|told| told.iter().any(|one| one == "actor_erased"))
    }

    /// The day on which the source of what was sent was erased there.
    pub fn erased_on(&self) -> Option<String> {
        let Self::Refused { problem, .. } = self else { return None };
        let told = problem.details.as_ref()?.get("violations")?.get(0)?.as_str()?;
        told.strip_prefix("erased_on ").map(str::to_owned)
    }

    /// The server's word for it, where it answered.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { problem, .. } => Some(&problem.code),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// The code, where the server answered with one that this version knows.
    pub fn error_code(&self) -> Option<ErrorCode> {
        self.code().and_then(ErrorCode::parse)
    }

    /// The HTTP status, where it answered.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// The same call may succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused { problem, .. } => problem.retryable,
            Self::Unreachable { .. } => true,
            Self::Unexpected(_) | Self::Request(_) => false,
        }
    }
}
