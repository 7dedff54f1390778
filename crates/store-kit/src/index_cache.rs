//! The search indexes of this process, one for each memory. An index is loaded on first use and
//! updated before every search; a change of the memory's sequence number reveals writes of other
//! processes. Above a memory limit the least recently used indexes are dropped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use loci_index::MemoryIndex;
use loci_model::{Error, ErrorKind, MemoryId, RecordId, Result};

use crate::change::{IndexChange, IndexedContent};

/// The number of changes after which the memory use of an index is measured again. A measurement
/// scans the whole index.
const MEASURED_EVERY: u64 = 256;

/// The version of a stored memory, by which the cache sees that its index is outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedMemoryState {
    /// The sequence number of the memory's last change.
    pub sequence: u64,
    /// The number of erasures in the memory. An index snapshot from before an erasure is not
    /// used.
    pub erasures: u64,
    /// The number that distinguishes memories with the same id. It changes if the memory was
    /// purged and imported again, because the sequence numbers then restart. Never 0.
    pub incarnation: u64,
}

/// Read access to the records of one memory in one consistent state of the store.
pub trait MemoryRows {
    /// Returns the state of the memory; `NotFound` if it was deleted.
    fn standing(&self) -> Result<IndexedMemoryState>;
    /// Passes every record that changed after the sequence number `after` to `take`, in the order
    /// of the changes. `held` returns the content that the index has of a record.
    fn changes(&self, after: u64, held: IndexedContent<'_>, take: &mut dyn FnMut(IndexChange)) -> Result<()>;
}

/// The store from which the cache builds and updates its indexes.
pub trait IndexSource: Send + Sync {
    /// The database connection for reading.
    type Connection;

    /// Returns the current state of a memory; `NotFound` if it was deleted. The cache calls this
    /// before every search, so it must be cheap.
    fn standing(&self, connection: &mut Self::Connection, memory: &MemoryId) -> Result<IndexedMemoryState>;

    /// Runs `work` on one consistent state of the memory's rows.
    fn on_rows(
        &self,
        connection: &mut Self::Connection,
        memory: &MemoryId,
        work: &mut dyn FnMut(&dyn MemoryRows) -> Result<()>,
    ) -> Result<()>;

    /// Returns an index that was saved as a snapshot, if it contains no erased content. The cache
    /// applies the changes since the snapshot.
    fn saved(&self, _memory: &MemoryId, _standing: &IndexedMemoryState) -> Option<MemoryIndex> {
        None
    }
}

/// The cache entry of one memory: its index and the data for keeping it current.
pub struct Slot {
    index: RwLock<MemoryIndex>,
    /// The incarnation of the memory that the index holds; 0 until an index is loaded. See
    /// [`IndexedMemoryState`].
    incarnation: AtomicU64,
    /// The lock of the one thread that updates the index. Records are analysed under this lock
    /// alone, so that searches are not blocked meanwhile.
    catching: Mutex<()>,
    /// True if an update is queued in the pool.
    nudged: AtomicBool,
    bytes: AtomicU64,
    /// The sequence number at which the memory use `bytes` was measured.
    measured: AtomicU64,
    used: AtomicU64,
    /// The sequence number of the last snapshot that this process loaded or wrote, even if the
    /// file no longer exists; 0 for no snapshot.
    pub saved: AtomicU64,
    /// The time at which this process last wrote a snapshot, in microseconds of the monotonic
    /// clock; 0 for no snapshot.
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

    /// Measures the memory use of the index if many changes were applied since the last
    /// measurement. Returns true if it was measured.
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

    /// Returns true if the index belongs to this memory, and not to an earlier memory with the
    /// same id.
    fn is_of(&self, standing: &IndexedMemoryState) -> bool {
        self.incarnation.load(Ordering::Acquire) == standing.incarnation
    }
}

/// The search indexes of a process, by memory.
pub struct IndexCache<S> {
    slots: Mutex<HashMap<MemoryId, Arc<Slot>>>,
    ticks: AtomicU64,
    bytes_max: u64,
    source: S,
}

impl<S: IndexSource> IndexCache<S> {
    /// Creates a cache of indexes that are built from `source`. `bytes_max` limits the memory use
    /// of all indexes together.
    pub fn new(source: S, bytes_max: u64) -> Self {
        Self { slots: Mutex::new(HashMap::new()), ticks: AtomicU64::new(0), bytes_max, source }
    }

    /// Returns the store from which indexes are built.
    pub fn source(&self) -> &S {
        &self.source
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemoryId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies every committed change to the memory's index, and then runs a query on it.
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

    /// Returns true if the caller must queue an update of the memory's index: the index is
    /// loaded, and no update is queued yet.
    pub fn nudge(&self, memory: &MemoryId) -> bool {
        self.lock().get(memory).is_some_and(|slot| !slot.nudged.swap(true, Ordering::AcqRel))
    }

    /// Applies committed changes to the memory's index if it is loaded.
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

    /// Builds a new index of a memory from the store, without adding it to the cache.
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

    /// Returns an index for a memory whose index is not loaded, or is of an earlier memory with
    /// the same id. The index is read from a snapshot, or built if there is no usable snapshot.
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

    /// Applies committed changes to the index of a memory.
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

    /// Drops the index of a memory; the next search loads it again.
    pub fn forget(&self, memory: &MemoryId) {
        self.lock().remove(memory);
    }

    /// Returns the loaded indexes with their memories.
    pub fn held(&self) -> Vec<(MemoryId, Arc<Slot>)> {
        self.lock().iter().map(|(memory, slot)| (memory.clone(), Arc::clone(slot))).collect()
    }

    /// Drops the least recently used indexes until the memory use is within the limit, but never
    /// the index of the memory `keep`.
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
