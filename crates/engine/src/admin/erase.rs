//! `memory_erase`: erases a memory and all its rows before it returns, without waiting for
//! `erase_after_ms`.
//!
//! Imports use it: a failed import leaves nothing behind, and the rows of a deleted memory do not
//! block an import.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result};

use crate::jobs::purge;
use crate::{Engine, access};

impl Engine {
    /// Erases a memory, deleted or not. Erasing an unknown memory has no effect.
    pub async fn memory_erase(&self, caller: &Principal, id: &MemoryId) -> Result<()> {
        access::require_server_admin(caller)?;
        let now = self.clock.now();
        let wanted = id.clone();
        self.store
            .write(move |tx| {
                tx.jobs_mut().cancel(&wanted, None, None)?;
                if tx.memories().get(&wanted)?.is_some() {
                    tx.memories_mut().delete(&wanted, now)?;
                }
                Ok(())
            })
            .await?;
        purge::erase_memory(self, id).await
    }
}
