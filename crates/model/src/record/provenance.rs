//! The provenance of a record: enough to show the evidence, and to place it in its conversation.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Role, RunPlace};
use crate::{ActorId, BranchName, EventId, SessionId, Timestamp};

/// One message of one event that supports a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The event that contains the message.
    pub event: EventId,
    /// Index into the event's payload.
    pub message: u32,
    /// Part of the message, if it was split; 0 otherwise.
    pub part: u32,
}

/// Actor, session and messages of a record.
///
/// *Inherited*: a record with `verbatim` holds one message word for word and takes that message's
/// role, time and place. Any other record counts as a separate session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The actor of the events.
    pub actor: Option<ActorId>,
    /// The session of the events.
    pub session: Option<SessionId>,
    /// The branch of the session; `None` means the main branch.
    pub branch: Option<BranchName>,
    /// The messages, oldest first.
    pub sources: Vec<Source>,
    /// True if the record holds the first source word for word.
    pub verbatim: bool,
    /// Role of the message held verbatim.
    pub role: Option<Role>,
    /// Position in a client's run of the event that is held verbatim, or else of the last of its
    /// events.
    pub run: Option<RunPlace>,
    /// Keys of the record's metadata to which the author of the messages was bound. Empty for
    /// messages of unbound callers, and for records that are older than this field.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
}

/// The position of a passage in its session: run and number if the client states them, then time,
/// event, message, part. The derived order sorts by this position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Run and first turn of the event.
    pub run: Option<(String, u64)>,
    /// The time of the event.
    pub time: Timestamp,
    /// The event, or the record's id if there is none: the tie-break.
    pub event: String,
    /// The index of the message in the payload of the event.
    pub message: u32,
    /// Part of the message, then part of the record.
    pub part: (u32, u32),
}
