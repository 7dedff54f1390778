//! Operations on records: get, list, delete, batches, history. This file holds the requests, and
//! each operation has its own file.

pub mod batch;
pub mod changes;
pub mod conflicts;
mod create;
pub mod delete;
mod feedback;
pub(crate) mod filters;
mod get;
mod history;
pub mod list;
pub mod namespaces;
pub(crate) mod prefix_detection;
pub mod quarantine;
pub mod record_builder;
mod restate;
mod revert;
mod sources;
pub mod state_transition;
pub(crate) mod strategy_choice;
pub mod text_digest;
mod update;

use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::Metadata;
use loci_model::record::metadata_filter::MetadataFilter;
use loci_model::record::scope::StrategyChoice;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::warning::Notices;
use loci_model::{ErrorKind, MemoryId, Namespace, RecordId, StrategyId, Timestamp};

pub use feedback::{FeedbackStanding, RecordFeedback, standing as feedback_standing};
pub use namespaces::check_length as check_namespaces;
pub use quarantine::{QuarantineAsk, QuarantinedRecords, Verdict};

use crate::calls::page::Page;
pub use revert::RecordRevert;
pub use revert::{DOCUMENTED, KEPT_DOCUMENTED};
pub use sources::RecordSources;

/// A part of the namespace tree in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceAsk {
    /// The wire's `namespace`: that node, interpreted according to the memory's setting
    /// `namespace_match`.
    Node(Namespace),
    /// The wire's `namespacePath`: the node and its subtree.
    Path(Namespace),
}

/// A listing of records, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordListing {
    /// The memory.
    pub memory: MemoryId,
    /// Namespaces, at least one; several form a union.
    pub namespaces: Vec<NamespaceAsk>,
    /// The strategy of the records.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata.
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; empty means all.
    pub kinds: Vec<RecordKind>,
    /// States; empty means active.
    pub states: Vec<RecordState>,
    /// Only records after this one in the listing.
    pub after: Option<(Timestamp, RecordId)>,
    /// Page size, 1 to 100.
    pub limit: u32,
}

/// A page of records with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordList {
    /// The records.
    pub page: Page<Record, (Timestamp, RecordId)>,
    /// Degradations and warnings.
    pub notices: Notices,
}

/// A record that a client creates.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// The caller's identifier of this item in the batch.
    pub request: String,
    /// Its namespace; exactly one is required, otherwise this item fails.
    pub namespaces: Vec<Namespace>,
    /// The text.
    pub text: String,
    /// The time at which its content became known.
    pub timestamp: Timestamp,
    /// The strategy; it must belong to the memory, otherwise this item fails.
    pub strategy: Option<StrategyId>,
    /// Metadata values; no system keys, no times.
    pub metadata: Metadata,
    /// The kind; the wire has facts only.
    pub kind: RecordKind,
    /// The subtype within the kind.
    pub subtype: Option<String>,
    /// A title.
    pub title: Option<String>,
    /// A path.
    pub path: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// The scope to which it applies.
    pub scope: Option<String>,
}

impl NewRecord {
    /// Returns a fact, as the wire creates it.
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

/// A change of a record; absent members stay unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordUpdate {
    /// The record.
    pub id: RecordId,
    /// The time at which its content became known.
    pub timestamp: Timestamp,
    /// A new text.
    pub text: Option<String>,
    /// A new namespace; exactly one if given, otherwise this item fails.
    pub namespaces: Option<Vec<Namespace>>,
    /// The namespace in which the caller expects it: an authorization input.
    pub source_namespaces: Option<Vec<Namespace>>,
    /// Another strategy.
    pub strategy: Option<StrategyId>,
    /// The complete new set of values.
    pub metadata: Option<Metadata>,
    /// Changes the record only if the stored version is this one.
    pub if_version: Option<u32>,
}

/// A record to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordDelete {
    /// The record.
    pub id: RecordId,
    /// The namespace in which the caller expects it: an authorization input.
    pub namespace: Option<Namespace>,
}

/// The result of one item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemOutcome {
    /// The record; for a failed creation an unused id.
    pub id: RecordId,
    /// The caller's identifier of the item, if it gave one.
    pub request: Option<String>,
    /// `Ok`, or the error: a kind for programs and a readable text.
    pub result: Result<(), (ErrorKind, String)>,
}

/// The results of a batch, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOutcome {
    /// One per item.
    pub items: Vec<ItemOutcome>,
}

impl BatchOutcome {
    /// Returns true if at least one item changed something.
    pub(crate) fn any_done(&self) -> bool {
        self.items.iter().any(|item| item.result.is_ok())
    }
}

/// A request to create several records.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordsCreate {
    /// The memory.
    pub memory: MemoryId,
    /// Records, at most 100.
    pub records: Vec<NewRecord>,
    /// Expiry of the records.
    pub expiry: Option<ExpirySpecification>,
}
