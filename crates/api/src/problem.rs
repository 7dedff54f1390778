//! The one form of an error.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ErrorCode;

/// The body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// The error.
    pub error: Problem,
}

/// What went wrong, for programs and for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A word for programs: `NOT_FOUND`, `CONFLICT`, `INVALID`, `TOO_LARGE`, `DENIED`, `UNAUTHENTICATED`, `THROTTLED`,
    /// `UNAVAILABLE`, `UPSTREAM`, `BUG`, or a finer one.
    pub code: String,
    /// What went wrong, which rule, and what to do.
    pub message: String,
    /// The member at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The same request may succeed later without a change.
    pub retryable: bool,
    /// More, by code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

impl Problem {
    /// The code, where this version knows it.
    pub fn error_code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.code)
    }
}
