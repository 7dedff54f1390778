//! The times of retries after a store failed. Pure: the time and the randomness are arguments.

use crate::agent::limits::{BACKOFF_EVERY, BACKOFF_FAILURES, RETRY_MS_MAX, RETRY_MS_MIN};

/// The failures of a store, and the time of its next retry.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    /// The number of consecutive failures.
    failures: u32,
    /// The number of save requests since backoff began.
    requests: u32,
    retry_at_ms: i64,
}

impl Pacing {
    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// Records a failure. `chance` is randomness for the wait. Returns true once the store is in
    /// backoff.
    pub(super) fn failed(&mut self, now_ms: i64, chance: u64) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.retry_at_ms = now_ms.saturating_add(self.wait_ms(chance));
        self.in_backoff()
    }

    /// Returns the time of the next retry, in milliseconds since 1970. `None` if the last attempt
    /// did not fail.
    pub(super) fn retry_at_ms(&self) -> Option<i64> {
        (self.failures > 0).then_some(self.retry_at_ms)
    }

    /// Returns true if a save request must wait for the retry time. The request stays pending.
    pub(super) fn must_wait(&self, now_ms: i64) -> bool {
        self.failures > 0 && now_ms < self.retry_at_ms
    }

    /// Returns true if a save request may be tried now. During backoff the call counts the request,
    /// and only some are tried.
    pub(super) fn admits(&mut self, now_ms: i64, chance: u64) -> bool {
        if !self.in_backoff() {
            return true;
        }
        self.requests = self.requests.wrapping_add(1);
        let admitted = self.requests.is_multiple_of(BACKOFF_EVERY);
        if !admitted {
            self.retry_at_ms = now_ms.saturating_add(self.wait_ms(chance));
        }
        admitted
    }

    fn in_backoff(&self) -> bool {
        self.failures >= BACKOFF_FAILURES
    }

    /// Returns a random wait in milliseconds, between half and all of a time that doubles with each
    /// failure.
    fn wait_ms(&self, chance: u64) -> i64 {
        let doublings = self.failures.saturating_sub(1).min(16);
        let whole = RETRY_MS_MIN.saturating_mul(1 << doublings).min(RETRY_MS_MAX);
        let half = whole / 2;
        i64::try_from(half + chance % (half + 1)).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_with_jitter() {
        let mut pacing = Pacing::default();
        assert!(!pacing.must_wait(0) && pacing.retry_at_ms().is_none());
        for (failure, whole) in [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].iter().enumerate() {
            assert!(!pacing.failed(0, 0), "{failure}");
            assert_eq!(pacing.retry_at_ms(), Some(whole / 2));
            assert_eq!(pacing.wait_ms(u64::try_from(whole / 2).unwrap()), *whole);
        }
        pacing.succeeded();
        assert!(!pacing.must_wait(0));
    }

    #[test]
    fn in_backoff_one_request_of_three_is_tried() {
        let mut pacing = Pacing::default();
        let entered: Vec<bool> = (0..11).map(|_| pacing.failed(0, 0)).collect();
        assert_eq!(entered.iter().filter(|entered| **entered).count(), 2);
        let admitted: Vec<bool> = (0..6).map(|_| pacing.admits(0, 0)).collect();
        assert_eq!(admitted, [false, false, true, false, false, true]);
    }
}
