//! The basis of a plan: the documents as they were read, and the sequence of that read. The rules
//! of the validator see only this and the plan.

use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, TrustTier};
use loci_model::{Namespace, RecordId, StrategyId, Timestamp};
use sha2::{Digest, Sha256};

use crate::document_text::case_folding::folded;

/// A document as it was read when a plan was made.
#[derive(Debug, Clone)]
pub struct PlanDocument {
    /// The name of the document in a plan: its path, or its id if it has no path.
    pub reference: String,
    /// The id of the document's record.
    pub id: RecordId,
    /// The namespace of the document.
    pub namespace: Namespace,
    /// The strategy that made the document, if any.
    pub strategy: Option<StrategyId>,
    /// The part of a codebase or system to which the document applies; `None` means everywhere.
    pub scope: Option<String>,
    /// The metadata values that must be equal in two documents for them to be compared.
    pub strict: Metadata,
    /// The text of the document.
    pub text: String,
    /// The title of the document, if it has one.
    pub title: Option<String>,
    /// The description of the document, in one line.
    pub description: Option<String>,
    /// The key whose value the document states, if its writer set one. Of several documents with
    /// a key, the newest one holds.
    pub key: Option<String>,
    /// The tags of the document.
    pub tags: Vec<String>,
    /// The level of trust in the document's source.
    pub tier: TrustTier,
    /// True if the document must not be archived.
    pub pinned: bool,
    /// The priority of the document: if not all documents fit, those with the greater number
    /// stay.
    pub priority: i64,
    /// The number of times that the document was read, as far as reads are counted.
    pub uses: u64,
    /// The time from which the document no longer holds; `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// The time from which the document holds.
    pub valid_from: Timestamp,
    /// The time at which the content of the document was observed.
    pub observed_at: Timestamp,
    /// The position of the document's last change in the order of writes of the memory.
    pub sequence: u64,
    /// The digest of the document's text, by which a later change is detected.
    pub hash: [u8; 32],
    /// True for a document that the plan itself creates.
    pub is_new: bool,
}

/// The documents that a plan may reference.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The highest sequence that was read.
    pub sequence: u64,
    /// The documents, in any order.
    pub documents: Vec<PlanDocument>,
    /// Paths of documents that a plan must neither read nor overwrite.
    pub taken: Vec<String>,
}

impl PlanDocument {
    /// Returns a record as a document; `strict` contains the metadata that must be equal.
    pub fn of(record: &Record, strict: Metadata) -> Self {
        Self {
            reference: record.path.clone().unwrap_or_else(|| record.id.to_string()),
            id: record.id.clone(),
            namespace: record.namespace.clone(),
            strategy: record.strategy.clone(),
            scope: record.scope.clone(),
            strict,
            text: super::decisions::decide::stated(record),
            title: record.title.clone(),
            description: record.description.clone(),
            key: None,
            tags: Vec::new(),
            tier: record.tier,
            pinned: false,
            priority: 0,
            uses: 0,
            expires_at: record.expires_at,
            valid_from: record.valid_from,
            observed_at: record.timestamp,
            sequence: record.sequence,
            hash: Sha256::digest(&record.text).into(),
            is_new: false,
        }
    }
}

/// Returns the normal form of a reference, equal for all references to one document: the key of a
/// path, or the id of a record.
pub fn reference_key(reference: &str) -> String {
    let segments = reference.split('/').filter(|segment| !segment.is_empty());
    folded(&segments.collect::<Vec<_>>().join("/"))
}

impl Snapshot {
    /// Returns the number of documents before the plan.
    pub fn standing(&self) -> usize {
        self.documents.iter().filter(|document| !document.is_new).count()
    }
}
