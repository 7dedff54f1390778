//! Operations on events: create, ingest, get, list, delete; lists of actors and sessions. This
//! file holds the request types, and each operation has its own file.

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
/// A page of actors, in ascending order.
pub type ActorList = Page<ActorId, ActorId>;
/// A page of sessions, newest first.
pub type SessionList = Page<SessionEntry, (Timestamp, SessionId)>;

/// A request to store an event.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// The memory that gets the event.
    pub memory: MemoryId,
    /// The actor of the event.
    pub actor: ActorId,
    /// The session of the event; `None` creates a session whose id is a new UUID.
    pub session: Option<SessionId>,
    /// The time of the event; `None` means the time of the request.
    pub time: Option<Timestamp>,
    /// The content of the event: messages, JSON and blobs.
    pub payload: Vec<PayloadItem>,
    /// The branch of the session that gets the event; `None` means the main branch.
    pub branch: Option<BranchAsk>,
    /// Keys and values that the client chooses.
    pub metadata: BTreeMap<String, String>,
    /// The setting that decides if strategies extract the event or skip it.
    pub extraction: ExtractionMode,
    /// Values of the namespace variables that the memory declares.
    pub namespace_variables: BTreeMap<String, String>,
    /// True if the content exceeds a limit that the memory's settings do not enforce.
    pub over_limit: bool,
}

/// The branch of a session that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchAsk {
    /// The name of the branch.
    pub name: BranchName,
    /// The event at which the branch starts. It is required only in the first event of the
    /// branch.
    pub root: Option<EventId>,
}

/// A stored event with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct EventCreated {
    /// The event as it is stored.
    pub event: Event,
    /// Warnings about the event, for example that secrets were masked.
    pub notices: Notices,
    /// True if an earlier request with the same client token stored the event.
    pub replayed: bool,
}

/// A request to extract data without storing it as an event.
#[derive(Debug, Clone, PartialEq)]
pub struct NewIngest {
    /// The memory that gets the extracted records.
    pub memory: MemoryId,
    /// The actor of the data.
    pub actor: ActorId,
    /// The session of the data; `None` creates a session whose id is a new UUID.
    pub session: Option<SessionId>,
    /// The time of the data.
    pub time: Timestamp,
    /// The data to extract: messages and JSON.
    pub payload: Vec<PayloadItem>,
    /// Keys and values from which strategies fill in the metadata of records.
    pub metadata: BTreeMap<String, String>,
    /// Values of the namespace variables that the memory declares.
    pub namespace_variables: BTreeMap<String, String>,
}

/// A request for a list of a session's events, newest first.
#[derive(Debug, Clone)]
pub struct EventListing {
    /// The memory of the session.
    pub memory: MemoryId,
    /// The actor of the session.
    pub actor: ActorId,
    /// The session whose events are listed.
    pub session: SessionId,
    /// The branch to list, and true to include its ancestors up to the event where each branch
    /// starts; `None` means all branches.
    pub branch: Option<(BranchName, bool)>,
    /// Conditions on the metadata of events, all of which must hold.
    pub metadata: Vec<EventFilter>,
    /// The last event of the previous page; `None` for the first page.
    pub before: Option<EventId>,
    /// The maximum number of events in the page, 1 to 100.
    pub limit: u32,
    /// True to return the payloads of events; false to return only their other members.
    pub with_payload: bool,
}
