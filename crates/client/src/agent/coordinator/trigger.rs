//! When a store's messages are sent. A trigger only schedules; what is durable is said by `flush`.

use std::num::NonZeroU32;

/// Where a store stands when an invocation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// Invocations since the start, this one included.
    pub invocations: u64,
    /// Messages that wait.
    pub unsaved: usize,
}

/// Decides whether messages are sent now. Of several triggers one suffices.
pub trait ExtractionTrigger: Send + Sync {
    /// True: send.
    fn fires(&self, turns: Turns) -> bool;
}

/// After each invocation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Invocation;

impl ExtractionTrigger for Invocation {
    fn fires(&self, _turns: Turns) -> bool {
        true
    }
}

/// After every so many invocations.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// How many.
    pub turns: NonZeroU32,
}

impl ExtractionTrigger for Interval {
    fn fires(&self, turns: Turns) -> bool {
        turns.invocations.is_multiple_of(u64::from(self.turns.get()))
    }
}
