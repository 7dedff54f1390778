//! Triggers that decide when a store's messages are sent. A trigger only schedules; `flush` reports
//! the unsaved messages.

use std::num::NonZeroU32;

/// The progress of a store at the end of an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// The number of invocations since the start, including this one.
    pub invocations: u64,
    /// The number of waiting messages.
    pub unsaved: usize,
}

/// Decides if messages are sent now. One trigger of several suffices.
pub trait ExtractionTrigger: Send + Sync {
    /// Returns true to send the messages now.
    fn fires(&self, turns: Turns) -> bool;
}

/// Fires after each invocation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Invocation;

impl ExtractionTrigger for Invocation {
    fn fires(&self, _turns: Turns) -> bool {
        true
    }
}

/// Fires after every `turns` invocations.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// The number of invocations between two saves.
    pub turns: NonZeroU32,
}

impl ExtractionTrigger for Interval {
    fn fires(&self, turns: Turns) -> bool {
        turns.invocations.is_multiple_of(u64::from(self.turns.get()))
    }
}
