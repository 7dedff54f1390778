//! Reads members of JSON objects. Its errors name the member and never its value. It does NOT know
//! any format.

use serde_json::{Map, Value};

use super::error::TranscriptError;
use super::time;

pub(super) type Object = Map<String, Value>;

/// Parses the whole line as one object.
pub(super) fn object(line: usize, text: &str) -> Result<Object, TranscriptError> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(TranscriptError::new(
            line,
            "each line is one JSON object",
            "put one object on each line; an array can be split with `jq -c '.[]'`",
        )),
        Err(e) => Err(TranscriptError::not_json(line, &e)),
    }
}

/// Returns a member that must be a string.
pub(super) fn required_text<'o>(
    line: usize,
    object: &'o Object,
    name: &str,
) -> Result<&'o str, TranscriptError> {
    optional_text(line, object, name)?.ok_or_else(|| {
        TranscriptError::new(
            line,
            format!("`{name}` is required"),
            format!("add `{name}` to the line, or remove the line"),
        )
    })
}

/// Returns a member that is absent, null or a string.
pub(super) fn optional_text<'o>(
    line: usize,
    object: &'o Object,
    name: &str,
) -> Result<Option<&'o str>, TranscriptError> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(line, name, "a string")),
    }
}

/// Returns a member that must be an object.
pub(super) fn required_object<'o>(
    line: usize,
    object: &'o Object,
    name: &str,
) -> Result<&'o Object, TranscriptError> {
    object.get(name).and_then(Value::as_object).ok_or_else(|| wrong(line, name, "an object"))
}

/// Returns the id that the source gave an object: a non-empty text. Any other value is no id.
pub(super) fn own_id<'o>(object: &'o Object, name: &str) -> Option<&'o str> {
    object.get(name)?.as_str().filter(|id| !id.is_empty())
}

/// Returns a time that is absent, null or readable.
pub(super) fn optional_time(
    line: usize,
    object: &Object,
    name: &str,
) -> Result<Option<i64>, TranscriptError> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => time::from_value(value).map(Some).ok_or_else(|| {
            TranscriptError::new(
                line,
                format!("`{name}` is a time"),
                "write RFC 3339 with an offset (2026-01-02T10:00:00Z) or epoch seconds",
            )
        }),
    }
}

/// True if the member is `true`.
pub(super) fn flag(object: &Object, name: &str) -> bool {
    object.get(name) == Some(&Value::Bool(true))
}

pub(super) fn wrong(line: usize, name: &str, kind: &str) -> TranscriptError {
    TranscriptError::new(line, format!("`{name}` is {kind}"), "correct the member, or remove the line")
}

/// Returns the named members of the object, unchanged.
pub(super) fn carried(object: &Object, names: &[&str]) -> Object {
    names.iter().filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone()))).collect()
}

/// Checks a session id by AgentCore's rule.
pub(super) fn session(line: usize, id: &str) -> Result<String, TranscriptError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = id.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && id.len() <= 100 && id.chars().all(plain) {
        return Ok(id.to_owned());
    }
    Err(TranscriptError::new(
        line,
        "a session id is 1 to 100 letters, digits, `-` and `_`, and begins with a letter or a digit",
        "rename the session",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_are_those_of_agentcore() {
        let long = "a".repeat(100);
        for id in ["a", "2026-10-26-a", "A_b-9", long.as_str()] {
            assert_eq!(session(1, id).unwrap(), id);
        }
        let too_long = "a".repeat(101);
        for id in ["", "-a", "_a", "a b", "a/b", "ä", too_long.as_str()] {
            assert!(session(1, id).is_err(), "{id}");
        }
    }
}
