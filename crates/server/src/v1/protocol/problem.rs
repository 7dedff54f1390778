//! Errors as the native API shows them: kind to status and code, once. Sources go to the log, never to the caller.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use loci_api::{Problem, ProblemBody};
use loci_model::{Error, ErrorKind, Reason};

use crate::operations::observe::ErrorType;

/// An error on its way out.
pub(crate) struct Refused(pub(crate) Error);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let error = self.0;
        let (status, code) = status_and_code(&error);
        match error.kind {
            ErrorKind::Bug | ErrorKind::Unavailable | ErrorKind::Upstream => {
                tracing::error!(?error, code, "failed");
            }
            ErrorKind::NotFound
            | ErrorKind::Conflict
            | ErrorKind::Invalid
            | ErrorKind::TooLarge
            | ErrorKind::Denied
            | ErrorKind::Unauthenticated
            | ErrorKind::Throttled => tracing::info!(code, field = error.field, "refused"),
        }
        let retryable = error.is_retryable();
        let problem = Problem {
            code: code.to_owned(),
            message: error.message,
            field: error.field,
            retryable,
            details: (!error.details.is_empty()).then(|| serde_json::json!({ "violations": error.details })),
        };
        let mut response = (status, Json(ProblemBody { error: problem })).into_response();
        response.extensions_mut().insert(ErrorType(code.into()));
        if status == StatusCode::UNAUTHORIZED {
            let scheme = http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(http::header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// The answer to a `GET` of what is a `POST`.
pub(super) fn method_not_allowed(path: &str) -> Response {
    const CODE: &str = "METHOD_NOT_ALLOWED";
    let message =
        format!("send POST {path}, with what was in the query as members of a JSON object: it has effects");
    let problem = Problem { code: CODE.to_owned(), message, field: None, retryable: false, details: None };
    let allow = [(http::header::ALLOW, http::HeaderValue::from_static("POST"))];
    let mut response =
        (StatusCode::METHOD_NOT_ALLOWED, allow, Json(ProblemBody { error: problem })).into_response();
    response.extensions_mut().insert(ErrorType(CODE.into()));
    response
}

fn status_and_code(error: &Error) -> (StatusCode, &'static str) {
    match error.reason {
        Some(Reason::IdempotentParameterMismatch) => {
            return (StatusCode::UNPROCESSABLE_ENTITY, "IDEMPOTENCY_KEY_REUSED");
        }
        Some(Reason::ResourceConflict) => return (StatusCode::CONFLICT, "CONFLICT"),
        Some(Reason::QuotaExceeded) => return (StatusCode::CONFLICT, "QUOTA_EXCEEDED"),
        Some(Reason::CannotParse) if error.kind == ErrorKind::Invalid => {
            return (StatusCode::BAD_REQUEST, "CANNOT_PARSE");
        }
        Some(Reason::BadReply) => return (StatusCode::UNPROCESSABLE_ENTITY, "BAD_REPLY"),
        Some(Reason::AlreadyAnswered) => return (StatusCode::CONFLICT, "ALREADY_ANSWERED"),
        Some(Reason::LeaseLost) => return (StatusCode::CONFLICT, "LEASE_LOST"),
        Some(Reason::StaleVersion) => return (StatusCode::PRECONDITION_FAILED, "STALE_VERSION"),
        Some(Reason::PreconditionRequired) => {
            return (StatusCode::PRECONDITION_REQUIRED, "PRECONDITION_REQUIRED");
        }
        Some(Reason::PathConflict) => return (StatusCode::CONFLICT, "PATH_CONFLICT"),
        Some(Reason::RedactedContent) => return (StatusCode::CONFLICT, "REDACTED_CONTENT"),
        Some(Reason::SourceErased) => return (StatusCode::CONFLICT, "SOURCE_ERASED"),
        Some(Reason::RunActive) => return (StatusCode::CONFLICT, "RUN_ACTIVE"),
        Some(Reason::Code(reason)) => return (status_of(error.kind).0, reason.as_str()),
        Some(Reason::CannotParse | Reason::FieldValidationFailed | Reason::EventInOtherSession) | None => {}
    }
    status_of(error.kind)
}

fn status_of(kind: ErrorKind) -> (StatusCode, &'static str) {
    match kind {
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, "NOT_FOUND"),
        ErrorKind::Conflict => (StatusCode::CONFLICT, "CONFLICT"),
        ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "INVALID"),
        ErrorKind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"),
        ErrorKind::Denied => (StatusCode::FORBIDDEN, "DENIED"),
        ErrorKind::Unauthenticated => (StatusCode::UNAUTHORIZED, "UNAUTHENTICATED"),
        ErrorKind::Throttled => (StatusCode::TOO_MANY_REQUESTS, "THROTTLED"),
        ErrorKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
        ErrorKind::Upstream => (StatusCode::BAD_GATEWAY, "UPSTREAM"),
        ErrorKind::Bug => (StatusCode::INTERNAL_SERVER_ERROR, "BUG"),
    }
}

