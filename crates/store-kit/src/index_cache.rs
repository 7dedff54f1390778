//! The indexes of this process, one per memory: loaded on first use, updated before every result,
//! and dropped beyond a memory limit, least recently used first. The memory's sequence number shows
//! writes of other processes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use loci_index::MemoryIndex;
use loci_model::{Error, ErrorKind, MemoryId, RecordId, Result};

use crate::change::{IndexChange, IndexedContent};

/// The number of changes after which the size of an index is measured again, which scans all of it.
const MEASURED_EVERY: u64 = 256;

/// The state of an existing memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedMemoryState {
    /// The sequence number.
    pub sequence: u64,
    /// The number of erasures.
    pub erasures: u64,
    /// The identity of the memory among those with this id: it changes if the memory was purged and
    /// imported again, which restarts the sequence. Never 0.
    pub incarnation: u64,
}

/// The rows of one memory in one state of the store.
pub trait MemoryRows {
    /// Returns the state of the memory; `NotFound` if it was deleted.
    fn standing(&self) -> Result<IndexedMemoryState>;
    /// Passes every record changed after `after` to `take`, in the order of the changes.
    fn changes(&self, after: u64, held: IndexedContent<'_>, take: &mut dyn FnMut(IndexChange)) -> Result<()>;
}

/// The source of the contents of indexes.
pub trait IndexSource: Send + Sync {
    /// The connection for reading.
    type Connection;

    /// Returns the current state of a memory; `NotFound` if it was deleted. Called before every
    /// result, so it must be cheap.
    fn standing(&self, connection: &mut Self::Connection, memory: &MemoryId) -> Result<IndexedMemoryState>;

    /// Runs `work` on one consistent state of the store.
    fn on_rows(
        &self,
        connection: &mut Self::Connection,
        memory: &MemoryId,
        work: &mut dyn FnMut(&dyn MemoryRows) -> Result<()>,
    ) -> Result<()>;

    /// Returns a saved index without erased contents. The caller updates it.
    fn saved(&self, _memory: &MemoryId, _standing: &IndexedMemoryState) -> Option<MemoryIndex> {
        None
    }
}

/// The index of one memory.
pub struct Slot {
    index: RwLock<MemoryIndex>,
    /// The identity of the indexed memory; 0 for none yet.
    incarnation: AtomicU64,
    /// Held by the one thread that updates the index. Analysis runs under it, without the lock of
    /// the index.
    catching: Mutex<()>,
    /// True if an update is queued in the pool.
    nudged: AtomicBool,
    bytes: AtomicU64,
    /// The sequence at which `bytes` was measured.
    measured: AtomicU64,
    used: AtomicU64,
    /// The sequence of the last snapshot loaded or written here, whether it still exists or not; 0
    /// for none.
    pub saved: AtomicU64,
    /// The time of the last snapshot written here, by the monotonic clock, in microseconds; 0 for
    /// none.
    pub saved_us: AtomicU64,
}

impl Slot {
    fn new() -> Self {
        Self {
            index: RwLock::new(MemoryIndex::new()),
            incarnation: AtomicU64::new(0),
            catching: Mutex::new(()),
            nudged: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            measured: AtomicU64::new(0),
            used: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            saved_us: AtomicU64::new(0),
        }
    }

    /// Measures the index if it has changed much since the last time. Returns true if so.
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

    /// Returns the index for reading.
    pub fn read(&self) -> RwLockReadGuard<'_, MemoryIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn sequence(&self) -> u64 {
        self.read().sequence()
    }

    /// True if the index belongs to this memory, and not to an earlier one with the same id.
    fn is_of(&self, standing: &IndexedMemoryState) -> bool {
        self.incarnation.load(Ordering::Acquire) == standing.incarnation
    }
}

/// The indexes of a process.
pub struct IndexCache<S> {
    slots: Mutex<HashMap<MemoryId, Arc<Slot>>>,
    ticks: AtomicU64,
    bytes_max: u64,
    source: S,
}

impl<S: IndexSource> IndexCache<S> {
    /// Returns a cache of indexes from `source` with a total limit in bytes.
    pub fn new(source: S, bytes_max: u64) -> Self {
        Self { slots: Mutex::new(HashMap::new()), ticks: AtomicU64::new(0), bytes_max, source }
    }

