//! Sessions and what happened in them, as rows to be moved.

use serde::Serialize;

use crate::event::{Branch, Event, PayloadItem};
use crate::{ActorId, SessionId, StrategyId, Timestamp};

/// How far a strategy has read a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedProgress {
    /// The strategy.
    pub strategy: StrategyId,
    /// Arrival number of the last event it took.
    pub arrival: u64,
}

/// A session, whether it is listed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedSession {
    /// Whose.
    pub actor: ActorId,
    /// Which.
    pub session: SessionId,
    /// Arrival of its first visible event.
    pub created: Option<Timestamp>,
    /// When its last visible event vanishes, or vanished.
    pub ends: Timestamp,
    /// Its branches but main, by name.
    pub branches: Vec<Branch>,
    /// What strategies have read, by strategy.
    pub progress: Vec<MovedProgress>,
}

/// The greatest place of a millisecond whose events were removed: ids are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MovedPlace {
    /// The millisecond.
    pub time: i64,
    /// The place.
    pub place: u32,
}

/// A turn of a client's run that an event of a session holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedTurn {
    /// Whose.
    pub actor: ActorId,
    /// Of which session.
    pub session: SessionId,
    /// The client's run.
    pub run: String,
    /// Its number there.
    pub number: u64,
    /// Digest of what was said.
    pub digest: String,
}

/// An event with its arrival number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedEvent {
    /// The event; of a deleted one, `expires` is when it was deleted.
    pub event: Event,
    /// It is deleted, and not removed yet.
    pub deleted: bool,
}

impl MovedEvent {
    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        let item = |item: &PayloadItem| match item {
            PayloadItem::Conversational { text, .. } => text.len(),
            PayloadItem::Blob(document) | PayloadItem::Json(document) => document.as_str().len(),
        };
        self.event.payload.iter().map(item).sum()
    }
}
