//! A file as its lines in normal form: without blank lines, with white space runs collapsed to one
//! space, each with its hash and its number in the file. It is created once per blob and shared; it
//! is independent of citations.

use std::sync::OnceLock;

use loci_model::facts::verdict::Unverifiable;

use super::line_hash::{LineHash, line_hash};
use super::line_scan::LineShape;
use super::normal_text::decoded;
use super::words::word_hashes;
use crate::verifier::thresholds::LINE_BYTES_MAX;

/// The lines of one file.
pub(in crate::verifier) struct FileLines {
    /// The decoded file, followed by the lines whose normal form is not a part of it.
    text: String,
    /// The range of each line's normal form in `text`.
    spans: Vec<(u32, u32)>,
    hashes: Vec<u64>,
    numbers: Vec<u32>,
    indents: Vec<u32>,
    /// The bytes of the decoded file at the start of `text`.
    file_bytes: usize,
    total: u32,
    packed: OnceLock<WhitespaceFreeText>,
    words: OnceLock<Words>,
}

/// The file's text without white space.
struct WhitespaceFreeText {
    text: String,
    /// The start of each line, with one more entry than lines.
    starts: Vec<u32>,
}

/// Hashes of the words of all lines, in sequence.
struct Words {
    hashes: Vec<u64>,
    /// The start of each line's words, with one more entry than lines.
    starts: Vec<u32>,
}

impl FileLines {
    /// Parses the lines of a blob, or returns the reason why it has none: too large, binary,
    /// minified.
    pub(in crate::verifier) fn parse(bytes: &[u8]) -> Result<Self, Unverifiable> {
        Self::of_text(decoded(bytes)?)
    }

    fn of_text(text: String) -> Result<Self, Unverifiable> {
        let file_bytes = text.len();
        let about = file_bytes / 32;
        let mut lines = Self {
            text,
            spans: Vec::with_capacity(about),
            hashes: Vec::with_capacity(about),
            numbers: Vec::with_capacity(about),
            indents: Vec::with_capacity(about),
            file_bytes,
            total: 0,
            packed: OnceLock::new(),
            words: OnceLock::new(),
        };
        let mut at = 0;
        while at < file_bytes {
            let shape = LineShape::of(lines.text.as_bytes().get(at..file_bytes).unwrap_or_default());
            if shape.length > LINE_BYTES_MAX {
                return Err(Unverifiable::Minified);
            }
            lines.total += 1;
            if shape.is_plain {
                lines.take(at + shape.start, at + shape.end, shape.indent);
            } else {
                lines.take_odd(at, at + shape.length);
            }
            at += shape.length + 1;
        }
        Ok(lines)
    }

    /// Adds the line whose normal form these bytes are, unless it is blank.
    fn take(&mut self, start: usize, end: usize, indent: u32) {
        if start >= end {
            return;
        }
        let hash = line_hash(self.text.as_bytes().get(start..end).unwrap_or_default());
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.spans.push((offset(start), offset(end)));
        self.hashes.push(hash);
        self.numbers.push(self.total);
        self.indents.push(indent);
    }

    /// Adds a line with white space other than single spaces inside, or with non-ASCII letters.
    fn take_odd(&mut self, start: usize, end: usize) {
        let Some(raw) = self.text.get(start..end) else { return };
        let body = raw.trim_start();
        let indent = raw.get(..raw.len() - body.len()).map_or(0, indent_columns);
        let start = end - body.len();
        let body = body.trim_end();
        if !body.contains("  ") && !body.chars().any(|c| c != ' ' && c.is_whitespace()) {
            let end = start + body.len();
            return self.take(start, end, indent);
        }
        let normal = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let start = self.text.len();
        self.text.push_str(&normal);
        self.take(start, self.text.len(), indent);
    }

    /// Returns the number of non-blank lines.
    pub(in crate::verifier) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the number of lines in the file, including blank ones.
    pub(in crate::verifier) fn total(&self) -> u32 {
        self.total
    }

    /// Returns the hashes of all non-blank lines.
    pub(in crate::verifier) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the normal form of a line; empty after the end.
    pub(in crate::verifier) fn line(&self, index: usize) -> &str {
        let Some((start, end)) = self.spans.get(index) else { return "" };
        self.text.get(*start as usize..*end as usize).unwrap_or_default()
    }

    /// Returns the normal forms of some lines.
    pub(in crate::verifier) fn lines(&self, from: usize, to: usize) -> impl Iterator<Item = &str> {
        (from..to.min(self.len())).map(|index| self.line(index))
    }

    /// Returns the indentation of some lines, in columns.
    pub(in crate::verifier) fn indents(&self, from: usize, to: usize) -> &[u32] {
        self.indents.get(from..to.min(self.len())).unwrap_or_default()
    }

    /// Returns the number of a line in the file, from 1.
    pub(in crate::verifier) fn number(&self, index: usize) -> Option<u32> {
        self.numbers.get(index).copied()
    }

    /// Returns the indexes of the lines between two numbers, both included.
    pub(in crate::verifier) fn between(&self, line_start: u32, line_end: u32) -> std::ops::Range<usize> {
        let from = self.numbers.partition_point(|number| *number < line_start);
        from..self.numbers.partition_point(|number| *number <= line_end).max(from)
    }

