//! `record_history` and `record_changes`: every version of a record, and every change of its state.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{MemoryId, RecordId, Result};

use super::get::unknown;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns every version of a record, from the oldest to the current one. A deleted record is
    /// not found.
    pub async fn record_history(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &RecordId,
    ) -> Result<Vec<Record>> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Read, self.clock.now())?;
        let (memory, id) = (memory.clone(), id.clone());
        self.store
            .read(move |tx| {
                let view = view.within(&existing(tx, &memory)?);
                let current = tx
                    .records()
                    .get(&memory, &id)?
                    .filter(|record| record.state != RecordState::Erased && view.admits(record))
                    .ok_or_else(|| unknown(&id))?;
                let mut versions = tx.records().history(&memory, &id)?;
                // An earlier version may have been in a namespace that the caller may not see.
                versions.retain(|version| view.admits(version));
                versions.push(current);
                Ok(versions)
            })
            .await
    }

    /// Returns every change of a record's state, oldest first. Callers who may see the whole
    /// memory also get the changes of a deleted record.
    pub async fn record_changes(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &RecordId,
    ) -> Result<Vec<StateChange>> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Read, self.clock.now())?;
        let (memory, id) = (memory.clone(), id.clone());
        self.store
            .read(move |tx| {
                let view = view.within(&existing(tx, &memory)?);
                let visible = tx.records().get(&memory, &id)?.filter(|record| {
                    let is_there = record.state != RecordState::Erased && view.admits(record);
                    !view.keeps_from(record) && (view.is_whole() || is_there)
                });
                let Some(current) = visible else { return Err(unknown(&id)) };
                let mut changes = tx.telemetry().of_record(&memory, &id)?;
                if !view.is_whole() {
                    // Changes of versions in a namespace that the caller may not see are omitted
                    // too.
                    let earlier = tx.records().history(&memory, &id)?;
                    let seen = |change: &StateChange| {
                        let mut versions = earlier.iter().chain([&current]);
                        versions.any(|version| version.version == change.version && view.admits(version))
                    };
                    changes.retain(seen);
                }
                Ok(changes)
            })
            .await
    }
}
