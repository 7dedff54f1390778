//! The job that reads new commits of a repository's history.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::product::Registered;

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("co_change");

/// The handler of the job. A second run reads nothing.
pub(crate) struct CoChangeHistory {
    pub(crate) registered: Registered,
}

impl JobHandler for CoChangeHistory {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { has_few_tries: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.read_history(job).await.map(|_| JobAttemptEnd::Done) })
    }
}
