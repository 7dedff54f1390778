//! Calls about jobs.

mod pull;

use loci_api::job::{ExtractionState, ExtractionWait, Job, JobList, JobListing, JobStarted};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of jobs, latest change first.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn job_list(&self, memory: &str, listing: &JobListing) -> Result<JobList, ClientError> {
        self.query(at(&api::JOB_LIST, &[memory]), listing).await
    }

    /// Returns a job.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn job_get(&self, memory: &str, job: &str) -> Result<Job, ClientError> {
        self.plain(at(&api::JOB_GET, &[memory, job])).await
    }

    /// Restarts a job that failed.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn job_start(&self, memory: &str, job: &str) -> Result<JobStarted, ClientError> {
        self.plain(at(&api::JOB_START, &[memory, job])).await
    }

    /// Makes pending extractions due now, and waits for them.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn extraction_wait(
        &self,
        memory: &str,
        wait: &ExtractionWait,
    ) -> Result<ExtractionState, ClientError> {
        self.send(at(&api::EXTRACTION_WAIT, &[memory]), wait).await
    }
}
