//! Versions of documents: the content of each version of a record, and its path at that time.
//! Reads only.

use loci_engine::document_text::path::DocumentPath;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::LedgerPage;
use loci_model::ports::store::ReadTx;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{TreeChange, by_sequence};
use loci_model::{RecordId, Result};

use crate::trees::tree::Tree;

/// A record with all its versions, the oldest first.
#[derive(Debug, Clone)]
pub(crate) struct Versions {
    pub(crate) all: Vec<Record>,
    /// The derived path of a record that is not a document. `None` for documents.
    derived: Option<String>,
}

impl Versions {
    /// Returns all versions of a record. `None` if its content was erased.
    pub(crate) fn of(tx: &dyn ReadTx, tree: &Tree, record: &RecordId) -> Result<Option<Self>> {
        let current = tx.records().get(&tree.memory, record)?;
        let Some(current) = current.filter(|current| current.state != RecordState::Erased) else {
            return Ok(None);
        };
        let mut all = tx.records().history(&tree.memory, record)?;
        all.push(current);
        // Versions in another namespace do not belong to this tree.
        all.retain(|version| version.namespace.normal() == tree.normal);
        let place = tree.place(tx, record)?;
        Ok(Some(Self { all, derived: place.and_then(|place| place.derived) }))
    }

    /// Returns a record with only its current version.
    pub(crate) fn current(tx: &dyn ReadTx, tree: &Tree, record: Record) -> Result<Self> {
        let needs_place = record
            .path
            .as_deref()
            .is_none_or(|path| !path.starts_with(loci_engine::document_text::areas::KNOWLEDGE));
        let place = if needs_place { tree.place(tx, &record.id)? } else { None };
        Ok(Self { all: vec![record], derived: place.and_then(|place| place.derived) })
    }

    /// Returns the version that was current at a sequence of the memory. `None` if the record did
    /// not exist then.
    pub(crate) fn at(&self, sequence: u64) -> Option<&Record> {
        self.all.iter().find(|record| record.sequence == sequence)
    }

    pub(crate) fn get(&self, version: u32) -> Option<&Record> {
        self.all.iter().find(|record| record.version == version)
    }

    /// Returns the path that the document had at a version.
    pub(crate) fn path(&self, version: &Record) -> Option<String> {
        let given = version.path.as_deref().and_then(|path| DocumentPath::check(path).ok());
        let given = given.filter(|path| path.is_below(loci_engine::document_text::areas::KNOWLEDGE));
        given.map(|path| path.as_str().to_owned()).or_else(|| self.derived.clone())
    }
}

impl Tree {
    /// Returns the changes of a tree after a sequence of the memory, in order, at most `limit`.
    pub(crate) fn changes_since(&self, tx: &dyn ReadTx, since: u64, limit: usize) -> Result<Vec<TreeChange>> {
        tx.ledger().nouns(&LedgerPage {
            memory: self.memory.clone(),
            shelf: TreeChange::SHELF,
            actor: None,
            subject: Some(self.normal.clone()),
            // After every key of that sequence.
            after: Some((by_sequence(since), TreeChange::key_of("\u{10ffff}", since))),
            limit,
        })
    }
}
