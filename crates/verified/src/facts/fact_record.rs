//! A fact with its record: reading them together, and checking that they still belong together.

use std::collections::HashMap;

use loci_engine::access::View;
use loci_model::facts::fact::Fact;
use loci_model::ports::store::ReadTx;
use loci_model::record::Record;
use loci_model::{Error, MemoryId, RecordId, Result};
use sha2::{Digest, Sha256};

use crate::content_hash;

/// A record together with its fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The record: subject (title), fact (text) and reason (description).
    pub record: Record,
    /// The fact: citations, claims and counters.
    pub fact: Fact,
}

impl Remembered {
    /// Returns the subject.
    pub fn subject(&self) -> &str {
        self.record.title.as_deref().unwrap_or_default()
    }

    /// Returns true while the text equals the one stored with the citations. A record that another
    /// interface changed since is not proved by the citations. It is an ordinary record until it is
    /// stored as a fact again.
    pub fn is_whole(&self) -> bool {
        // An extracted fact has no subject until a caller confirms it.
        let subject = if self.fact.proposed { "" } else { self.subject() };
        content_hash(subject, &self.record.text) == self.fact.content_hash
    }

    /// Returns the digest of the input of a verdict: the citations as they were made, claims, text
    /// and quorum. Two facts of equal digest have an equal verdict at one commit.
    pub(crate) fn digest(&self, quorum: Option<u32>) -> Result<String> {
        digest(&self.record, &self.fact, quorum)
    }
}

/// The version of the verification rules. A verdict cached under another version is computed again.
const RULES: u32 = 3;

/// Returns the digest of the verdict's input for a record and its fact.
pub(crate) fn digest(record: &Record, fact: &Fact, quorum: Option<u32>) -> Result<String> {
    let anchors: Vec<_> = fact.detail.citations.iter().map(|citation| &citation.anchor).collect();
    let about = (RULES, &anchors, &fact.detail.claims, &record.text, quorum);
    let bytes = serde_json::to_vec(&about)
        .map_err(|error| Error::bug("a fact that cannot be written down").caused_by(error))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

/// Joins facts with their records, in the order of the facts. It leaves out records that the caller
/// may not see or that another interface changed.
pub(crate) fn join(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    view: &View,
    facts: Vec<Fact>,
) -> Result<Vec<Remembered>> {
    let ids: Vec<RecordId> = facts.iter().map(|fact| fact.record.clone()).collect();
    let records = tx.records().get_many(memory, &ids)?;
    let mut by_id: HashMap<RecordId, Record> =
        records.into_iter().map(|record| (record.id.clone(), record)).collect();
    let joined = facts.into_iter().filter_map(|fact| {
        let record = by_id.remove(&fact.record).filter(|record| view.admits(record))?;
        Some(Remembered { record, fact })
    });
    Ok(joined.filter(Remembered::is_whole).collect())
}

/// Returns one fact with its record in any state except erased, if the caller may see it.
pub(super) fn one(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    view: &View,
    id: &RecordId,
) -> Result<Option<Remembered>> {
    let Some(fact) = tx.facts().get(memory, id)? else { return Ok(None) };
    let record = tx.records().get(memory, id)?.filter(|record| view.admits(record));
    Ok(record.map(|record| Remembered { record, fact }))
}

/// Returns the error for a fact that does not exist or is not visible to the caller.
pub(crate) fn unknown(id: &RecordId) -> Error {
    Error::not_found(format!("no verified memory {id} is here")).on("memory_id")
}
