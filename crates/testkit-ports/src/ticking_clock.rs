//! A clock that goes on by a step at each look at its monotonic time: work under a budget of time
//! ends after so many looks, however fast the machine is.

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

use crate::ManualClock;

/// The first look sees zero.
pub struct TickingClock {
    hands: ManualClock,
    step_ms: u64,
}

impl TickingClock {
    /// Returns a clock on which each look takes so many milliseconds.
    pub fn new(step_ms: u64) -> Self {
        Self { hands: ManualClock::default(), step_ms }
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        self.hands.now()
    }

    fn monotonic_us(&self) -> u64 {
        let seen_us = self.hands.monotonic_us();
        self.hands.advance_ms(self.step_ms);
        seen_us
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        self.hands.sleep(millis)
    }
}
