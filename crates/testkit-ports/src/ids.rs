//! Ids from a seed: the same seed gives the same ids in the same order.

use std::sync::atomic::{AtomicU64, Ordering};

use loci_model::ports::ids::IdSource;

/// SplitMix64 over a counter: threads may share it, and no two calls return the same bytes.
pub struct SeededIds(AtomicU64);

impl SeededIds {
    /// Returns the ids of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl IdSource for SeededIds {
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for (place, byte) in
            self.next().to_be_bytes().into_iter().chain(self.next().to_be_bytes()).enumerate()
        {
            bytes[place] = byte;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_sequence() {
        let (one, same, other) = (SeededIds::new(1), SeededIds::new(1), SeededIds::new(2));
        let first = one.random();
        assert_eq!(first, same.random());
        assert_ne!(first, other.random());
        assert_ne!(first, one.random());
    }
}
