//! The line difference of two texts in the format of `diff -u`. `masked` hides the secrets in
//! foreign lines.

use similar::TextDiff;

use super::secret_masking::masked;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// Returns the difference, or an empty text if there is none. Line ends are not shown. A line whose
/// end differs appears twice.
pub(super) fn unified(old: Option<&str>, new: Option<&str>, name: &str) -> String {
    if old == new {
        return String::new();
    }
    let label = |text: Option<&str>| if text.is_some() { name.to_owned() } else { "(no file)".to_owned() };
    let mut shown = format!("--- {}\n+++ {}\n", label(old), label(new));
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default());
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        shown.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches(['\n', '\r']);
            shown.push_str(&format!("{}{}\n", change.tag(), masked(line)));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_what_is_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
        let new = "1\n2\n3\n4\nx\n6\n7\n8\n9\n10\n11\n12\n13\n14\n16\ny\n";
        let expect = "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n@@ -12,5 +12,5 @@\n 12\n 13\n 14\n-15\n 16\n+y\n";
        assert_eq!(unified(Some(old), Some(new), "f"), expect);
    }

    #[test]
    fn files_that_come_and_go_are_shown() {
        assert_eq!(unified(None, Some("a\n"), "f"), "--- (no file)\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified(Some("a"), None, "f"), "--- f\n+++ (no file)\n@@ -1 +0,0 @@\n-a\n");
        assert_eq!(unified(Some("a"), Some("a"), "f"), "");
        assert_eq!(unified(None, None, "f"), "");
    }
}
