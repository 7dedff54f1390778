//! The conformance suite: the required behaviour of every store, part by part, tested through the
//! ports alone.
//!
//! A store's tests call [`run`] with a function that opens an empty store each time. It panics at
//! the first difference, naming the part. To add an accessor trait, add a file in the folder of its
//! product or here, and a line in `PARTS`.

mod coding;
mod deliveries;
mod documents;
mod events;
mod exchanges;
pub mod filled_store;
mod job_waits;
mod jobs;
mod leases;
mod ledger;
mod memories;
pub mod plain_answers;
pub mod plain_corpus;
mod records;
mod retrieval;
mod rows;
mod sessions;
pub mod succession;
mod transfer;
mod vectors;
mod verified;
mod writes;

use std::sync::Arc;

use loci_model::ports::store::{Records, Store, StoreExt, Tx};
use loci_model::record::Record;
use loci_model::{MemoryId, RecordId, Result};

use loci_testkit_ports::{block_on, samples};

/// Opens an empty store.
pub type EmptyStoreOpener<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// A part of the suite.
type Part = (&'static str, fn(&Bench) -> Result<()>);

/// All parts, by name.
const PARTS: &[Part] = &[
    ("memories: names, order, deletion, purge", memories::names_order_deletion),
    ("events: order, branches, paging, expiry", events::order_branches_paging),
    ("events: written anew", events::rewriting),
    ("events: deletion and places", events::deletion_and_places),
    ("events: filters on metadata", events::filters::filters),
    ("events: extraction", events::extraction),
    ("events: sources of jobs", events::sources_of_jobs),
    ("events: turns of runs", events::turns_of_runs),
    ("events: loads", events::windows::loads),
    ("events: what was said before a window", events::windows::before),
    ("events: the newest unread first", events::windows::newest_unread),
    ("sessions and actors", sessions::sessions_and_actors),
    ("events: forgetting and sweeping", sessions::forgetting_and_sweeping),
    ("records: versions and history", records::versions_and_history),
    ("records: every member comes back", records::every_member_comes_back),
    ("records: same text, subtype, source, group", records::lookups),
    ("records: export and import", records::export_and_import),
    ("records: states and supersession", records::states::states),
    ("records: erasure, forgetting, retention", records::states::erasure),
    ("records: where deleted ones are to be erased", records::states::erasable),
    ("records: taken back", records::moves::restored),
    ("records: moved to another namespace", records::moves::moved),
    ("records: of a strategy, by making", records::moves::of_a_strategy),
    ("records: what changed in a namespace", records::moves::changed),
    ("records: earlier versions written anew", records::moves::rewritten),
    ("records: lists", records::lists::lists),
    ("records: of a subtype", records::lists::of_subtype),
    ("records: of one fingerprint", records::lists::of_fingerprint),
    ("records: as of a time", records::lists::as_of),
    ("records: vectors", vectors::vectors),
    ("jobs: one per key", jobs::one_per_key),
    ("jobs: leases and failures", jobs::leases_and_failures),
    ("jobs: swept, and made due", jobs::sweeping_and_making_due),
    ("jobs: waiting for an answer", job_waits::waiting),
    ("jobs: woken all at once", job_waits::waking_all),
    ("jobs: what is to be read again", job_waits::reading_again),
    ("jobs: counted and listed by kind", job_waits::kinds),
    ("jobs: windows of rounds", job_waits::windows),
    ("jobs: what has read what is gone runs again", job_waits::waking_running),
    ("exchanges: once per question, leases, answers", exchanges::questions_and_answers),
    ("exchanges: what quotes records", exchanges::quoting),
    ("exchanges: what goes with what", exchanges::erasure),
    ("keys, tokens, telemetry", rows::keys_tokens_telemetry),
    ("deliveries", deliveries::deliveries),
    ("deliveries: targets", deliveries::targets),
    ("deliveries: what came in", deliveries::received),
    ("deliveries: one holder each", deliveries::leases::leases),
    ("deliveries: what becomes of leases", deliveries::leases::ends),
    ("leases by name", leases::leases),
    ("deliveries: pages, retries, sweeping", deliveries::pages_and_retries),
    ("deliveries: backlog and erasure", deliveries::backlog_and_erasure),
    ("repositories: identities, keys, names", verified::repositories::names_and_pages),
    ("repositories: not looked at for longest", verified::repositories::unchecked),
    ("facts: come back as they were", verified::facts::come_back),
    ("facts: one of each content", verified::facts::one_of_each_content),
    ("facts: pages", verified::facts::pages),
    ("facts: paths", verified::facts::paths),
    ("facts: sums, and what expired", verified::facts::sums_and_expiry),
    ("facts: erased with their records", verified::facts::erasure),
    ("facts: what retention removes", verified::facts::retention),
    ("facts: purged with their memory", verified::facts::purge),
    ("facts: what happened to them", verified::fact_events::events),
    ("facts: what happened to them, written anew", verified::fact_events::rewriting),
    ("facts: verifications that are kept", verified::fact_events::verdicts),
    ("facts: records and rows in order", verified::fact_telemetry::pages),
    ("facts: telemetry that says something else is found", verified::fact_telemetry::planted),
    ("tasks: come back as they were", coding::tasks::come_back),
    ("tasks: lists and their filters", coding::tasks::lists),
    ("tasks: forgotten and purged", coding::tasks::erasure),
    ("tasks: reports of harm by what they are about", coding::tasks::harms),
    ("exposures: come back as they were", coding::exposures::come_back),
    ("exposures: of a task, and all", coding::exposures::lists),
    ("exposures: forgotten and purged", coding::exposures::erasure),
    ("prompts: come back as they were", coding::prompts::come_back),
    ("prompts: lists, and how they are purged", coding::prompts::lists),
    ("ledger: entries come back as they were", ledger::come_back),
    ("ledger: lists and counts", ledger::lists),
    ("ledger: removed, forgotten and purged", ledger::erasure),
    ("parked objects: bytes, lists, and how they go", documents::parked_objects::objects),
    ("task sessions: come back as they were", coding::task_sessions::come_back),
    ("task sessions: lists of items", coding::task_sessions::lists),
    ("task sessions: tasks by what was said", coding::task_sessions::said),
    ("task sessions: what has had its time, forgotten, purged", coding::task_sessions::erasure),
    ("commits: come back as they were", coding::commits::come_back),
    ("commits: found by what they change, and by task", coding::commits::lists),
    ("commits: forgotten and purged", coding::commits::erasure),
    ("transfer: pages in order", transfer::pages),
    ("transfer: there and back", transfer::there_and_back),
    ("transfer: given up", transfer::given_up),
    ("writes: all or nothing", writes::all_or_nothing),
    ("writes: many at once", writes::many_at_once),
    ("writes: facts that take each other's place at once", writes::one_head),
    ("writes: a long one behind others", writes::a_long_one),
    ("search: finds, filters, follows", retrieval::finds_filters_follows),
    ("search: the index equals its rebuild", retrieval::equals_its_rebuild),
];

/// Runs every part on a separate store.
#[expect(clippy::panic, reason = "a test suite that a library carries")]
pub fn run(open: EmptyStoreOpener<'_>) {
    for (name, part) in PARTS {
        let bench = Bench { store: open() };
        if let Err(error) = part(&bench) {
            panic!("{name}: {error:?}");
        }
    }
}

/// A store under test, without futures.
pub(crate) struct Bench {
    pub(crate) store: Arc<dyn Store>,
}

impl Bench {
    /// Runs a write.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        block_on(self.store.write(work))
    }

    /// Runs a read.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&dyn loci_model::ports::store::ReadTx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        block_on(self.store.read(work))
    }

    /// Creates an empty memory with that name.
    pub(crate) fn memory(&self, name: &str) -> Result<MemoryId> {
        let memory = samples::memory(name)?;
        let id = memory.id.clone();
        self.write(move |tx| tx.memories_mut().insert(&memory))?;
        Ok(id)
    }

    /// Adds a record.
    pub(crate) fn put(&self, record: &Record) -> Result<u64> {
        let record = record.clone();
        self.write(move |tx| tx.records_mut().insert(&record))
    }

    /// Reads with the accessor of records.
    pub(crate) fn records<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&dyn Records) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.read(move |tx| work(tx.records()))
    }

    /// Writes with the accessor of records.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut dyn Records) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.write(move |tx| work(tx.records_mut()))
    }

    /// Returns the current version of a record.
    pub(crate) fn get(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<Record>> {
        let (memory, id) = (memory.clone(), id.clone());
        self.records(move |records| records.get(&memory, &id))
    }
}

/// Checks that two values are equal, with a description for the failure.
#[expect(clippy::panic, reason = "a test suite that a library carries")]
#[track_caller]
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expect: T) {
    if got != expect {
        panic!("{what}: got {got:?}, expected {expect:?}");
    }
}
