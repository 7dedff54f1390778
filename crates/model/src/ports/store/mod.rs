//! The store: a write is one synchronous closure that may run again; reads see every acknowledged
//! write.
//!
//! `&self` methods of the accessor traits read, `&mut self` methods write. A [`ReadTx`] returns
//! shared references only, so a read cannot write.

mod commits;
mod deliveries;
mod events;
mod exchanges;
mod exposures;
mod facts;
mod idempotency;
mod jobs;
mod keys;
mod leases;
mod ledger;
mod memories;
mod parked_objects;
mod prompt_versions;
mod records;
mod repositories;
mod task_sessions;
mod tasks;
mod telemetry;
mod transfer;

use std::path::PathBuf;

pub use commits::Commits;
pub use deliveries::{Deliveries, DeliveryClaim, DeliveryOutcome, DeliveryPostponement};
pub use events::{
    ActorPage, BranchSlice, EventPlace, EventQuery, Events, EventsBefore, NewestUnread, SessionEntry,
    SessionPage, UnreadEvent,
};
pub use exchanges::Exchanges;
pub use exposures::Exposures;
pub use facts::{FactChoice, FactEvents, FactPage, FactSums, Facts, PathChoice, Verdicts};
pub use idempotency::Idempotency;
pub use jobs::{JobFailure, JobQuery, Jobs};
pub use keys::Keys;
pub use leases::Leases;
pub use ledger::{Ledger, LedgerPage};
pub use memories::Memories;
pub use parked_objects::ParkedObjects;
pub use prompt_versions::PromptVersions;
pub use records::{
    Confirmation, MissingVector, PassageVector, RecordChange, RecordPage, Records, SupersedeChange,
};
pub use repositories::Repositories;
pub use task_sessions::{SessionItemQuery, TaskSessions};
pub use tasks::{ConversationWords, TaskQuery, Tasks};
pub use telemetry::Telemetry;
pub use transfer::{Transfer, TransferStanding};

use super::BoxFuture;
use super::search::Search;
use crate::Result;

/// A transaction that reads.
pub trait ReadTx {
    /// Returns the access to memories, for reading.
    fn memories(&self) -> &dyn Memories;
    /// Returns the access to events, sessions, actors, branches, for reading.
    fn events(&self) -> &dyn Events;
    /// Returns the access to records, their versions and vectors, for reading.
    fn records(&self) -> &dyn Records;
    /// Returns the access to jobs, for reading.
    fn jobs(&self) -> &dyn Jobs;
    /// Returns the access to exchanges with language models, for reading.
    fn exchanges(&self) -> &dyn Exchanges;
    /// Returns the access to access keys, for reading.
    fn keys(&self) -> &dyn Keys;
    /// Returns the access to state changes, for reading.
    fn telemetry(&self) -> &dyn Telemetry;
    /// Returns the access to deliveries, for reading.
    fn deliveries(&self) -> &dyn Deliveries;
    /// Returns the access to idempotency tokens, for reading.
    fn idempotency(&self) -> &dyn Idempotency;
    /// Returns the access to leases by name, for reading.
    fn leases(&self) -> &dyn Leases;
    /// Returns the access to repositories and their names, for reading.
    fn repositories(&self) -> &dyn Repositories;
    /// Returns the access to facts that cite code, for reading.
    fn facts(&self) -> &dyn Facts;
    /// Returns the access to events of facts, for reading.
    fn fact_events(&self) -> &dyn FactEvents;
    /// Returns the access to stored verifications, for reading.
    fn verdicts(&self) -> &dyn Verdicts;
    /// Returns the access to tasks of coding agents, for reading.
    fn tasks(&self) -> &dyn Tasks;
    /// Returns the access to exposures of coding agents, for reading.
    fn exposures(&self) -> &dyn Exposures;
    /// Returns the access to commits that were reported for tasks, for reading.
    fn commits(&self) -> &dyn Commits;
    /// Returns the access to versions of prompts, for reading.
    fn prompts(&self) -> &dyn PromptVersions;
    /// Returns the access to sessions of tasks, for reading.
    fn task_sessions(&self) -> &dyn TaskSessions;
    /// Returns the access to entries of the ledger, for reading.
    fn ledger(&self) -> &dyn Ledger;
    /// Returns the access to parked objects of agents, for reading.
    fn parked(&self) -> &dyn ParkedObjects;
    /// Returns the access to all rows, for moving them to another store.
    fn transfer(&self) -> &dyn Transfer;
}

