//! Pseudo-random numbers from a seed, equal on every machine.

/// Mixes a number. Each input has a distinct output.
pub(crate) fn mixed(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A sequence of numbers from a seed.
#[derive(Debug)]
pub(crate) struct Seeded(u64);

impl Seeded {
    /// Starts a sequence.
    pub(crate) fn new(seed: u64) -> Self {
        Self(mixed(seed))
    }

    /// Returns the next number.
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mixed(self.0)
    }

    /// Returns a number between 0 and 1.
    pub(crate) fn fraction(&mut self) -> f32 {
        (self.number() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns an approximately normal number with mean 0 and deviation 1.
    pub(crate) fn bell(&mut self) -> f32 {
        let number = self.number();
        let sum: u64 = (0..4).map(|part| number >> (part * 16) & 0xffff).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.732
    }
}
