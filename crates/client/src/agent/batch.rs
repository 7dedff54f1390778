//! Messages on their way to a store, and what became of each.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::error::StoreError;
use super::message::Message;

/// A message with its number in its run.
#[derive(Debug, Clone, PartialEq)]
pub struct SequencedMessage {
    /// Counts up through the run; it has gaps where messages were filtered out.
    pub sequence: u64,
    /// The message.
    pub message: Message,
}

/// Messages that are sent together. The same range of the same run always has the same messages, so that
/// [`MessageBatch::token`] tells a repetition from something new.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBatch {
    /// One id per coordinator and process; never the session's, which outlives the numbers.
    pub run_id: Arc<str>,
    /// In the order of their numbers; never empty.
    pub messages: Vec<Arc<SequencedMessage>>,
}

impl MessageBatch {
    /// The first number.
    pub fn first(&self) -> u64 {
        self.messages.first().map_or(0, |message| message.sequence)
    }

    /// The last number.
    pub fn last(&self) -> u64 {
        self.messages.last().map_or(0, |message| message.sequence)
    }

    /// `<run>-<first>-<last>`: stores put their own place before it.
    pub fn token(&self) -> String {
        format!("{}-{}-{}", self.run_id, self.first(), self.last())
    }
}

/// A message that is not stored.
#[derive(Debug, Clone)]
pub struct Unstored {
    /// Its number.
    pub sequence: u64,
    /// Why.
    pub error: StoreError,
}

/// An event that was not stored.
#[derive(Debug, Clone)]
pub struct EventFailure {
    /// The numbers of its messages.
    pub messages: Vec<u64>,
    /// The reason.
    pub error: StoreError,
}

/// The events of a batch that were not stored: those that the server refused, and those that the
/// store did not send after an error that may pass.
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

/// What became of the messages of a batch. A number in neither list counts as not stored, for an unknown reason.
#[derive(Debug, Clone, Default)]
pub struct BatchOutcome {
    /// The numbers that are durably stored.
    pub stored: Vec<u64>,
    /// Those that are not.
    pub unstored: Vec<Unstored>,
    /// The events behind `unstored`, of a store that sends events.
    pub failed: Option<EventsNotStored>,
}

impl BatchOutcome {
    /// Everything is stored.
    pub fn all(batch: &MessageBatch) -> Self {
        let stored = batch.messages.iter().map(|message| message.sequence).collect();
        Self { stored, ..Self::default() }
    }
}
