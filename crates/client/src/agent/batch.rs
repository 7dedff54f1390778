//! Batches of messages that are sent to a store, and the outcome of each message.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::error::StoreError;
use super::message::Message;

/// A message with its sequence number in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SequencedMessage {
    /// The sequence number of the message in its run. It increases during the run, with gaps where
    /// a filter dropped messages.
    pub sequence: u64,
    /// The message.
    pub message: Message,
}

/// Messages that are sent to a store together. A range of sequence numbers of a run always has the
/// same messages, so that [`MessageBatch::token`] identifies a repeated batch.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBatch {
    /// The id of the run: of one coordinator in one process. It is not the id of the session,
    /// because a session continues in other runs, which number their messages again.
    pub run_id: Arc<str>,
    /// The messages in the order of their sequence numbers; never empty.
    pub messages: Vec<Arc<SequencedMessage>>,
}

impl MessageBatch {
    /// Returns the sequence number of the first message.
    pub fn first(&self) -> u64 {
        self.messages.first().map_or(0, |message| message.sequence)
    }

    /// Returns the sequence number of the last message.
    pub fn last(&self) -> u64 {
        self.messages.last().map_or(0, |message| message.sequence)
    }

    /// Returns the token of the batch, `<run>-<first>-<last>`. Stores add their write target in
    /// front of it.
    pub fn token(&self) -> String {
        format!("{}-{}-{}", self.run_id, self.first(), self.last())
    }
}

/// A message that the store did not store, with the error.
#[derive(Debug, Clone)]
pub struct Unstored {
    /// The sequence number of the message.
    pub sequence: u64,
    /// The error for which the store did not store the message.
    pub error: StoreError,
}

/// An event that the store did not store, with the error.
#[derive(Debug, Clone)]
pub struct EventFailure {
    /// The sequence numbers of the event's messages.
    pub messages: Vec<u64>,
    /// The error for which the store did not store the event.
    pub error: StoreError,
}

/// The events of a batch that were not stored: events that the server rejected, and events that the
/// store did not send because an earlier one failed transiently.
#[derive(Debug, Clone)]
pub struct EventsNotStored {
    /// The events that were not stored, each with its error, in the order of the conversation.
    pub failures: Vec<EventFailure>,
    /// The number of events in the batch, including the stored ones.
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

/// The outcome of each message of a batch. A message whose sequence number is in neither list
/// counts as not stored, for an unknown reason.
#[derive(Debug, Clone, Default)]
pub struct BatchOutcome {
    /// The sequence numbers of the durably stored messages.
    pub stored: Vec<u64>,
    /// The messages that are not stored, each with its error.
    pub unstored: Vec<Unstored>,
    /// The failed events that contained the `unstored` messages. `None` unless the store sends
    /// events and one failed.
    pub failed: Option<EventsNotStored>,
}

impl BatchOutcome {
    /// Returns the outcome of a batch of which every message is stored.
    pub fn all(batch: &MessageBatch) -> Self {
        let stored = batch.messages.iter().map(|message| message.sequence).collect();
        Self { stored, ..Self::default() }
    }
}
