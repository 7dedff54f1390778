//! Random numbers from a seed: the same seed gives the same numbers.

/// A SplitMix64 generator.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `end`, exclusive; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Returns a number from `from` to `to`, inclusive.
    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from) + 1)
    }

    /// Returns true with this probability in percent.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items; `None` if there is none.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let place = self.below(of.len() as u64);
        of.get(usize::try_from(place).ok()?)
    }

    /// Returns one of the words.
    pub(super) fn word(&mut self, of: &[&'static str]) -> &'static str {
        self.pick(of).copied().unwrap_or_default()
    }

    /// Returns an index, chosen by these weights.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u64> + Clone) -> usize {
        let mut left = self.below(weights.clone().sum());
        for (place, weight) in weights.enumerate() {
            if left < weight {
                return place;
            }
            left -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_follow_the_seed_and_stay_in_bounds() {
        let throws = |seed| {
            let mut dice = Dice::new(seed);
            (0..50).map(|_| dice.between(3, 9)).collect::<Vec<_>>()
        };
        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
        assert!((3..=9).all(|number| throws(1).contains(&number)));
        assert_eq!(Dice::new(1).pick::<u8>(&[]), None);
        let mut dice = Dice::new(7);
        assert!((0..50).all(|_| dice.weighted([0, 5, 0].into_iter()) == 1));
    }
}
