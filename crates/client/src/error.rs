//! Errors of a call: the server rejected it, was unreachable, or its response is invalid.

use loci_api::{ErrorCode, Problem};

/// The error of a call.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server responded with an error.
    #[error("{}", problem.message)]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The error.
        problem: Box<Problem>,
    },
    /// The server is unreachable.
    #[error("{message}")]
    Unreachable {
        /// The failure and its remedy.
        message: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The response does not have a form of the native API.
    #[error("{0}")]
    Unexpected(String),
    /// The request could not be created.
    #[error("{0}")]
    Request(String),
}

impl ClientError {
    /// True if the source of the sent item was erased on the server.
    pub fn is_source_erased(&self) -> bool {
        self.error_code() == Some(ErrorCode::SourceErased)
    }

    /// True if the server rejects the item because its actor was erased there. The item may be
    /// stored there or be new.
    pub fn is_actor_erased(&self) -> bool {
        let Self::Refused { problem, .. } = self else { return false };
        let told = problem.details.as_ref().and_then(|details| details.get("violations")?.as_array());
        self.is_source_erased() && told.is_some_and(|told| told.iter().any(|one| one == "actor_erased"))
    }

    /// Returns the day on which the source of the sent item was erased on the server.
    pub fn erased_on(&self) -> Option<String> {
        let Self::Refused { problem, .. } = self else { return None };
        let told = problem.details.as_ref()?.get("violations")?.get(0)?.as_str()?;
        told.strip_prefix("erased_on ").map(str::to_owned)
    }

    /// Returns the server's error code, if it responded.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { problem, .. } => Some(&problem.code),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// Returns the error code, if the server responded with one that this version knows.
    pub fn error_code(&self) -> Option<ErrorCode> {
        self.code().and_then(ErrorCode::parse)
    }

    /// Returns the HTTP status, if the server responded.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// True if a retry without a change may succeed.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused { problem, .. } => problem.retryable,
            Self::Unreachable { .. } => true,
            Self::Unexpected(_) | Self::Request(_) => false,
        }
    }
}