/// The code of an error's kind, for items of batches.
pub(in crate::v1) fn code(kind: ErrorKind) -> &'static str {
    status_and_code(&Error::new(kind, "")).1
}

/// Why a body is not the shape that was asked for; without the values it holds.
pub(super) fn unreadable(error: serde_json::Error) -> Error {
    let place = format!("line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" at {place}")).unwrap_or(&text);
    let message = match error.classify() {
        serde_json::error::Category::Data => format!("{} ({place})", without_values(text)),
        serde_json::error::Category::Syntax | serde_json::error::Category::Eof => {
            format!("the body is not valid JSON ({place})")
        }
        serde_json::error::Category::Io => "the body could not be read".to_owned(),
    };
    described(text, message)
}

/// Why a query is not the shape that was asked for.
pub(super) fn unreadable_query(text: &str) -> Error {
    let text = text.rsplit_once(": ").filter(|(head, _)| !head.contains('`')).map_or(text, |(_, tail)| tail);
    described(text, format!("the query cannot be read: {}", without_values(text)))
}

fn described(text: &str, message: String) -> Error {
    let error = Error::new(ErrorKind::Invalid, message).because(Reason::CannotParse);
    let named = text.strip_prefix("unknown field `").or_else(|| text.strip_prefix("missing field `"));
    match named.and_then(|rest| rest.split_once('`')) {
        Some((field, _)) => error.on(field.chars().take(128).collect::<String>()),
        None => error,
    }
}

/// serde quotes values of a wrong type; they may be content. Names of members and what was expected stay.
fn without_values(text: &str) -> String {
    if text.starts_with("unknown field `") || text.starts_with("missing field `") {
        return text.chars().take(400).collect();
    }
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("a member has the wrong type or value, expected {expected}"),
        None if text.starts_with("a metadata value ") => text.to_owned(),
        None => "a member has the wrong type or value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_bodies_name_the_member_and_never_the_value() {
        let check = |text: &str, field: Option<&str>, part: &str| {
            let error = serde_json::from_str::<loci_api::search::Search>(text).unwrap_err();
            let error = unreadable(error);
            assert_eq!(error.field.as_deref(), field, "{text}");
            assert!(error.message.contains(part), "{}", error.message);
            assert!(!error.message.contains("secret"), "{}", error.message);
        };
        check(r#"{"memory":"m","query":"q","quary":1}"#, Some("quary"), "unknown field `quary`");
        check(r#"{"memory":"m"}"#, Some("query"), "missing field `query`");
        check(r#"{"memory":"m","query":"q","top_k":"secret"}"#, None, "expected u32");
        check(r#"{"memory":"m","query":"q","top_k":-1}"#, None, "expected u32");
        check(
            r#"{"memory":"m","query":"q","metadata":[{"key":"k","operator":"secret"}]}"#,
            None,
            "`contains`",
        );
        check(r#"{"memory":"secret"#, None, "not valid JSON (line 1");
    }
}
