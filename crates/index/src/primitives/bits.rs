//! A growing set of small numbers as bits. It does not interpret the numbers.

/// A set of `u32`, one bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    count: usize,
}

impl Bits {
    /// True if `at` is in the set.
    #[inline]
    pub(crate) fn has(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Adds `at`.
    pub(crate) fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1u64 << (at % 64);
        if let Some(word) = self.words.get_mut(word) {
            self.count += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Removes `at`.
    pub(crate) fn clear(&mut self, at: u32) {
        let bit = 1u64 << (at % 64);
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            self.count -= usize::from(*word & bit != 0);
            *word &= !bit;
        }
    }

    /// Returns the 64 numbers from `at` on, as bits.
    #[inline]
    pub(crate) fn word_from(&self, at: u32) -> u64 {
        let (word, shift) = (at as usize / 64, at % 64);
        let part = |word: usize| self.words.get(word).copied().unwrap_or(0);
        // Shift in two steps, because a shift by 64 is undefined.
        part(word) >> shift | part(word + 1) << 1 << (63 - shift)
    }

    /// Returns the number of elements.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of common elements.
    pub(crate) fn count_shared(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns all elements, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    /// Returns the bits in words of 64 numbers.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8
    }
}

impl From<Vec<u64>> for Bits {
    /// Takes bits in words of 64 numbers.
    fn from(words: Vec<u64>) -> Self {
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, count }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut bits = Self::default();
        for number in numbers {
            bits.set(number);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set(changes in proptest::collection::vec((any::<bool>(), 0u32..300), 0..200)) {
            let (mut bits, mut set) = (Bits::default(), BTreeSet::new());
            for (put, at) in changes {
                if put {
                    bits.set(at);
                    set.insert(at);
                } else {
                    bits.clear(at);
                    set.remove(&at);
                }
            }
            prop_assert_eq!(bits.count(), set.len());
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            let odd: Bits = (0..300).filter(|at| at % 2 == 1).collect();
            prop_assert_eq!(bits.count_shared(&odd), set.iter().filter(|at| **at % 2 == 1).count());
            prop_assert!((0..400).all(|at| bits.has(at) == set.contains(&at)));
            let bit = |from: u32, at: u32| u64::from(set.contains(&(from + at))) << at;
            let word = |from: u32| (0..64).fold(0u64, |word, at| word | bit(from, at));
            prop_assert!((0..400).all(|from| bits.word_from(from) == word(from)));
        }
    }
}
