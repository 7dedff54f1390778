//! Random numbers from a seed: the same seed gives the same run. They are not for secrets.

/// A small generator (xorshift64*), good enough to spread load.
#[derive(Debug, Clone)]
pub(crate) struct Seeded(u64);

impl Seeded {
    /// Creates a generator from a seed. Zero is replaced, because the generator cannot leave it.
    pub(crate) fn new(seed: u64) -> Self {
        Self(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    /// Returns the next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound` (which must not be zero).
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns a random item.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if length == 0 { None } else { items.get(usize::try_from(self.below(length)).unwrap_or(0)) }
    }
}
