//! `forget_actor`: everything of an actor in a memory, erased now, with a receipt.

use loci_model::memory::Memory;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result, Timestamp};

use super::ForgetReceipt;
use crate::asking::forgetting;
use crate::files::settling;
use crate::memories::existing;
use crate::verified::following;
use crate::{Engine, access, deliveries, streams};

impl Engine {
    /// Erases events, sessions, records (all versions, vectors), tasks, their sessions and exposures, jobs and waiting deliveries of an actor. Not held back by
    /// `erase_after_ms`: this is the data subject's right. Backups made before keep what they hold.
    pub async fn forget_actor(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
    ) -> Result<ForgetReceipt> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let at = self.clock.now();
        let (memory, actor, by) = (memory.clone(), actor.clone(), caller.name.clone());
        self.store
            .write(move |tx| {
                let settings = existing(tx, &memory)?;
                erase_actor(tx, &settings, &actor, &by, at)
            })
            .await
    }
}

/// Erases an actor, within a write. Who may is the caller's matter.
pub(crate) fn erase_actor(
    tx: &mut dyn Tx,
    settings: &Memory,
    actor: &ActorId,
    by: &str,
    at: Timestamp,
) -> Result<ForgetReceipt> {
    let memory = &settings.id;
    let jobs = tx.jobs_mut().cancel(memory, None, Some(actor))?;
    // Those of others may quote the actor's records, in what namespaces they share.
    forgetting::of_records(tx, memory, None, at)?;
    // Records first: which of them rest on the actor's events is read from those events.
    let records = tx.records_mut().forget_actor(memory, actor, at)?;
    following::erased(tx, memory, &records, by, at)?;
    settling::forget(tx, memory, &records)?;
    // What is still to be told of the actor is not told; followers learn which records are gone.
    streams::erased(tx, settings, &records, true, at)?;
    for beginning in deliveries::beginnings_of(actor) {
        tx.deliveries_mut().drop_prefix(memory, &beginning)?;
    }
    for repository in tx.repositories().named(memory, &format!("key:{}", actor.as_str().to_lowercase()))? {
        tx.deliveries_mut().drop_received(memory, &format!("{}/", repository.id))?;
    }
    let events = tx.events_mut().forget_actor(memory, actor)?;
    tx.commits_mut().forget_actor(memory, actor)?;
    tx.task_sessions_mut().forget_actor(memory, actor)?;
    tx.ledger_mut().forget_actor(memory, actor)?;
    let tasks = tx.tasks_mut().forget_actor(memory, actor)?;
    let exposures = tx.exposures_mut().forget_actor(memory, actor)?;
    Ok(ForgetReceipt {
        memory: memory.clone(),
        actor: actor.clone(),
        events,
        records: u64::try_from(records.len()).unwrap_or(u64::MAX),
        jobs: u64::try_from(jobs).unwrap_or(u64::MAX),
        tasks,
        exposures,
        at,
    })
}
