//! Merging of concurrent appends by clients that read a text, append lines, and write without a
//! precondition. The appended lines of both writers stay. Pure.

use crate::document::appended_lines::appended;

/// Returns the merged text of such a write. `None` if the written text replaces the current one.
///
/// If both the written text and the current one extend an earlier version, the writer had not seen
/// the lines that the current text added. Then the writer's added lines are appended to the current
/// text, each once. If the written text extends the current one, there is nothing to merge.
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
    // The longest common version leaves the fewest lines to append.
    let added = earlier.into_iter().filter_map(added).min_by_key(|added| added.len())?;
    Some(appended(current, added.lines()).0)
}

/// Returns true if the written text begins with the whole current text.
pub(super) fn extends(current: &str, written: &str) -> bool {
    current == written || extension(current, written).is_some()
}

/// Returns the part of a text that follows an earlier version of it. `None` if the text does not
/// begin with that version. White space at the end of the version is ignored.
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
        // Both writers began with the same version.
        check(&["# T\n- a"], "# T\n- a\n- one", "# T\n- a\n- two", Some("# T\n- a\n- one\n- two\n"));
        check(
            &["# T\n- a\n"],
            "# T\n- a\n- one\n",
            "# T\n- a\n- two\n- one",
            Some("# T\n- a\n- one\n- two\n"),
        );
        // The longest version counts, regardless of the order.
        check(&["# T", "# T\n- a"], "# T\n- a\n- b", "# T\n- a\n- c", Some("# T\n- a\n- b\n- c\n"));
        // The read text is written back, as a stock store does if it has nothing to add.
        check(&["# T\n- a\n"], "# T\n- a\n- b", "# T\n- a\n", Some("# T\n- a\n- b"));
        // The writer saw the whole present text, or writes something else.
        check(&["# T"], "# T\n- a", "# T\n- a\n- b", None);
        check(&["# T"], "# T\n- a", "# T\n- a", None);
        check(&["# T\n- a"], "# T\n- a\n- b", "# Other", None);
        check(&["# T\n- a\n- b"], "# T\n- a", "# T\n- a\n- b\n- c", None);
        // The present text no longer extends the version that the writer read.
        check(&["# T\n- a"], "# T\n- rewritten", "# T\n- a\n- b", None);
        // A partial line does not count as a line.
        check(&["# T\n- a"], "# T\n- a\n- b", "# T\n- ab", None);
        check(&["# T\n- a"], "# T\n- ab", "# T\n- a\n- c", None);
        check(&["", "  \n"], "x", "y", None);
        check(&[], "x", "y", None);
        check(&["a\r\n"], "a\r\nb\r\n", "a\r\nc\r\n", Some("a\r\nb\r\nc\r\n"));
    }
}
