//! The budget of comparisons in one write: words of one statement times words of the other. Pairs
//! beyond it are left open.
//!
//! The write of the records makes these decisions, and all other writes wait for it.

use loci_model::limits;

/// The number of word pairs that may still be compared.
#[derive(Debug)]
pub struct WordPairs {
    left: usize,
}

impl WordPairs {
    /// Returns the budget for all statements of one write.
    pub fn of_a_write() -> Self {
        Self { left: limits::COMPARED_WORD_PAIRS_MAX }
    }

    /// Returns true if the budget is used up.
    pub(in crate::consolidation) fn are_spent(&self) -> bool {
        self.left == 0
    }

    /// Deducts the pairs of two statements. If the budget is too small, returns false and leaves no
    /// budget.
    pub(in crate::consolidation) fn take(&mut self, words: usize, others: usize) -> bool {
        match self.left.checked_sub(words.saturating_mul(others)) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_the_limit_and_no_more() {
        let mut pairs = WordPairs::of_a_write();
        assert!(pairs.take(loci_model::limits::COMPARED_WORD_PAIRS_MAX, 1));
        assert!(pairs.are_spent() && !pairs.take(1, 1));
        let mut pairs = WordPairs::of_a_write();
        assert!(!pairs.take(loci_model::limits::COMPARED_WORD_PAIRS_MAX + 1, 1));
        assert!(pairs.are_spent() && !WordPairs::of_a_write().take(usize::MAX, 2));
    }
}
