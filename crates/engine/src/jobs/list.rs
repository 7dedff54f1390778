//! `job_list`, `job_get`: show jobs in any state to callers who may read the events of the jobs.

use loci_model::job::Job;
use loci_model::ports::store::{JobQuery, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, FieldName, JobId, MemoryId, Result, limits};

use super::JobPage;
use crate::calls::page::Page;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of a memory's jobs, latest change first. A caller that may not read the whole
    /// memory must name an actor.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory), `Invalid` (limit not 1 to 100).
    pub async fn job_list(&self, caller: &Principal, memory: &MemoryId, query: JobQuery) -> Result<JobPage> {
        may_see(caller, memory, query.actor.as_ref(), query.session.as_ref(), Capability::Read)?;
        if query.limit == 0 || query.limit > limits::PAGE_ITEMS_MAX as usize {
            return Err(Error::invalid(FieldName::Limit, "a page must have 1 to 100 items"));
        }
        let (memory, wanted) = (memory.clone(), query.limit);
        let query = JobQuery { limit: wanted + 1, ..query };
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let jobs = tx.jobs().list(&memory, &query)?;
                Ok(Page::cut(jobs, wanted, |job| (job.updated_at, job.id.clone())))
            })
            .await
    }

    /// Returns a job.
    ///
    /// # Errors
    /// `Denied` (also for an unknown job if the caller may not read the whole memory), `NotFound`.
    pub async fn job_get(&self, caller: &Principal, memory: &MemoryId, id: &JobId) -> Result<Job> {
        self.visible_job(caller, memory, id, Capability::Read).await
    }

    /// Returns the job if the caller has the capability on its actor and session.
    pub(super) async fn visible_job(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &JobId,
        capability: Capability,
    ) -> Result<Job> {
        if !access::may_know(caller, memory) {
            return Err(Error::denied("the caller's grants do not include this memory"));
        }
        let (place, job) = (memory.clone(), id.clone());
        let found = self
            .store
            .read(move |tx| {
                existing(tx, &place)?;
                tx.jobs().get(&place, &job)
            })
            .await?;
        let (actor, session) =
            found.as_ref().map_or((None, None), |job| (job.actor.as_ref(), job.session.as_ref()));
        // The same error text for another's job and for an unknown job, so that it does not reveal
        // which one it is.
        may_see(caller, memory, actor, session, capability)
            .map_err(|_| Error::denied("the caller's grants do not allow this on that job"))?;
        found.ok_or_else(|| Error::not_found(format!("Job not found: {id}")))
    }
}

/// Requires a grant on the whole memory, or on the events of the actor (and session).
pub(super) fn may_see(
    caller: &Principal,
    memory: &MemoryId,
    actor: Option<&loci_model::ActorId>,
    session: Option<&loci_model::SessionId>,
    capability: Capability,
) -> Result<()> {
    match actor {
        Some(actor) => access::require_events(caller, memory, actor, session, capability),
        None => access::require_whole(caller, memory, capability),
    }
}
