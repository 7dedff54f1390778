//! Checks of event metadata by the rules of the AgentCore wire before an event is sent. The
//! server's own error names neither the key nor the permitted values.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::agent::entry::Metadata;
use crate::agent::limits::{
    EVENT_METADATA_KEY_CHARS_MAX, EVENT_METADATA_KEYS_MAX, EVENT_METADATA_VALUE_CHARS_MAX,
};
use crate::agent::message::Message;

/// A function that returns the metadata of the event that contains a message: texts, numbers and
/// booleans by key.
///
/// It may return at most 15 keys of 1 to 128 characters, with values of at most 256 characters.
/// Permitted are ASCII letters and digits, white space and `._:/=+@-`. Adjacent messages with equal
/// metadata share an event, so values that differ for each message create one event per message.
pub type MetadataProvider = Arc<dyn Fn(&Message) -> Metadata + Send + Sync>;

/// The permitted characters, as errors name them. Letters and digits are ASCII.
const ALLOWED: &str = "letters, digits, white space and . _ : / = + @ -";

/// Returns the values as texts, sorted by key, after checking them.
///
/// # Errors
/// A text that names the key and the violated rule.
pub(super) fn checked(metadata: &Metadata) -> Result<BTreeMap<String, String>, String> {
    if metadata.len() > EVENT_METADATA_KEYS_MAX {
        let found = metadata.len();
        return Err(format!("metadata must have at most {EVENT_METADATA_KEYS_MAX} keys; found {found}"));
    }
    metadata.iter().map(|(key, value)| Ok((key.clone(), checked_value(key, value)?))).collect()
}

fn checked_value(key: &str, value: &Value) -> Result<String, String> {
    let chars = key.chars().count();
    if !(1..=EVENT_METADATA_KEY_CHARS_MAX).contains(&chars) {
        return Err(format!(
            "metadata key '{key}' must have 1 to {EVENT_METADATA_KEY_CHARS_MAX} characters; it has {chars}"
        ));
    }
    if !key.chars().all(is_allowed) {
        return Err(format!("metadata key '{key}' must hold only {ALLOWED}"));
    }
    let text = match value {
        Value::Null => {
            return Err(format!(
                "metadata '{key}' must not be null, which NaN and infinity are, too: leave the key out"
            ));
        }
        Value::Array(_) | Value::Object(_) => {
            return Err(format!("metadata '{key}' must be a text, a number or a truth value"));
        }
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    };
    let chars = text.chars().count();
    if chars > EVENT_METADATA_VALUE_CHARS_MAX {
        return Err(format!(
            "the value of metadata '{key}' must have at most {EVENT_METADATA_VALUE_CHARS_MAX} characters; it has {chars}"
        ));
    }
    if !text.chars().all(is_allowed) {
        return Err(format!("the value of metadata '{key}' must hold only {ALLOWED}"));
    }
    Ok(text)
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || is_space(character) || "._:/=+@-".contains(character)
}

/// Returns true for white space as the pattern of AgentCore defines it.
fn is_space(character: char) -> bool {
    matches!(character, '\t'..='\r' | ' ')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values() {
        let check = |value: Value, expect: Result<&str, &str>| {
            let metadata = Metadata::from_iter([("k".to_owned(), value)]);
            let got = checked(&metadata).map(|checked| checked["k"].clone());
            assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned));
        };
        let null = "metadata 'k' must not be null, which NaN and infinity are, too: leave the key out";
        let charset =
            "the value of metadata 'k' must hold only letters, digits, white space and . _ : / = + @ -";
        let shape = "metadata 'k' must be a text, a number or a truth value";
        check(json!("a B/9 ._:=+@-"), Ok("a B/9 ._:=+@-"));
        check(json!(""), Ok(""));
        check(json!(1), Ok("1"));
        check(json!(-1.5), Ok("-1.5"));
        check(json!(true), Ok("true"));
        check(json!(null), Err(null));
        check(json!(f64::NAN), Err(null));
        check(json!(f64::INFINITY), Err(null));
        check(json!(["a"]), Err(shape));
        check(json!({"a": 1}), Err(shape));
        check(json!("é"), Err(charset));
        check(json!("a,b"), Err(charset));
        check(json!("x".repeat(256)), Ok(&"x".repeat(256)));
        check(
            json!("x".repeat(257)),
            Err("the value of metadata 'k' must have at most 256 characters; it has 257"),
        );
    }

    #[test]
    fn keys() {
        let check = |key: &str, expect: Option<&str>| {
            let got = checked(&Metadata::from_iter([(key.to_owned(), json!(1))])).err();
            assert_eq!(got.as_deref(), expect);
        };
        check(&"k".repeat(128), None);
        check("", Some("metadata key '' must have 1 to 128 characters; it has 0"));
        check(
            "a,b",
            Some("metadata key 'a,b' must hold only letters, digits, white space and . _ : / = + @ -"),
        );
        assert!(checked(&Metadata::from_iter([("k".repeat(129), json!(1))])).is_err());
        let many = |count: usize| (0..count).map(|at| (format!("k{at}"), json!(at))).collect::<Metadata>();
        assert_eq!(checked(&many(15)).map(|checked| checked.len()), Ok(15));
        assert_eq!(checked(&many(16)), Err("metadata must have at most 15 keys; found 16".to_owned()));
    }
}
