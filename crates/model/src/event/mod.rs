//! Events: immutable records of the past. This module holds the data types. The engine handles the
//! effects of an event.

pub mod filter;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::{ActorId, BranchName, Document, EventId, MemoryId, SessionId, Timestamp};

/// The branch of every event without another branch.
pub const MAIN_BRANCH: &str = "main";

/// The role of the speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// The message comes from a model or an agent.
    Assistant,
    /// The message comes from a person.
    User,
    /// The message is the output of a tool.
    Tool,
    /// The message comes from any other speaker.
    Other,
}

impl Role {
    /// Returns the wire's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "ASSISTANT",
            Self::User => "USER",
            Self::Tool => "TOOL",
            Self::Other => "OTHER",
        }
    }

    /// Parses the wire's spelling.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Assistant, Self::User, Self::Tool, Self::Other].into_iter().find(|role| role.as_str() == text)
    }
}

/// One item of an event's payload.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayloadItem {
    /// A message of the conversation.
    Conversational {
        /// The role of the speaker.
        role: Role,
        /// The text, verbatim.
        text: String,
    },
    /// Opaque data: stored, never extracted.
    Blob(Document),
    /// Structured data: stored and extracted.
    Json(Document),
}

impl std::fmt::Debug for PayloadItem {
    /// Content is sensitive, so only kind and size are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Conversational { role, text } => {
                write!(f, "Conversational({role:?}, {} bytes)", text.len())
            }
            Self::Blob(document) => write!(f, "Blob({} bytes)", document.as_str().len()),
            Self::Json(document) => write!(f, "Json({} bytes)", document.as_str().len()),
        }
    }
}

/// A branch of a session: its name and, except on main, the event it starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// The name, unique in its actor and session.
    pub name: BranchName,
    /// The event that the branch starts from; `None` on main.
    pub root: Option<EventId>,
}

impl Branch {
    /// Returns the main branch.
    pub fn main() -> Self {
        Self { name: BranchName::main(), root: None }
    }

    /// True for the main branch.
    pub fn is_main(&self) -> bool {
        self.name.as_str() == MAIN_BRANCH
    }
}

/// The extraction mode of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Extraction))]
#[serde(rename_all = "snake_case")]
pub enum ExtractionMode {
    /// Strategies read the event. The default.
    #[default]
    Extract,
    /// The event is only stored.
    Skip,
}

/// The position of an event in a client's run, if its token states one:
/// `…-<runId>-<firstSeq>-<lastSeq>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunPlace {
    /// The id of the client's run.
    pub run: String,
    /// Number of the first turn of the event in its run.
    pub first: u64,
    /// Number of the last turn of the event in its run.
    pub last: u64,
}

/// Data about an event in addition to the caller's input.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EventNotes {
    /// True if the event exceeds a limit of the service and is stored nevertheless
    /// (`compat.event_limits = lenient`).
    #[serde(default)]
    pub over_limit: bool,
    /// Indexes of payload items that an earlier event of the same run also holds (an overlapping
    /// re-send). They are stored here, but not extracted again.
    #[serde(default)]
    pub repeated: Vec<u32>,
    /// Keys of its metadata to which the caller's grant was bound. Records from the event get the
    /// same values and are separated by them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
}

impl EventNotes {
    /// True if the event covers turns that an earlier event also covers.
    pub fn overlaps(&self) -> bool {
        !self.repeated.is_empty()
    }
}

/// The amount of input of an event for strategies, which triggers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EventLoad {
    /// Number of payload items that strategies read: all but blobs.
    pub messages: u32,
    /// Number of tokens of these items, by the default estimate.
    pub tokens: u32,
}

impl EventLoad {
    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An event in one session, on one branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The memory that the event belongs to.
    pub memory: MemoryId,
    /// The actor that the event belongs to.
    pub actor: ActorId,
    /// The session that the event belongs to.
    pub session: SessionId,
    /// The id. The order of ids as plain strings is the order of events.
    pub id: EventId,
    /// The time at which the event happened, from the caller; the ordering key.
    pub time: Timestamp,
    /// The time of the event's arrival, from which expiry counts.
    pub arrived: Timestamp,
    /// The arrival number: the position of the event in the memory's order of arrival, from 1. The
    /// store assigns it when it inserts the event.
    pub arrival: u64,
    /// The payload items of the event, in order: messages and data.
    pub payload: Vec<PayloadItem>,
    /// The branch that the event belongs to.
    pub branch: Branch,
    /// Free key-value pairs, filterable.
    pub metadata: BTreeMap<String, String>,
    /// The extraction mode: extract records from the event, or only store it.
    pub extraction: ExtractionMode,
    /// Values of the memory's namespace variables for this event.
    pub namespace_variables: BTreeMap<String, String>,
    /// The position of the event in the client's run, if the client's token states it.
    pub run: Option<RunPlace>,
    /// True for IngestData: the event is kept only until extracted, and event reads never return
    /// it.
    pub hidden: bool,
    /// The time from which reads no longer return the event.
    pub expires: Timestamp,
    /// Additional data about the event.
    pub notes: EventNotes,
    /// Its input for strategies. Empty for events that are older than this count, and for reads
    /// without payloads.
    #[serde(default, skip_serializing_if = "EventLoad::is_empty")]
    pub load: EventLoad,
}
