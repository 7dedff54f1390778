//! The conformance suite: what every store must do, part by part, told through the ports alone.
//!
//! A store's tests call [`run`] with a function that opens an empty store each time. It panics at the first difference,
//! naming the part. To add an accessor trait: a file here, a line in `PARTS`.

mod commits;
mod deliveries;
mod delivery_leases;
mod event_filters;
mod event_windows;
mod events;
mod exchanges;
mod exposures;
mod fact_events;
mod fact_telemetry;
mod facts;
mod job_waits;
mod jobs;
mod leases;
mod ledger;
mod memories;
pub(crate) mod parked_objects;
mod prompts;
mod record_lists;
mod record_moves;
mod record_states;
mod records;
mod repositories;
mod retrieval;
mod rows;
mod sessions;
mod task_sessions;
mod tasks;
mod transfer;
mod vectors;
mod writes;

use std::sync::Arc;

use loci_model::ports::store::{Records, Store, StoreExt, Tx};
use loci_model::record::Record;
use loci_model::{MemoryId, RecordId, Result};

use crate::{block_on, samples};

/// Opens an empty store.
pub type Open<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// One part of the suite.
type Part = (&'static str, fn(&Bench) -> Result<()>);

/// Every part, by name.
const PARTS: &[Part] = &[
    ("memories: names, order, deletion, purge", memories::names_order_deletion),
    ("events: order, branches, paging, expiry", events::order_branches_paging),
    ("events: written anew", events::rewriting),
    ("events: deletion and places", events::deletion_and_places),
    ("events: filters on metadata", event_filters::filters),
    ("events: extraction", events::extraction),
    ("events: sources of jobs", events::sources_of_jobs),
    ("events: turns of runs", events::turns_of_runs),
    ("events: loads", event_windows::loads),
    ("events: what was said before a window", event_windows::before),
    ("events: the newest unread first", event_windows::newest_unread),
    ("sessions and actors", sessions::sessions_and_actors),
    ("events: forgetting and sweeping", sessions::forgetting_and_sweeping),
    ("records: versions and history", records::versions_and_history),
    ("records: every member comes back", records::every_member_comes_back),
    ("records: same text, subtype, source, group", records::lookups),
    ("records: export and import", records::export_and_import),
    ("records: states and supersession", record_states::states),
    ("records: erasure, forgetting, retention", record_states::erasure),
    ("records: where deleted ones are to be erased", record_states::erasable),
    ("records: taken back", record_moves::restored),
    ("records: moved to another namespace", record_moves::moved),
    ("records: of a strategy, by making", record_moves::of_a_strategy),
    ("records: what changed in a namespace", record_moves::changed),
    ("records: earlier versions written anew", record_moves::rewritten),
    ("records: lists", record_lists::lists),
    ("records: of a subtype", record_lists::of_subtype),
    ("records: of one fingerprint", record_lists::of_fingerprint),
    ("records: as of a time", record_lists::as_of),
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
    ("deliveries: one holder each", delivery_leases::leases),
    ("deliveries: what becomes of leases", delivery_leases::ends),
    ("leases by name", leases::leases),
    ("deliveries: pages, retries, sweeping", deliveries::pages_and_retries),
    ("deliveries: backlog and erasure", deliveries::backlog_and_erasure),
    ("repositories: identities, keys, names", repositories::names_and_pages),
    ("repositories: not looked at for longest", repositories::unchecked),
    ("facts: come back as they were", facts::come_back),
    ("facts: one of each content", facts::one_of_each_content),
    ("facts: pages", facts::pages),
    ("facts: paths", facts::paths),
    ("facts: sums, and what expired", facts::sums_and_expiry),
    ("facts: erased with their records", facts::erasure),
    ("facts: what retention removes", facts::retention),
    ("facts: purged with their memory", facts::purge),
    ("facts: what happened to them", fact_events::events),
    ("facts: what happened to them, written anew", fact_events::rewriting),
    ("facts: verifications that are kept", fact_events::verdicts),
    ("facts: records and rows in order", fact_telemetry::pages),
    ("facts: telemetry that says something else is found", fact_telemetry::planted),
    ("tasks: come back as they were", tasks::come_back),
    ("tasks: lists and their filters", tasks::lists),
    ("tasks: forgotten and purged", tasks::erasure),
    ("tasks: reports of harm by what they are about", tasks::harms),
    ("exposures: come back as they were", exposures::come_back),
    ("exposures: of a task, and all", exposures::lists),
    ("exposures: forgotten and purged", exposures::erasure),
    ("prompts: come back as they were", prompts::come_back),
    ("prompts: lists, and how they are purged", prompts::lists),
    ("ledger: entries come back as they were", ledger::come_back),
    ("ledger: lists and counts", ledger::lists),
    ("ledger: removed, forgotten and purged", ledger::erasure),
    ("parked objects: bytes, lists, and how they go", parked_objects::objects),
    ("task sessions: come back as they were", task_sessions::come_back),
    ("task sessions: lists of items", task_sessions::lists),
    ("task sessions: tasks by what was said", task_sessions::said),
    ("task sessions: what has had its time, forgotten, purged", task_sessions::erasure),
    ("commits: come back as they were", commits::come_back),
    ("commits: found by what they change, and by task", commits::lists),
    ("commits: forgotten and purged", commits::erasure),
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

/// Runs every part on a store of its own.
#[expect(clippy::panic, reason = "a test suite that a library carries")]
pub fn run(open: Open<'_>) {
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
    /// One write.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        block_on(self.store.write(work))
    }

    /// One read.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&dyn loci_model::ports::store::ReadTx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        block_on(self.store.read(work))
    }

    /// An empty memory of that name.
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

    /// The current version of a record.
    pub(crate) fn get(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<Record>> {
        let (memory, id) = (memory.clone(), id.clone());
        self.records(move |records| records.get(&memory, &id))
    }
}

/// A check that names what it is about.
#[expect(clippy::panic, reason = "a test suite that a library carries")]
#[track_caller]
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expect: T) {
    if got != expect {
        panic!("{what}: got {got:?}, expected {expect:?}");
    }
}
