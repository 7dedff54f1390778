//! Verbs of events: create, ingest, get, list, delete; actors and sessions. Requests here, one file per verb.

mod actors;
mod alignment;
pub(crate) mod branches;
pub(crate) mod content;
mod create;
mod delete;
mod get;
mod ingest;
pub(crate) mod list;
mod overlap;
pub(crate) mod scheduling;
mod session_end;
mod sessions;
mod variables;

use std::collections::BTreeMap;

use loci_model::event::filter::EventFilter;
use loci_model::event::{Event, ExtractionMode, PayloadItem};
use loci_model::ports::store::SessionEntry;
use loci_model::warning::Notices;
use loci_model::{ActorId, BranchName, EventId, MemoryId, SessionId, Timestamp};

pub use create::Prepared;
pub use overlap::run_of_token;
pub(crate) use variables::variable_pattern;

use crate::calls::page::Page;

/// A page of events, newest first.
pub type EventPage = Page<Event, EventId>;
/// A page of actors, ascending.
pub type ActorList = Page<ActorId, ActorId>;
/// A page of sessions, newest first.
pub type SessionList = Page<SessionEntry, (Timestamp, SessionId)>;

/// An event to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// The memory.
    pub memory: MemoryId,
    /// Who.
    pub actor: ActorId,
    /// Which conversation; `None`: a new one with a UUID.
    pub session: Option<SessionId>,
    /// When it happened; `None`: now.
    pub time: Option<Timestamp>,
    /// What was said or done.
    pub payload: Vec<PayloadItem>,
    /// The branch; `None`: main.
    pub branch: Option<BranchAsk>,
    /// Free key-value pairs.
    pub metadata: BTreeMap<String, String>,
    /// Whether the strategies read it.
    pub extraction: ExtractionMode,
    /// Values of declared namespace variables.
    pub namespace_variables: BTreeMap<String, String>,
    /// The door found content over a limit and stored it as the memory's settings allow.
    pub over_limit: bool,
}

/// A branch as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchAsk {
    /// The name.
    pub name: BranchName,
    /// The event it starts from; needed once.
    pub root: Option<EventId>,
}

/// A stored event, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventCreated {
    /// The event.
    pub event: Event,
    /// Warnings.
    pub notices: Notices,
    /// An earlier request with the same token stored it.
    pub replayed: bool,
}

/// Data to be extracted and not kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewIngest {
    /// The memory.
    pub memory: MemoryId,
    /// Who.
    pub actor: ActorId,
    /// Which conversation; `None`: a new one with a UUID.
    pub session: Option<SessionId>,
    /// When it happened.
    pub time: Timestamp,
    /// Messages and JSON.
    pub payload: Vec<PayloadItem>,
    /// Free key-value pairs, for metadata schemas.
    pub metadata: BTreeMap<String, String>,
    /// Values of declared namespace variables.
    pub namespace_variables: BTreeMap<String, String>,
}

/// Which events to list: newest first.
#[derive(Debug, Clone)]
pub struct EventListing {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// A branch, and whether its ancestors up to their roots count; `None`: all branches.
    pub branch: Option<(BranchName, bool)>,
    /// Conditions on metadata.
    pub metadata: Vec<EventFilter>,
    /// Behind this event.
    pub before: Option<EventId>,
    /// 1 to 100.
    pub limit: u32,
    /// Whether payloads are wanted.
    pub with_payload: bool,
}
