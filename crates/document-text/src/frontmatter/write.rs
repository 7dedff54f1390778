//! Writes a frontmatter as lines: keys in their order, ambiguous texts in JSON's quotes, lists and
//! tables in blocks.
//!
//! A table always yields identical bytes.

use super::QUOTED_KEYS;
use super::value::{FrontmatterEntry, Value, is_literal};

/// The maximum number of characters in a key without quotes.
const PLAIN_KEY_CHARS_MAX: usize = 100;

/// Returns the lines of a table, each with its line end; empty for an empty table.
pub(crate) fn lines(entries: &[FrontmatterEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let quoted = QUOTED_KEYS.contains(&entry.key.as_str());
        write_entry(&mut text, entry, 0, quoted);
    }
    text
}

fn write_entry(text: &mut String, entry: &FrontmatterEntry, indent: usize, quoted: bool) {
    text.push_str(&key(&entry.key));
    text.push(':');
    match &entry.value {
        Value::Text(value) if quoted => {
            text.push(' ');
            text.push_str(&json(value));
            text.push('\n');
        }
        value => write_value(text, value, indent),
    }
}

/// Writes a value after its key's colon or its item's dash, at the lines' indent.
fn write_value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Text(value) => {
            text.push(' ');
            text.push_str(&if is_plain(value) { value.clone() } else { json(value) });
            text.push('\n');
        }
        Value::Literal(value) => {
            if !value.is_empty() {
                text.push(' ');
                text.push_str(value);
            }
            text.push('\n');
        }
        Value::List(items) if items.is_empty() => text.push_str(" []\n"),
        Value::Table(entries) if entries.is_empty() => text.push_str(" {}\n"),
        Value::List(items) => {
            text.push('\n');
            for item in items {
                push_indent(text, indent + 2);
                text.push('-');
                write_value(text, item, indent + 2);
            }
        }
        Value::Table(entries) => {
            text.push('\n');
            for entry in entries {
                push_indent(text, indent + 2);
                write_entry(text, entry, indent + 2, false);
            }
        }
    }
}

fn push_indent(text: &mut String, indent: usize) {
    text.extend(std::iter::repeat_n(' ', indent));
}

fn key(key: &str) -> String {
    let plain = !key.is_empty()
        && key.len() <= PLAIN_KEY_CHARS_MAX
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        && !key.starts_with(['-', '.']);
    if plain { key.to_owned() } else { json(key) }
}

/// Returns true for a text that needs no quotes to be read back unchanged: letters and digits of
/// any script, and a few signs.
fn is_plain(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_alphanumeric)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, ' ' | '_' | '-' | '.' | '/' | ':' | '+' | '(' | ')' | ',' | '@')
        })
        && !is_literal(text)
}

/// Returns a text in JSON's quotes, which are valid in YAML too. It escapes every character that an
/// editor or a parser could treat as a line end.
fn json(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
