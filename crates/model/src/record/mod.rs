//! Records: what is remembered. Shapes only; who may change them and how is the engine's matter.

pub mod agreement;
pub mod conflict;
pub mod derivation;
pub mod erased_source;
pub mod expiry;
pub mod feedback;
pub mod findings;
pub mod metadata;
pub mod metadata_filter;
pub mod provenance;
pub mod scope;
pub mod statement_time;
pub mod telemetry;

use serde::{Deserialize, Serialize};

use crate::record::derivation::Making;
use crate::record::findings::Findings;
use crate::record::metadata::{
    Metadata, MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use crate::record::provenance::Provenance;
use crate::words::closed_words;
use crate::{MemoryId, Namespace, RecordId, StrategyId, Timestamp};

closed_words! {
    /// What a record is (the list is closed).
    RecordKind {
        /// A statement, or a turn of talk kept verbatim.
        Fact = "fact",
        /// What someone prefers.
        Preference = "preference",
        /// A session in short.
        Summary = "summary",
        /// A piece of work: situation, intent, outcome.
        Episode = "episode",
        /// What several episodes teach.
        Reflection = "reflection",
        /// A rule of conduct.
        Rule = "rule",
        /// An operations investigation.
        Investigation = "investigation",
        /// A text of its own.
        Document = "document",
    }
}

closed_words! {
    /// Where a record stands (the list is closed). Reads return active ones unless asked.
    RecordState {
        /// In force.
        Active = "active",
        /// Held, pending confirmation or approval.
        Candidate = "candidate",
        /// Another record or version took its place.
        Superseded = "superseded",
        /// Found wrong.
        Invalid = "invalid",
        /// Held back as suspicious.
        Quarantined = "quarantined",
        /// No longer confirmed by its evidence.
        Stale = "stale",
        /// Past its time.
        Expired = "expired",
        /// Put away.
        Archived = "archived",
        /// Undone by a rollback.
        RolledBack = "rolled_back",
        /// Deleted: hidden at once, content erased later.
        Erased = "erased",
    }
}

closed_words! {
    /// How a record came to be.
    RecordOrigin {
        /// From the pipeline.
        Extracted = "extracted",
        /// Written by a client.
        BatchCreated = "batch_created",
    }
}

closed_words! {
    /// How far a record's source is trusted (the list is closed).
    #[derive(Default)]
    TrustTier {
        /// An agent, or a client, wrote or said it.
        #[default]
        Agent = "agent",
        /// A person confirmed it.
        Confirmed = "confirmed",
        /// It comes from outside: an issue, a page, a tool.
        External = "external",
        /// Safety found something in it.
        Flagged = "flagged",
    }
}

impl TrustTier {
    /// From a word of input; `human_confirmed` is another word for `confirmed`.
    pub fn parse_input(word: &str) -> Option<Self> {
        if word == "human_confirmed" { Some(Self::Confirmed) } else { Self::parse(word) }
    }

    /// True for the tier of records that say nothing.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

impl RecordOrigin {
    /// The wire's spelling in the system metadata.
    pub fn wire(self) -> &'static str {
        match self {
            Self::Extracted => "EXTRACTED",
            Self::BatchCreated => "BATCH_CREATED",
        }
    }
}

/// What is remembered, in one version.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The memory.
    pub memory: MemoryId,
    /// The id, the same through all versions.
    pub id: RecordId,
    /// From 1; an edit makes the next.
    pub version: u32,
    /// Place in the memory's order of record changes; given by the store at each write.
    pub sequence: u64,
    /// What it is.
    pub kind: RecordKind,
    /// A finer word within the kind.
    pub subtype: Option<String>,
    /// A title, where it has one.
    pub title: Option<String>,
    /// A path, where it is a document or belongs to one.
    pub path: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// To what it applies (paths, components), where it says so.
    pub scope: Option<String>,
    /// Link to its citations, where it has any.
    pub citations: Option<String>,
    /// Its place.
    pub namespace: Namespace,
    /// Whose strategy made it.
    pub strategy: Option<StrategyId>,
    /// What is remembered, as shown.
    pub text: String,
    /// What the index reads, where that differs from `text` (JSON values without keys).
    pub index_text: Option<String>,
    /// Free values.
    pub metadata: Metadata,
    /// Where it comes from.
    pub provenance: Provenance,
    /// How it came to be.
    pub origin: RecordOrigin,
    /// Trust, 0 to 1.
    pub trust: f64,
    /// How far its source is trusted.
    #[serde(default, skip_serializing_if = "TrustTier::is_plain")]
    pub tier: TrustTier,
    /// How the pipeline made it; `None` for what a client wrote, and for records from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Box<Making>>,
    /// The records it draws on: a reflection's episodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<RecordId>,
    /// What safety found in it.
    #[serde(default, skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
    /// Where it stands.
    pub state: RecordState,
    /// Why it stands there.
    pub state_reason: Option<String>,
    /// The record that took its place.
    pub superseded_by: Option<RecordId>,
    /// The records whose place it took.
    pub supersedes: Vec<RecordId>,
    /// True from here on (world time).
    pub valid_from: Timestamp,
    /// True until just before here.
    pub valid_to: Option<Timestamp>,
    /// Time of the source event, or as the client says.
    pub timestamp: Timestamp,
    /// When the first version was written.
    pub created_at: Timestamp,
    /// When this version was written.
    pub updated_at: Timestamp,
    /// When it vanishes from reads.
    pub expires_at: Option<Timestamp>,
    /// The duration that set `expires_at`, to restart it.
    pub expiry_days: Option<u32>,
}

impl Record {
    /// The text the index reads.
    pub fn indexed(&self) -> &str {
        self.index_text.as_deref().unwrap_or(&self.text)
    }

    /// True when a plain read at `now` returns it.
    pub fn is_readable(&self, now: Timestamp) -> bool {
        self.state == RecordState::Active && !self.is_expired(now)
    }

    /// True when its text is there: a deleted record keeps it until its erasure, and is a shell
    /// behind it.
    pub fn has_content(&self) -> bool {
        self.state != RecordState::Erased || !self.text.is_empty()
    }

    /// True when its expiry has passed.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= now)
    }

    /// The value of a metadata key, system keys included.
    pub fn metadata_value(&self, key: &str) -> Option<MetadataValue> {
        match key {
            SYSTEM_CREATED_AT => Some(MetadataValue::DateTime(self.created_at)),
            SYSTEM_UPDATED_AT => Some(MetadataValue::DateTime(self.updated_at)),
            SYSTEM_RECORD_TYPE => Some(MetadataValue::String(self.origin.wire().to_owned())),
            _ => self.metadata.get(key).cloned(),
        }
    }
}

impl std::fmt::Debug for Record {
    /// Content is sensitive: only what identifies the record is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record")
            .field("memory", &self.memory)
            .field("id", &self.id)
            .field("version", &self.version)
            .field("sequence", &self.sequence)
            .field("kind", &self.kind)
            .field("state", &self.state)
            .field("text_bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}
