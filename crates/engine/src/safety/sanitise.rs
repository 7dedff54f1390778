//! Hidden characters: found, marked, and kept out of the index. The stored text stays as it came.
//!
//! A text may show one thing to people and say another to a program by characters without a shape: Unicode tags,
//! zero-width letters, overrides of writing direction, control characters. It does not judge visible words.

/// True when the text holds characters that hide or reorder what it says. A zero-width joiner between emoji or in a
/// script that needs it, a byte order mark at the start, tabs and line breaks are ordinary.
pub fn hides_characters(text: &str) -> bool {
    hidden(text).next().is_some()
}

/// The text without its hidden characters; `None` where it has none.
pub fn visible(text: &str) -> Option<String> {
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

/// Byte offsets of hidden characters.
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

#[cfg(test)]
mod tests {
    use super::*;

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
