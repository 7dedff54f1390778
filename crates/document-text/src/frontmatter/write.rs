//! A frontmatter as lines: keys in their order, texts that could be read otherwise in JSON's quotes, lists and tables in blocks.
//!
//! The same table gives the same bytes for ever.

use super::QUOTED_KEYS;
use super::value::{Entry, Value, is_literal};

/// Characters of a key that stands without quotes.
const PLAIN_KEY_CHARS_MAX: usize = 100;

/// The lines of a table, each with its end; none of an empty one.
pub(crate) fn lines(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let quoted = QUOTED_KEYS.contains(&entry.key.as_str());
        write_entry(&mut text, entry, 0, quoted);
    }
    text
}

fn write_entry(text: &mut String, entry: &Entry, indent: usize, quoted: bool) {
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

/// A value behind its key's colon or its item's dash, at the lines' indent.
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

/// True for a text that stands without quotes and is read as the same text again: letters and digits of any script, and few signs.
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

/// A text in JSON's quotes, which are YAML's, too, with everything escaped that an editor or a parser could take for a line's end.
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