    /// Returns the decoded text of the file between two line numbers, both included; the last line
    /// without its end.
    pub(in crate::verifier) fn raw(&self, line_start: u32, line_end: u32) -> &str {
        let file = self.text.get(..self.file_bytes).unwrap_or_default();
        let nth = |lines: u32| match lines {
            0 => Some(0),
            _ => file.match_indices('\n').nth(lines as usize - 1).map(|(at, _)| at + 1),
        };
        let Some(start) = nth(line_start.saturating_sub(1)) else { return "" };
        let rest = file.get(start..).unwrap_or_default();
        let ends = line_end.saturating_sub(line_start) as usize;
        let end = rest.match_indices('\n').nth(ends).map_or(rest.len(), |(at, _)| at);
        rest.get(..end).unwrap_or_default()
    }

    /// Returns the text without white space from one line up to another, if it has `bytes` bytes
    /// from `from` on and ends at the end of a line.
    pub(in crate::verifier) fn packed_of(&self, from: usize, bytes: u32) -> Option<(usize, &str)> {
        let packed = self.packed.get_or_init(|| self.pack());
        let start = *packed.starts.get(from)?;
        let end = start.checked_add(bytes)?;
        let to = packed.starts.binary_search(&end).ok()?;
        Some((to, packed.text.get(start as usize..end as usize)?))
    }

    fn pack(&self) -> WhitespaceFreeText {
        let mut text = String::with_capacity(self.file_bytes);
        let mut starts = Vec::with_capacity(self.len() + 1);
        for line in self.lines(0, self.len()) {
            starts.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            line.split(' ').for_each(|word| text.push_str(word));
        }
        starts.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        WhitespaceFreeText { text, starts }
    }

    /// Returns the hashes of the words of some lines, in order.
    pub(in crate::verifier) fn words(&self, from: usize, to: usize) -> &[u64] {
        let words = self.words.get_or_init(|| {
            let mut words = Words { hashes: Vec::new(), starts: Vec::with_capacity(self.len() + 1) };
            for line in self.lines(0, self.len()) {
                words.starts.push(u32::try_from(words.hashes.len()).unwrap_or(u32::MAX));
                words.hashes.extend(word_hashes(line));
            }
            words.starts.push(u32::try_from(words.hashes.len()).unwrap_or(u32::MAX));
            words
        });
        let start = |line: usize| words.starts.get(line.min(self.len())).map_or(0, |start| *start as usize);
        words.hashes.get(start(from)..start(to)).unwrap_or_default()
    }

    /// Returns the approximate memory size in bytes, including all lazily computed parts.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() * 3 + self.spans.len() * 80 + 256
    }
}

/// Returns the columns of leading white space. A tab extends to the next multiple of eight.
fn indent_columns(space: &str) -> u32 {
    space.chars().fold(0, |column, c| if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// Returns the hash and the length of the lines without white space.
pub(in crate::verifier) fn packed_hash<'a>(lines: impl Iterator<Item = &'a str>) -> (u64, u32) {
    let mut hash = LineHash::new();
    let mut length = 0;
    for byte in lines.flat_map(str::bytes).filter(|byte| *byte != b' ') {
        hash.push(byte);
        length += 1;
    }
    (hash.finish(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_normal_numbered_and_hashed() {
        let file = FileLines::parse(b"fn  a() {\r\n\r\n\t  let x =\t1; \r\n}").unwrap();
        let lines: Vec<_> = file.lines(0, 9).collect();
        assert_eq!(lines, ["fn a() {", "let x = 1;", "}"]);
        assert_eq!((file.total(), file.number(1), file.indents(0, 9)), (4, Some(3), &[0, 10, 0][..]));
        assert_eq!(file.hashes()[1], line_hash(b"let x = 1;"));
        assert_eq!(file.between(2, 3), 1..2);
        assert_eq!(file.between(2, 2), 1..1);
        assert_eq!(file.raw(1, 1), "fn  a() {");
        assert_eq!(file.raw(3, 9), "\t  let x =\t1; \n}");
        assert_eq!(file.raw(9, 9), "");
    }

    #[test]
    fn odd_white_space_is_normal_too() {
        for (text, line, indent) in [
            ("  a b", "a b", 2),
            ("a\tb", "a b", 0),
            ("a  b  ", "a b", 0),
            ("\ta \u{3000} b\u{a0}", "a b", 8),
            ("\u{a0} größer  als", "größer als", 2),
            (" größer als", "größer als", 1),
            ("a\u{c}b", "a b", 0),
            (" \u{c}a", "a", 2),
        ] {
            let file = FileLines::parse(text.as_bytes()).unwrap();
            assert_eq!((file.line(0), file.indents(0, 1)), (line, &[indent][..]), "{text:?}");
            assert_eq!(file.hashes(), [line_hash(line.as_bytes())], "{text:?}");
        }
        assert_eq!(FileLines::parse(" \t\u{a0}\u{c}\n".as_bytes()).unwrap().len(), 0);
        let long = "x".repeat(LINE_BYTES_MAX + 1);
        assert_eq!(FileLines::parse(long.as_bytes()).err(), Some(Unverifiable::Minified));
        assert!(FileLines::parse(&long.as_bytes()[1..]).is_ok());
    }

    #[test]
    fn a_file_that_ends_with_a_line_feed_has_no_line_behind_it() {
        for (text, total) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1)] {
            assert_eq!(FileLines::parse(text.as_bytes()).unwrap().total(), total, "{text:?}");
        }
    }

    #[test]
    fn packed_text_is_found_at_line_borders_only() {
        let file = FileLines::parse(b"foo(a,\n    b)\nend").unwrap();
        assert_eq!(file.packed_of(0, 8), Some((2, "foo(a,b)")));
        assert_eq!(file.packed_of(0, 7), None);
        assert_eq!(packed_hash(["foo(a, b)"].into_iter()), (line_hash(b"foo(a,b)"), 8));
    }
}
