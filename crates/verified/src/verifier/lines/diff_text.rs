//! The difference between cited lines and the current ones, as a unified diff for people and
//! agents. The text is untrusted; it is neither fenced nor cleaned here.

use loci_model::facts::citation::LineRange;

use super::file_lines::FileLines;
use super::line_diff::common_pairs;
use super::line_hash::line_hash;
use crate::verifier::thresholds::DIFF_BYTES_MAX;

/// Returns the diff in normal lines, cut off at 8 KiB with a line that states this. Returns `None`
/// if the old lines are not known.
pub(in crate::verifier) fn diff_text(
    old_place: &LineRange,
    old: &[String],
    new_place: &LineRange,
    file: &FileLines,
    from: usize,
    to: usize,
) -> Option<String> {
    if old.is_empty() {
        return None;
    }
    let old_hashes: Vec<u64> = old.iter().map(|line| line_hash(line.as_bytes())).collect();
    let pairs = common_pairs(&old_hashes, file.hashes().get(from..to).unwrap_or_default());
    let span = |place: &LineRange, lines: usize| format!("{},{lines}", place.line_start);
    let mut text = format!(
        "--- a/{}\n+++ b/{}\n@@ -{} +{} @@\n",
        old_place.path,
        new_place.path,
        span(old_place, old.len()),
        span(new_place, to - from),
    );
    let (mut a, mut b) = (0, 0);
    for (old_at, new_at) in pairs.into_iter().chain(std::iter::once((old.len(), to - from))) {
        let gone = old.get(a..old_at).unwrap_or_default().iter().map(|line| ('-', line.as_str()));
        let come = file.lines(from + b, from + new_at).map(|line| ('+', line));
        let kept = old.get(old_at).map(|line| (' ', line.as_str()));
        for (sign, line) in gone.chain(come).chain(kept) {
            if text.len() + line.len() + 2 > DIFF_BYTES_MAX {
                text.push_str("\\ cut off\n");
                return Some(text);
            }
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
        (a, b) = (old_at + 1, new_at + 1);
    }
    Some(text)
}

/// Returns the diff of texts that are equal except for white space, line by line. Returns `None` if
/// nothing differs, or if line breaks differ.
pub(in crate::verifier) fn line_by_line(
    old_place: &LineRange,
    old: &[String],
    new_place: &LineRange,
    new: &[&str],
) -> Option<String> {
    if old.len() != new.len() || old.iter().zip(new).all(|(old, new)| old == new) {
        return None;
    }
    let mut text = format!(
        "--- a/{}\n+++ b/{}\n@@ -{},{} +{},{} @@\n",
        old_place.path,
        new_place.path,
        old_place.line_start,
        old.len(),
        new_place.line_start,
        new.len(),
    );
    for (old, new) in old.iter().zip(new) {
        let lines = if old == new { format!(" {old}\n") } else { format!("-{old}\n+{new}\n") };
        if text.len() + lines.len() > DIFF_BYTES_MAX {
            text.push_str("\\ cut off\n");
            break;
        }
        text.push_str(&lines);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_and_long_ones_cut_off() {
        let file = FileLines::parse(b"x\n\na\nB\nc\nd\n").unwrap();
        let place = |line_start, line_end| LineRange { path: "f".to_owned(), line_start, line_end };
        let old: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let text = diff_text(&place(1, 3), &old, &place(3, 6), &file, 1, 5).unwrap();
        assert_eq!(text, "--- a/f\n+++ b/f\n@@ -1,3 +3,4 @@\n a\n-b\n+B\n c\n+d\n");
        let long = vec!["x".repeat(1_000); 20];
        let text = diff_text(&place(1, 20), &long, &place(3, 6), &file, 1, 5).unwrap();
        assert!(text.len() <= DIFF_BYTES_MAX + 12 && text.ends_with("\\ cut off\n"));
        assert_eq!(diff_text(&place(1, 3), &[], &place(3, 6), &file, 1, 5), None);
        let text = line_by_line(&place(1, 2), &old[..2], &place(3, 4), &["a", "  b"]).unwrap();
        assert_eq!(text, "--- a/f\n+++ b/f\n@@ -1,2 +3,2 @@\n a\n-b\n+  b\n");
        assert_eq!(line_by_line(&place(1, 1), &old[..1], &place(3, 3), &["a"]), None);
    }
}
