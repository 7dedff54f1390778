//! Untrusted texts on a terminal: characters that move its cursor, change its title or reverse its
//! lines are made visible. All commands print the texts of a memory through this module.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns a text for people, with control characters and direction overrides as `\u{1b}`. Line
/// ends and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// Returns JSON text with the same characters in JSON notation, so that the value stays the same.
/// They occur only in its strings.
pub(crate) fn visible_json(text: &str) -> Cow<'_, str> {
    escaped(text, |c| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().fold(String::new(), |mut written, unit| {
            let _ = write!(written, "\\u{unit:04x}"); // writing to a string cannot fail
            written
        })
    })
}

fn escaped(text: &str, as_escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Line ends of other systems consist of two characters.
        let ends_line = c == '\r' && chars.peek() == Some(&'\n');
        if acts(c) && !ends_line {
            shown.push_str(&as_escape(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// True for a character that a terminal obeys instead of showing: C0, DEL, C1, and direction
/// overrides.
fn acts(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    is_control || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        let check = |text: &str, expect: &str| assert_eq!(visible(text), expect, "{text:?}");
        check("plain\ttext\n", "plain\ttext\n");
        check("\u{1b}[2J\u{1b}]0;title\u{7}", "\\u{1b}[2J\\u{1b}]0;title\\u{7}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\rb\r\nc", "a\\u{d}b\r\nc");
        check("a\u{202e}b\u{2066}c\u{7f}", "a\\u{202e}b\\u{2066}c\\u{7f}");
        check("שלום \u{200f}🧑\u{200d}💻", "שלום \u{200f}🧑\u{200d}💻");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "text": "a\u{9b}31m\u{202e}b\u{1b}[0m\u{7f}" });
        let written = serde_json::to_string_pretty(&value).unwrap();
        let shown = visible_json(&written);
        assert!(!shown.chars().any(acts), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
