//! Hooks on jobs: handlers for the kinds of jobs that a product adds.

use futures::future::BoxFuture;
use loci_model::job::{Job, JobKind};
use loci_model::{RecordId, Result, Timestamp};

use crate::Engine;
use crate::jobs::JobAttemptEnd;

/// A handler for one kind of job. Running a job twice must have the same effect as running it
/// once, because a job is repeated after a crash.
pub trait JobHandler: Send + Sync {
    /// Returns the kind of jobs that this handler runs.
    fn kind(&self) -> JobKind;

    /// Returns the rules for waiting, reports and retries that apply to all jobs of the kind.
    fn policy(&self) -> JobPolicy {
        JobPolicy::default()
    }

    /// Returns true if this handler runs only some jobs of its kind, which [`Self::handles`]
    /// selects by their keys. Register it before the handler that runs all other jobs of the
    /// kind.
    fn is_part(&self) -> bool {
        false
    }

    /// Returns true if this handler runs the job. Two handlers may share a kind and divide its
    /// jobs by their keys.
    fn handles(&self, job: &Job) -> bool {
        job.kind == self.kind()
    }

    /// Runs the job.
    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>>;

    /// Returns the records that a job made, since the given time, from an answer of the client's
    /// own model. `None` means that the kernel finds the records by the job's strategy, actor and
    /// session.
    fn pulled_records<'a>(
        &'a self,
        _engine: &'a Engine,
        _job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        None
    }
}

/// The rules for waiting, reports and retries that apply to all jobs of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobPolicy {
    /// True if jobs of the kind create records, so that a caller who waits for records must wait
    /// for these jobs.
    pub is_awaited: bool,
    /// True if the end of a job is reported to the webhooks in the server's settings.
    pub is_reported: bool,
    /// True if any failure counts as a try, and the job becomes a dead letter after a few tries.
    /// False if the job is retried for as long as a part of the server is unavailable.
    pub has_few_tries: bool,
}
