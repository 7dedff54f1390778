//! Events: what happened, immutable. Shapes only; what an event causes is the engine's matter.

pub mod filter;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::{ActorId, BranchName, Document, EventId, MemoryId, SessionId, Timestamp};

/// The branch every event without another is on.
pub const MAIN_BRANCH: &str = "main";

/// Who spoke a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// The agent.
    Assistant,
    /// The person.
    User,
    /// A tool's output.
    Tool,
    /// Anything else.
    Other,
}

impl Role {
    /// The wire's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "ASSISTANT",
            Self::User => "USER",
            Self::Tool => "TOOL",
            Self::Other => "OTHER",
        }
    }

    /// From the wire's spelling.
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
        /// Who spoke.
        role: Role,
        /// What was said, verbatim.
        text: String,
    },
    /// Opaque data: stored, never extracted.
    Blob(Document),
    /// Structured data: stored and extracted.
    Json(Document),
}

impl std::fmt::Debug for PayloadItem {
    /// Content is sensitive: only kind and size are shown.
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
    /// The event the branch starts from; `None` on main.
    pub root: Option<EventId>,
}

impl Branch {
    /// The main line.
    pub fn main() -> Self {
        Self { name: BranchName::main(), root: None }
    }

    /// True for the main line.
    pub fn is_main(&self) -> bool {
        self.name.as_str() == MAIN_BRANCH
    }
}

/// Whether strategies read an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Extraction))]
#[serde(rename_all = "snake_case")]
pub enum ExtractionMode {
    /// They do.
    #[default]
    Extract,
    /// Stored only.
    Skip,
}

/// Place of an event in a client's run, where its token says so:
/// `…-<runId>-<firstSeq>-<lastSeq>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunPlace {
    /// The client's run.
    pub run: String,
    /// Number of the first turn of the event in its run.
    pub first: u64,
    /// Number of the last turn of the event in its run.
    pub last: u64,
}

/// What is known of an event beside what the caller sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EventNotes {
    /// Stored although it is over a limit of the service (`compat.event_limits = lenient`).
    #[serde(default)]
    pub over_limit: bool,
    /// Indices of payload items that an earlier event of the same run holds too (an overlapping
    /// re-send): stored here, but not extracted again.
    #[serde(default)]
    pub repeated: Vec<u32>,
    /// Keys of its metadata by which the caller's grant was bound: what is made of the event has
    /// the same values, and is told apart by them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
}

impl EventNotes {
    /// True when the event covers turns that an earlier one covers too.
    pub fn overlaps(&self) -> bool {
        !self.repeated.is_empty()
    }
}

/// How much an event brings for the strategies to read: what triggers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EventLoad {
    /// Payload items that are read: all but blobs.
    pub messages: u32,
    /// Their tokens, by the default estimate.
    pub tokens: u32,
}

impl EventLoad {
    /// True when nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Something that happened, in one session, on one branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The memory.
    pub memory: MemoryId,
    /// Who.
    pub actor: ActorId,
    /// Which conversation.
    pub session: SessionId,
    /// The id; plain string order is event order.
    pub id: EventId,
    /// When it happened, as the caller says; the ordering key.
    pub time: Timestamp,
    /// When it arrived; expiry counts from here.
    pub arrived: Timestamp,
    /// Place in the memory's order of arrival, from 1; given by the store at insertion.
    pub arrival: u64,
    /// What was said or done, in order.
    pub payload: Vec<PayloadItem>,
    /// The branch it is on.
    pub branch: Branch,
    /// Free key-value pairs, filterable.
    pub metadata: BTreeMap<String, String>,
    /// Whether the strategies read it.
    pub extraction: ExtractionMode,
    /// Values of the memory's namespace variables for this event.
    pub namespace_variables: BTreeMap<String, String>,
    /// Its place in a client's run.
    pub run: Option<RunPlace>,
    /// True for IngestData: kept only until extracted, invisible to every event read.
    pub hidden: bool,
    /// When it vanishes from reads.
    pub expires: Timestamp,
    /// What else is known.
    pub notes: EventNotes,
    /// What it brings to read; nothing for events from before this was counted, and where payloads are not read.
    #[serde(default, skip_serializing_if = "EventLoad::is_empty")]
    pub load: EventLoad,
}
