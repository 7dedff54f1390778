//! Errors in the form of the native API. Their sources go to the log, never to the caller.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use loci_api::{ErrorCode, Problem, ProblemBody};
use loci_model::{Error, ErrorKind, Reason};

use crate::error_code::{code_of, http_status};
use crate::operations::observe::ErrorType;

/// An error to be returned.
pub(crate) struct Refused(pub(crate) Error);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let error = self.0;
        let code = code_of(&error);
        let (status, code) = (http_status(code.status()), code.word());
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

/// Returns the response to a `GET` of an operation that is a `POST`.
pub(super) fn method_not_allowed(path: &str) -> Response {
    const CODE: &str = ErrorCode::MethodNotAllowed.word();
    let message =
        format!("send POST {path}, with what was in the query as members of a JSON object: it has effects");
    let problem = Problem { code: CODE.to_owned(), message, field: None, retryable: false, details: None };
    let allow = [(http::header::ALLOW, http::HeaderValue::from_static("POST"))];
    let mut response =
        (StatusCode::METHOD_NOT_ALLOWED, allow, Json(ProblemBody { error: problem })).into_response();
    response.extensions_mut().insert(ErrorType(CODE.into()));
    response
}

/// Returns the error for a body that does not have the required shape, without its values.
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

/// Returns the error for a query that does not have the required shape.
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

/// Removes values from a message of serde, which quotes values of a wrong type, because they may be
/// content. Names of members and the expected type stay.
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
