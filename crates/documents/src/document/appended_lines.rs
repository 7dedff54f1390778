//! Appending of lines to a text, each once: a line that is already present is not repeated. Pure.

use std::collections::BTreeSet;

use loci_engine::document_text::line_ends::line_end;
use unicode_normalization::UnicodeNormalization;

/// Returns a text with the lines appended that it does not have yet, and their number. Lines are
/// compared in NFC without surrounding white space, and empty lines are ignored. The text stays
/// unchanged, except that a missing final line end is added. New lines use the line end of the
/// text.
pub(crate) fn appended<'a>(text: &str, lines: impl IntoIterator<Item = &'a str>) -> (String, u64) {
    added(text, text.lines().map(same).collect(), lines)
}

/// Appends lines like [`appended`], but also those that the text already has. Only repetitions
/// within `lines` are dropped.
pub(crate) fn appended_unread<'a>(text: &str, lines: impl IntoIterator<Item = &'a str>) -> (String, u64) {
    added(text, BTreeSet::new(), lines)
}

fn added<'a>(
    text: &str,
    mut known: BTreeSet<String>,
    lines: impl IntoIterator<Item = &'a str>,
) -> (String, u64) {
    let mut out = text.to_owned();
    let end = line_end(text);
    let mut added = 0;
    for line in lines.into_iter().flat_map(str::lines) {
        if line.trim().is_empty() || !known.insert(same(line)) {
            continue;
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
        out.push_str(line.trim_end());
        out.push_str(end);
        added += 1;
    }
    (out, added)
}

/// Returns the normalised line for comparisons.
fn same(line: &str) -> String {
    line.trim().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_once() {
        let check = |text: &str, lines: &[&str], expect: &str, added: u64| {
            assert_eq!(
                appended(text, lines.iter().copied()),
                (expect.to_owned(), added),
                "{text:?} {lines:?}"
            );
        };
        check("", &["- one"], "- one\n", 1);
        check("- one\n", &["- one", " - one ", "- two"], "- one\n- two\n", 1);
        check("- one", &["- two\n- three\r\n"], "- one\n- two\n- three\n", 2);
        check("# T\r\n- one\r\n", &["- one", "- two"], "# T\r\n- one\r\n- two\r\n", 1);
        check("# T\r\n- one", &["- two"], "# T\r\n- one\r\n- two\r\n", 1);
        check("cafe\u{301}\n", &["café"], "cafe\u{301}\n", 0);
        check("a\n\n", &["", "  ", "b"], "a\n\nb\n", 1);
        check("a", &[], "a", 0);
        check("", &["  indented", "x", "x"], "  indented\nx\n", 2);
    }

    #[test]
    fn lines_that_are_there_are_added_where_nobody_may_know() {
        let lines = ["- one", "- two", " - two "];
        assert_eq!(appended_unread("- one\n", lines), ("- one\n- one\n- two\n".to_owned(), 2));
        assert_eq!(appended_unread("- three", lines), ("- three\n- one\n- two\n".to_owned(), 2));
    }
}
