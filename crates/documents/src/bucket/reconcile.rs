//! Appends of clients that read, add and write without a condition: of two that did so at a time
//! both lines stay. Pure.

use crate::document::appended_lines::appended;

/// What a document says after such a write; none where the write replaces what is there.
///
/// The writer extends an earlier version, and so does what is there now: then the writer had not seen the rest of it. What it adds comes
/// behind, each line once. Where the writer extends what is there, there is nothing to bring together.
pub(super) fn reconciled<'a>(
    earlier: impl IntoIterator<Item = &'a str>,
    current: &str,
    written: &str,
) -> Option<String> {
    if extends(current, written) {
        return None;
    }
    let added = |version: &'a str| {
        extension(version, current)?;
        extension(version, written)
    };
    // Of the longest version the least is told again.
    let added = earlier.into_iter().filter_map(added).min_by_key(|added| added.len())?;
    Some(appended(current, added.lines()).0)
}

/// True where a text holds all that is there, and maybe lines behind it.
pub(super) fn extends(current: &str, written: &str) -> bool {
    current == written || extension(current, written).is_some()
}

/// What a text adds in lines of its own behind another, whose white space at the end does not count.
fn extension<'a>(version: &str, text: &'a str) -> Option<&'a str> {
    let version = version.trim_end();
    let added = text.strip_prefix(version).filter(|_| !version.is_empty())?;
    let is_whole_line = added.is_empty() || added.trim_start_matches(char::is_whitespace).is_empty();
    (is_whole_line || added.trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])).then_some(added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_of_two_writers_stay() {
        let check = |earlier: &[&str], current: &str, written: &str, expect: Option<&str>| {
            let found = reconciled(earlier.iter().copied(), current, written);
            assert_eq!(found.as_deref(), expect, "{earlier:?} {current:?} {written:?}");
        };
        // Both began with the same version.
        check(&["# T\n- a"], "# T\n- a\n- one", "# T\n- a\n- two", Some("# T\n- a\n- one\n- two\n"));
        check(
            &["# T\n- a\n"],
            "# T\n- a\n- one\n",
            "# T\n- a\n- two\n- one",
            Some("# T\n- a\n- one\n- two\n"),
        );
        // The longest version counts, whatever the order.
        check(&["# T", "# T\n- a"], "# T\n- a\n- b", "# T\n- a\n- c", Some("# T\n- a\n- b\n- c\n"));
        // What was read is written again, as a stock store does that has nothing to add.
        check(&["# T\n- a\n"], "# T\n- a\n- b", "# T\n- a\n", Some("# T\n- a\n- b"));
        // The writer saw all there is, or says something else.
        check(&["# T"], "# T\n- a", "# T\n- a\n- b", None);
        check(&["# T"], "# T\n- a", "# T\n- a", None);
        check(&["# T\n- a"], "# T\n- a\n- b", "# Other", None);
        check(&["# T\n- a\n- b"], "# T\n- a", "# T\n- a\n- b\n- c", None);
        // The current text no longer extends what the writer read.
        check(&["# T\n- a"], "# T\n- rewritten", "# T\n- a\n- b", None);
        // Half of a line is no line.
        check(&["# T\n- a"], "# T\n- a\n- b", "# T\n- ab", None);
        check(&["# T\n- a"], "# T\n- ab", "# T\n- a\n- c", None);
        check(&["", "  \n"], "x", "y", None);
        check(&[], "x", "y", None);
        check(&["a\r\n"], "a\r\nb\r\n", "a\r\nc\r\n", Some("a\r\nb\r\nc\r\n"));
    }
}
