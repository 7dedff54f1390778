//! Quantiles of latencies, and their output.

use serde::{Deserialize, Serialize};

/// Latencies of one kind of call, in microseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latencies(Vec<u64>);

/// The printed quantiles, in milliseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) count: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Latencies {
    pub(crate) fn add(&mut self, took: std::time::Duration) {
        self.0.push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the mean, in milliseconds.
    pub(crate) fn mean_ms(&self) -> f64 {
        self.0.iter().sum::<u64>() as f64 / 1000.0 / self.0.len().max(1) as f64
    }

    pub(crate) fn quantiles(&mut self) -> Quantiles {
        self.0.sort_unstable();
        let at = |share: f64| {
            let last = self.0.len().saturating_sub(1);
            let place = (share * last as f64).round() as usize;
            self.0.get(place).map_or(0.0, |micros| *micros as f64 / 1000.0)
        };
        Quantiles {
            count: self.0.len(),
            p50_ms: at(0.5),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            max_ms: at(1.0),
        }
    }
}

impl std::fmt::Display for Quantiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms, max {:.2} ms ({} calls)",
            self.p50_ms, self.p95_ms, self.p99_ms, self.max_ms, self.count
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        let mut all = Latencies::default();
        for millis in 1..=101u64 {
            all.add(std::time::Duration::from_millis(millis));
        }
        let got = all.quantiles();
        assert_eq!((got.count, got.p50_ms, got.p95_ms, got.max_ms), (101, 51.0, 96.0, 101.0));
        assert_eq!((all.mean_ms(), Latencies::default().mean_ms()), (51.0, 0.0));
        assert_eq!(Latencies::default().quantiles().count, 0);
    }
}
