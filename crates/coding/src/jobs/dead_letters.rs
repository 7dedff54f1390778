//! The verbs `dead_letter_list` and `dead_letter_retry`: writes to a memory for code that failed
//! permanently. They expose failed jobs, which keep their subject and reason; there is no separate
//! store.

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::jobs::JobPage;
use loci_model::job::{Job, JobState};
use loci_model::ports::store::JobQuery;
use loci_model::principal::Principal;
use loci_model::{JobId, Result, Timestamp};

use crate::Coding;

impl Coding {
    /// Returns a page of failed jobs, the latest first.
    ///
    /// # Errors
    /// `Denied` if the caller may not read the whole memory; `Invalid` (limit not 1 to 100).
    pub async fn dead_letter_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<JobPage> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let state = Some(JobState::Failed);
        let query = JobQuery { state, after, limit: limit as usize, ..JobQuery::default() };
        self.engine.job_list(caller, &memory, query).await
    }

    /// Retries a failed job at once, unchanged. Returns the job.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn dead_letter_retry(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &JobId,
        token: Option<ClientToken>,
    ) -> Result<Job> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let job = self.engine.job_get(caller, &memory, id).await?;
        self.engine.job_start(caller, &memory, id, token).await?;
        Ok(job)
    }
}
