//! Sessions and their events, as rows to be moved.

use serde::Serialize;

use crate::event::{Branch, Event, PayloadItem};
use crate::{ActorId, SessionId, StrategyId, Timestamp};

/// The progress of a strategy in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedProgress {
    /// The strategy that the progress belongs to.
    pub strategy: StrategyId,
    /// Arrival number of the last event that it took.
    pub arrival: u64,
}

/// A session, listed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedSession {
    /// The actor that the session belongs to.
    pub actor: ActorId,
    /// The id of the session.
    pub session: SessionId,
    /// Arrival of the session's first visible event.
    pub created: Option<Timestamp>,
    /// The time at which the session's last visible event expires or expired.
    pub ends: Timestamp,
    /// The branches except main of the session, by name.
    pub branches: Vec<Branch>,
    /// The progress of strategies, by strategy.
    pub progress: Vec<MovedProgress>,
}

/// The greatest index of a millisecond whose events were removed, because ids are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MovedPlace {
    /// The millisecond.
    pub time: i64,
    /// The index among the events of the millisecond.
    pub place: u32,
}

/// A turn of a client's run that an event of a session holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedTurn {
    /// The actor that the turn belongs to.
    pub actor: ActorId,
    /// The session that the turn belongs to.
    pub session: SessionId,
    /// The client's run.
    pub run: String,
    /// The number of the turn in the run.
    pub number: u64,
    /// Digest of the content.
    pub digest: String,
}

/// An event with its arrival number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedEvent {
    /// The event; for a deleted one, `expires` is the time of the deletion.
    pub event: Event,
    /// True if it is deleted, and not removed yet.
    pub deleted: bool,
}

impl MovedEvent {
    /// Returns its approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let item = |item: &PayloadItem| match item {
            PayloadItem::Conversational { text, .. } => text.len(),
            PayloadItem::Blob(document) | PayloadItem::Json(document) => document.as_str().len(),
        };
        self.event.payload.iter().map(item).sum()
    }
}
