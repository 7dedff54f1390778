//! Hooks on jobs: handlers of the kinds that a product adds.

use futures::future::BoxFuture;
use loci_model::job::{Job, JobKind};
use loci_model::{RecordId, Result, Timestamp};

use crate::Engine;
use crate::jobs::Ended;

/// A handler of one kind of job. A job that runs twice does its work once.
pub trait JobHandler: Send + Sync {
    /// Returns the kind.
    fn kind(&self) -> JobKind;

    /// Returns the policy for all jobs of the kind.
    fn policy(&self) -> JobPolicy {
        JobPolicy::default()
    }

    /// Returns true for a handler of a part of the kind: of the jobs that [`Self::handles`] names
    /// by their keys. It is registered before the one that handles all others.
    fn is_part(&self) -> bool {
        false
    }

    /// Returns true for a job that this handler runs; two handlers may share a kind and part it by
    /// its keys.
    fn handles(&self, job: &Job) -> bool {
        job.kind == self.kind()
    }

    /// Runs the job.
    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>>;

    /// Returns the records that the job made of an answer which a caller's model gave since then;
    /// `None`: those that are found by the job's strategy, actor and session.
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
    /// Jobs of the kind make something to find: a caller that waits for records waits for them.
    pub is_awaited: bool,
    /// The end of a job is reported to the webhooks of the settings.
    pub is_reported: bool,
    /// A job is given up after a few tries, whatever failed, and is a dead letter then. Others are
    /// tried again for as long as a part of the server is out of service.
    pub has_few_tries: bool,
}
