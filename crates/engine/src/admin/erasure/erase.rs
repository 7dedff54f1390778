//! Erases all data of a person in a memory in one write, kind by kind: records with all versions
//! and vectors, events, tasks, sessions, the ledger, trees, parked objects, pending deliveries, and
//! stored responses of idempotency tokens. Sources get tombstones first.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::memory::Memory;
use loci_model::ports::store::{EventQuery, ReadTx, SessionPage, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::{Record, RecordKind};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, Timestamp};

use super::erased_texts::ErasedTexts;
use super::person::Person;
use super::tombstones::{ErasureReach, IMPORT_ID, Source, Tombstones};
use super::traces::Traces;
use crate::deliveries::{self, record_streams};
use crate::hooks::write_context;
use crate::language_models::erasure;

/// The number of rows that one read returns.
const ROWS_PER_READ: usize = 200;
/// The kind, in the receipt, of records and documents that also name other owners or are in
/// another owner's namespace. They are counted under their own kind too.
const SHARED: &str = "shared with others";
/// All kinds, in the order of the receipt.
const KINDS: [&str; 25] = [
    "events",
    "records",
    "documents",
    "preferences",
    "tasks",
    "exposures",
    "commits",
    "task sessions",
    "ledger entries",
    "tree entries",
    "parked objects",
    "jobs",
    "deliveries",
    "request tokens",
    "mentions by others",
    "mentions in tasks",
    "mentions in commits",
    "mentions in task sessions",
    "mentions in events",
    "mentions in deliveries",
    "mentions in request tokens",
    "mentions in repositories",
    "mentions in ledger entries",
    "mentions in records",
    SHARED,
];

/// The number of items of each kind that an erasure found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub(crate) fn new() -> Self {
        Self(KINDS.into_iter().map(|kind| (kind, 0)).collect())
    }

    pub(crate) fn add(&mut self, kind: &'static str, count: u64) {
        *self.0.entry(kind).or_default() += count;
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        for (kind, count) in &other.0 {
            self.add(kind, *count);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.values().all(|count| *count == 0)
    }

    pub fn get(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// Returns the number of records of all kinds.
    pub fn records(&self) -> u64 {
        ["records", "documents", "preferences"].into_iter().map(|kind| self.get(kind)).sum()
    }

    /// Returns every kind with its count, in the order of the receipt.
    pub(crate) fn listed(&self) -> Vec<(&'static str, u64)> {
        KINDS.into_iter().map(|kind| (kind, self.get(kind))).collect()
    }
}

/// The input of an erasure: the person, and the data that the scan of the memory found.
pub(crate) struct Erasing<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) person: &'a Person,
    /// Records that the scan found. The write itself finds the records derived from the person's
    /// events.
    pub(crate) records: &'a BTreeSet<RecordId>,
    /// Other data that the scan found.
    pub(crate) traces: &'a Traces,
    /// Texts of the records that are documents. A dry run makes no tombstones and needs none.
    pub(crate) texts: &'a ErasedTexts,
    pub(crate) vault: &'a dyn Vault,
    /// True if the erasure writes tombstones. A dry run writes none, because tombstones need the
    /// master key.
    pub(crate) marks: bool,
    pub(crate) by: &'a str,
    pub(crate) at: Timestamp,
}

/// Erases a person within a write. The caller checks the permission.
///
/// # Errors
/// Errors of the store and of the vault.
pub(crate) fn erase_person(tx: &mut dyn Tx, erasing: &Erasing<'_>) -> Result<Counts> {
    let Erasing { memory: settings, person, by, at, .. } = erasing;
    let (memory, mut counts) = (&settings.id, Counts::new());
    for actor in person.actors() {
        counts.add("jobs", count(tx.jobs_mut().cancel(memory, None, Some(actor))?));
    }
    // Records of others may quote the person's records in shared namespaces.
    erasure::of_records(tx, memory, None, *at)?;
    // Records come first, because the events show which records are derived from them.
    let doomed = erasing.doomed(tx)?;
    erasing.mark_records(tx, &doomed, &mut counts)?;
    let ids: Vec<RecordId> = doomed.iter().map(|record| record.id.clone()).collect();
    tx.records_mut().erase(memory, &ids, *at)?;
    tx.telemetry_mut().blank(memory, &ids)?;
    let products = write_context::products()?;
    products.erased_at_once(tx, memory, &ids, by, *at)?;
    products.content_erased(tx, memory, &ids)?;
    erasing.traces.remove(tx, memory, &mut counts)?;
    // Pending deliveries on the person are dropped. Followers learn which records were erased.
    record_streams::erased(tx, settings, &ids, true, *at)?;
    let namespaces: BTreeMap<String, &Namespace> =
        doomed.iter().map(|record| (record.namespace.normal(), &record.namespace)).collect();
    products.outdate_copies(tx, memory, &namespaces.into_values().collect::<Vec<_>>())?;
    erasing.forget_requests(tx, &mut counts)?;
    for actor in person.actors() {
        erasing.forget_actor(tx, actor, &mut counts)?;
    }
    Ok(counts)
}