/// A transaction that writes. An `Err` leaves no changes.
pub trait Tx: ReadTx {
    /// Returns the access to memories, for writing.
    fn memories_mut(&mut self) -> &mut dyn Memories;
    /// Returns the access to events, sessions, actors, branches, for writing.
    fn events_mut(&mut self) -> &mut dyn Events;
    /// Returns the access to records, their versions and vectors, for writing.
    fn records_mut(&mut self) -> &mut dyn Records;
    /// Returns the access to jobs, for writing.
    fn jobs_mut(&mut self) -> &mut dyn Jobs;
    /// Returns the access to exchanges with language models, for writing.
    fn exchanges_mut(&mut self) -> &mut dyn Exchanges;
    /// Returns the access to access keys, for writing.
    fn keys_mut(&mut self) -> &mut dyn Keys;
    /// Returns the access to state changes, for writing.
    fn telemetry_mut(&mut self) -> &mut dyn Telemetry;
    /// Returns the access to deliveries, for writing.
    fn deliveries_mut(&mut self) -> &mut dyn Deliveries;
    /// Returns the access to idempotency tokens, for writing.
    fn idempotency_mut(&mut self) -> &mut dyn Idempotency;
    /// Returns the access to leases by name, for writing.
    fn leases_mut(&mut self) -> &mut dyn Leases;
    /// Returns the access to repositories and their names, for writing.
    fn repositories_mut(&mut self) -> &mut dyn Repositories;
    /// Returns the access to facts that cite code, for writing.
    fn facts_mut(&mut self) -> &mut dyn Facts;
    /// Returns the access to events of facts, for writing.
    fn fact_events_mut(&mut self) -> &mut dyn FactEvents;
    /// Returns the access to stored verifications, for writing.
    fn verdicts_mut(&mut self) -> &mut dyn Verdicts;
    /// Returns the access to tasks of coding agents, for writing.
    fn tasks_mut(&mut self) -> &mut dyn Tasks;
    /// Returns the access to exposures of coding agents, for writing.
    fn exposures_mut(&mut self) -> &mut dyn Exposures;
    /// Returns the access to commits that were reported for tasks, for writing.
    fn commits_mut(&mut self) -> &mut dyn Commits;
    /// Returns the access to versions of prompts, for writing.
    fn prompts_mut(&mut self) -> &mut dyn PromptVersions;
    /// Returns the access to sessions of tasks, for writing.
    fn task_sessions_mut(&mut self) -> &mut dyn TaskSessions;
    /// Returns the access to entries of the ledger, for writing.
    fn ledger_mut(&mut self) -> &mut dyn Ledger;
    /// Returns the access to parked objects of agents, for writing.
    fn parked_mut(&mut self) -> &mut dyn ParkedObjects;
    /// Returns the access to all rows, for moving them from another store.
    fn transfer_mut(&mut self) -> &mut dyn Transfer;
}

/// Work of a write: synchronous, without effects outside the transaction, may be run again.
pub type WriteWork = Box<dyn FnMut(&mut dyn Tx) -> Result<()> + Send>;
/// Work of a read.
pub type ReadWork = Box<dyn FnMut(&dyn ReadTx) -> Result<()> + Send>;

/// The result of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// The path of the backup file.
    pub path: PathBuf,
    /// Size of the backup in bytes.
    pub bytes: u64,
}

/// Files that speed up a start and can be deleted at any time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SnapshotFiles {
    /// Number of files.
    pub count: u64,
    /// Total size in bytes.
    pub bytes: u64,
    /// Names of unusable files, each with the reason, in order.
    pub unusable: Vec<String>,
}

/// A check of a store by `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreCheck {
    /// The name of the check.
    pub name: &'static str,
    /// True if the check passed.
    pub ok: bool,
    /// The finding, with the remedy if the check failed.
    pub detail: String,
}

