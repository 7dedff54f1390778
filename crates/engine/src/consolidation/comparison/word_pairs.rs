//! The budget of one write for comparisons: words of one statement times words of the other.
//! The rest is left open.
//!
//! Decisions are made in the write of their records, where every other write waits for them.

use loci_model::limits;

/// The pairs of words that may still be compared.
#[derive(Debug)]
pub struct WordPairs {
    left: usize,
}

impl WordPairs {
    /// The budget for all statements of one write.
    pub fn of_a_write() -> Self {
        Self { left: limits::COMPARED_WORD_PAIRS_MAX }
    }

    /// True when nothing more is compared.
    pub(in crate::consolidation) fn are_spent(&self) -> bool {
        self.left == 0
    }

    /// Takes the pairs of two statements. False where more are needed than are left; then none is
    /// left.
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
