//! `memory_erase`: a memory and every row of it are gone when this returns, without the wait of `erase_after_ms`.
//!
//! For imports: one that failed half-way leaves nothing behind, and what a deleted memory left behind makes room.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result};

use crate::jobs::purge;
use crate::{Engine, access};

impl Engine {
    /// Erases a memory, deleted before or not. One that was never there is erased already.
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
