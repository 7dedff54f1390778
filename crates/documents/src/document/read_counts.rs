//! Read counts of documents. This process counts the reads and periodically stores the sums in
//! the ledger, so that a read causes no write. If the process is killed, the reads since the last
//! storing are lost, because the counts are only hints.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::record::Record;
use loci_model::trees::document_reads::DocumentReads;
use loci_model::trees::tree_entry::{TreePlace, owner_of};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use crate::Documents;
use crate::upkeep;

/// The maximum number of records with unsaved reads. Reads of further records are not counted until
/// the next save.
const WAITING_MAX: usize = 20_000;
/// The maximum number of records per write transaction, all of one memory, so that other writers do
/// not wait long.
const RECORDS_PER_WRITE: usize = 100;

/// The unsaved reads by record: their number, and the time of the last one.
type UnsavedReads = BTreeMap<(MemoryId, RecordId), (u64, Timestamp)>;

/// The unsaved reads of documents in this process.
#[derive(Debug, Default)]
pub(crate) struct ReadCounts(Mutex<UnsavedReads>);

impl ReadCounts {
    /// Counts a read of these records.
    pub(crate) fn note<'a>(
        &self,
        memory: &MemoryId,
        records: impl IntoIterator<Item = &'a RecordId>,
        now: Timestamp,
    ) {
        let mut waiting = self.waiting();
        records.into_iter().for_each(|record| add(&mut waiting, (memory, record), (1, now)));
    }

    fn take(&self) -> UnsavedReads {
        std::mem::take(&mut *self.waiting())
    }

    fn give_back(&self, unkept: &[RecordReads]) {
        let mut waiting = self.waiting();
        for ((memory, record), counted) in unkept {
            add(&mut waiting, (memory, record), *counted);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, UnsavedReads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A record with its unsaved reads: their number, and the time of the last one.
type RecordReads = ((MemoryId, RecordId), (u64, Timestamp));

fn add(waiting: &mut UnsavedReads, (memory, record): (&MemoryId, &RecordId), (count, at): (u64, Timestamp)) {
    let key = (memory.clone(), record.clone());
    if waiting.len() >= WAITING_MAX && !waiting.contains_key(&key) {
        return;
    }
    let counted = waiting.entry(key).or_insert((0, at));
    *counted = (counted.0.saturating_add(count), counted.1.max(at));
}

/// Returns the stored number of reads of a record.
///
/// # Errors
/// The errors of the store.
pub(crate) fn of(tx: &dyn ReadTx, memory: &MemoryId, record: &RecordId) -> Result<u64> {
    let known = tx.ledger().noun::<DocumentReads>(memory, record.as_str())?;
    Ok(known.map_or(0, |known| known.count))
}

impl Documents {
    /// Stores the unsaved reads. Returns the number of records with reads.
    ///
    /// # Errors
    /// The errors of the store. The unsaved reads are then stored the next time.
    pub async fn reads_kept(&self) -> Result<usize> {
        let waiting: Vec<RecordReads> = self.parts.reads.take().into_iter().collect();
        let mut rest = waiting.as_slice();
        while let Some(((memory, _), _)) = rest.first() {
            let same = rest.iter().take(RECORDS_PER_WRITE).take_while(|((other, _), _)| other == memory);
            let (some, others) = rest.split_at_checked(same.count()).unwrap_or((rest, &[]));
            let (memory, counted) = (memory.clone(), some.to_vec());
            if let Err(error) = self.engine.store().write(move |tx| keep(tx, &memory, &counted)).await {
                self.parts.reads.give_back(rest);
                return Err(error);
            }
            rest = others;
        }
        Ok(waiting.len())
    }
}

fn keep(tx: &mut dyn Tx, memory: &MemoryId, counted: &[RecordReads]) -> Result<()> {
    let mut trees: BTreeMap<String, Timestamp> = BTreeMap::new();
    for ((_, id), (count, at)) in counted {
        let Some(record) = tx.records().get(memory, id)?.filter(|record| record.is_readable(*at)) else {
            continue;
        };
        add_to(tx, &record, *count, *at)?;
        if let Some(place) = tx.ledger().noun::<TreePlace>(memory, id.as_str())? {
            trees.entry(place.namespace).and_modify(|first| *first = (*first).min(*at)).or_insert(*at);
        }
    }
    trees.iter().try_for_each(|(namespace, at)| upkeep::counted_since(tx, memory, namespace, *at))
}

fn add_to(tx: &mut dyn Tx, record: &Record, count: u64, at: Timestamp) -> Result<()> {
    let known = tx.ledger().noun::<DocumentReads>(&record.memory, record.id.as_str())?;
    let reads = match known {
        Some(known) => DocumentReads {
            count: known.count.saturating_add(count),
            last_at: known.last_at.max(at),
            ..known
        },
        None => DocumentReads {
            memory: record.memory.clone(),
            record: record.id.clone(),
            count,
            first_at: at,
            last_at: at,
            actor: owner_of(record.provenance.actor.as_ref())?,
        },
    };
    tx.ledger_mut().put_noun(&reads)
}

/// Adds the read counts of merged documents to the document that replaces them.
///
/// # Errors
/// The errors of the store.
pub(crate) fn unite(tx: &mut dyn Tx, sources: &[Record], into: &Record) -> Result<()> {
    for source in sources.iter().filter(|source| source.id != into.id) {
        if let Some(known) = tx.ledger().noun::<DocumentReads>(&source.memory, source.id.as_str())? {
            add_to(tx, into, known.count, known.last_at)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_added_up_and_bounded() {
        let counts = ReadCounts::default();
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        let ids: Vec<RecordId> =
            (0..=WAITING_MAX).map(|number| RecordId::compose(&format!("{number:036}")).unwrap()).collect();
        let at = |millis: i64| Timestamp::EPOCH.plus_millis(millis);
        counts.note(&memory, &ids, at(2));
        counts.note(&memory, [&ids[0], &ids[0], &ids[WAITING_MAX]], at(1));
        let waiting = counts.take();
        assert_eq!(waiting.len(), WAITING_MAX);
        assert_eq!(waiting[&(memory.clone(), ids[0].clone())], (3, at(2)));
        counts.note(&memory, [&ids[1]], at(3));
        counts.give_back(&waiting.into_iter().take(2).collect::<Vec<_>>());
        assert_eq!(counts.take()[&(memory, ids[1].clone())], (2, at(3)));
    }
}
