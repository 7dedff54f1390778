//! `forget_actor`: everything of an actor in a memory, erased now, with a receipt.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result};

use super::ForgetReceipt;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Erases events, sessions, records (all versions, vectors) and jobs of an actor. Not held back by
    /// `erase_after_ms`: this is the data subject's right. Backups made before keep what they hold.
    pub async fn forget_actor(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
    ) -> Result<ForgetReceipt> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let at = self.clock.now();
        let (memory, actor) = (memory.clone(), actor.clone());
        self.store
            .write(move |tx| {
                existing(tx, &memory)?;
                let jobs = tx.jobs_mut().cancel(&memory, None, Some(&actor))?;
                // Records first: which of them rest on the actor's events is read from those events.
                let records = tx.records_mut().forget_actor(&memory, &actor, at)?;
                let events = tx.events_mut().forget_actor(&memory, &actor)?;
                Ok(ForgetReceipt {
                    memory: memory.clone(),
                    actor: actor.clone(),
                    events,
                    records,
                    jobs: u64::try_from(jobs).unwrap_or(u64::MAX),
                    at,
                })
            })
            .await
    }
}
