//! The difference of two texts, line by line, as `diff -u` shows it. What other people's lines hold for secrets is not
//! shown: see `masked`.

use super::masked::masked;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// Beyond this many comparisons a changed stretch is shown as a whole.
const COMPARISONS_MAX: usize = 4_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Old,
    New,
}

/// The difference; empty where there is none. Line ends are not shown: where they differ the line is there twice.
pub(super) fn unified(old: Option<&str>, new: Option<&str>, name: &str) -> String {
    if old == new {
        return String::new();
    }
    let (before, after) = (old.unwrap_or_default(), new.unwrap_or_default());
    let lines = compared(
        &before.split_inclusive('\n').collect::<Vec<_>>(),
        &after.split_inclusive('\n').collect::<Vec<_>>(),
    );
    let label = |text: Option<&str>| if text.is_some() { name.to_owned() } else { "(no file)".to_owned() };
    let mut shown = format!("--- {}\n+++ {}\n", label(old), label(new));
    let (mut at_old, mut at_new) = (1, 1);
    let mut index = 0;
    while index < lines.len() {
        let next = lines.get(index..).unwrap_or_default().iter().position(|(side, _)| *side != Side::Both);
        let Some(change) = next.map(|skipped| index + skipped) else { break };
        let start = change.saturating_sub(CONTEXT).max(index);
        at_old += start - index;
        at_new += start - index;
        let end = end_of_hunk(&lines, change);
        let hunk = lines.get(start..end).unwrap_or_default();
        let count = |side: Side| hunk.iter().filter(|(is, _)| *is == Side::Both || *is == side).count();
        let (olds, news) = (count(Side::Old), count(Side::New));
        shown.push_str(&format!("@@ -{at_old},{olds} +{at_new},{news} @@\n"));
        for (side, line) in hunk {
            let line = line.trim_end_matches(['\n', '\r']);
            match side {
                Side::Both => shown.push_str(&format!(" {}\n", masked(line))),
                Side::Old => shown.push_str(&format!("-{}\n", masked(line))),
                Side::New => shown.push_str(&format!("+{}\n", masked(line))),
            }
        }
        at_old += olds;
        at_new += news;
        index = end;
    }
    shown
}

/// Behind the context of the last change that is near enough to belong to one hunk.
fn end_of_hunk(lines: &[(Side, &str)], change: usize) -> usize {
    let mut last = change;
    for (index, (side, _)) in lines.iter().enumerate().skip(change) {
        if *side != Side::Both {
            last = index;
        } else if index - last > 2 * CONTEXT {
            break;
        }
    }
    (last + 1 + CONTEXT).min(lines.len())
}

fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Side, &'t str)> {
    let same_before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) =
        (old.get(same_before..).unwrap_or_default(), new.get(same_before..).unwrap_or_default());
    let same_after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = old_rest.get(..old_rest.len() - same_after).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - same_after).unwrap_or_default();
    let mut lines: Vec<_> = old.iter().take(same_before).map(|line| (Side::Both, *line)).collect();
    lines.extend(middle(old_middle, new_middle));
    lines.extend(old_rest.iter().skip(old_middle.len()).map(|line| (Side::Both, *line)));
    lines
}

/// By the longest common part of the lines; removed lines come before added ones.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Side, &'t str)> {
    let width = new.len() + 1;
    let olds = || old.iter().map(|line| (Side::Old, *line));
    let news = || new.iter().map(|line| (Side::New, *line));
    if old.len().saturating_mul(new.len()) > COMPARISONS_MAX {
        return olds().chain(news()).collect();
    }
    // Of the rest of both from each pair of lines on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for (i, old_line) in old.iter().enumerate().rev() {
        for (j, new_line) in new.iter().enumerate().rev() {
            let best = if old_line == new_line {
                at(&common, i + 1, j + 1) + 1
            } else {
                at(&common, i + 1, j).max(at(&common, i, j + 1))
            };
            if let Some(cell) = common.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                lines.push((Side::Both, *a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), other) if other.is_none() || at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                lines.push((Side::Old, *a));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push((Side::New, *b));
                j += 1;
            }
            (_, None) => return lines,
        }
    }
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
        assert_eq!(unified(None, Some("a\n"), "f"), "--- (no file)\n+++ f\n@@ -1,0 +1,1 @@\n+a\n");
        assert_eq!(unified(Some("a"), None, "f"), "--- f\n+++ (no file)\n@@ -1,1 +1,0 @@\n-a\n");
        assert_eq!(unified(Some("a"), Some("a"), "f"), "");
        assert_eq!(unified(None, None, "f"), "");
    }

    #[test]
    fn every_difference_leads_from_the_old_to_the_new() {
        let texts = ["", "a\n", "a\nb\nc\n", "c\nb\na\n", "b\nb\n", "x\na\nb\ny\nc\n", "a\nb\nc"];
        for old in texts {
            for new in texts {
                let lines = compared(
                    &old.split_inclusive('\n').collect::<Vec<_>>(),
                    &new.split_inclusive('\n').collect::<Vec<_>>(),
                );
                let of = |side: Side| {
                    lines
                        .iter()
                        .filter(|(is, _)| *is == Side::Both || *is == side)
                        .map(|(_, line)| *line)
                        .collect::<String>()
                };
                assert_eq!((of(Side::Old).as_str(), of(Side::New).as_str()), (old, new));
            }
        }
    }
}
