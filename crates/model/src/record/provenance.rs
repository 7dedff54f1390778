//! Where a record comes from: enough to show the evidence, and to place it in its conversation.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Role, RunPlace};
use crate::{ActorId, BranchName, EventId, SessionId, Timestamp};

/// One message of one event that a record rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The event.
    pub event: EventId,
    /// Index into the event's payload.
    pub message: u32,
    /// Part of the message, where it was split; 0 otherwise.
    pub part: u32,
}

/// Who, which conversation, which messages.
///
/// *Inherited*: a record with `verbatim` holds one message word for word and takes that message's
/// role, time and place; any other is a session of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Whose events.
    pub actor: Option<ActorId>,
    /// Which session.
    pub session: Option<SessionId>,
    /// Which branch of it; `None` is main.
    pub branch: Option<BranchName>,
    /// The messages, oldest first.
    pub sources: Vec<Source>,
    /// The record holds the first source word for word.
    pub verbatim: bool,
    /// Role of the message held verbatim.
    pub role: Option<Role>,
    /// Place in a client's run of the event held verbatim, else of the last of its events.
    pub run: Option<RunPlace>,
    /// Keys of the record's metadata by which whoever wrote the messages was bound. None for what
    /// unbound callers wrote, and for records from before this was kept.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
}

/// Place of a passage in its session: run and number where the client says so, then time, event, message, part.
/// Derived order: by session, then by place in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Run and first turn of the event.
    pub run: Option<(String, u64)>,
    /// When the event happened.
    pub time: Timestamp,
    /// The event, or the record's id where there is none: the tie-break.
    pub event: String,
    /// Index into the payload.
    pub message: u32,
    /// Part of the message, then part of the record.
    pub part: (u32, u32),
}
