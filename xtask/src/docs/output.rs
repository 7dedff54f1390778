//! Compares the output that a page shows with the one that was printed. Lines follow one another.
//! `…` within a line stands for any text, and alone on a line for any number of lines. Blank lines
//! are not compared.

use anyhow::{Result, bail};

/// Stands for what differs from run to run.
const ANYTHING: char = '…';
/// A line that stands for any number of lines.
const GAP: &str = "…";

/// Compares the output that is shown with the one that was printed.
///
/// # Errors
/// Names the first line that does not fit, with all that was printed.
pub(super) fn compare(shown: &str, printed: &str) -> Result<()> {
    let (expected, given) = (lines(shown), lines(printed));
    // `gap` holds the expected line behind the last gap, and the first given line behind it.
    let (mut at, mut line, mut gap, mut furthest) = (0, 0, None, 0);
    loop {
        match (expected.get(at), given.get(line)) {
            (None, None) => return Ok(()),
            (Some(wanted), _) if wanted.trim() == GAP => {
                at += 1;
                gap = Some((at, line));
            }
            (Some(wanted), Some(found)) if matches(wanted, found) => {
                at += 1;
                line += 1;
            }
            _ => match gap {
                Some((behind, begin)) if begin < given.len() => {
                    gap = Some((behind, begin + 1));
                    (at, line) = (behind, begin + 1);
                }
                _ => break,
            },
        }
        furthest = furthest.max(at);
    }
    match expected.get(furthest) {
        Some(wanted) => bail!("`{wanted}` was not printed, or not there; printed was:\n{printed}"),
        None => bail!("more was printed than is shown (`{GAP}` stands for more lines):\n{printed}"),
    }
}

/// Returns the lines that are not blank, without white space at their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect()
}

/// Returns true for a line that has the parts of the expected one, in their order.
fn matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split(ANYTHING);
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_match_with_what_differs_left_out() {
        let check = |expected: &str, line: &str, expect: bool| {
            assert_eq!(matches(expected, line), expect, "{expected} | {line}");
        };
        check("a b", "a b", true);
        check("a b", "a b c", false);
        check("id …", "id 7f", true);
        check("id … at … ms", "id 7f at 3 ms", true);
        check("id … at … ms", "id 7f in 3 ms", false);
        check("…b", "ab", true);
        check("a…a", "a", false);
    }

    #[test]
    fn outputs_are_compared_line_by_line() {
        let check = |shown: &str, printed: &str, expect: bool| {
            assert_eq!(compare(shown, printed).is_ok(), expect, "{shown} | {printed}");
        };
        let printed = "one\ntwo 2\n\nthree\n";
        check("one\ntwo …\nthree\n", printed, true);
        check("\none\n…\nthree\n", printed, true);
        check("…\ntwo …\n  …\n", printed, true);
        check("…\none\n…\ntwo 2\n…\nthree\n…\n", printed, true);
        check("…\nb\nc\n", "b\na\nb\nc\n", true);
        check("…\n", "", true);
        check("", "", true);
        check("one\nthree\n", printed, false);
        check("one\ntwo 2\n", printed, false);
        check("two 2\nthree\n", printed, false);
        check("…\ntwo 2\none\n", printed, false);
        check("…\nfour\n…\n", printed, false);
        check("one\n", "", false);
    }
}
