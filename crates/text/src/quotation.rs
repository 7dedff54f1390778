//! Text between quotation marks of a line, found in one pass. One expression for several kinds of marks
//! reads to the end of the line for every mark that is never closed: a line of many of them costs the
//! square of its length.

use std::ops::Range;

/// A kind of quotation.
#[derive(Debug, Clone, Copy)]
pub struct Quotation {
    /// The mark that begins it.
    pub open: char,
    /// The marks that end it: the first of them does.
    pub close: &'static [char],
    /// Characters between the marks at least.
    pub chars_min: usize,
    /// White space between the marks at least.
    pub spaces_min: usize,
    /// It begins the text or stands behind white space: elsewhere its mark is an apostrophe.
    pub is_apart: bool,
}

impl Quotation {
    /// Whatever stands between two marks.
    pub const fn any(open: char, close: &'static [char]) -> Self {
        Self { open, close, chars_min: 0, spaces_min: 0, is_apart: false }
    }

    /// A quotation that is not empty.
    pub const fn filled(self) -> Self {
        Self { chars_min: 1, ..self }
    }

    /// A quotation of several words.
    pub const fn of_words(self) -> Self {
        Self { spaces_min: 2, ..self }
    }

    /// A quotation that opens at the beginning of a word.
    pub const fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }
}

/// Quotations of these kinds with their marks, in order, none within another. Each kind has an opening mark
/// of its own.
pub fn quotations(text: &str, kinds: &[Quotation]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Of each kind the next mark that ends one, or the end of a line.
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

/// The text with another in the place of each of its quotations.
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

/// The next of these marks at or behind `at`, or the end of the line.
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
