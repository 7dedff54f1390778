//! `record_delete`, `records_delete`: hidden at once, the content erased after the memory's `erase_after_ms`.

use std::collections::BTreeSet;

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{RecordChange, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{JobId, MemoryId, RecordId, Result, StrategyId, Timestamp};

use super::batch::{self, Outcomes};
use super::changes::{self, Change};
use super::get::{check_namespace, readable};
use super::{BatchOutcome, RecordDelete};
use crate::Engine;
use crate::access::{self, View};
use crate::asking::forgetting;
use crate::coding::forgetting as told;
use crate::memories::existing;

/// What a deletion works with beside the item itself.
struct Deletion<'a> {
    memory: &'a Memory,
    view: &'a View,
    by: &'a str,
    now: Timestamp,
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
        let view = access::bound_view(caller, memory, Capability::Write, self.clock.now())?;
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, by) = (memory.clone(), caller.name.clone());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let strategy = delete(tx, &Deletion { memory: &memory, view: &view, by: &by, now }, &record)?;
                if let Some(strategy) = strategy {
                    forgetting::of_records(tx, &memory.id, Some(&strategy), now)?;
                }
                batch::ask_for_purge(tx, &memory, &job, now)
            })
            .await
    }

    /// Deletes records; what depends on state fails its item.
    pub async fn records_delete(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        records: Vec<RecordDelete>,
    ) -> Result<BatchOutcome> {
        let watch = self.watch("delete_memory", Some(memory));
        let outcome = self.delete_records(caller, memory, records).await;
        if let Some(watch) = watch {
            watch.tell_batch(&outcome);
        }
        outcome
    }

    async fn delete_records(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        records: Vec<RecordDelete>,
    ) -> Result<BatchOutcome> {
        let view = access::bound_view(caller, memory, Capability::Write, self.clock.now())?;
        let ids: Vec<&RecordId> = records.iter().map(|record| &record.id).collect();
        batch::check_distinct(ids.into_iter(), "memoryRecordId")?;
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, by) = (memory.clone(), caller.name.clone());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let deletion = Deletion { memory: &memory, view: &view, by: &by, now };
                let mut outcomes = Outcomes::with_capacity(records.len());
                let mut gone = BTreeSet::new();
                for record in &records {
                    let result = delete(tx, &deletion, record).map(|strategy| gone.extend(strategy));
                    outcomes.add(record.id.clone(), None, result)?;
                }
                for strategy in &gone {
                    forgetting::of_records(tx, &memory.id, Some(strategy), now)?;
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

/// The strategy of the record that is gone.
fn delete(tx: &mut dyn Tx, deletion: &Deletion<'_>, asked: &RecordDelete) -> Result<Option<StrategyId>> {
    let memory = &deletion.memory.id;
    let stored = readable(tx, deletion.view, memory, &asked.id, deletion.now)?;
    check_namespace(&stored, asked.namespace.as_ref())?;
    let change = RecordChange { state: RecordState::Erased, reason: "deleted".to_owned(), at: deletion.now };
    tx.records_mut().set_state(memory, &asked.id, &change)?;
    told::of_record(tx, &stored, deletion.now)?;
    changes::note(
        tx,
        deletion.memory,
        &Change {
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
