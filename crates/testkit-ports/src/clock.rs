//! A clock that moves only when a test advances it.

use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

/// 2026-11-21T00:00:00Z, the default start of every clock.
pub const START: Timestamp = Timestamp::clamped(1_795_219_200_000);

struct Hands {
    now: Timestamp,
    monotonic_us: u64,
    waiting: Vec<Waker>,
}

/// A clock that stands still until it is advanced; clones show the same time.
#[derive(Clone)]
pub struct ManualClock(Arc<Mutex<Hands>>);

impl Default for ManualClock {
    fn default() -> Self {
        Self::at(START)
    }
}

impl ManualClock {
    /// Returns a clock at `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(Hands { now, monotonic_us: 0, waiting: Vec::new() })))
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the clock, and wakes sleepers whose time has come.
    pub fn advance_ms(&self, millis: u64) {
        let mut hands = self.hands();
        hands.now = hands.now.plus_millis(i64::try_from(millis).unwrap_or(i64::MAX));
        hands.monotonic_us = hands.monotonic_us.saturating_add(millis.saturating_mul(1000));
        let waiting = std::mem::take(&mut hands.waiting);
        drop(hands);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Sets the clock back, like the clock of another machine; sleepers continue to sleep.
    pub fn put_back_ms(&self, millis: i64) {
        let mut hands = self.hands();
        hands.now = hands.now.plus_millis(-millis);
    }

    /// Returns the number of sleepers: a test may advance the clock once there is one.
    pub fn sleepers(&self) -> usize {
        self.hands().waiting.len()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.hands().now
    }

    fn monotonic_us(&self) -> u64 {
        self.hands().monotonic_us
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        let clock = self.clone();
        let until = self.monotonic_us().saturating_add(millis.saturating_mul(1000));
        Box::pin(std::future::poll_fn(move |context| {
            let mut hands = clock.hands();
            if hands.monotonic_us >= until {
                return Poll::Ready(());
            }
            if !hands.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                hands.waiting.push(context.waker().clone());
            }
            Poll::Pending
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn sleeping_ends_when_time_has_passed() {
        let clock = ManualClock::default();
        let mut sleep = clock.sleep(10);
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance_ms(9);
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance_ms(1);
        assert!((&mut sleep).now_or_never().is_some());
        assert_eq!(clock.now().millis() - START.millis(), 10);
    }
}
