//! A fact with its record: how they are read together, and whether the one still belongs to the other.

use std::collections::HashMap;

use loci_engine::access::View;
use loci_model::facts::fact::Fact;
use loci_model::ports::store::ReadTx;
use loci_model::record::Record;
use loci_model::{Error, MemoryId, RecordId, Result};
use sha2::{Digest, Sha256};

use crate::content_hash;

/// A record and what stands beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Subject (title), fact (text) and reason (description).
    pub record: Record,
    /// Citations, claims and counters.
    pub fact: Fact,
}

impl Remembered {
    /// The subject.
    pub fn subject(&self) -> &str {
        self.record.title.as_deref().unwrap_or_default()
    }

    /// True while the text is the one that was stored with the citations. A record that another door changed since proves
    /// nothing by them, and is an ordinary record until it is stored as a fact again.
    pub fn is_whole(&self) -> bool {
        // What was extracted has no subject until somebody confirms it.
        let subject = if self.fact.proposed { "" } else { self.subject() };
        content_hash(subject, &self.record.text) == self.fact.content_hash
    }

    /// What a verdict is about: citations as they were made, claims, text and quorum. Two facts of one digest have the same
    /// verdict at the same commit.
    pub(crate) fn digest(&self, quorum: Option<u32>) -> Result<String> {
        digest(&self.record, &self.fact, quorum)
    }
}

/// Number of the rules by which code is judged. A verdict that is kept from other rules is found again.
const RULES: u32 = 3;

/// The same of a record and its fact.
pub(crate) fn digest(record: &Record, fact: &Fact, quorum: Option<u32>) -> Result<String> {
    let anchors: Vec<_> = fact.detail.citations.iter().map(|citation| &citation.anchor).collect();
    let about = (RULES, &anchors, &fact.detail.claims, &record.text, quorum);
    let bytes = serde_json::to_vec(&about)
        .map_err(|error| Error::bug("a fact that cannot be written down").caused_by(error))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

/// Joins facts with their records, in the order of the facts; those whose record the caller may not see, or that was changed
/// by another door, are left out.
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

/// One fact with its record, whatever its state, if the caller may see it; erased ones are gone.
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

/// The error for a fact that is not there, or that the caller may not know of.
pub(crate) fn unknown(id: &RecordId) -> Error {
    Error::not_found(format!("no verified memory {id} is here")).on("memory_id")
}
