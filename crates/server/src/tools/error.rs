//! Errors of tools, in the form for a model.

use loci_api::ErrorCode;
use loci_model::{Error, ErrorKind};
use serde_json::{Map, Value, json};

use crate::error_code::code_of;

/// The error of a tool. Its message may be shown to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    /// The code for programs, one of those that tools distinguish.
    pub code: ErrorCode,
    /// The message: the error, the rule and the remedy.
    pub message: String,
    /// The name of the wrong argument; `None` if the error is not about one.
    pub field: Option<String>,
    /// True if the same call may succeed later without a change.
    pub retryable: bool,
    /// The time in milliseconds after which the caller should retry; `None` if it is unknown.
    pub retry_after_ms: Option<u64>,
    /// Additional data, whose members depend on the code.
    pub details: Box<Map<String, Value>>,
}

impl ToolError {
    /// Creates an error with a code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let code = code.in_tools();
        Self {
            code,
            message: message.into(),
            field: None,
            retryable: matches!(code, ErrorCode::Unverifiable | ErrorCode::Throttled | ErrorCode::Bug),
            retry_after_ms: None,
            details: Box::default(),
        }
    }

    /// Returns this error with the wrong argument.
    #[must_use]
    pub fn on(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Returns this error with more data.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the error in the form for a model: `{code, message, retryable, retry_after_ms?,
    /// details?}`.
    pub fn shown(&self) -> Value {
        let mut shown = json!({
            "code": self.code.tool_word(),
            "message": self.message,
            "retryable": self.retryable,
        });
        let Some(members) = shown.as_object_mut() else { return shown };
        if let Some(wait) = self.retry_after_ms {
            members.insert("retry_after_ms".to_owned(), wait.into());
        }
        let mut details = self.details.clone();
        if let Some(field) = &self.field {
            details.insert("field".to_owned(), field.clone().into());
        }
        if !details.is_empty() {
            members.insert("details".to_owned(), Value::Object(*details));
        }
        shown
    }
}

/// Internal details are not passed on.
impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        let mut out = Self::new(code_of(&error), "");
        out.retry_after_ms = error.retry_after_ms;
        if out.code == ErrorCode::Bug {
            tracing::error!(?error, "a tool failed");
            out.retryable = error.is_retryable();
            out.message = match error.kind {
                ErrorKind::Unavailable => error.message,
                _ => "an internal fault; see the log of the server".to_owned(),
            };
            return out;
        }
        out.message = error.message;
        out.field = error.field;
        if !error.details.is_empty() {
            out.details.insert("violations".to_owned(), json!(error.details));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use loci_model::{CodeReason, Reason};

    use super::*;

    #[test]
    fn errors_of_the_engine_have_a_code() {
        let check = |error: Error, code: ErrorCode, retryable: bool, message: &str| {
            let told = ToolError::from(error);
            assert_eq!((told.code, told.retryable), (code, retryable));
            assert!(told.message.contains(message), "{}", told.message);
        };
        check(Error::invalid("limit", "limit must be small"), ErrorCode::Invalid, false, "must be small");
        check(Error::not_found("no such record"), ErrorCode::NotFound, false, "no such");
        check(Error::denied("no"), ErrorCode::Denied, false, "no");
        check(Error::bug("secret place"), ErrorCode::Bug, false, "internal fault");
        check(Error::unavailable("the disk is full"), ErrorCode::Bug, true, "the disk is full");
        check(Error::new(ErrorKind::Throttled, "wait"), ErrorCode::Throttled, true, "wait");
        let gone = Error::code(CodeReason::RefNotFound, "no such branch");
        check(gone, ErrorCode::RefNotFound, false, "no such branch");
        check(
            Error::code(CodeReason::Unverifiable, "no network"),
            ErrorCode::Unverifiable,
            true,
            "no network",
        );
        check(
            Error::conflict("many").because(Reason::QuotaExceeded),
            ErrorCode::QuotaExceeded,
            false,
            "many",
        );
    }
}
