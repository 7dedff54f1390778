//! A store that executes one call at a time: a call finishes when its future is first polled, so
//! that a run depends only on its seed. A write or a read can be made to fail, or to be the last
//! action of its process.
//!
//! It serves the simulator; other tests cover concurrent calls.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::ports::BoxFuture;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, ComingVector, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::ports::store::{BackupReport, Checkpoint, Hosts, ReadWork, Store, StoreInfo, Tx, WriteWork};
use loci_model::record::scope::RecordScope;
use loci_model::{Error, MemoryId, RecordId, Result};

use loci_testkit_ports::block_on;

/// A fault that the simulation injects into a write or a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreFault {
    /// The write fails without running.
    Before,
    /// The closure of the write runs, but nothing is committed.
    Within,
    /// The write is committed, but the caller gets an error.
    After,
    /// The process ends before the write.
    DeathBefore,
    /// The process ends after the commit of the write.
    DeathAfter,
    /// The write conflicts with another one: it is rolled back, runs again and is committed.
    Again,
    /// The read fails.
    Unread,
}

impl StoreFault {
    pub(super) const ALL: [Self; 7] = [
        Self::Before,
        Self::Within,
        Self::After,
        Self::DeathBefore,
        Self::DeathAfter,
        Self::Again,
        Self::Unread,
    ];

    /// Returns true if a write with this fault is committed.
    fn has_effect(self) -> bool {
        matches!(self, Self::After | Self::DeathAfter | Self::Again)
    }

    fn is_of_reads(self) -> bool {
        self == Self::Unread
    }
}

/// An injected fault that has happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Came {
    /// True if a write was committed since the fault was set.
    pub(super) has_effect: bool,
}

#[derive(Debug, Default)]
struct Faults {
    /// The number of writes or reads until the fault happens, and its kind; `None` if no fault is
    /// set.
    next: Option<(u64, StoreFault)>,
    /// The fault that has happened, if any.
    came: Option<StoreFault>,
    /// True if a write was committed before the fault happened.
    has_written: bool,
}

/// The lock of the only host of a store, for the servers of a run. It works in the same way on
/// every store.
#[derive(Clone)]
pub(super) struct HostPlace {
    pub(super) hosts: Hosts,
    /// The number of the server that is the host; 0 means none.
    pub(super) held_by: Arc<AtomicU64>,
    /// The number of the server that uses this value.
    pub(super) number: u64,
}

impl HostPlace {
    fn is_held(&self) -> bool {
        self.hosts == Hosts::Many || self.held_by.load(Ordering::Relaxed) == self.number
    }

    fn take(&self) -> bool {
        let free = self.held_by.compare_exchange(0, self.number, Ordering::Relaxed, Ordering::Relaxed);
        free.is_ok() || self.is_held()
    }