impl Erasing<'_> {
    fn tombstones(&self) -> Tombstones<'_> {
        Tombstones { vault: self.vault, memory: &self.memory.id }
    }

    /// Returns those of the person's records that still have content.
    fn doomed(&self, tx: &mut dyn Tx) -> Result<Vec<Record>> {
        let mut ids = self.records.clone();
        for actor in self.person.actors() {
            ids.extend(tx.records().of_actor(&self.memory.id, actor)?);
        }
        let ids: Vec<RecordId> = ids.into_iter().collect();
        let mut records = tx.records().get_many(&self.memory.id, &ids)?;
        records.retain(Record::has_content);
        Ok(records)
    }

    /// Makes tombstones of records.
    fn mark_records(&self, tx: &mut dyn Tx, records: &[Record], counts: &mut Counts) -> Result<()> {
        for record in records {
            if self.marks {
                self.tombstones().put_record(tx, record, ErasureReach::Forgotten(self.texts), self.at)?;
            }
            // The person's own events are erased; those of others stay.
            let is_own = record.provenance.actor.as_ref().is_some_and(|actor| self.person.is_actor(actor));
            if self.marks && !is_own {
                self.tombstones().put_messages(tx, record, self.at)?;
            }
            let kind = match record.kind {
                RecordKind::Document => "documents",
                RecordKind::Preference => "preferences",
                RecordKind::Fact
                | RecordKind::Summary
                | RecordKind::Episode
                | RecordKind::Reflection
                | RecordKind::Rule
                | RecordKind::Investigation => "records",
            };
            counts.add(kind, 1);
            counts.add(SHARED, u64::from(self.person.is_shared(record)));
        }
        Ok(())
    }

    /// Erases stored responses that name the person or one of the records.
    fn forget_requests(&self, tx: &mut dyn Tx, counts: &mut Counts) -> Result<()> {
        let gone = self.traces.remove_tokens(tx, &self.memory.id)?;
        counts.add("request tokens", count(gone.len()));
        for name in gone.into_iter().filter(|_| self.marks) {
            self.tombstones().put(tx, &Source::Request(name), self.at)?;
        }
        Ok(())
    }

    fn forget_actor(&self, tx: &mut dyn Tx, actor: &ActorId, counts: &mut Counts) -> Result<()> {
        let memory = &self.memory.id;
        for beginning in deliveries::beginnings_of(actor) {
            counts.add("deliveries", count(tx.deliveries_mut().drop_prefix(memory, &beginning)?));
        }
        let key = format!("key:{}", actor.as_str().to_lowercase());
        for repository in tx.repositories().named(memory, &key)? {
            let beginning = format!("{}/", repository.id);
            counts.add("deliveries", count(tx.deliveries_mut().drop_received(memory, &beginning)?));
        }
        if self.marks {
            self.mark_events(tx, actor)?;
        }
        counts.add("events", tx.events_mut().forget_actor(memory, actor)?);
        counts.add("commits", tx.commits_mut().forget_actor(memory, actor)?);
        counts.add("task sessions", tx.task_sessions_mut().forget_actor(memory, actor)?);
        counts.add("ledger entries", tx.ledger_mut().forget_actor(memory, actor)?);
        counts.add("tasks", tx.tasks_mut().forget_actor(memory, actor)?);
        counts.add("exposures", tx.exposures_mut().forget_actor(memory, actor)?);
        Ok(())
    }

    fn mark_events(&self, tx: &mut dyn Tx, actor: &ActorId) -> Result<()> {
        // One tombstone of the actor covers all events that arrived until now.
        self.tombstones().put(tx, &Source::Actor(actor), self.at)?;
        for session in sessions_of(tx, &self.memory.id, actor, self.at)? {
            self.mark_imported(tx, actor, &session)?;
        }
        Ok(())
    }

    /// Makes tombstones of imported events under the name that they had in their source.
    fn mark_imported(&self, tx: &mut dyn Tx, actor: &ActorId, session: &SessionId) -> Result<()> {
        let mut before = None;
        loop {
            let page = tx.events().list(&EventQuery {
                memory: self.memory.id.clone(),
                actor: actor.clone(),
                session: session.clone(),
                branches: None,
                metadata: Vec::new(),
                only: None,
                before,
                limit: ROWS_PER_READ,
                now: self.at,
                with_payload: false,
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            before = Some(last.id.clone());
            for id in page.iter().filter_map(|event| event.metadata.get(IMPORT_ID)) {
                self.tombstones().put(tx, &Source::ImportedEvent { actor, session, id }, self.at)?;
            }
        }
    }
}

/// Returns the sessions of an actor that have live events.
fn sessions_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    now: Timestamp,
) -> Result<Vec<SessionId>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = tx.events().sessions(&SessionPage {
            memory: memory.clone(),
            actor: actor.clone(),
            with_events_only: true,
            after,
            limit: ROWS_PER_READ,
            now,
            only: None,
        })?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some((last.created_at, last.session.clone()));
        found.extend(page.into_iter().map(|entry| entry.session));
    }
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