/// Information that `doctor` shows about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInfo {
    /// The kind of store, in a word.
    pub kind: &'static str,
    /// The location.
    pub location: String,
    /// Version of the store's schema.
    pub schema_version: u32,
    /// Bytes on disk, without snapshots of indexes.
    pub bytes: u64,
    /// Snapshots of indexes, if the store keeps them in files.
    pub snapshots: SnapshotFiles,
    /// True if this process may run jobs: it is the host, or the store has many.
    pub is_host: bool,
    /// Additional checks, if the store has any.
    pub checks: Vec<StoreCheck>,
}

/// The occasion of a checkpoint, which determines the data to write in addition to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    /// The checkpoint runs between other work of the store.
    Underway {
        /// The current [`monotonic_us`](super::clock::Clock::monotonic_us) of the clock.
        monotonic_us: u64,
    },
    /// The last checkpoint before the store is closed. It writes the data that speeds up the next
    /// start.
    Last,
}

/// The number of processes that may run the jobs, deliveries and sweeps of a store at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// One process at a time. A new process knows that the previous one is gone, and releases its
    /// leases.
    One,
    /// Any number of processes. A lease passes to another process only after it has expired.
    Many,
}

/// The store of record. Use it through [`StoreExt`], which gives closures a result.
pub trait Store: Send + Sync {
    /// Runs a write and acknowledges it after it is durable and this process's own index holds it.
    /// Writes of one memory take effect sequentially, across processes. The data of a memory and of
    /// a job that a closure has read must still be current at the commit; otherwise the closure
    /// runs again.
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>>;

    /// Runs a read on a consistent snapshot that holds every write acknowledged before.
    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>>;

    /// Returns the search port, which finds candidates for retrieval.
    fn search(&self) -> &dyn Search;

    /// Returns the number of processes that may run jobs at once.
    fn hosts(&self) -> Hosts;

    /// Tries to become, or stay, the one process that runs jobs and sweeps. If many are allowed
    /// ([`Store::hosts`]), every process is a host: true.
    fn try_host(&self) -> Result<bool>;

    /// Gives up the host's role; does nothing if many hosts are allowed.
    fn release_host(&self);

    /// Writes a consistent copy while serving; `path` must not exist.
    fn backup(&self, path: PathBuf) -> BoxFuture<'_, Result<BackupReport>>;

    /// Moves the write-ahead log into the main file, if the store has one, and saves data that
    /// speeds up the next start.
    fn checkpoint(&self, moment: Checkpoint) -> BoxFuture<'_, Result<()>>;

    /// Returns the information for `doctor`. It tests reading and, with `probe_write`, writing.
    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>>;

    /// Finishes queued work, ends the threads and releases all resources. Later calls return
    /// `Unavailable`.
    fn close(&self);
}

/// Closures with a result, over [`Store`].
pub trait StoreExt {
    /// Runs `work` as one write and returns what its last run returned.
    fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnMut(&mut dyn Tx) -> Result<T> + Send + 'static;

    /// Runs `work` on one snapshot.
    fn read<T, F>(&self, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnMut(&dyn ReadTx) -> Result<T> + Send + 'static;
}

impl StoreExt for dyn Store {
    async fn write<T, F>(&self, mut work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let slot = Slot::new();
        let filled = slot.clone();
        self.write_boxed(Box::new(move |tx| {
            filled.put(work(tx)?);
            Ok(())
        }))
        .await?;
        slot.take()
    }

    async fn read<T, F>(&self, mut work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&dyn ReadTx) -> Result<T> + Send + 'static,
    {
        let slot = Slot::new();
        let filled = slot.clone();
        self.read_boxed(Box::new(move |tx| {
            filled.put(work(tx)?);
            Ok(())
        }))
        .await?;
        slot.take()
    }
}

/// Carries a closure's result out of the store.
struct Slot<T>(std::sync::Arc<std::sync::Mutex<Option<T>>>);

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Slot<T> {
    fn new() -> Self {
        Self(std::sync::Arc::new(std::sync::Mutex::new(None)))
    }

    fn put(&self, value: T) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(value);
    }

    fn take(&self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        value.ok_or_else(|| crate::Error::bug("a store acknowledged work that it did not run"))
    }
}
