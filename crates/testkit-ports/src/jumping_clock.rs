//! A clock that jumps: a sleeper wakes at once, and the time is then as late as requested. Pauses
//! take no time and are recorded.

use std::sync::{Arc, Mutex, PoisonError};

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

use crate::ManualClock;

/// Clones show the same time and record the same pauses.
#[derive(Clone, Default)]
pub struct JumpingClock {
    hands: ManualClock,
    slept: Arc<Mutex<Vec<u64>>>,
}

impl JumpingClock {
    /// Returns the pauses so far, in milliseconds.
    pub fn slept_ms(&self) -> Vec<u64> {
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Clock for JumpingClock {
    fn now(&self) -> Timestamp {
        self.hands.now()
    }

    fn monotonic_us(&self) -> u64 {
        self.hands.monotonic_us()
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).push(millis);
        self.hands.advance_ms(millis);
        Box::pin(std::future::ready(()))
    }
}
