//! `job_start`: restarts a failed job.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{JobId, MemoryId, Result, limits};

use crate::Engine;
use crate::calls::idempotency::{ClientToken, recall, remember, replayed};

const OPERATION: &str = "StartMemoryExtractionJob";

impl Engine {
    /// Makes a failed job pending and due. A job that waits or runs stays unchanged, without an
    /// error.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory, job).
    pub async fn job_start(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &JobId,
        token: Option<ClientToken>,
    ) -> Result<JobId> {
        self.visible_job(caller, memory, id, Capability::Write).await?;
        let token = token.map(|token| token.of(caller, memory)).transpose()?;
        let now = self.clock.now();
        let (memory, id) = (memory.clone(), id.clone());
        let started = self
            .store
            .write(move |tx| {
                let place = Some(&memory);
                if let Some(first) = replayed(recall(tx, token.as_ref(), place, OPERATION, now)?)? {
                    return Ok(first);
                }
                if !tx.jobs_mut().restart(&memory, &id, now)? {
                    return Err(loci_model::Error::not_found(format!("Job not found: {id}")));
                }
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), place, OPERATION, &id, expires)?;
                Ok(id.clone())
            })
            .await?;
        self.wake.call();
        Ok(started)
    }
}
