//! Operations on records: get, list, create, update, delete, history, quarantine. This file holds
//! the request types, and each operation has its own file.

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

/// The part of a memory's namespace tree that a request selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceAsk {
    /// The AgentCore member `namespace`: this node alone or also nodes below it, as the memory's
    /// setting `namespace_match` decides.
    Node(Namespace),
    /// The AgentCore member `namespacePath`: this node and all nodes below it.
    Path(Namespace),
}

/// A request for a list of records, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordListing {
    /// The memory whose records are listed.
    pub memory: MemoryId,
    /// The namespaces to list, at least one; records in any of them match.
    pub namespaces: Vec<NamespaceAsk>,
    /// The strategy that the records must have; `None` for any.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on the records' metadata, all of which must hold.
    pub metadata: Vec<MetadataFilter>,
    /// The kinds of records to list; empty means all.
    pub kinds: Vec<RecordKind>,
    /// The states of records to list; empty means only active records.
    pub states: Vec<RecordState>,
    /// The last record of the previous page: its timestamp and id. `None` for the first page.
    pub after: Option<(Timestamp, RecordId)>,
    /// The maximum number of records in the page, 1 to 100.
    pub limit: u32,
}

/// A page of records, with warnings about the request.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordList {
    /// The records of the page, and the position of the next page if there is one.
    pub page: Page<Record, (Timestamp, RecordId)>,
    /// Warnings, such as a part of the request that was narrowed or a component that was
    /// unavailable.
    pub notices: Notices,
}

/// A record that a client asks to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// The identifier that the caller gave this item in its batch; the outcome repeats it.
    pub request: String,
    /// The namespace of the record. The list must have exactly one entry, otherwise this item
    /// fails.
    pub namespaces: Vec<Namespace>,
    /// The text of the record.
    pub text: String,
    /// The time at which the content of the record became known.
    pub timestamp: Timestamp,
    /// The strategy that the record is assigned to; it must belong to the memory, otherwise this
    /// item fails.
    pub strategy: Option<StrategyId>,
    /// Metadata of the record, without system keys and without values of type time.
    pub metadata: Metadata,
    /// The kind of the record. AgentCore clients create only facts.
    pub kind: RecordKind,
    /// The subtype of the record within its kind.
    pub subtype: Option<String>,
    /// The title of the record.
    pub title: Option<String>,
    /// The path of the record, for a document in a tree.
    pub path: Option<String>,
    /// A short description of the record.
    pub description: Option<String>,
    /// The parts of a codebase or a system that the record applies to, such as paths or components.
    pub scope: Option<String>,
}

impl NewRecord {
    /// Returns a new record of the kind fact, without optional members, as AgentCore clients
    /// create it.
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

/// A change of a record that a client requests; members that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordUpdate {
    /// The record to change.
    pub id: RecordId,
    /// The new time at which the content of the record became known.
    pub timestamp: Timestamp,
    /// The new text of the record.
    pub text: Option<String>,
    /// The new namespace of the record. The list must have exactly one entry, otherwise this item
    /// fails.
    pub namespaces: Option<Vec<Namespace>>,
    /// The namespaces in which the caller expects the record. A record in another namespace is
    /// denied.
    pub source_namespaces: Option<Vec<Namespace>>,
    /// The new strategy of the record.
    pub strategy: Option<StrategyId>,
    /// The new metadata, which replaces all values of the record.
    pub metadata: Option<Metadata>,
    /// The version that the stored record must have; otherwise this item fails. `None` for no
    /// condition.
    pub if_version: Option<u32>,
}

/// A record that a client asks to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordDelete {
    /// The record to delete.
    pub id: RecordId,
    /// The namespace in which the caller expects the record. A record in another namespace is
    /// denied.
    pub namespace: Option<Namespace>,
}

/// The result of one item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemOutcome {
    /// The record of the item. A creation that failed has an id that no record uses.
    pub id: RecordId,
    /// The identifier that the caller gave the item in its batch, if any.
    pub request: Option<String>,
    /// `Ok` for success, or the kind of the error and its message.
    pub result: Result<(), (ErrorKind, String)>,
}

/// The outcomes of a batch of items.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOutcome {
    /// One outcome for each item, in the order of the request.
    pub items: Vec<ItemOutcome>,
}

impl BatchOutcome {
    /// Returns true if at least one item changed something.
    pub(crate) fn any_done(&self) -> bool {
        self.items.iter().any(|item| item.result.is_ok())
    }
}

/// A request to create several records in a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordsCreate {
    /// The memory that gets the records.
    pub memory: MemoryId,
    /// The records to create, at most 100.
    pub records: Vec<NewRecord>,
    /// The expiry of the new records; `None` for records that do not expire.
    pub expiry: Option<ExpirySpecification>,
}
