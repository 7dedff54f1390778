//! JSON as readable `key: value` lines, and its values alone for the index.
//!
//! Members keep their order; nested keys are joined by dots, items of lists of objects are numbered
//! from 1. Null is omitted. The meaning of keys is not interpreted.

use loci_model::{Document, limits};
use loci_text::split::split_at_sentences;
use serde_json::Value;

/// Maximum length of a key in a line in characters; longer ones end in `…`.
const KEY_CHARS_MAX: usize = 200;

/// Lines that one record can hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataPart {
    /// `key: value` lines.
    pub text: String,
    /// The values, one per line.
    pub values: String,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataLine {
    /// Keys joined by dots; empty for a value without one.
    pub key: String,
    /// The value as text.
    pub value: String,
}

/// Returns the lines of a document, in parts that a record can hold.
pub fn data_parts(document: &Document) -> Vec<DataPart> {
    let Ok(value) = document.value() else { return Vec::new() };
    let mut parts: Vec<DataPart> = Vec::new();
    let mut room = 0;
    for line in data_lines(&value) {
        let key_chars = line.key.chars().count() + 2;
        for value in split_at_sentences(&line.value, limits::RECORD_TEXT_CHARS_MAX.saturating_sub(key_chars))
        {
            let needed = key_chars + value.chars().count() + 1;
            if needed > room || parts.is_empty() {
                parts.push(DataPart::default());
                room = limits::RECORD_TEXT_CHARS_MAX + 1;
            }
            room = room.saturating_sub(needed);
            if let Some(part) = parts.last_mut() {
                append(&mut part.text, &written(&line.key, &value));
                append(&mut part.values, &value);
            }
        }
    }
    parts
}

/// Returns the lines of a value as one text.
pub fn value_lines(value: &Value) -> String {
    let mut text = String::new();
    for line in data_lines(value) {
        append(&mut text, &written(&line.key, &line.value));
    }
    text
}

/// Returns the lines of a value.
pub fn data_lines(value: &Value) -> Vec<DataLine> {
    let mut lines = Vec::new();
    walk(String::new(), value, &mut lines);
    lines
}

fn walk(key: String, value: &Value, lines: &mut Vec<DataLine>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (name, member) in members {
                walk(joined(&key, name), member, lines);
            }
        }
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let words: Vec<String> = items.iter().filter_map(scalar).collect();
            if !words.is_empty() {
                lines.push(DataLine { key, value: words.join(", ") });
            }
        }
        Value::Array(items) => {
            for (number, item) in (1..).zip(items) {
                let number: usize = number;
                walk(joined(&key, &number.to_string()), item, lines);
            }
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            lines.extend(scalar(value).map(|value| DataLine { key, value }));
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.trim().is_empty()).then(|| text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(on.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn joined(key: &str, name: &str) -> String {
    let whole = if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match whole.char_indices().nth(KEY_CHARS_MAX) {
        None => whole,
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default().trim_end_matches('…')),
    }
}

fn written(key: &str, value: &str) -> String {
    if key.is_empty() { value.to_owned() } else { format!("{key}: {value}") }
}

fn append(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, text: &str, values: &str) {
        let parts = data_parts(&Document::parse(json).unwrap());
        let expect = if text.is_empty() {
            Vec::new()
        } else {
            vec![DataPart { text: text.to_owned(), values: values.to_owned() }]
        };
        assert_eq!(parts, expect, "{json}");
    }

    #[test]
    fn lines() {
        check(
            r#"{"b":"two words","a":{"n":1.50,"on":true,"none":null},"tags":["x","y"],"rows":[{"k":1},{"k":2}]}"#,
            "b: two words\na.n: 1.50\na.on: true\ntags: x, y\nrows.1.k: 1\nrows.2.k: 2",
            "two words\n1.50\ntrue\nx, y\n1\n2",
        );
        check(r#""just text""#, "just text", "just text");
        check("7", "7", "7");
        check("[1,[2]]", "1: 1\n2: 2", "1\n2");
        for empty in ["null", "{}", "[]", r#"{"a":null,"b":[],"c":"  "}"#] {
            check(empty, "", "");
        }
    }

    #[test]
    fn long_data_is_parted_and_nothing_is_lost() {
        let long = "A sentence of data. ".repeat(2000);
        let value = serde_json::json!({"text": long, "k".repeat(500): "v", "end": "last"});
        let parts = data_parts(&Document::from_value(&value).unwrap());
        assert!(parts.len() >= 3);
        assert!(
            parts.iter().all(|part| part.text.chars().count() <= loci_model::limits::RECORD_TEXT_CHARS_MAX)
        );
        let words: usize = parts.iter().map(|part| part.values.matches("sentence").count()).sum();
        assert_eq!(words, 2000);
        assert!(parts.last().unwrap().text.ends_with("end: last"));
    }
}
