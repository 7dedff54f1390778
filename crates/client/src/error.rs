//! Errors of a call: the server rejected it, was unreachable, or its response is invalid.

use loci_api::{ErrorCode, Problem};

/// The error of a call to a server.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server received the request and responded with an error.
    #[error("{}", problem.message)]
    Refused {
        /// The HTTP status of the response.
        status: u16,
        /// The error that the server describes.
        problem: Box<Problem>,
    },
    /// The server could not be reached, or the connection to it failed.
    #[error("{message}")]
    Unreachable {
        /// The failure, and what the user can do about it.
        message: String,
        /// The error of the transport.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The response is not valid for the native API.
    #[error("{0}")]
    Unexpected(String),
    /// The request could not be built, so it was not sent.
    #[error("{0}")]
    Request(String),
}

impl ClientError {
    /// Returns true if the server rejects the item because the source of the item was erased there.
    pub fn is_source_erased(&self) -> bool {
        self.error_code() == Some(ErrorCode::SourceErased)
    }

    /// Returns true if the server rejects the item because the actor of the item was erased there.
    /// The server may have stored the item earlier, or the item may be new.
    pub fn is_actor_erased(&self) -> bool {
        let Self::Refused { problem, .. } = self else { return false };
        let told = problem.details.as_ref().and_then(|details| details.get("violations")?.as_array());
        self.is_source_erased() && told.is_some_and(|told| told.iter().any(|one| one == "actor_erased"))
    }

    /// Returns the day on which the source of the sent item was erased on the server. `None` for
    /// other errors.
    pub fn erased_on(&self) -> Option<String> {
        let Self::Refused { problem, .. } = self else { return None };
        let told = problem.details.as_ref()?.get("violations")?.get(0)?.as_str()?;
        told.strip_prefix("erased_on ").map(str::to_owned)
    }

    /// Returns the error code of the server as text. `None` if the server did not respond with an
    /// error.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { problem, .. } => Some(&problem.code),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// Returns the error code of the server. `None` if the server did not respond with an error, or
    /// its code is unknown to this version of the client.
    pub fn error_code(&self) -> Option<ErrorCode> {
        self.code().and_then(ErrorCode::parse)
    }

    /// Returns the HTTP status of an error response. `None` if there was no response.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. } | Self::Unexpected(_) | Self::Request(_) => None,
        }
    }

    /// Returns true if the same request may succeed when it is sent again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused { problem, .. } => problem.retryable,
            Self::Unreachable { .. } => true,
            Self::Unexpected(_) | Self::Request(_) => false,
        }
    }
}
