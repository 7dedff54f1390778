//! `facts_delete`: an administrator deletes facts permanently. An event without text remains.

use loci_engine::access;
use loci_engine::admin::erasure::{ErasureReach, Tombstones};
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::changes::{self, RecordStateChange};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{RecordChange, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, JobId, RecordId, Result};

use crate::Verified;
use loci_engine::calls::call_context::CallContext;

/// The maximum number of facts that one call deletes.
const DELETED_MAX: usize = 200;

impl Verified {
    /// Deletes facts in any state and returns the number deleted. Ids of facts that do not exist
    /// are ignored.
    ///
    /// # Errors
    /// `Denied` without the administration right on the memory.
    pub async fn facts_delete(
        &self,
        caller: &Principal,
        standing: &CallContext,
        ids: &[RecordId],
        reason: &str,
    ) -> Result<u64> {
        if ids.is_empty() || ids.len() > DELETED_MAX {
            return Err(Error::invalid(
                "memory_ids",
                format!("memory_ids must name 1 to {DELETED_MAX} facts"),
            ));
        }
        if !(5..=1_000).contains(&reason.trim().chars().count()) {
            return Err(Error::invalid("reason", "reason must have 5 to 1000 characters"));
        }
        let memory = self.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (ids, by, reason) = (ids.to_vec(), caller.name.clone(), format!("deleted: {}", reason.trim()));
        let vault = self.engine.vault().clone();
        self.engine.ready_to_seal().await?;
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let tombstones = Tombstones { vault: vault.as_ref(), memory: &memory.id };
                let mut deleted = 0;
                for id in &ids {
                    if tx.facts().get(&memory.id, id)?.is_none() {
                        continue;
                    }
                    let to = RecordState::Erased;
                    let change = RecordChange { state: to, reason: reason.clone(), at: now };
                    let Some(record) = tx.records().get(&memory.id, id)? else { continue };
                    tombstones.put_record(tx, &record, ErasureReach::Deleted, now)?;
                    if tx.records_mut().set_state(&memory.id, id, &change)? {
                        let from = Some(record.state);
                        let change = RecordStateChange {
                            record: &record,
                            from,
                            to,
                            reason: &reason,
                            by: &by,
                            at: now,
                        };
                        changes::note(tx, &memory, &change)?;
                        deleted += 1;
                    }
                }
                batch::ask_for_purge(tx, &memory, &job, now)?;
                Ok(deleted)
            })
            .await
    }
}
