//! The format of all error responses of the native API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ErrorCode;

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// The error that the request caused.
    pub error: Problem,
}

/// An error, for programs and for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Error code for programs: `NOT_FOUND`, `CONFLICT`, `INVALID`, `TOO_LARGE`, `DENIED`,
    /// `UNAUTHENTICATED`, `THROTTLED`, `UNAVAILABLE`, `UPSTREAM`, `BUG`, or a more specific code.
    pub code: String,
    /// Explanation for people: the error, the violated rule and the remedy.
    pub message: String,
    /// Name of the request member that caused the error; absent if no single member did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// True if the same request may succeed later without a change, for example after a timeout.
    pub retryable: bool,
    /// Additional information; the structure depends on the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

impl Problem {
    /// Returns the error code; `None` if this version does not know it.
    pub fn error_code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.code)
    }
}
