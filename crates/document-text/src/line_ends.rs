//! Line ends of a text. An edit with `\n` also matches in a text with `\r\n`, and the text keeps
//! its line ends. Pure.

use std::borrow::Cow;
use std::ops::Range;

const CRLF: &str = "\r\n";

/// Returns the line end of a text's first line; `\n` if it has none.
pub fn line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with(CRLF) { CRLF } else { "\n" }
}

/// Returns `\r\n` if the text has several lines that all end in it, else `\n`.
pub fn uniform_line_end(text: &str) -> &'static str {
    let lines = text.matches('\n').count();
    if lines > 1 && text.matches(CRLF).count() == lines { CRLF } else { "\n" }
}

/// Returns the exact occurrences of a text in another: byte ranges in order, which may overlap.
pub fn verbatim(text: &str, wanted: &str) -> Vec<Range<usize>> {
    starts(text, wanted).into_iter().map(|start| start..start + wanted.len()).collect()
}

/// Returns a text with this line end, for insertion into another. For `\n` the text stays
/// unchanged.
pub fn with_line_end<'a>(text: &'a str, end: &str) -> Cow<'a, str> {
    if end == CRLF && text.contains('\n') {
        Cow::Owned(text.replace(CRLF, "\n").replace('\n', CRLF))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the occurrences of a text in another, regardless of the line ends of both: byte ranges
/// in order, which may overlap.
pub fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let (plain, plainly_wanted) = (text.replace(CRLF, "\n"), wanted.replace(CRLF, "\n"));
    // The positions in the plain text where a line ends in two bytes in the original text.
    let mut ends = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.ends_with(CRLF) {
            at -= 1;
            ends.push(at - 1);
        }
    }
    let in_text = |place: usize| place + ends.partition_point(|end| *end < place);
    let length = plainly_wanted.len();
    let starts = starts(&plain, &plainly_wanted);
    starts.into_iter().map(|start| in_text(start)..in_text(start + length)).collect()
}

/// Returns the positions where `wanted` begins in the text, in one pass. The part that two
/// positions share is compared once.
fn starts(text: &str, wanted: &str) -> Vec<usize> {
    let wanted = wanted.as_bytes();
    let shared = shared_ends(wanted);
    let (mut starts, mut matched) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        while matched > 0 && wanted.get(matched) != Some(&byte) {
            matched = shared.get(matched - 1).copied().unwrap_or_default();
        }
        matched += usize::from(wanted.get(matched) == Some(&byte));
        if matched > 0 && matched == wanted.len() {
            starts.push(at + 1 - matched);
            matched = shared.get(matched - 1).copied().unwrap_or_default();
        }
    }
    starts
}

/// Returns, for each prefix of a text, the length of its longest proper prefix that is also its
/// suffix.
fn shared_ends(wanted: &[u8]) -> Vec<usize> {
    let mut shared: Vec<usize> = Vec::with_capacity(wanted.len());
    let mut length = 0;
    for (at, byte) in wanted.iter().enumerate() {
        while length > 0 && wanted.get(length) != Some(byte) {
            length = shared.get(length - 1).copied().unwrap_or_default();
        }
        length += usize::from(at > 0 && wanted.get(length) == Some(byte));
        shared.push(length);
    }
    shared
}

/// Returns a text with a part of it replaced. The new part gets the line end of the old part, or
/// else of the text.
pub fn replaced(text: &str, range: &Range<usize>, new: &str) -> String {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let old = part(range.start, range.end);
    let end = if old.contains('\n') { line_end(old) } else { line_end(text) };
    format!("{}{}{}", part(0, range.start), with_line_end(new, end), part(range.end, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends() {
        let check = |text: &str, expect: &str| assert_eq!(line_end(text), expect, "{text:?}");
        check("", "\n");
        check("a", "\n");
        check("a\nb\r\n", "\n");
        check("a\r\nb\n", CRLF);
    }

    #[test]
    fn edits_by_line_find_their_place_and_keep_line_ends() {
        let check = |text: &str, old: &str, new: &str, expect: &[&str]| {
            let found: Vec<String> =
                occurrences(text, old).iter().map(|range| replaced(text, range, new)).collect();
            assert_eq!(found, expect, "{text:?} {old:?} {new:?}");
        };
        check("a\r\nb\r\nc\r\n", "a\nb", "x\ny", &["x\r\ny\r\nc\r\n"]);
        check("a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", &["x\r\ny\r\nc\r\n"]);
        check("a\r\nb\r\n", "b", "x\ny", &["a\r\nx\r\ny\r\n"]);
        check("a\r\nb\r\n", "\nb", "", &["a\r\n"]);
        check("a\r\nb\r\n", "b\n", "", &["a\r\n"]);
        // A text with both line ends keeps both in their positions.
        check("a\r\nb\nc\nd\n", "b\nc", "x\ny", &["a\r\nx\ny\nd\n"]);
        check("a\nb\r\nc\r\n", "b\nc", "x\ny", &["a\nx\r\ny\r\n"]);
        check("aaa", "aa", "x", &["xa", "ax"]);
        check("\u{e9}\r\n\u{e9}", "\u{e9}", "e", &["e\r\n\u{e9}", "\u{e9}\r\ne"]);
        check("a\nb\n", "c", "x", &[]);
    }
}
