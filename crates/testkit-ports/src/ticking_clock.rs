//! A clock that advances by a step with each read of its monotonic time: work with a time limit
//! ends after a fixed number of reads on any machine.

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

use crate::ManualClock;

/// A ticking clock. The first read returns zero.
pub struct TickingClock {
    hands: ManualClock,
    step_ms: u64,
}

impl TickingClock {
    /// Returns a clock on which each read takes `step_ms` milliseconds.
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
