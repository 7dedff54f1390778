//! Triggers that decide when the messages of a store are sent.

use std::num::NonZeroU32;

/// The progress of a store at the end of an invocation, as a trigger sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// The number of invocations since the start of the coordinator, including the one that just
    /// ended.
    pub invocations: u64,
    /// The number of messages that wait to be saved.
    pub unsaved: usize,
}

/// A trigger of saves. If a store has several, one that fires suffices.
pub trait ExtractionTrigger: Send + Sync {
    /// Returns true to save the messages now.
    fn fires(&self, turns: Turns) -> bool;
}

/// A trigger that fires after each invocation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Invocation;

impl ExtractionTrigger for Invocation {
    fn fires(&self, _turns: Turns) -> bool {
        true
    }
}

/// A trigger that fires after every `turns` invocations.
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
