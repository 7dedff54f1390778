//! Messages on their way to a store, and what became of each.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::error::StoreError;
use super::message::Message;

/// A message with its number in its run.
#[derive(Debug, Clone, PartialEq)]
pub struct SequencedMessage {
    /// The sequence number. It increases through the run, with gaps where messages were filtered
    /// out.
    pub sequence: u64,
    /// The message.
    pub message: Message,
}

/// Messages that are sent together. One range of one run always has the same messages, so that
/// [`MessageBatch::token`] distinguishes a repetition from a new batch.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBatch {
    /// The id of one coordinator in one process. It is never the session's id, which outlives the
    /// sequence numbers.
    pub run_id: Arc<str>,
    /// The messages in the order of their sequence numbers; never empty.
    pub messages: Vec<Arc<SequencedMessage>>,
}

impl MessageBatch {
    /// Returns the first sequence number.
    pub fn first(&self) -> u64 {
        self.messages.first().map_or(0, |message| message.sequence)
    }

    /// Returns the last sequence number.
    pub fn last(&self) -> u64 {
        self.messages.last().map_or(0, |message| message.sequence)
    }

    /// Returns `<run>-<first>-<last>`. Stores put their own write target before it.
    pub fn token(&self) -> String {
        format!("{}-{}-{}", self.run_id, self.first(), self.last())
    }
}

/// A message that is not stored.
#[derive(Debug, Clone)]
pub struct Unstored {
    /// The sequence number of the message.
    pub sequence: u64,
    /// The error of the store.
    pub error: StoreError,
}

/// An event that was not stored.
#[derive(Debug, Clone)]
pub struct EventFailure {
    /// The sequence numbers of its messages.
    pub messages: Vec<u64>,
    /// The error of the store.
    pub error: StoreError,
}

/// The events of a batch that were not stored: those that the server rejected, and those that the
/// store did not send after a transient error.
#[derive(Debug, Clone)]
pub struct EventsNotStored {
    /// Every failure, in the order of the conversation.
    pub failures: Vec<EventFailure>,
    /// The number of all events of the batch.
    pub events: usize,
}

impl fmt::Display for EventsNotStored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} event(s) not stored", self.failures.len(), self.events)?;
        self.failures.first().map_or(Ok(()), |first| write!(f, "; first error: {}", first.error))
    }
}

impl Error for EventsNotStored {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failures.first().map(|first| &first.error as _)
    }
}

/// The outcome of each message of a batch. A sequence number in neither list counts as not stored,
/// for an unknown reason.
#[derive(Debug, Clone, Default)]
pub struct BatchOutcome {
    /// The sequence numbers that are durably stored.
    pub stored: Vec<u64>,
    /// The messages that are not stored.
    pub unstored: Vec<Unstored>,
    /// The failed events behind `unstored`, from a store that sends events.
    pub failed: Option<EventsNotStored>,
}

impl BatchOutcome {
    /// Returns an outcome with every message stored.
    pub fn all(batch: &MessageBatch) -> Self {
        let stored = batch.messages.iter().map(|message| message.sequence).collect();
        Self { stored, ..Self::default() }
    }
}
