//! Shares of a count with their 95 % Wilson bounds.

use serde::Serialize;

/// A number of hits among a number of items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Rate {
    pub(super) hits: usize,
    pub(super) of: usize,
}

/// The quantile of the normal distribution that leaves 2.5 % on each side.
const Z: f64 = 1.959_963_984_540_054;

impl Rate {
    pub(super) fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { hits: self.hits + other.hits, of: self.of + other.of }
    }

    /// Returns the share from 0 to 1, or `None` without items.
    pub(super) fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// Returns the lower and the upper bound.
    pub(super) fn bounds(self) -> (f64, f64) {
        let Some(p) = self.share() else { return (0.0, 1.0) };
        let n = self.of as f64;
        let centre = p + Z * Z / (2.0 * n);
        let width = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let below = 1.0 + Z * Z / n;
        (((centre - width) / below).max(0.0), ((centre + width) / below).min(1.0))
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(share) = self.share() else { return f.pad("-") };
        let (low, high) = self.bounds();
        let text = format!(
            "{:.2} % [{:.2}, {:.2}] ({}/{})",
            share * 100.0,
            low * 100.0,
            high * 100.0,
            self.hits,
            self.of
        );
        f.pad(&text)
    }
}

/// Formats the share in per cent, without bounds.
pub(super) fn percent(rate: Rate) -> String {
    rate.share().map_or_else(|| "-".to_owned(), |share| format!("{:.2}", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_wilson() {
        let check = |hits, of, expect: (f64, f64)| {
            let (low, high) = Rate { hits, of }.bounds();
            assert!((low - expect.0).abs() < 5e-4 && (high - expect.1).abs() < 5e-4, "{low} {high}");
        };
        check(0, 0, (0.0, 1.0));
        check(10, 10, (0.7225, 1.0));
        check(0, 100, (0.0, 0.0370));
        check(98, 100, (0.9300, 0.9945));
        assert_eq!(Rate::default().to_string(), "-");
    }
}
