//! A snapshot of all data of a memory, in a form that can be compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_model::event::Event;
use loci_model::ports::store::{ReadTx, Store, StoreExt};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{EventId, MemoryId, RecordId, Result, Timestamp};

use loci_testkit_ports::block_on;

const PAGE: usize = 500;

/// A record: every version, the current one last, and the changes of its state. One that was
/// deleted, or whose content was erased, has no versions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StoredRecordHistory {
    pub(super) versions: Vec<Record>,
    pub(super) changes: Vec<StateChange>,
}

impl StoredRecordHistory {
    pub(super) fn current(&self) -> Option<&Record> {
        self.versions.last()
    }
}

/// The data of a memory in a store.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Snapshot {
    /// Events that reads return.
    pub(super) events: BTreeMap<EventId, Event>,
    pub(super) records: BTreeMap<RecordId, StoredRecordHistory>,
}

impl Snapshot {
    /// Reads a memory. State changes of records that are unchanged since `known` are copied from
    /// there, because they are read one record at a time.
    pub(super) fn read(
        store: &Arc<dyn Store>,
        memory: &MemoryId,
        now: Timestamp,
        known: Option<&Self>,
    ) -> Result<Self> {
        let (memory, known) = (memory.clone(), known.cloned().unwrap_or_default());
        block_on(store.read(move |tx| {
            Ok(Self { events: events(tx, &memory, now)?, records: records(tx, &memory, &known)? })
        }))
    }

    /// Returns a record unless it was deleted; the remaining traces of a deleted one are ignored.
    pub(super) fn there(&self, id: &RecordId) -> Option<&StoredRecordHistory> {
        self.records.get(id).filter(|kept| !kept.versions.is_empty())
    }

    /// Returns the current versions of records that were not deleted.
    pub(super) fn current(&self) -> impl Iterator<Item = &Record> {
        self.records.values().filter_map(StoredRecordHistory::current)
    }

    /// Returns the records that a plain read returns.
    pub(super) fn readable(&self, now: Timestamp) -> impl Iterator<Item = &Record> {
        self.current().filter(move |record| record.is_readable(now))
    }
}

fn events(tx: &dyn ReadTx, memory: &MemoryId, now: Timestamp) -> Result<BTreeMap<EventId, Event>> {
    let (mut all, mut after) = (BTreeMap::new(), 0);
    loop {
        let page = tx.events().export(memory, after, PAGE, now)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.arrival;
        all.extend(page.into_iter().map(|event| (event.id.clone(), event)));
    }
}

fn records(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    known: &Snapshot,
) -> Result<BTreeMap<RecordId, StoredRecordHistory>> {
    let mut all: BTreeMap<RecordId, StoredRecordHistory> = BTreeMap::new();
    let mut after = None;
    loop {
        let page = tx.records().export(memory, after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some((last.id.clone(), last.version));
        for version in page {
            all.entry(version.id.clone()).or_default().versions.push(version);
        }
    }
    for (id, kept) in &mut all {
        if kept.current().is_some_and(|record| record.state == RecordState::Erased) {
            kept.versions.clear();
        }
        kept.changes = match known.records.get(id) {
            Some(before) if before.versions == kept.versions => before.changes.clone(),
            _ => tx.telemetry().of_record(memory, id)?,
        };
    }
    Ok(all)
}
