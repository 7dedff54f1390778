//! Calls about jobs.

mod pull;

use http::Method;
use loci_api::job::{ExtractionState, ExtractionWait, Job, JobList, JobListing, JobStarted};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of jobs, latest change first.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn job_list(&self, memory: &str, listing: &JobListing) -> Result<JobList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "jobs"]), listing).await
    }

    /// A job.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn job_get(&self, memory: &str, job: &str) -> Result<Job, ClientError> {
        self.get(path(&["v1", "memories", memory, "jobs", job])).await
    }

    /// Starts a failed job again.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn job_start(&self, memory: &str, job: &str) -> Result<JobStarted, ClientError> {
        self.plain(Method::POST, path(&["v1", "memories", memory, "jobs", job, "start"])).await
    }

    /// Makes pending extraction due now, and waits for it.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn extraction_wait(
        &self,
        memory: &str,
        wait: &ExtractionWait,
    ) -> Result<ExtractionState, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "extraction:wait"]), wait).await
    }
}
