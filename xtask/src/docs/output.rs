//! Compares the output that a page shows with the one that was printed. `…` within a line stands
//! for anything, and as a line for lines that are left out. Every other line is printed, in this
//! order; lines between them are not compared.

use anyhow::{Result, bail};

/// Stands for what differs from run to run.
const ANYTHING: char = '…';

/// Compares the output that is shown with the one that was printed.
///
/// # Errors
/// Names the first line that was not printed, with all that was.
pub(super) fn compare(shown: &str, printed: &str) -> Result<()> {
    let mut rest = printed.lines();
    for expected in shown.lines().map(str::trim_end) {
        let is_free = expected.trim().is_empty() || expected.trim() == "…";
        if !is_free && !rest.any(|line| matches(expected, line.trim_end())) {
            bail!("`{expected}` was not printed, or not in this order; printed was:\n{printed}");
        }
    }
    Ok(())
}

/// True for a line that has the parts of the expected one, in their order.
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
    fn outputs_are_compared_in_order() {
        let printed = "one\ntwo 2\nthree\n";
        compare("one\n…\nthree\n", printed).unwrap();
        compare("two …\n", printed).unwrap();
        compare("\none\n", printed).unwrap();
        assert!(compare("two 2\none\n", printed).is_err());
        assert!(compare("four\n", printed).is_err());
    }
}
