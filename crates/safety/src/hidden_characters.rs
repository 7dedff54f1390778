//! Hidden characters. Loci detects and marks them in stored texts, keeps them out of the index, and
//! removes them from texts for a model.
//!
//! Characters without a shape can make a text show one content to people and another to a program:
//! Unicode tags, zero-width letters, overrides of writing direction, control characters, terminal
//! escapes. The module does not judge visible words.

use std::borrow::Cow;

/// True if the text holds characters that hide or reorder its content. A zero-width joiner between
/// emoji or in a script that needs it, a byte order mark at the start, tabs and line breaks are
/// ordinary.
pub(super) fn hides_characters(text: &str) -> bool {
    hidden(text).next().is_some()
}

/// Returns the text without its hidden characters; `None` if it has none.
pub(super) fn visible(text: &str) -> Option<String> {
    let mut places = hidden(text).peekable();
    places.peek()?;
    let mut kept = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if places.peek() == Some(&at) {
            places.next();
        } else {
            kept.push(c);
        }
    }
    Some(kept)
}

/// Returns the byte offsets of hidden characters.
fn hidden(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let hides = match c {
            '\u{200d}' | '\u{200c}' => before.is_ascii(),
            '\u{feff}' => at > 0,
            _ => is_hidden(c),
        };
        before = c;
        hides.then_some(at)
    })
}

fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}');
    }
    matches!(c,
        '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}' // C1 controls without NEL
        | '\u{200b}' | '\u{2060}'..='\u{2064}' // zero width
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}') // tags
}

/// Returns the text without characters that have no shape, with line ends as LF. It is the first
/// step of [`super::sanitise`] and therefore stricter than [`visible`]: it also removes marks of
/// writing direction, variation selectors that select nothing, whole terminal escapes, and a byte
/// order mark anywhere. The function is idempotent.
pub(super) fn stripped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| (c.is_ascii_control() && !matches!(c, '\n' | '\t')) || is_shapeless(c)) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    // If one string does not end in its line, no later string on that line ends either.
    let mut ends_none = false;
    while let Some(c) = rest.next() {
        match c {
            '\r' => {
                if rest.next_if_eq(&'\n').is_some() {
                    ends_none = false;
                }
                kept.push('\n');
            }
            '\n' => {
                ends_none = false;
                kept.push(c);
            }
            '\u{1b}' if rest.peek().is_some_and(|next| begins_string(*next)) => {
                let skipped = if ends_none { 0 } else { string_length(rest.clone()) };
                ends_none |= skipped == 0;
                rest.by_ref().take(skipped).for_each(drop);
            }
            '\u{1b}' => {
                let skipped = escape_length(rest.clone());
                rest.by_ref().take(skipped).for_each(drop);
            }
            '\u{9b}' => {
                let skipped = control_sequence_length(rest.clone());
                rest.by_ref().take(skipped).for_each(drop);
            }
            _ if c.is_ascii_control() && c != '\t' => {}
            _ if is_shapeless(c) => {
                if joins(kept.chars().next_back(), c) {
                    kept.push(c);
                }
            }
            _ => kept.push(c),
        }
    }
    Cow::Owned(kept)
}

/// Returns true for a character that has no visible shape of its own. The copy for pattern matching
/// omits all of them.
pub fn is_shapeless(c: char) -> bool {
    is_hidden(c) && !c.is_ascii()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2065}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true if the joiner or variation selector `c` follows a character whose appearance it may
/// change.
fn joins(before: Option<char>, c: char) -> bool {
    let selects = matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let joiner = matches!(c, '\u{200c}' | '\u{200d}');
    let keycap = c == '\u{fe0f}' && before.is_some_and(|b| b.is_ascii_digit() || matches!(b, '#' | '*'));
    let after_joinable = before.is_some_and(|b| {
        !b.is_ascii() && !b.is_whitespace() && (!is_shapeless(b) || (joiner && b == '\u{fe0f}'))
    });
    keycap || ((selects || joiner) && after_joinable)
}

/// True for a character after ESC that begins a string, such as an operating system command.
fn begins_string(c: char) -> bool {
    matches!(c, ']' | 'P' | '_' | '^' | 'X')
}

/// Returns the number of characters after an ESC that belong to it and form no string: a control
/// sequence, or a letter.
fn escape_length(mut rest: std::iter::Peekable<std::str::Chars<'_>>) -> usize {
    match rest.peek() {
        Some('[') => {
            rest.next();
            1 + control_sequence_length(rest)
        }
        Some('@'..='Z' | '\\') => 1,
        _ => 0,
    }
}

/// Returns the length of the parameters with the letter that ends them; 0 if no letter ends them.
fn control_sequence_length(rest: std::iter::Peekable<std::str::Chars<'_>>) -> usize {
    let mut length = 0;
    for c in rest {
        length += 1;
        match c {
            '\u{20}'..='\u{3f}' => {}
            '\u{40}'..='\u{7e}' => return length,
            _ => return 0,
        }
    }
    0
}

/// Returns the length of a command's text up to BEL or ESC `\`, in one line; 0 if it does not end.
fn string_length(rest: std::iter::Peekable<std::str::Chars<'_>>) -> usize {
    let mut length = 0;
    let mut before = ' ';
    for c in rest {
        length += 1;
        match c {
            '\u{7}' | '\u{9c}' => return length,
            '\\' if before == '\u{1b}' => return length,
            '\n' => return 0,
            _ => before = c,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stripped() {
        let check = |text: &str, expect: &str| {
            assert_eq!(stripped(text), expect, "{text:?}");
            assert_eq!(stripped(expect), expect, "{expect:?}");
        };
        check("plain\n\ttext, grün, 日本", "plain\n\ttext, grün, 日本");
        check("a\r\nb\rc", "a\nb\nc");
        check("\u{1b}[31mred\u{1b}[0m", "red");
        check("\u{1b}]0;title\u{7}shell \u{1b}]8;;http://x\u{1b}\\link", "shell link");
        check("\u{9b}2Jgone", "gone");
        check("bare \u{1b} escape", "bare  escape");
        check(
            "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3} می\u{200c}خواهم",
            "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3} می\u{200c}خواهم",
        );
        check("👁\u{fe0f}\u{200d}🗨\u{fe0f}", "👁\u{fe0f}\u{200d}🗨\u{fe0f}");
        check("a\u{200b}\u{200d}b\u{fe0f}", "ab");
        check("\u{feff}start\u{feff}", "start");
        check("x\u{202e}evil\u{202c}\u{200f}", "xevil");
        check("hi\u{e0041}\u{e0042}", "hi");
        check("nul\0\u{8}", "nul");
        check("だ\u{fe00}\u{fe01}\u{fe02}", "だ");
    }

    #[test]
    fn what_hides() {
        for (text, expect) in [
            ("plain\n\ttext", None),
            ("\u{1b}[31mred", None),
            ("👩\u{200d}💻 می\u{200c}خواهم", None),
            ("\u{feff}start", None),
            ("a\u{200b}b", Some("ab")),
            ("a\u{200d}b", Some("ab")),
            ("a\u{feff}b", Some("ab")),
            ("x\u{202e}evil\u{202c}", Some("xevil")),
            ("hi\u{e0041}\u{e0042}", Some("hi")),
            ("nul\0", Some("nul")),
        ] {
            assert_eq!(visible(text).as_deref(), expect, "{text:?}");
            assert_eq!(hides_characters(text), expect.is_some(), "{text:?}");
        }
    }
}
