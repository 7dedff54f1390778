//! Verbs of records: get, list, delete, batches, history. Requests here, one file per verb.

pub mod batch;
pub mod changes;
pub mod changing;
pub mod conflicts;
mod create;
pub mod delete;
mod feedback;
pub(crate) mod filters;
mod get;
mod history;
pub mod list;
pub mod namespaces;
pub(crate) mod prefix_reading;
pub mod quarantine;
mod restate;
mod revert;
mod sources;
pub(crate) mod strategy_choice;
pub mod text_digest;
mod update;
pub mod writing;

use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::Metadata;
use loci_model::record::metadata_filter::MetadataFilter;
use loci_model::record::scope::StrategyChoice;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::warning::Notices;
use loci_model::{ErrorKind, MemoryId, Namespace, RecordId, StrategyId, Timestamp};

pub use feedback::{FeedbackStanding, RecordFeedback, standing as feedback_standing};
pub use namespaces::check_length as check_namespaces;
pub use quarantine::{QuarantineAsk, Quarantined, Verdict};

use crate::calls::page::Page;
pub use revert::RecordRevert;
pub use revert::{DOCUMENTED, KEPT_DOCUMENTED};
pub use sources::RecordSources;

/// A part of the tree as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceAsk {
    /// The wire's `namespace`: that node, read as the memory's setting `namespace_match` says.
    Node(Namespace),
    /// The wire's `namespacePath`: the node and everything beneath it.
    Path(Namespace),
}

/// Which records to list: newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordListing {
    /// The memory.
    pub memory: MemoryId,
    /// Where; several are joined. At least one.
    pub namespaces: Vec<NamespaceAsk>,
    /// Whose.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata.
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; none means all.
    pub kinds: Vec<RecordKind>,
    /// States; none means active.
    pub states: Vec<RecordState>,
    /// Behind this record.
    pub after: Option<(Timestamp, RecordId)>,
    /// 1 to 100.
    pub limit: u32,
}

/// A page of records, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordList {
    /// The records.
    pub page: Page<Record, (Timestamp, RecordId)>,
    /// Degradations and warnings.
    pub notices: Notices,
}

/// A record to be made by a client.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// The caller's word for this item of the batch.
    pub request: String,
    /// Its place; exactly one is needed, else this item fails.
    pub namespaces: Vec<Namespace>,
    /// What is remembered.
    pub text: String,
    /// When it became known.
    pub timestamp: Timestamp,
    /// Whose; must belong to the memory, else this item fails.
    pub strategy: Option<StrategyId>,
    /// Free values; no system keys, no times.
    pub metadata: Metadata,
    /// What it is; the wire has facts only.
    pub kind: RecordKind,
    /// A finer word within the kind.
    pub subtype: Option<String>,
    /// A title.
    pub title: Option<String>,
    /// A path.
    pub path: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// To what it applies.
    pub scope: Option<String>,
}

impl NewRecord {
    /// A fact, as the wire makes them.
    pub fn fact(request: String, namespaces: Vec<Namespace>, text: String, timestamp: Timestamp) -> Self {
        Self {
            request,
            namespaces,
            text,
            timestamp,
            strategy: None,
            metadata: Metadata::new(),
            kind: RecordKind::Fact,
            subtype: None,
            title: None,
            path: None,
            description: None,
            scope: None,
        }
    }
}

/// A change of a record; absent members stay.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordUpdate {
    /// Which one.
    pub id: RecordId,
    /// When it became known.
    pub timestamp: Timestamp,
    /// A new text.
    pub text: Option<String>,
    /// A new place; exactly one where given, else this item fails.
    pub namespaces: Option<Vec<Namespace>>,
    /// The place the caller thinks it has: an authorization input.
    pub source_namespaces: Option<Vec<Namespace>>,
    /// Another strategy.
    pub strategy: Option<StrategyId>,
    /// The whole new set of values.
    pub metadata: Option<Metadata>,
    /// Only if the stored version is this one.
    pub if_version: Option<u32>,
}

/// A record to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordDelete {
    /// Which one.
    pub id: RecordId,
    /// The place the caller thinks it has: an authorization input.
    pub namespace: Option<Namespace>,
}

/// What became of one item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemOutcome {
    /// The record; for a failed creation an id that names nothing.
    pub id: RecordId,
    /// The caller's word for the item, where it gave one.
    pub request: Option<String>,
    /// `Ok`, or why not: a kind for programs, a text for people.
    pub result: Result<(), (ErrorKind, String)>,
}

/// What became of a batch, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOutcome {
    /// One per item.
    pub items: Vec<ItemOutcome>,
}

impl BatchOutcome {
    /// True when an item changed something.
    pub(crate) fn any_done(&self) -> bool {
        self.items.iter().any(|item| item.result.is_ok())
    }
}

/// A request for many records to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordsCreate {
    /// The memory.
    pub memory: MemoryId,
    /// At most 100.
    pub records: Vec<NewRecord>,
    /// When they vanish.
    pub expiry: Option<ExpirySpecification>,
}
