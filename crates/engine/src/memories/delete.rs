//! `memory_delete`: hides a memory from every read immediately and frees its name. Its content is
//! purged in the background.

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{JobId, MemoryId, Result, limits};

use super::get::any;
use crate::calls::idempotency::{ClientToken, recall, remember, replayed};
use crate::records::batch;
use crate::{Engine, access};

const OPERATION: &str = "DeleteMemory";

impl Engine {
    /// Deletes a memory. A retry with the same client token gets the same response, although the
    /// memory no longer exists.
    pub async fn memory_delete(
        &self,
        caller: &Principal,
        id: &MemoryId,
        token: Option<ClientToken>,
    ) -> Result<()> {
        let watch = self.watch("delete_memory_store", Some(id));
        let outcome = self.delete_memory(caller, id, token).await;
        if let Some(watch) = watch {
            watch.tell(&outcome);
        }
        outcome
    }

    async fn delete_memory(
        &self,
        caller: &Principal,
        id: &MemoryId,
        token: Option<ClientToken>,
    ) -> Result<()> {
        access::require_whole(caller, id, Capability::Admin)?;
        let now = self.clock.now();
        let id = id.clone();
        let purge = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        self.store
            .write(move |tx| {
                if replayed::<String>(recall(tx, token.as_ref(), Some(&id), OPERATION, now)?)?.is_some() {
                    return Ok(());
                }
                let memory = any(tx, &id)?;
                tx.jobs_mut().cancel(&id, None, None)?;
                tx.memories_mut().delete(&id, now)?;
                batch::ask_for_purge(tx, &memory, &purge, now)?;
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&id), OPERATION, &"DELETING", expires)
            })
            .await
    }
}
