//! The indexes this process holds, one per memory: loaded when first asked, caught up before every answer, the least
//! recently used dropped past a limit of bytes. Other processes' writes are seen by the memory's sequence number.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use loci_index::MemoryIndex;
use loci_model::{Error, ErrorKind, MemoryId, RecordId, Result};
use rusqlite::{Connection, Row};

use crate::index_files::IndexFiles;
use crate::index_rows::{Change, changes};
use crate::options::SqliteOptions;
use crate::store::snapshot;
use crate::tx::{Column, SqlTx, unsigned};

/// Changes after which an index is measured again: measuring walks all of it.
const MEASURED_EVERY: u64 = 256;

/// One memory's index.
pub(crate) struct Slot {
    index: RwLock<MemoryIndex>,
    /// Held by the one thread that catches up; analysis happens under it, outside the lock of the index.
    catching: Mutex<()>,
    /// A catch-up waits in the pool already.
    nudged: AtomicBool,
    bytes: AtomicU64,
    /// The sequence at which `bytes` was measured.
    measured: AtomicU64,
    used: AtomicU64,
    /// The sequence of the snapshot that was loaded or written here last, whether or not it is still there; 0: none.
    pub(crate) saved: AtomicU64,
    /// When one was written here last, by the monotonic clock, in microseconds; 0: not yet.
    pub(crate) saved_us: AtomicU64,
}

impl Slot {
    fn new() -> Self {
        Self {
            index: RwLock::new(MemoryIndex::new()),
            catching: Mutex::new(()),
            nudged: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            measured: AtomicU64::new(0),
            used: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            saved_us: AtomicU64::new(0),
        }
    }

