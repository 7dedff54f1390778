//! The indexes this process holds, one per memory: loaded when first asked, caught up before every answer, the least
//! recently used dropped past a limit of bytes. Other processes' writes are seen by the memory's sequence number.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use loci_index::MemoryIndex;
use loci_model::{Error, ErrorKind, MemoryId, RecordId, Result};

use crate::change::{Change, Held};

/// Changes after which an index is measured again: measuring walks all of it.
const MEASURED_EVERY: u64 = 256;

/// How a memory that is there stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Its sequence number.
    pub sequence: u64,
    /// How often content was erased from it.
    pub erasures: u64,
    /// Which of the memories it is that this id has named: another one when it was purged and imported again, whose
    /// sequence began anew. Never 0.
    pub incarnation: u64,
}

/// The rows of one memory in one state of the store.
pub trait MemoryRows {
    /// How the memory stands; `NotFound` where it is gone.
    fn standing(&self) -> Result<Standing>;
    /// Hands every record that changed after `after` to `take`, in the order of the changes.
    fn changes(&self, after: u64, held: Held<'_>, take: &mut dyn FnMut(Change)) -> Result<()>;
}

/// Where the contents of indexes come from.
pub trait IndexSource: Send + Sync {
    /// What it reads over.
    type Connection;

    /// How a memory stands now; `NotFound` where it is gone. Asked before every answer: it must be cheap.
    fn standing(&self, connection: &mut Self::Connection, memory: &MemoryId) -> Result<Standing>;

    /// Runs `work` on one state of the store.
    fn on_rows(
        &self,
        connection: &mut Self::Connection,
        memory: &MemoryId,
        work: &mut dyn FnMut(&dyn MemoryRows) -> Result<()>,
    ) -> Result<()>;

    /// An index that was saved and holds nothing that was erased since; it is brought up to date later.
    fn saved(&self, _memory: &MemoryId, _standing: &Standing) -> Option<MemoryIndex> {
        None
    }
}

/// One memory's index.
pub struct Slot {
    index: RwLock<MemoryIndex>,
    /// Which memory of its id the index is of; 0: none yet.
    incarnation: AtomicU64,
    /// Held by the one thread that catches up; analysis happens under it, outside the lock of the index.
    catching: Mutex<()>,
    /// A catch-up waits in the pool already.
    nudged: AtomicBool,
    bytes: AtomicU64,
    /// The sequence at which `bytes` was measured.
    measured: AtomicU64,
    used: AtomicU64,
    /// The sequence of the snapshot that was loaded or written here last, whether or not it is still there; 0: none.
    pub saved: AtomicU64,
    /// When one was written here last, by the monotonic clock, in microseconds; 0: not yet.
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

    /// The index.
    pub fn read(&self) -> RwLockReadGuard<'_, MemoryIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn sequence(&self) -> u64 {
        self.read().sequence()
    }

    /// True where the index is of this memory, not of one before it with the same id.
    fn is_of(&self, standing: &Standing) -> bool {
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
    /// Indexes of what `source` has, which may hold so many bytes together.
    pub fn new(source: S, bytes_max: u64) -> Self {
        Self { slots: Mutex::new(HashMap::new()), ticks: AtomicU64::new(0), bytes_max, source }
    }

    /// Where the contents come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemoryId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the memory's index, after it has every change that is committed.
    pub fn ask<T>(
        &self,
        connection: &mut S::Connection,
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
    pub fn nudge(&self, memory: &MemoryId) -> bool {
        self.lock().get(memory).is_some_and(|slot| !slot.nudged.swap(true, Ordering::AcqRel))
    }

    /// Catches up where the memory is loaded.
    pub fn follow(&self, connection: &mut S::Connection, memory: &MemoryId) -> Result<()> {
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
    ///
    /// # Errors
    /// `NotFound` (memory), or what the store says.
    pub fn build(&self, connection: &mut S::Connection, memory: &MemoryId) -> Result<MemoryIndex> {
        let mut built = None;
        self.source.on_rows(connection, memory, &mut |rows| {
            built = Some(Self::built(rows, &rows.standing()?)?);
            Ok(())
        })?;
        built.ok_or_else(|| Error::bug("a store did not run the work on its rows"))
    }

    fn built(rows: &dyn MemoryRows, standing: &Standing) -> Result<MemoryIndex> {
        let mut index = MemoryIndex::new();
        rows.changes(0, &|_| None, &mut |change| change.apply_to(&mut index))?;
        index.set_sequence(standing.sequence);
        Ok(index)
    }

    /// The index of a memory that is not here yet, or only as it was under this id before: as it was saved, or built.
    fn first(
        &self,
        rows: &dyn MemoryRows,
        memory: &MemoryId,
        slot: &Slot,
        standing: &Standing,
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

    /// Takes in what was committed.
    ///
    /// # Errors
    /// `NotFound` (memory), or what the store says; nothing is half applied.
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
            let mut all: Vec<Change> = Vec::new();
            let content = |record: &RecordId| slot.read().content(record);
            rows.changes(held, &content, &mut |change| all.push(change))?;
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

    /// Gives up the index of a memory; the next question loads it again.
    pub fn forget(&self, memory: &MemoryId) {
        self.lock().remove(memory);
    }

    /// The indexes that are here.
    pub fn held(&self) -> Vec<(MemoryId, Arc<Slot>)> {
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
