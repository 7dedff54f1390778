//! Errors in the form of the native API. Their sources go to the log, never to the caller.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use loci_api::{ErrorCode, Problem, ProblemBody};
use loci_json::Unreadable;
use loci_model::{Error, ErrorKind, Reason};
use serde_json::error::Category;

use crate::error_code::{code_of, http_status};
use crate::operations::observe::ErrorType;

/// An error to be returned.
pub(crate) struct ProblemResponse(pub(crate) Error);

impl From<Error> for ProblemResponse {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for ProblemResponse {
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
            | ErrorKind::Throttled => tracing::info!(code, field = logged(error.field.as_deref()), "refused"),
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

/// Returns the first name of a field for the log. The rest of its path may have keys of maps, which
/// name people; a first name with other characters is none of the API.
fn logged(field: Option<&str>) -> Option<&str> {
    let is_word =
        |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    field?.split(['.', '[']).next().filter(is_word)
}

/// Returns the response to another method of an operation that was a `GET` and is a `POST`.
pub(super) fn post_required(path: &str) -> Response {
    let message =
        format!("send POST {path}, with what was in the query as members of a JSON object: it has effects");
    let mut response = method_not_allowed(message);
    response.headers_mut().insert(http::header::ALLOW, http::HeaderValue::from_static("POST"));
    response
}

/// Returns the response to a method that a path of the native API does not have. The router adds
/// the header with the methods of the path.
pub(in crate::v1) async fn other_method_required() -> Response {
    let rule = "no operation of this path has this method: send one of those in the header Allow";
    method_not_allowed(rule.to_owned())
}

fn method_not_allowed(message: String) -> Response {
    const CODE: &str = ErrorCode::MethodNotAllowed.word();
    let problem = Problem { code: CODE.to_owned(), message, field: None, retryable: false, details: None };
    let mut response = (StatusCode::METHOD_NOT_ALLOWED, Json(ProblemBody { error: problem })).into_response();
    response.extensions_mut().insert(ErrorType(CODE.into()));
    response
}

/// The starts of serde's messages about a member that they name.
const NAMED: [&str; 3] = ["unknown field `", "missing field `", "duplicate field `"];
/// The start of axum's message about a query.
const QUERY: &str = "Failed to deserialize query string: ";
/// The maximum length of a field in an error.
const FIELD_CHARS_MAX: usize = 128;

/// Returns the error for JSON that does not have the required shape, without its values. Its place
/// in the text is named, unless the JSON was parsed before.
pub(crate) fn unreadable(unreadable: Unreadable) -> Error {
    let Unreadable { error, path } = unreadable;
    let place = format!("line {} column {}", error.line(), error.column());
    let message = match error.classify() {
        Category::Data => {
            let text = error.to_string();
            let text = text.strip_suffix(&format!(" at {place}")).unwrap_or(&text);
            let field = field(text, &path);
            let place = if error.line() == 0 { String::new() } else { format!(" ({place})") };
            return mismatch(format!("{}{place}", without_values(text, &field)), field);
        }
        Category::Syntax | Category::Eof => format!("the body is not valid JSON ({place})"),
        Category::Io => "the body could not be read".to_owned(),
    };
    mismatch(message, String::new())
}

/// Returns the error for a query that does not have the required shape, without its values.
pub(super) fn unreadable_query(text: &str) -> Error {
    let text = text.strip_prefix(QUERY).unwrap_or(text);
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let named = text.split_once(": ").filter(|(name, _)| is_name(name));
    let (name, text) = named.unwrap_or(("", text));
    // A message that names its member names the same one.
    let path = if NAMED.iter().any(|start| text.starts_with(start)) { "" } else { name };
    let field = field(text, path);
    mismatch(format!("the query cannot be read: {}", without_values(text, &field)), field)
}

fn mismatch(message: String, field: String) -> Error {
    let error = Error::new(ErrorKind::Invalid, message).because(Reason::CannotParse);
    if field.is_empty() { error } else { error.on(field) }
}

/// Returns the path of the member that a message of serde is about; empty for the whole request.
fn field(text: &str, path: &str) -> String {
    let named = NAMED.iter().find_map(|start| text.strip_prefix(start));
    let field = match named.and_then(|rest| rest.split_once('`')) {
        Some((name, _)) if path.is_empty() => name.to_owned(),
        Some((name, _)) => format!("{path}.{name}"),
        None => path.to_owned(),
    };
    field.chars().take(FIELD_CHARS_MAX).collect()
}

/// Removes values from a message of serde, which quotes values of a wrong type, because they may be
/// content. Names of members and the expected type stay.
fn without_values(text: &str, field: &str) -> String {
    if text.starts_with("duplicate field `") {
        return format!("the member {field} occurs more than once: send it once");
    }
    if NAMED.iter().any(|start| text.starts_with(start)) {
        return text.chars().take(400).collect();
    }
    if text.starts_with("a metadata value ") {
        return text.to_owned();
    }
    let member = if field.is_empty() { "a member".to_owned() } else { format!("the member {field}") };
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("{member} has the wrong type or value, expected {expected}"),
        None => format!("{member} has the wrong type or value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_bodies_name_the_member_and_never_the_value() {
        let check = |text: &str, field: Option<&str>, part: &str| {
            let error = loci_json::read::<loci_api::search::Search>(text.as_bytes()).unwrap_err();
            let error = unreadable(error);
            assert_eq!(error.field.as_deref(), field, "{text}");
            assert!(error.message.contains(part), "{}", error.message);
            assert!(!error.message.contains("secret"), "{}", error.message);
        };
        check(r#"{"memory":"m","query":"q","quary":1}"#, Some("quary"), "unknown field `quary`");
        check(r#"{"memory":"m"}"#, Some("query"), "missing field `query`");
        check(r#"{"memory":"m","query":"q","top_k":"secret"}"#, Some("top_k"), "expected u32");
        check(r#"{"memory":"m","query":"q","top_k":-1}"#, Some("top_k"), "the member top_k has");
        check(r#"{"memory":"m","query":"q","query":"secret"}"#, Some("query"), "query occurs more than once");
        check(r#"{"memory":"m","query":"q","metadata":[[]]}"#, Some("metadata[0]"), "expected an object");
        check(
            r#"{"memory":"m","query":"q","metadata":[{"key":"k","operator":"secret"}]}"#,
            Some("metadata[0].operator"),
            "`contains`",
        );
        check(r#"{"memory":"secret"#, None, "not valid JSON (line 1");
    }

    #[test]
    fn a_log_has_the_first_name_of_a_field() {
        for (field, expect) in [
            (None, None),
            (Some("query"), Some("query")),
            (Some("Idempotency-Key"), Some("Idempotency-Key")),
            (Some("tags.alice@x.org"), Some("tags")),
            (Some("metadata[0].operator"), Some("metadata")),
            (Some("alice@x.org"), None),
        ] {
            assert_eq!(logged(field), expect, "{field:?}");
        }
    }

    #[test]
    fn unreadable_queries_name_the_member_and_never_the_value() {
        for (text, field, part) in [
            ("limit: invalid digit found in string", Some("limit"), "the member limit has the wrong type"),
            ("lmit: unknown field `lmit`, expected `limit`", Some("lmit"), "unknown field `lmit`"),
            ("unknown field `lmit`, expected `limit`", Some("lmit"), "unknown field `lmit`"),
            ("duplicate field `limit`", Some("limit"), "the member limit occurs more than once"),
            ("kind: unknown variant `secret: 1`, expected `fact`", Some("kind"), "expected `fact`"),
            ("unknown variant `secret: 1`, expected `fact`", None, "expected `fact`"),
        ] {
            for start in ["", QUERY] {
                let error = unreadable_query(&format!("{start}{text}"));
                assert_eq!(error.field.as_deref(), field, "{text}");
                assert!(error.message.contains(part), "{}", error.message);
                assert!(!error.message.contains("secret"), "{}", error.message);
            }
        }
    }
}
