//! Text between quotation marks within a line, found in one pass.
//!
//! A single regular expression for several kinds of marks reads to the end of the line for every
//! mark that is never closed. A line of many such marks would then cost the square of its length.

use std::ops::Range;

/// A kind of quotation.
#[derive(Debug, Clone, Copy)]
pub struct Quotation {
    /// The character that opens the quotation.
    pub open: char,
    /// The characters that may close the quotation. The first one found ends it.
    pub close: &'static [char],
    /// The minimum number of characters between the marks.
    pub chars_min: usize,
    /// The minimum number of white-space characters between the marks.
    pub spaces_min: usize,
    /// True if the opening mark must start the text or follow white space. Elsewhere the mark is an
    /// apostrophe.
    pub is_apart: bool,
}

impl Quotation {
    /// Returns a kind of quotation with any text between its two marks.
    pub const fn any(open: char, close: &'static [char]) -> Self {
        Self { open, close, chars_min: 0, spaces_min: 0, is_apart: false }
    }

    /// Requires a quotation that is not empty.
    pub const fn filled(self) -> Self {
        Self { chars_min: 1, ..self }
    }

    /// Requires a quotation of several words.
    pub const fn of_words(self) -> Self {
        Self { spaces_min: 2, ..self }
    }

    /// Requires a quotation that opens at the beginning of a word.
    pub const fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }
}

/// Returns the ranges of the quotations of these kinds, marks included, in order and not nested.
/// Each kind must have its own opening mark.
pub fn quotations(text: &str, kinds: &[Quotation]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // For each kind, the next mark that ends a quotation, or the end of the line.
    let mut ends: Vec<Option<(usize, char)>> = vec![Some((0, '\n')); kinds.len()];
    let mut from = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_apart = before.is_whitespace();
        before = c;
        if at < from {
            continue;
        }
        let Some((kind, end)) = kinds.iter().zip(&mut ends).find(|(kind, _)| kind.open == c) else {
            continue;
        };
        if kind.is_apart && !is_apart {
            continue;
        }
        let start = at + c.len_utf8();
        if end.is_some_and(|(place, _)| place < start) {
            *end = next_end(text, start, kind.close);
        }
        let Some((place, mark)) = end.filter(|(_, mark)| *mark != '\n') else { continue };
        let inner = text.get(start..place).unwrap_or_default();
        let mut spaces = inner.chars().filter(|c| c.is_whitespace());
        let has_chars = kind.chars_min == 0 || inner.chars().nth(kind.chars_min - 1).is_some();
        let has_spaces = kind.spaces_min == 0 || spaces.nth(kind.spaces_min - 1).is_some();
        if has_chars && has_spaces {
            from = place + mark.len_utf8();
            found.push(at..from);
        }
    }
    found
}

/// Returns the text with each quotation replaced by `instead`.
pub fn without_quotations(text: &str, kinds: &[Quotation], instead: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for quotation in quotations(text, kinds) {
        kept.push_str(text.get(from..quotation.start).unwrap_or_default());
        kept.push_str(instead);
        from = quotation.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// Returns the next of these marks at or after `at`, or the end of the line.
fn next_end(text: &str, at: usize, close: &[char]) -> Option<(usize, char)> {
    let rest = text.get(at..)?;
    let place = rest.find(|c: char| c == '\n' || close.contains(&c))?;
    Some((at + place, rest.get(place..)?.chars().next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &[Quotation] = &[
        Quotation::any('"', &['"']).of_words(),
        Quotation::any('“', &['”']),
        Quotation::any('„', &['“', '”']),
        Quotation::any('«', &['»']).filled(),
        Quotation::any('\'', &['\'']).apart(),
    ];

    #[test]
    fn quotations_end_in_their_line() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<_> = quotations(text, KINDS).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("say \"a b c\", \"a b\" and \"d e f\"", &["\"a b c\"", "\" and \""]);
        check("say \"a b\"", &[]);
        check("“a” „b“ „c” «d» «» “e\n”", &["“a”", "„b“", "„c”", "«d»"]);
        check("'a' don't b's 'c", &["'a'"]);
        check("« “a” « “b”", &["“a”", "“b”"]);
        check("„a\n„b“", &["„b“"]);
        assert_eq!(without_quotations("a “b” c", KINDS, "…"), "a … c");
    }
}
