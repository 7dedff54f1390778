//! The hit counters of the verdict cache in this process, for statistics.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of served verdicts.
#[derive(Debug, Default)]
pub(crate) struct VerdictCache {
    kept: AtomicU64,
    made: AtomicU64,
}

impl VerdictCache {
    /// Counts the cached and the new verdicts of one call.
    pub(super) fn count(&self, kept: usize, made: usize) {
        self.kept.fetch_add(kept as u64, Ordering::Relaxed);
        self.made.fetch_add(made as u64, Ordering::Relaxed);
    }

    /// Returns the share of cached verdicts; `None` before the first.
    pub(crate) fn rate(&self) -> Option<f64> {
        let (kept, made) = (self.kept.load(Ordering::Relaxed), self.made.load(Ordering::Relaxed));
        (kept + made > 0).then(|| kept as f64 / (kept + made) as f64)
    }
}
