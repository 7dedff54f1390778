//! A tree as input of a plan: the content and the version of each document, from one snapshot of
//! the store. Documents that a plan may not change are listed by path only: those that other
//! operations maintain (episodes, summaries, rules), and those that cite code.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot, reference_key};
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::frontmatter::Value;
use loci_engine::document_text::path::DocumentPath;
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::record::metadata::{Metadata, MetadataExtraction};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::trees::tree_entry::{EntryStanding, TreeEntry};
use loci_model::{Error, ErrorKind, Result, Timestamp, limits};

use super::run::DocumentReadState;
use super::runs::run_ledger;
use crate::document::read_counts;
use crate::mirror::is_mirrored;
use crate::trees::tree::Tree;

/// The number of entries per read.
const PAGE: usize = 2_000;
/// The metadata key of the time at which a merged document was first seen.
pub(super) const FIRST_SEEN: &str = "first_seen";
/// The metadata key of the name whose value a document states.
const KEY: &str = "key";
/// The metadata key of a document's search words.
pub(super) const TAGS: &str = "tags";

/// A tree that was read.
#[derive(Debug, Clone, Default)]
pub(super) struct TreeRead {
    pub(super) snapshot: Snapshot,
    /// The documents that were read, by key.
    pub(super) seen: BTreeMap<String, DocumentReadState>,
    /// The sequence of each document's last change, by key.
    pub(super) changed_at: BTreeMap<String, u64>,
    /// The time since which reads of the tree's documents are counted.
    pub(super) counted_since: Option<Timestamp>,
}

impl TreeRead {
    /// Returns the keys of the documents that changed after a sequence.
    pub(super) fn changed_since(&self, sequence: u64) -> BTreeSet<String> {
        let changed = self.changed_at.iter().filter(|(_, at)| **at > sequence);
        changed.map(|(key, _)| key.clone()).collect()
    }
}

/// Reads a tree that was updated from its records.
///
/// # Errors
/// `TooLarge` for too many documents.
pub(super) fn read(tx: &dyn ReadTx, memory: &Memory, tree: &Tree, now: Timestamp) -> Result<TreeRead> {
    let mut read = TreeRead::default();
    read.snapshot.sequence = tree.progress(tx)?.sequence;
    // Reads of a mirror's files are not counted.
    if !is_mirrored(tx, &tree.memory, &tree.normal)? {
        read.counted_since = run_ledger::upkeep(tx, &tree.memory, &tree.normal)?.counted_since;
    }
    let mut after: Option<TreeEntry> = None;
    loop {
        let entries = tree.entries_since(tx, after.as_ref(), PAGE)?;
        let is_last = entries.len() < PAGE;
        for entry in &entries {
            put(tx, memory, &mut read, entry, now)?;
        }
        if read.snapshot.documents.len() > limits::UPKEEP_DOCUMENTS_MAX {
            let most = limits::UPKEEP_DOCUMENTS_MAX;
            let rule = format!("the tree has more than {most} documents: move some to another namespace");
            return Err(Error::new(ErrorKind::TooLarge, rule).on("namespace"));
        }
        after = entries.into_iter().next_back();
        if is_last {
            break;
        }
    }
    read.snapshot.documents.sort_by(|a, b| a.reference.cmp(&b.reference));
    read.snapshot.taken.sort();
    Ok(read)
}

fn put(
    tx: &dyn ReadTx,
    memory: &Memory,
    read: &mut TreeRead,
    entry: &TreeEntry,
    now: Timestamp,
) -> Result<()> {
    if !entry.is_live(now) {
        return Ok(());
    }
    let Some(record) = tx.records().get(&memory.id, &entry.record)? else { return Ok(()) };
    if record.state != RecordState::Active || !is_planned_on(&record) {
        read.snapshot.taken.push(entry.path.clone());
        return Ok(());
    }
    let key = reference_key(&entry.path);
    read.seen.insert(key.clone(), seen(entry, &record));
    read.changed_at.insert(key, entry.sequence);
    let uses = match read.counted_since {
        Some(_) => read_counts::of(tx, &memory.id, &record.id)?,
        None => 0,
    };
    read.snapshot.documents.push(PlanDocument { uses, ..document(memory, entry, &record) });
    Ok(())
}

/// Returns the state of a document.
pub(super) fn seen(entry: &TreeEntry, record: &Record) -> DocumentReadState {
    DocumentReadState {
        path: entry.path.clone(),
        record: record.id.clone(),
        version: record.version,
        file_sha256: entry.file_sha256.clone(),
        tier: record.tier,
    }
}

/// True for records that people and agents write, and those that were learned from them. Texts in a
/// special form are not planned.
fn is_planned_on(record: &Record) -> bool {
    let is_kept_elsewhere = match record.kind {
        RecordKind::Fact | RecordKind::Preference | RecordKind::Document => false,
        RecordKind::Summary
        | RecordKind::Episode
        | RecordKind::Reflection
        | RecordKind::Rule
        | RecordKind::Investigation => true,
    };
    let is_form = record.kind == RecordKind::Preference && record.text.trim_start().starts_with('{');
    !is_kept_elsewhere && !is_form && record.citations.is_none()
}

fn document(memory: &Memory, entry: &TreeEntry, record: &Record) -> PlanDocument {
    let content = DocumentContent::of(record);
    let text = |key: &str| content.head.text(key).map(str::to_owned);
    let tags = content.head.get(TAGS).and_then(Value::texts).unwrap_or_default();
    let first = text(FIRST_SEEN).and_then(|first| Timestamp::parse(&first).ok());
    PlanDocument {
        reference: entry.path.clone(),
        text: record.text.clone(),
        description: entry.is_described.then(|| entry.summary.clone()),
        key: text(KEY),
        tags: tags.into_iter().map(str::to_owned).collect(),
        pinned: entry.pinned,
        priority: entry.priority,
        observed_at: first.filter(|first| *first < record.timestamp).unwrap_or(record.timestamp),
        ..PlanDocument::of(record, strict(memory, record))
    }
}

/// Returns the metadata that must agree before two documents are merged. For a record of a strategy
/// these are the values that its schema marks as strict and those that bound its writers; for any
/// other record all of them.
fn strict(memory: &Memory, record: &Record) -> Metadata {
    let Some(strategy) = &record.strategy else {
        let own = record.metadata.iter().filter(|(key, _)| !key.starts_with("file_"));
        return own.map(|(key, value)| (key.clone(), value.clone())).collect();
    };
    let schema = memory.strategy(strategy).and_then(|strategy| strategy.schema.as_deref());
    let named = schema.unwrap_or_default().iter();
    named
        .filter(|entry| entry.effective_extraction() == MetadataExtraction::StrictlyConsistent)
        .map(|entry| &entry.key)
        .chain(&record.provenance.bound)
        .filter_map(|key| Some((key.clone(), record.metadata.get(key)?.clone())))
        .collect()
}

/// True if a path leads to a document.
pub(super) fn lies_at(tx: &dyn ReadTx, tree: &Tree, reference: &str, now: Timestamp) -> Result<bool> {
    Ok(entry_at(tx, tree, reference)?.is_some_and(|entry| entry.is_live(now)))
}

/// Returns the entry of a path.
pub(super) fn entry_at(tx: &dyn ReadTx, tree: &Tree, reference: &str) -> Result<Option<TreeEntry>> {
    let Ok(path) = DocumentPath::check(reference) else { return Ok(None) };
    let entry = tree.entry(tx, &path.key())?;
    Ok(entry.filter(|entry| entry.standing == EntryStanding::Live))
}
