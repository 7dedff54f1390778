//! Operations on events: create, ingest, get, list, delete; actors and sessions. This file holds
//! the requests, and each operation has its own file.

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

pub use create::PreparedEvent;
pub use overlap::run_of_token;
pub(crate) use variables::variable_pattern;

use crate::calls::page::Page;

/// A page of events, newest first.
pub type EventPage = Page<Event, EventId>;
/// A page of actors, ascending.
pub type ActorList = Page<ActorId, ActorId>;
/// A page of sessions, newest first.
pub type SessionList = Page<SessionEntry, (Timestamp, SessionId)>;

/// An event to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session; `None` means a new one with a UUID.
    pub session: Option<SessionId>,
    /// The time of the event; `None` means now.
    pub time: Option<Timestamp>,
    /// Messages, JSON and blobs.
    pub payload: Vec<PayloadItem>,
    /// The branch; `None` means main.
    pub branch: Option<BranchAsk>,
    /// Free key-value pairs.
    pub metadata: BTreeMap<String, String>,
    /// The extraction mode: read or skipped by the strategies.
    pub extraction: ExtractionMode,
    /// Values of declared namespace variables.
    pub namespace_variables: BTreeMap<String, String>,
    /// True if the API accepted content over a limit, as the memory's settings permit.
    pub over_limit: bool,
}

/// A branch in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchAsk {
    /// The name.
    pub name: BranchName,
    /// The event at which it starts; required once.
    pub root: Option<EventId>,
}

/// A stored event with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct EventCreated {
    /// The event.
    pub event: Event,
    /// Warnings.
    pub notices: Notices,
    /// True if an earlier request with the same token stored it.
    pub replayed: bool,
}

/// Data to extract without storing it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewIngest {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session; `None` means a new one with a UUID.
    pub session: Option<SessionId>,
    /// The time of the data.
    pub time: Timestamp,
    /// Messages and JSON.
    pub payload: Vec<PayloadItem>,
    /// Free key-value pairs, for metadata schemas.
    pub metadata: BTreeMap<String, String>,
    /// Values of declared namespace variables.
    pub namespace_variables: BTreeMap<String, String>,
}

/// A listing of events, newest first.
#[derive(Debug, Clone)]
pub struct EventListing {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// A branch, with true to include its ancestors up to their roots; `None` means all branches.
    pub branch: Option<(BranchName, bool)>,
    /// Conditions on metadata.
    pub metadata: Vec<EventFilter>,
    /// Only events after this one in the listing.
    pub before: Option<EventId>,
    /// Page size, 1 to 100.
    pub limit: u32,
    /// True to include payloads.
    pub with_payload: bool,
}