    fn release(&self) {
        // A lock held by another server stays.
        let _ = self.held_by.compare_exchange(self.number, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A store that executes one call at a time, with injected faults.
pub(super) struct SerialStore {
    inner: Arc<dyn Store>,
    place: HostPlace,
    faults: Mutex<Faults>,
    dead: AtomicBool,
    writes: AtomicU64,
}

impl SerialStore {
    pub(super) fn new(inner: Arc<dyn Store>, place: HostPlace) -> Self {
        let (faults, dead) = (Mutex::default(), AtomicBool::new(false));
        Self { inner, place, faults, dead, writes: AtomicU64::new(0) }
    }

    /// Returns the store itself, for reads outside the run.
    pub(super) fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    /// Sets a fault for a later write or read. `number` counts from the next one, which is 1.
    pub(super) fn arm(&self, number: u64, fault: StoreFault) {
        *self.faults() = Faults { next: Some((number, fault)), ..Faults::default() };
    }

    /// Removes the fault, and returns the fault that has happened since it was set, if any.
    pub(super) fn disarm(&self) -> Option<Came> {
        let Faults { came, has_written, .. } = std::mem::take(&mut *self.faults());
        came.map(|fault| Came { has_effect: fault.has_effect() || has_written })
    }

    /// Returns true if its process has ended.
    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Returns the number of writes so far.
    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    fn faults(&self) -> std::sync::MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the fault of the next write, or read, if any.
    fn next_fault(&self, is_read: bool) -> Option<StoreFault> {
        let mut faults = self.faults();
        let (left, fault) = faults.next.filter(|(_, fault)| fault.is_of_reads() == is_read)?;
        faults.next = (left > 1).then_some((left - 1, fault));
        if left > 1 {
            return None;
        }
        faults.came = Some(fault);
        Some(fault)
    }

    fn write(&self, mut work: WriteWork) -> Result<()> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        match self.next_fault(false) {
            None | Some(StoreFault::Unread) => {
                block_on(self.inner.write_boxed(work))?;
                let mut faults = self.faults();
                faults.has_written |= faults.came.is_none();
                Ok(())
            }
            Some(StoreFault::Before) => Err(lost()),
            Some(StoreFault::Within) => block_on(self.inner.write_boxed(Box::new(move |tx| {
                work(tx)?;
                Err(lost())
            }))),
            Some(StoreFault::After) => block_on(self.inner.write_boxed(work)).and_then(|()| Err(lost())),
            Some(StoreFault::DeathBefore) => {
                self.dead.store(true, Ordering::Relaxed);
                Err(lost())
            }
            Some(StoreFault::DeathAfter) => {
                let outcome = block_on(self.inner.write_boxed(work));
                self.dead.store(true, Ordering::Relaxed);
                outcome
            }
            Some(StoreFault::Again) => self.write_again(work),
        }
    }

    /// Runs a write with a rollback, then for real.
    fn write_again(&self, work: WriteWork) -> Result<()> {
        let for_good = Arc::new(Mutex::new(work));
        let for_nothing = Arc::clone(&for_good);
        let run = |work: &Mutex<WriteWork>, tx: &mut dyn Tx| {
            (work.lock().unwrap_or_else(PoisonError::into_inner))(tx)
        };
        let first = block_on(self.inner.write_boxed(Box::new(move |tx| {
            run(&for_nothing, tx)?;
            Err(Error::unavailable(AGAIN))
        })));
        match first {
            Err(error) if error.message == AGAIN => {
                block_on(self.inner.write_boxed(Box::new(move |tx| run(&for_good, tx))))
            }
            ended => ended,
        }
    }

    fn read(&self, work: ReadWork) -> Result<()> {
        match self.next_fault(true) {
            None => block_on(self.inner.read_boxed(work)),
            Some(_) => Err(lost()),
        }
    }

    /// Runs `work` when its future is polled. A dead process does nothing.
    fn at_once<'a, T: Send + 'a>(&'a self, work: impl FnOnce() -> T + Send + 'a) -> BoxFuture<'a, T> {
        Box::pin(async move {
            if !self.is_dead() {
                let outcome = work();
                if !self.is_dead() {
                    return outcome;
                }
            }
            std::future::pending().await
        })
    }
}

/// Error text of a write that must run again.
const AGAIN: &str = "to be run again";

fn lost() -> Error {
    Error::unavailable("the store went away")
}

impl Drop for SerialStore {
    fn drop(&mut self) {
        self.place.release();
    }
}

impl Store for SerialStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        self.at_once(move || self.write(work))
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        self.at_once(move || self.read(work))
    }

    fn search(&self) -> &dyn Search {
        self
    }

    fn hosts(&self) -> Hosts {
        self.place.hosts
    }

    fn try_host(&self) -> Result<bool> {
        Ok(self.place.take())
    }

    fn release_host(&self) {
        self.place.release();
    }

    fn backup(&self, path: PathBuf) -> BoxFuture<'_, Result<BackupReport>> {
        self.at_once(move || block_on(self.inner.backup(path)))
    }

    fn checkpoint(&self, moment: Checkpoint) -> BoxFuture<'_, Result<()>> {
        self.at_once(move || block_on(self.inner.checkpoint(moment)))
    }

    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>> {
        self.at_once(move || {
            let info = block_on(self.inner.info(probe_write))?;
            Ok(StoreInfo { is_host: self.place.is_held(), ..info })
        })
    }

    fn close(&self) {
        self.inner.close();
    }
}

impl Search for SerialStore {
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        self.at_once(move || block_on(self.inner.search().known_names(scope)))
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        self.at_once(move || block_on(self.inner.search().candidates(request)))
    }

    fn candidates_meanwhile(
        &self,
        request: CandidateRequest,
        vector: ComingVector,
    ) -> BoxFuture<'_, Result<CandidateSet>> {
        self.at_once(move || block_on(self.inner.search().candidates_meanwhile(request, vector)))
    }

    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        self.at_once(move || block_on(self.inner.search().neighbours(request)))
    }

    fn alike<'a>(
        &'a self,
        memory: &'a MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>> {
        self.at_once(move || block_on(self.inner.search().alike(memory, first, second)))
    }

    fn info<'a>(&'a self, memory: &'a MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        self.at_once(move || block_on(self.inner.search().info(memory, rebuilt)))
    }
}
