//! What a plan was made on: the documents as they were read, and at which sequence. A rule of the validator sees this and
//! the plan, nothing else.

use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, TrustTier};
use loci_model::{Namespace, RecordId, StrategyId, Timestamp};
use sha2::{Digest, Sha256};

use crate::document_text::folding::folded;

/// One document as it was read.
#[derive(Debug, Clone)]
pub struct PlanDocument {
    /// Its path or, without one, its id: what a plan calls it.
    pub reference: String,
    /// The record.
    pub id: RecordId,
    /// Its place.
    pub namespace: Namespace,
    /// Its strategy.
    pub strategy: Option<StrategyId>,
    /// Where it holds.
    pub scope: Option<String>,
    /// Its values that must be equal for documents to meet.
    pub strict: Metadata,
    /// Its text.
    pub text: String,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// One line about it.
    pub description: Option<String>,
    /// What it states a value of, where somebody said so: of one key the newest holds.
    pub key: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// How far its source is trusted.
    pub tier: TrustTier,
    /// Nobody may put it away.
    pub pinned: bool,
    /// Of several that do not fit, the greater stays.
    pub priority: i64,
    /// How often it was read, as far as that is counted.
    pub uses: u64,
    /// From when on it does not hold any more.
    pub expires_at: Option<Timestamp>,
    /// From when on it holds.
    pub valid_from: Timestamp,
    /// When it was observed.
    pub observed_at: Timestamp,
    /// Its place in the order of writing.
    pub sequence: u64,
    /// Digest of its text: unchanged since.
    pub hash: [u8; 32],
    /// It is made by the plan itself: nothing stood there.
    pub is_new: bool,
}

/// The documents a plan may name.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The highest sequence that was seen.
    pub sequence: u64,
    /// In any order.
    pub documents: Vec<PlanDocument>,
    /// Paths of documents that a plan may neither read nor write over.
    pub taken: Vec<String>,
}

impl PlanDocument {
    /// A record as a document; `strict` are those of its metadata that must agree.
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

/// What references that name one document have in common: the key of a path; a record's id is its
/// own.
pub fn reference_key(reference: &str) -> String {
    let segments = reference.split('/').filter(|segment| !segment.is_empty());
    folded(&segments.collect::<Vec<_>>().join("/"))
}

impl Snapshot {
    /// How many documents were there before the plan.
    pub fn standing(&self) -> usize {
        self.documents.iter().filter(|document| !document.is_new).count()
    }
}