    /// Notes what the index holds, where much has changed since it was measured; true if so.
    fn measure(&self) -> bool {
        let index = self.read();
        let measured = self.measured.load(Ordering::Relaxed);
        if measured != 0 && index.sequence().saturating_sub(measured) < MEASURED_EVERY {
            return false;
        }
        self.measured.store(index.sequence(), Ordering::Relaxed);
        self.bytes.store(u64::try_from(index.bytes()).unwrap_or(u64::MAX), Ordering::Relaxed);
        true
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, MemoryIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn sequence(&self) -> u64 {
        self.read().sequence()
    }
}

/// The indexes of a process.
pub(crate) struct IndexCache {
    slots: Mutex<HashMap<MemoryId, Arc<Slot>>>,
    ticks: AtomicU64,
    bytes_max: u64,
    threads: usize,
    pub(crate) snapshot_passages_min: u64,
    pub(crate) files: Arc<IndexFiles>,
}

impl IndexCache {
    pub(crate) fn new(options: &SqliteOptions, files: Arc<IndexFiles>) -> Self {
        Self {
            slots: Mutex::new(HashMap::new()),
            ticks: AtomicU64::new(0),
            bytes_max: options.index_bytes_max,
            threads: options.searchers,
            snapshot_passages_min: options.snapshot_passages_min,
            files,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemoryId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the memory's index, after it has every change that is committed.
    pub(crate) fn ask<T>(
        &self,
        connection: &Connection,
        memory: &MemoryId,
        question: impl FnOnce(&MemoryIndex) -> T,
    ) -> Result<T> {
        let slot = Arc::clone(self.lock().entry(memory.clone()).or_insert_with(|| Arc::new(Slot::new())));
        // A nudge that found the pool full is forgotten here.
        slot.nudged.store(false, Ordering::Release);
        slot.used.store(self.ticks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Err(error) = self.catch_up(connection, memory, &slot) {
            // Nothing is half applied, but what failed once is better built anew; a memory that is gone holds nothing.
            self.lock().remove(memory);
            return Err(error);
        }
        Ok(question(&slot.read()))
    }

    /// True once per waiting catch-up: the memory is loaded here and nobody is on the way.
    pub(crate) fn nudge(&self, memory: &MemoryId) -> bool {
        self.lock().get(memory).is_some_and(|slot| !slot.nudged.swap(true, Ordering::AcqRel))
    }

    /// Catches up where the memory is loaded.
    pub(crate) fn follow(&self, connection: &Connection, memory: &MemoryId) -> Result<()> {
        let Some(slot) = self.lock().get(memory).map(Arc::clone) else { return Ok(()) };
        // First, so that a change that comes now asks again.
        slot.nudged.store(false, Ordering::Release);
        // Who holds it is at work on the same changes, or the next search takes them in: nobody waits in vain here.
        match slot.catching.try_lock() {
            Ok(_free) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Poisoned(_)) => {}
        }
        match self.catch_up(connection, memory, &slot) {
            // Deleted: what it held is given back at once.
            Err(error) if error.kind == ErrorKind::NotFound => {
                self.lock().remove(memory);
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// What a fresh build of a memory's index holds.
    pub(crate) fn build(&self, connection: &Connection, memory: &MemoryId) -> Result<MemoryIndex> {
        snapshot(connection, |tx| {
            let standing = standing(tx, memory)?;
            self.built(tx, memory, &standing)
        })
    }

    fn built(&self, tx: &SqlTx<'_>, memory: &MemoryId, standing: &Standing) -> Result<MemoryIndex> {
        let mut index = MemoryIndex::new();
        changes(tx, (memory, standing.number), 0, self.threads, &|_| None, &mut |change| {
            change.apply_to(&mut index)
        })?;
        index.set_sequence(standing.sequence);
        Ok(index)
    }

    /// The index of a memory that is not here yet: from its snapshot, which is brought up to date later, or built.
    fn first(&self, tx: &SqlTx<'_>, memory: &MemoryId, slot: &Slot, standing: &Standing) -> Result<()> {
        let index = match self.files.load(memory, standing.erasures, standing.sequence) {
            Some(index) => {
                slot.saved.store(index.sequence(), Ordering::Relaxed);
                index
            }
            None => self.built(tx, memory, standing)?,
        };
        *slot.index.write().unwrap_or_else(PoisonError::into_inner) = index;
        Ok(())
    }

    pub(crate) fn catch_up(&self, connection: &Connection, memory: &MemoryId, slot: &Slot) -> Result<()> {
        if slot.sequence() == snapshot(connection, |tx| standing(tx, memory))?.sequence {
            return Ok(());
        }
        let _catching = slot.catching.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot(connection, |tx| {
            let standing = standing(tx, memory)?;
            if slot.sequence() == 0 {
                self.first(tx, memory, slot, &standing)?;
            }
            let held = slot.sequence();
            if held >= standing.sequence {
                return Ok(());
            }
            let mut all: Vec<Change> = Vec::new();
            let content = |record: &RecordId| slot.read().content(record);
            let place = (memory, standing.number);
            changes(tx, place, held, self.threads, &content, &mut |change| all.push(change))?;
            let mut index = slot.index.write().unwrap_or_else(PoisonError::into_inner);
            // All of them under one lock: no answer sees half of a write.
            all.into_iter().for_each(|change| change.apply_to(&mut index));
            index.set_sequence(standing.sequence);
            Ok(())
        })?;
        if slot.measure() {
            self.shrink(memory);
        }
        Ok(())
    }

    /// The indexes that are here.
    pub(crate) fn held(&self) -> Vec<(MemoryId, Arc<Slot>)> {
        self.lock().iter().map(|(memory, slot)| (memory.clone(), Arc::clone(slot))).collect()
    }

    /// Drops the least recently used indexes until the rest is within the limit; never the one just asked.
    fn shrink(&self, keep: &MemoryId) {
        let mut slots = self.lock();
        let mut held: u64 = slots.values().map(|slot| slot.bytes.load(Ordering::Relaxed)).sum();
        while held > self.bytes_max {
            let oldest = slots
                .iter()
                .filter(|(memory, _)| *memory != keep)
                .min_by_key(|(memory, slot)| (slot.used.load(Ordering::Relaxed), (*memory).clone()))
                .map(|(memory, _)| memory.clone());
            let Some(dropped) = oldest.and_then(|memory| slots.remove(&memory)) else { return };
            held = held.saturating_sub(dropped.bytes.load(Ordering::Relaxed));
        }
    }
}

/// How a memory that is there stands.
pub(crate) struct Standing {
    number: i64,
    pub(crate) sequence: u64,
    /// How often content was erased from it.
    pub(crate) erasures: u64,
}

pub(crate) fn standing(tx: &SqlTx<'_>, memory: &MemoryId) -> Result<Standing> {
    let sql = "SELECT num, sequence, erasures FROM memories WHERE id = ?1 AND deleted IS NULL";
    let read = |row: &Row<'_>| {
        Ok(Standing {
            number: row.take(0)?,
            sequence: unsigned(row.take(1)?),
            erasures: unsigned(row.take(2)?),
        })
    };
    tx.one(sql, [memory.as_str()], read)?.ok_or_else(|| Error::not_found("the memory does not exist"))
}
