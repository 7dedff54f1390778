//! Line ends of a text: an edit that says `\n` finds its place in a text with `\r\n`, too, and the text keeps
//! its line ends. Pure.

use std::borrow::Cow;
use std::ops::Range;

const CRLF: &str = "\r\n";

/// The line end of a text: the one of its first line, `\n` where it has none.
pub fn line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with(CRLF) { CRLF } else { "\n" }
}

/// The line end of a text that has several lines which all end alike; `\n` else.
pub fn uniform_line_end(text: &str) -> &'static str {
    let lines = text.matches('\n').count();
    if lines > 1 && text.matches(CRLF).count() == lines { CRLF } else { "\n" }
}

/// The places where a text stands in another as it is: ranges of bytes, in order, which may overlap.
pub fn verbatim(text: &str, wanted: &str) -> Vec<Range<usize>> {
    starts(text, wanted).into_iter().map(|start| start..start + wanted.len()).collect()
}

/// A text that is added to one with this line end. In a text with `\n` it stays as it is.
pub fn with_line_end<'a>(text: &'a str, end: &str) -> Cow<'a, str> {
    if end == CRLF && text.contains('\n') {
        Cow::Owned(text.replace(CRLF, "\n").replace('\n', CRLF))
    } else {
        Cow::Borrowed(text)
    }
}

/// The places where a text stands in another, whichever line ends either has: ranges of bytes, in order,
/// which may overlap.
pub fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let (plain, plainly_wanted) = (text.replace(CRLF, "\n"), wanted.replace(CRLF, "\n"));
    // Where lines of the plain text end that end in two bytes in the text.
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

/// The places where a text begins in another. One pass: what a place shares with the next is not compared again.
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

/// For each beginning of a text the length of its longest other beginning that is also its end.
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

/// A text with a part of it replaced; what comes has the line end of what goes, else of the text.
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
        // A text of both keeps both, where they are.
        check("a\r\nb\nc\nd\n", "b\nc", "x\ny", &["a\r\nx\ny\nd\n"]);
        check("a\nb\r\nc\r\n", "b\nc", "x\ny", &["a\nx\r\ny\r\n"]);
        check("aaa", "aa", "x", &["xa", "ax"]);
        check("\u{e9}\r\n\u{e9}", "\u{e9}", "e", &["e\r\n\u{e9}", "\u{e9}\r\ne"]);
        check("a\nb\n", "c", "x", &[]);
    }
}
