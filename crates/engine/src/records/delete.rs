//! `record_delete`, `records_delete`: hide records immediately and erase their content after the
//! memory's `erase_after_ms`.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, RecordChange, StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::{FieldName, JobId, MemoryId, Namespace, RecordId, Result, StrategyId, Timestamp};

use super::batch::{self, Outcomes};
use super::changes::{self, RecordStateChange};
use super::get::{check_namespace, readable};
use super::{BatchOutcome, RecordDelete};
use crate::Engine;
use crate::access::{self, View};
use crate::admin::erasure::{ErasureReach, Tombstones};
use crate::hooks::write_context;
use crate::language_models::erasure;
use crate::memories::existing;

/// The memory, caller and time of a deletion of records.
pub struct Deletion<'a> {
    /// The memory of the records.
    pub memory: &'a Memory,
    /// The part of the memory that the caller may write.
    pub view: &'a View,
    by: &'a str,
    /// The vault that holds the key for the digests of tombstones.
    vault: &'a dyn Vault,
    /// The time of the deletion.
    pub now: Timestamp,
}

impl Engine {
    /// Deletes one record.
    pub async fn record_delete(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        record: RecordDelete,
    ) -> Result<()> {
        let watch = self.watch("delete_memory", Some(memory)).map(|watch| watch.of(&record.id));
        let outcome = self.delete_record(caller, memory, record).await;
        if let Some(watch) = watch {
            watch.tell_records(&outcome, |()| 1);
        }
        outcome
    }

    async fn delete_record(&self, caller: &Principal, memory: &MemoryId, record: RecordDelete) -> Result<()> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Write, self.clock.now())?;
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, by, vault) = (memory.clone(), caller.name.clone(), self.vault.clone());
        self.ready_to_seal().await?;
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let view = view.within(&memory);
                let vault = vault.as_ref();
                let deletion = Deletion { memory: &memory, view: &view, by: &by, vault, now };
                let stored = found(tx, &deletion, &record.id, record.namespace.as_ref())?;
                if let Some(strategy) = erase(tx, &deletion, stored)? {
                    erasure::of_records(tx, &memory.id, Some(&strategy), now)?;
                }
                batch::ask_for_purge(tx, &memory, &job, now)
            })
            .await
    }

    /// Deletes several records. An item that conflicts with the state of the memory fails alone.
    pub async fn records_delete(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        records: Vec<RecordDelete>,
    ) -> Result<BatchOutcome> {
        let watch = self.watch("delete_memory", Some(memory));
        let asked: BTreeMap<RecordId, Option<Namespace>> =
            records.iter().map(|record| (record.id.clone(), record.namespace.clone())).collect();
        let find = move |tx: &dyn ReadTx, deletion: &Deletion<'_>, id: &RecordId| {
            let namespace = asked.get(id).and_then(Option::as_ref);
            found(tx, deletion, id, namespace)
        };
        let ids = records.into_iter().map(|record| record.id).collect();
        let outcome = self.delete_records(caller, memory, ids, find).await;
        if let Some(watch) = watch {
            watch.tell_batch(&outcome);
        }
        outcome
    }

    /// Deletes the records that the function `find` returns, in any state. An item for which
    /// `find` returns no record fails alone.
    pub async fn records_delete_found<F>(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
        find: F,
    ) -> Result<BatchOutcome>
    where
        F: Fn(&dyn ReadTx, &Deletion<'_>, &RecordId) -> Result<Record> + Send + 'static,
    {
        let watch = self.watch("delete_memory", Some(memory));
        let outcome = self.delete_records(caller, memory, ids, find).await;
        if let Some(watch) = watch {
            watch.tell_batch(&outcome);
        }
        outcome
    }

    async fn delete_records<F>(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
        find: F,
    ) -> Result<BatchOutcome>
    where
        F: Fn(&dyn ReadTx, &Deletion<'_>, &RecordId) -> Result<Record> + Send + 'static,
    {
        let view = access::bound_view(&self.products, caller, memory, Capability::Write, self.clock.now())?;
        batch::check_distinct(ids.iter(), FieldName::Record)?;
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, by, vault) = (memory.clone(), caller.name.clone(), self.vault.clone());
        self.ready_to_seal().await?;
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let view = view.within(&memory);
                let vault = vault.as_ref();
                let deletion = Deletion { memory: &memory, view: &view, by: &by, vault, now };
                let mut outcomes = Outcomes::with_capacity(ids.len());
                let mut gone = BTreeSet::new();
                for id in &ids {
                    let stored = find(tx, &deletion, id);
                    let result = stored.and_then(|stored| erase(tx, &deletion, stored));
                    outcomes.add(id.clone(), None, result.map(|strategy| gone.extend(strategy)))?;
                }
                for strategy in &gone {
                    erasure::of_records(tx, &memory.id, Some(strategy), now)?;
                }
                let outcome = outcomes.finish();
                if outcome.any_done() {
                    batch::ask_for_purge(tx, &memory, &job, now)?;
                }
                Ok(outcome)
            })
            .await
    }
}

/// Returns the record of an item if reads return it, the caller may write it, and it is in the
/// namespace that the caller expects.
fn found(
    tx: &dyn ReadTx,
    deletion: &Deletion<'_>,
    id: &RecordId,
    namespace: Option<&Namespace>,
) -> Result<Record> {
    let stored = readable(tx, deletion.view, &deletion.memory.id, id, deletion.now)?;
    check_namespace(&stored, namespace)?;
    Ok(stored)
}

/// Deletes a record and returns the strategy that made it, if any.
fn erase(tx: &mut dyn Tx, deletion: &Deletion<'_>, stored: Record) -> Result<Option<StrategyId>> {
    let memory = &deletion.memory.id;
    let tombstones = Tombstones { vault: deletion.vault, memory };
    tombstones.put_record(tx, &stored, ErasureReach::Deleted, deletion.now)?;
    let change = RecordChange { state: RecordState::Erased, reason: "deleted".to_owned(), at: deletion.now };
    tx.records_mut().set_state(memory, &stored.id, &change)?;
    write_context::products()?.record_deleted(tx, &stored, deletion.now)?;
    changes::note(
        tx,
        deletion.memory,
        &RecordStateChange {
            record: &stored,
            from: Some(stored.state),
            to: RecordState::Erased,
            reason: "deleted",
            by: deletion.by,
            at: deletion.now,
        },
    )?;
    Ok(stored.strategy)
}
