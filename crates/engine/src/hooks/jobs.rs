//! Hooks on jobs: handlers of the kinds that a product adds.

use futures::future::BoxFuture;
use loci_model::job::{Job, JobKind};
use loci_model::{RecordId, Result, Timestamp};

use crate::Engine;
use crate::jobs::JobAttemptEnd;

/// A handler of one kind of job. Its work must be idempotent, because a job may run twice.
pub trait JobHandler: Send + Sync {
    /// Returns the kind.
    fn kind(&self) -> JobKind;

    /// Returns the policy for all jobs of the kind.
    fn policy(&self) -> JobPolicy {
        JobPolicy::default()
    }

    /// Returns true for a handler of a part of the kind: the jobs that [`Self::handles`] selects by
    /// their keys. It must be registered before the handler of all others.
    fn is_part(&self) -> bool {
        false
    }

    /// Returns true for a job that this handler runs. Two handlers may share a kind and divide it
    /// by keys.
    fn handles(&self, job: &Job) -> bool {
        job.kind == self.kind()
    }

    /// Runs the job.
    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>>;

    /// Returns the records that the job made from an answer of the client's model since then;
    /// `None` means the records found by the job's strategy, actor and session.
    fn pulled_records<'a>(
        &'a self,
        _engine: &'a Engine,
        _job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        None
    }
}

/// The policy for all jobs of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobPolicy {
    /// True if jobs of the kind produce records: a caller that waits for records waits for them.
    pub is_awaited: bool,
    /// True if the end of a job is reported to the webhooks of the settings.
    pub is_reported: bool,
    /// True if a job is given up after a few tries on any failure, and becomes a dead letter. Other
    /// jobs are retried as long as a part of the server is unavailable.
    pub has_few_tries: bool,
}
