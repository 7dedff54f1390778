//! A set of passages under construction: bits that are combined word by word, and counted once at
//! the end.

use crate::primitives::bits::Bits;

/// A set of passages of one index, one bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mask(Vec<u64>);

impl Mask {
    /// Returns the empty set of numbers below `limit`.
    pub(crate) fn none(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    /// Returns all numbers below `limit`.
    pub(crate) fn all(limit: usize) -> Self {
        let mut words = vec![u64::MAX; limit.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last = (1 << (limit % 64)) - 1;
        }
        Self(words)
    }

    /// Returns the elements of a set below `limit`, which is a multiple of 64 or the end of all
    /// numbers.
    pub(crate) fn of(bits: &Bits, limit: usize) -> Self {
        let mut words = bits.words().to_vec();
        words.resize(limit.div_ceil(64), 0);
        Self(words)
    }

    /// True if `at` is in the set.
    #[inline]
    pub(crate) fn has(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Returns the bits in words of 64 numbers.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the same words for modification.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Adds numbers. Those beyond the limit are ignored.
    pub(crate) fn add_each(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for at in numbers {
            if let Some(word) = self.0.get_mut(at as usize / 64) {
                *word |= 1 << (at % 64);
            }
        }
    }

    /// Adds a set.
    pub(crate) fn add(&mut self, words: &[u64]) {
        self.0.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
    }

    /// Adds the bits of `word`, whose first bit represents `from`.
    #[inline]
    pub(crate) fn add_word(&mut self, from: u32, word: u64) {
        let (at, shift) = (from as usize / 64, from % 64);
        if let Some(low) = self.0.get_mut(at) {
            *low |= word << shift;
        }
        if let Some(high) = self.0.get_mut(at + 1).filter(|_| shift > 0) {
            *high |= word >> (64 - shift);
        }
    }

    /// Keeps the elements that are in the other set too.
    pub(crate) fn keep(&mut self, words: &[u64]) {
        self.0.iter_mut().zip(words).for_each(|(word, other)| *word &= other);
        self.0.iter_mut().skip(words.len()).for_each(|word| *word = 0);
    }

    /// Keeps the elements that are in at least one of two other sets.
    pub(crate) fn keep_either(&mut self, one: &[u64], other: &[u64]) {
        let both = self.0.len().min(one.len()).min(other.len());
        let (words, rest) = self.0.split_at_mut(both);
        for ((word, one), other) in words.iter_mut().zip(one).zip(other) {
            *word &= one | other;
        }
        let longer = if one.len() > both { one } else { other };
        let mut longer = longer.iter().skip(both);
        rest.iter_mut().for_each(|word| *word &= longer.next().copied().unwrap_or(0));
    }

    /// Keeps the elements that are not in the other set.
    pub(crate) fn drop_all(&mut self, words: &[u64]) {
        self.0.iter_mut().zip(words).for_each(|(word, other)| *word &= !other);
    }

    /// Keeps the elements that are among these numbers.
    pub(crate) fn keep_each(&mut self, numbers: &[u32]) {
        let mut kept = vec![0; self.0.len()];
        for at in numbers.iter().filter(|at| self.has(**at)) {
            if let Some(word) = kept.get_mut(*at as usize / 64) {
                *word |= 1 << (at % 64);
            }
        }
        self.0 = kept;
    }

    /// Removes all elements.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Returns the number of elements. Scans the set.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns all elements, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| ones(*word).map(move |one| at as u32 * 64 + one))
    }

    /// Returns a set that stores its count.
    pub(crate) fn into_bits(self) -> Bits {
        self.0.into()
    }
}

/// Returns the positions of the set bits of a word.
#[inline]
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (at < 64).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn numbers(mask: &Mask) -> Vec<u32> {
        mask.clone().into_bits().iter().collect()
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(
            a in proptest::collection::btree_set(0u32..300, 0..99),
            b in proptest::collection::btree_set(0u32..300, 0..99),
            from in 0u32..300, word in any::<u64>(), at_most in 0u32..300,
        ) {
            let other: Bits = b.iter().copied().collect();
            let listed: Vec<u32> = b.iter().copied().collect();
            let check = |change: &dyn Fn(&mut Mask), expect: BTreeSet<u32>| {
                let mut mask = Mask::none(300);
                mask.add_each(a.iter().copied());
                change(&mut mask);
                assert_eq!(numbers(&mask), expect.into_iter().collect::<Vec<_>>());
                assert_eq!(mask.count(), numbers(&mask).len());
            };
            check(&|mask| mask.add(other.words()), &a | &b);
            check(&|mask| mask.keep(other.words()), &a & &b);
            check(&|mask| mask.keep_each(&listed), &a & &b);
            check(&|mask| mask.drop_all(other.words()), &a - &b);
            let odd: BTreeSet<u32> = (0..at_most).filter(|at| at % 2 == 1).collect();
            let third: Bits = odd.iter().copied().collect();
            check(&|mask| mask.keep_either(other.words(), third.words()), &a & &(&b | &odd));
            check(&|mask| mask.keep_either(third.words(), other.words()), &a & &(&b | &odd));
            let shifted: BTreeSet<u32> = ones(word).map(|at| from + at).filter(|at| *at < 320).collect();
            check(&|mask| mask.add_word(from, word), &a | &shifted);
        }
    }

    #[test]
    fn limits() {
        for limit in [0, 1, 63, 64, 65] {
            assert_eq!(Mask::all(limit).count(), limit);
            assert_eq!(Mask::of(&[1, 70].into_iter().collect(), limit).words().len(), limit.div_ceil(64));
        }
    }
}
