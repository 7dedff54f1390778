//! Member names that the JSON library reserves: it reads an object with one of them as a number, or
//! as the JSON that its text holds. The APIs reject such names. A document that is kept as text is
//! parsed by a reader that ignores their meaning.

use serde_json::Value;

use crate::json::tree::{JsonTree, unreadable};
use crate::{Error, Reason, Result};

/// The prefix of all reserved names.
const PREFIX: &str = "$serde_json::private::";

/// Rejects JSON in which a member has a reserved name. Malformed JSON is left to the caller's
/// parser.
///
/// # Errors
/// `Invalid`, naming the rule.
pub fn refuse(json: &str) -> Result<()> {
    if !has_any(json) {
        return Ok(());
    }
    let rule = format!("no member may have a name that begins with {PREFIX}: give it another name");
    Err(Error::invalid("body", rule).because(Reason::CannotParse))
}

/// True if a member of an object has a reserved name, with any escapes.
pub(crate) fn has_any(json: &str) -> bool {
    // An escape may hide any letter of the name.
    if !json.contains("serde_json") && !json.contains("\\u") {
        return false;
    }
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        let behind = rest.get(start + 1..).unwrap_or_default();
        let Some(end) = end_of_text(behind) else { return false };
        let after = behind.get(end + 1..).unwrap_or_default();
        let is_name = after.trim_ascii_start().starts_with(':');
        if is_name && is_reserved(rest.get(start..start + end + 2).unwrap_or_default()) {
            return true;
        }
        rest = after;
    }
    false
}

/// Returns the position of the quote that ends a text. `text` starts after the opening quote.
pub(crate) fn end_of_text(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    None
}

fn is_reserved(quoted: &str) -> bool {
    serde_json::from_str::<String>(quoted).is_ok_and(|name| name.starts_with(PREFIX))
}

/// Returns the value of JSON text, in which no name has a special meaning.
///
/// # Errors
/// `Invalid` if values are nested too deeply, or the text is not JSON.
pub(crate) fn value(json: &str) -> Result<Value> {
    if has_any(json) {
        return JsonTree::parse(json).map(Value::from);
    }
    serde_json::from_str(json).map_err(|_| unreadable())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_however_it_is_written() {
        let check = |json: &str, expect: bool| {
            assert_eq!(has_any(json), expect, "{json}");
            assert_eq!(refuse(json).is_err(), expect, "{json}");
        };
        check(r#"{"$serde_json::private::Number":"1"}"#, true);
        check(r#"{"a":[{"$serde_json::private::RawValue" : "[1]"}]}"#, true);
        check(r#"{"\u0024serde_json::private::Number":"1"}"#, true);
        check(r#"{"$serde_\u006ason::private::New":"1"}"#, true);
        check(r#"{"a":"\\","$serde_json::private::Number":"1"}"#, true);
        check(r#"{"a":"$serde_json::private::Number"}"#, false);
        check(r#"["$serde_json::private::Number"]"#, false);
        check(r#"{"a":"\"$serde_json::private::Number\":1"}"#, false);
        check(r#"{"serde_json":1,"\u0041":2}"#, false);
        check("{\"unfinished", false);
    }

    #[test]
    fn what_is_kept_is_read_as_it_is() {
        let json = concat!(
            r#"{"a":[{"$serde_json::private::RawValue":"[1]"},1.50,null],"#,
            r#""b":{"\u0024serde_json::private::Number":"x"}}"#
        );
        let read = value(json).unwrap();
        assert_eq!(read["a"][0]["$serde_json::private::RawValue"], "[1]");
        assert_eq!(read["b"]["$serde_json::private::Number"], "x");
        assert_eq!(read["a"][1].to_string(), "1.50");
        assert_eq!(read.as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "b"]);
        let deep = format!("{}1{}", r#"{"$serde_json::private::x":"#.repeat(5_000), "}".repeat(5_000));
        assert!(value(&deep).unwrap_err().message.contains("deep"));
        assert!(value(&"[".repeat(5_000)).is_err());
    }
}