    /// Returns the source of the contents.
    pub fn source(&self) -> &S {
        &self.source
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemoryId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queries the memory's index after applying every committed change.
    pub fn ask<T>(
        &self,
        connection: &mut S::Connection,
        memory: &MemoryId,
        question: impl FnOnce(&MemoryIndex) -> T,
    ) -> Result<T> {
        let slot = Arc::clone(self.lock().entry(memory.clone()).or_insert_with(|| Arc::new(Slot::new())));
        // Allows a new notification after one that found the pool full.
        slot.nudged.store(false, Ordering::Release);
        slot.used.store(self.ticks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Err(error) = self.catch_up(connection, memory, &slot) {
            // No change is half applied, but after a failure a rebuild is safer. A deleted memory
            // needs no index.
            self.lock().remove(memory);
            return Err(error);
        }
        Ok(question(&slot.read()))
    }

    /// Returns true if an update must be queued: the memory is loaded, and no update is queued yet.
    pub fn nudge(&self, memory: &MemoryId) -> bool {
        self.lock().get(memory).is_some_and(|slot| !slot.nudged.swap(true, Ordering::AcqRel))
    }

    /// Updates the index if the memory is loaded.
    pub fn follow(&self, connection: &mut S::Connection, memory: &MemoryId) -> Result<()> {
        let Some(slot) = self.lock().get(memory).map(Arc::clone) else { return Ok(()) };
        // Reset first, so that a change from now on is queued again.
        slot.nudged.store(false, Ordering::Release);
        // The thread that holds it applies the same changes, or the next search does: there is no
        // need to wait.
        match slot.catching.try_lock() {
            Ok(_free) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Poisoned(_)) => {}
        }
        match self.catch_up(connection, memory, &slot) {
            // Deleted: release the memory at once.
            Err(error) if error.kind == ErrorKind::NotFound => {
                self.lock().remove(memory);
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Returns a newly built index of a memory.
    ///
    /// # Errors
    /// `NotFound` (memory), or errors of the store.
    pub fn build(&self, connection: &mut S::Connection, memory: &MemoryId) -> Result<MemoryIndex> {
        let mut built = None;
        self.source.on_rows(connection, memory, &mut |rows| {
            built = Some(Self::built(rows, &rows.standing()?)?);
            Ok(())
        })?;
        built.ok_or_else(|| Error::bug("a store did not run the work on its rows"))
    }

    fn built(rows: &dyn MemoryRows, standing: &IndexedMemoryState) -> Result<MemoryIndex> {
        let mut index = MemoryIndex::new();
        rows.changes(0, &|_| None, &mut |change| change.apply_to(&mut index))?;
        index.set_sequence(standing.sequence);
        Ok(index)
    }

    /// Returns the index of a memory that is not loaded, or whose id belonged to another memory
    /// before: the saved one, or a newly built one.
    fn first(
        &self,
        rows: &dyn MemoryRows,
        memory: &MemoryId,
        slot: &Slot,
        standing: &IndexedMemoryState,
    ) -> Result<()> {
        let index = match self.source.saved(memory, standing) {
            Some(index) => {
                slot.saved.store(index.sequence(), Ordering::Relaxed);
                index
            }
            None => {
                slot.saved.store(0, Ordering::Relaxed);
                Self::built(rows, standing)?
            }
        };
        *slot.index.write().unwrap_or_else(PoisonError::into_inner) = index;
        slot.incarnation.store(standing.incarnation, Ordering::Release);
        Ok(())
    }

    /// Applies committed changes.
    ///
    /// # Errors
    /// `NotFound` (memory), or errors of the store; no change is half applied.
    pub fn catch_up(&self, connection: &mut S::Connection, memory: &MemoryId, slot: &Slot) -> Result<()> {
        let standing = self.source.standing(connection, memory)?;
        if slot.is_of(&standing) && slot.sequence() == standing.sequence {
            return Ok(());
        }
        let _catching = slot.catching.lock().unwrap_or_else(PoisonError::into_inner);
        self.source.on_rows(connection, memory, &mut |rows| {
            let standing = rows.standing()?;
            if slot.sequence() == 0 || !slot.is_of(&standing) {
                self.first(rows, memory, slot, &standing)?;
            }
            let held = slot.sequence();
            if held >= standing.sequence {
                return Ok(());
            }
            let mut all: Vec<IndexChange> = Vec::new();
            let content = |record: &RecordId| slot.read().content(record);
            rows.changes(held, &content, &mut |change| all.push(change))?;
            let mut index = slot.index.write().unwrap_or_else(PoisonError::into_inner);
            // All under one lock, so that no result includes half of a write.
            all.into_iter().for_each(|change| change.apply_to(&mut index));
            index.set_sequence(standing.sequence);
            Ok(())
        })?;
        if slot.measure() {
            self.shrink(memory);
        }
        Ok(())
    }

    /// Drops the index of a memory; the next question loads it again.
    pub fn forget(&self, memory: &MemoryId) {
        self.lock().remove(memory);
    }

    /// Returns the loaded indexes.
    pub fn held(&self) -> Vec<(MemoryId, Arc<Slot>)> {
        self.lock().iter().map(|(memory, slot)| (memory.clone(), Arc::clone(slot))).collect()
    }

    /// Drops the least recently used indexes until the total is within the limit, but never that of
    /// `keep`.
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
