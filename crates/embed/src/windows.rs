//! Splits a long text into windows. It handles ids and ranges only, not vectors.

use std::ops::Range;

/// The maximum number of ids in a window, without `[CLS]` and `[SEP]`.
pub(crate) const WINDOW_IDS: usize = 254;
/// The number of ids that a window shares with the previous one.
const OVERLAP_IDS: usize = 32;

/// Returns the windows of a text of `ids` ids. They start at 0, 222, 444, …; the last one is the
/// first that reaches the end. An empty text has one empty window.
pub(crate) fn of_text(ids: usize) -> impl Iterator<Item = Range<usize>> {
    let step = WINDOW_IDS - OVERLAP_IDS;
    let count = 1 + ids.saturating_sub(WINDOW_IDS).div_ceil(step);
    (0..count).map(move |index| index * step..ids.min(index * step + WINDOW_IDS))
}

/// Returns the windows of a question: the whole, or its first and its last `WINDOW_IDS` ids.
pub(crate) fn of_question(ids: usize) -> Vec<Range<usize>> {
    let last = (ids > WINDOW_IDS).then(|| ids - WINDOW_IDS..ids);
    std::iter::once(0..ids.min(WINDOW_IDS)).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(cuts: impl IntoIterator<Item = Range<usize>>) -> Vec<(usize, usize)> {
        cuts.into_iter().map(|cut| (cut.start, cut.end)).collect()
    }

    #[test]
    fn a_text_is_covered_by_windows_that_overlap_by_32() {
        let check = |ids: usize, expect: &[(usize, usize)]| assert_eq!(pairs(of_text(ids)), expect, "{ids}");
        check(0, &[(0, 0)]);
        check(1, &[(0, 1)]);
        check(254, &[(0, 254)]);
        check(255, &[(0, 254), (222, 255)]);
        check(476, &[(0, 254), (222, 476)]);
        check(477, &[(0, 254), (222, 476), (444, 477)]);
    }

    #[test]
    fn a_long_question_keeps_both_ends() {
        let check =
            |ids: usize, expect: &[(usize, usize)]| assert_eq!(pairs(of_question(ids)), expect, "{ids}");
        check(0, &[(0, 0)]);
        check(254, &[(0, 254)]);
        check(255, &[(0, 254), (1, 255)]);
        check(1000, &[(0, 254), (746, 1000)]);
    }
}
