//! Retries of background work that may fail for a long time, such as a vector graph that the
//! database user may not create. Each failure is remembered, and the pause before the next attempt
//! grows. Times come from the database; nothing sleeps here.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The pause after the first attempt, in milliseconds; the next constant is the maximum. Each pause
/// is twice as long as the one before.
const PAUSE_MS: i64 = 30_000;
const PAUSE_MAX_MS: i64 = 60 * 60 * 1_000;
/// The maximum number of remembered attempts. Beyond it, all are forgotten and may run again.
const REMEMBERED_MAX: usize = 10_000;

/// The earliest time of the next attempt, and the pause after it.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    next_ms: i64,
    pause_ms: i64,
}

/// The work that was attempted and did not succeed, by its key.
#[derive(Debug)]
pub(crate) struct Attempts<K>(Mutex<HashMap<K, Attempt>>);

impl<K> Default for Attempts<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Attempts<K> {
    fn all(&self) -> MutexGuard<'_, HashMap<K, Attempt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the work may be attempted now. The next attempt is then possible after a pause,
    /// unless this one succeeds.
    pub(crate) fn begin(&self, what: K, now_ms: i64) -> bool {
        let mut all = self.all();
        let before = all.get(&what).copied();
        if before.is_some_and(|before| now_ms < before.next_ms) {
            return false;
        }
        if all.len() >= REMEMBERED_MAX {
            all.clear();
        }
        let pause_ms = before.map_or(PAUSE_MS, |before| before.pause_ms.saturating_mul(2).min(PAUSE_MAX_MS));
        all.insert(what, Attempt { next_ms: now_ms.saturating_add(pause_ms), pause_ms });
        true
    }

    /// Records a success: if the work is needed again, it may be attempted at once.
    pub(crate) fn succeeded(&self, what: &K) {
        self.all().remove(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_it_is_done() {
        let attempts = Attempts::default();
        let mut made = Vec::new();
        for second in 0..20_000_i64 {
            if attempts.begin("one", second * 1_000) {
                made.push(second);
            }
        }
        assert_eq!(made, [0, 30, 90, 210, 450, 930, 1_890, 3_810, 7_410, 11_010, 14_610, 18_210]);
        assert!(attempts.begin("another", 18_300_000), "each for itself");
        attempts.succeeded(&"one");
        assert!(attempts.begin("one", 18_300_000));
        assert!(!attempts.begin("one", 18_329_999));
    }
}
