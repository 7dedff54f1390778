//! The basis of a plan: the documents as they were read, and the sequence of that read. The rules
//! of the validator see only this and the plan.

use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, TrustTier};
use loci_model::{Namespace, RecordId, StrategyId, Timestamp};
use sha2::{Digest, Sha256};

use crate::document_text::case_folding::folded;

/// A document as it was read.
#[derive(Debug, Clone)]
pub struct PlanDocument {
    /// Its path or, without one, its id: its reference in a plan.
    pub reference: String,
    /// The record.
    pub id: RecordId,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its strategy.
    pub strategy: Option<StrategyId>,
    /// Its scope.
    pub scope: Option<String>,
    /// Metadata values that must be equal for documents to be compared.
    pub strict: Metadata,
    /// Its text.
    pub text: String,
    /// Its title, if any.
    pub title: Option<String>,
    /// A description in one line.
    pub description: Option<String>,
    /// The key of which it states a value, if a writer set one: for each key the newest document
    /// holds.
    pub key: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Trust tier of its source.
    pub tier: TrustTier,
    /// True if it must not be archived.
    pub pinned: bool,
    /// Priority: if not all documents fit, those with the greater value stay.
    pub priority: i64,
    /// Number of its reads, as far as they are counted.
    pub uses: u64,
    /// The time from which it no longer holds.
    pub expires_at: Option<Timestamp>,
    /// The time from which it holds.
    pub valid_from: Timestamp,
    /// The time of its observation.
    pub observed_at: Timestamp,
    /// Its position in the order of writes.
    pub sequence: u64,
    /// Digest of its text, which detects changes.
    pub hash: [u8; 32],
    /// True if the plan itself creates it.
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
