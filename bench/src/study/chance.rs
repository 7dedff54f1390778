//! Random draws of a run. A draw depends only on the seed and on the decision, not on earlier
//! events. Arms that differ only in the memory of the agent share all other draws.

use sha2::{Digest, Sha256};

/// Returns a number from 0 to 1, below 1.
pub(super) fn draw(seed: u64, number: u32, about: &str) -> f64 {
    let mut hasher = Sha256::new();
    hasher.update(seed.to_be_bytes());
    hasher.update(number.to_be_bytes());
    hasher.update(about);
    let digest = hasher.finalize();
    let high = digest.iter().take(6).fold(0_u64, |high, byte| high << 8 | u64::from(*byte));
    high as f64 / (1_u64 << 48) as f64
}

/// Returns a random index below `count`.
pub(super) fn choice(seed: u64, number: u32, about: &str, count: usize) -> usize {
    let place = draw(seed, number, about) * count as f64;
    (place as usize).min(count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_what_is_decided_alone() {
        assert_eq!(draw(1, 2, "a").to_bits(), draw(1, 2, "a").to_bits());
        assert_ne!(draw(1, 2, "a").to_bits(), draw(1, 2, "b").to_bits());
        assert_ne!(draw(1, 2, "a").to_bits(), draw(1, 3, "a").to_bits());
        let low = (0..1_000).filter(|number| draw(7, *number, "x") < 0.3).count();
        assert!((250..350).contains(&low), "{low}");
        assert!((0..100).all(|number| choice(7, number, "y", 3) < 3));
    }
}
