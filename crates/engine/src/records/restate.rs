//! `records_restate`: a caller repeats the statements of records verbatim. The timestamp of each
//! record becomes the time of the repetition; nothing else changes.

use loci_model::ports::store::{Confirmation, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::{MemoryId, RecordId, Result};

use crate::Engine;
use crate::access;
use crate::memories::existing;

impl Engine {
    /// Sets the timestamp of records to the current time. Inactive records, and records that the
    /// caller may not write, stay unchanged. Returns the number of changed records.
    ///
    /// # Errors
    /// `Denied` if the caller may write nothing in the memory; `NotFound` for the memory.
    pub async fn records_restate(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
    ) -> Result<usize> {
        let watch = self.watch("update_memory", Some(memory));
        let outcome = self.restated(caller, memory, ids).await;
        if let Some(watch) = watch {
            watch.tell_records(&outcome, |changed| *changed);
        }
        outcome
    }

    async fn restated(&self, caller: &Principal, memory: &MemoryId, ids: Vec<RecordId>) -> Result<usize> {
        let now = self.clock.now();
        let writable = access::bound_view(&self.products, caller, memory, Capability::Write, now)?;
        let memory = memory.clone();
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let view = writable.within(&memory);
                let confirmation = Confirmation::at(now);
                let mut changed = 0;
                for id in &ids {
                    let found = tx.records().get(&memory.id, id)?;
                    let is_meant =
                        |record: &Record| view.admits(record) && record.state == RecordState::Active;
                    if found.as_ref().is_some_and(is_meant) {
                        tx.records_mut().confirm(&memory.id, id, &confirmation)?;
                        changed += 1;
                    }
                }
                Ok(changed)
            })
            .await
    }
}
