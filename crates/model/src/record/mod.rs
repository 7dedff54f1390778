//! Records: the contents of a memory. This module holds the data types. The engine checks
//! permissions and changes records.

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

use crate::record::derivation::RecordDerivation;
use crate::record::findings::Findings;
use crate::record::metadata::{
    Metadata, MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use crate::record::provenance::Provenance;
use crate::words::closed_words;
use crate::{MemoryId, Namespace, RecordId, StrategyId, Timestamp};

closed_words! {
    /// The kind of a record (the list is closed).
    RecordKind {
        /// A statement, or a turn of a conversation kept verbatim.
        Fact = "fact",
        /// A preference of a person.
        Preference = "preference",
        /// A summary of a session.
        Summary = "summary",
        /// A piece of work: situation, intent, outcome.
        Episode = "episode",
        /// A lesson from several episodes.
        Reflection = "reflection",
        /// A rule of conduct.
        Rule = "rule",
        /// An operations investigation.
        Investigation = "investigation",
        /// A standalone text.
        Document = "document",
    }
}

closed_words! {
    /// The state of a record (the list is closed). Reads return active records by default.
    RecordState {
        /// The record is in force: reads return it.
        Active = "active",
        /// The record waits for confirmation or approval.
        Candidate = "candidate",
        /// Another record or version superseded the record.
        Superseded = "superseded",
        /// The record was found wrong.
        Invalid = "invalid",
        /// The record is withheld as suspicious until a person decides.
        Quarantined = "quarantined",
        /// The evidence of the record no longer confirms it.
        Stale = "stale",
        /// The expiry time of the record has passed.
        Expired = "expired",
        /// The record was archived.
        Archived = "archived",
        /// A rollback undid the record.
        RolledBack = "rolled_back",
        /// The record was deleted. It is hidden immediately, and its content is erased later.
        Erased = "erased",
    }
}

closed_words! {
    /// The origin of a record.
    RecordOrigin {
        /// A strategy extracted the record from events.
        Extracted = "extracted",
        /// A client wrote the record.
        BatchCreated = "batch_created",
    }
}

closed_words! {
    /// The trust in a record's source (the list is closed).
    #[derive(Default)]
    TrustTier {
        /// An agent or a client wrote the content.
        #[default]
        Agent = "agent",
        /// A person confirmed the content.
        Confirmed = "confirmed",
        /// The content comes from outside: an issue, a web page, a tool.
        External = "external",
        /// The safety checks found something suspicious in the content.
        Flagged = "flagged",
    }
}

impl TrustTier {
    /// Parses a word of input; `human_confirmed` is a synonym of `confirmed`.
    pub fn parse_input(word: &str) -> Option<Self> {
        if word == "human_confirmed" { Some(Self::Confirmed) } else { Self::parse(word) }
    }

    /// True for the default tier, which serialised records omit.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

impl RecordOrigin {
    /// Returns the wire's spelling in the system metadata.
    pub fn wire(self) -> &'static str {
        match self {
            Self::Extracted => "EXTRACTED",
            Self::BatchCreated => "BATCH_CREATED",
        }
    }
}

/// A record in one version.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The memory that the record belongs to.
    pub memory: MemoryId,
    /// The id, equal in all versions.
    pub id: RecordId,
    /// The version, from 1; an edit creates the next.
    pub version: u32,
    /// Position in the memory's order of record changes. The store assigns it at each write.
    pub sequence: u64,
    /// The kind of the record.
    pub kind: RecordKind,
    /// A more specific word within the kind.
    pub subtype: Option<String>,
    /// The title of the record; `None` if it has none.
    pub title: Option<String>,
    /// A path, if it is a document or belongs to one.
    pub path: Option<String>,
    /// A short description of the record.
    pub description: Option<String>,
    /// The scope (paths, components), if it has one.
    pub scope: Option<String>,
    /// Link to its citations, if it has any.
    pub citations: Option<String>,
    /// The namespace of the record.
    pub namespace: Namespace,
    /// The strategy that created the record; `None` if a client wrote it without one.
    pub strategy: Option<StrategyId>,
    /// The text of the record, as it is shown.
    pub text: String,
    /// The text for the index, if it differs from `text` (JSON values without keys).
    pub index_text: Option<String>,
    /// The metadata of the record, without the system keys.
    pub metadata: Metadata,
    /// The provenance of the record: the messages that it was derived from.
    pub provenance: Provenance,
    /// The origin of the record.
    pub origin: RecordOrigin,
    /// The trust in the record, 0 to 1.
    pub trust: f64,
    /// The trust in the source of the record.
    #[serde(default, skip_serializing_if = "TrustTier::is_plain")]
    pub tier: TrustTier,
    /// The derivation by the pipeline; `None` for records that a client wrote, and for records that
    /// are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Box<RecordDerivation>>,
    /// The records that it is derived from: a reflection's episodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<RecordId>,
    /// The findings of the safety steps.
    #[serde(default, skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
    /// The state of the record.
    pub state: RecordState,
    /// The reason for the state.
    pub state_reason: Option<String>,
    /// The record that superseded this record; `None` if no record did.
    pub superseded_by: Option<RecordId>,
    /// The records that this record superseded.
    pub supersedes: Vec<RecordId>,
    /// Start of validity (world time), inclusive.
    pub valid_from: Timestamp,
    /// End of validity, exclusive.
    pub valid_to: Option<Timestamp>,
    /// Time of the source event, or the client's own time.
    pub timestamp: Timestamp,
    /// The time at which the first version was written.
    pub created_at: Timestamp,
    /// The time at which this version was written.
    pub updated_at: Timestamp,
    /// The time from which reads no longer return the record.
    pub expires_at: Option<Timestamp>,
    /// The number of days from which `expires_at` was computed. A repetition of the record's
    /// statement starts it again.
    pub expiry_days: Option<u32>,
}

impl Record {
    /// Returns the text for the index.
    pub fn indexed(&self) -> &str {
        self.index_text.as_deref().unwrap_or(&self.text)
    }

    /// True if a plain read at `now` returns it.
    pub fn is_readable(&self, now: Timestamp) -> bool {
        self.state == RecordState::Active && !self.is_expired(now)
    }

    /// True if its text is present. A deleted record keeps its text until its erasure and is an
    /// empty shell after it.
    pub fn has_content(&self) -> bool {
        self.state != RecordState::Erased || !self.text.is_empty()
    }

    /// True if its expiry has passed.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= now)
    }

    /// Returns the value of a metadata key, including system keys.
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
    /// Content is sensitive, so only the identifying fields are shown.
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
