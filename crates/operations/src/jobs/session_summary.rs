//! The job that summarises the session of an investigation.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::{Operations, OperationsParts};

/// The job kind.
pub(crate) const KIND: JobKind = JobKind::named("session_summary");

/// The handler. A second run finds the summary and changes nothing.
pub(crate) struct SessionSummary {
    pub(crate) parts: OperationsParts,
}

impl JobHandler for SessionSummary {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let operations = Operations::new(engine.clone(), &self.parts);
        Box::pin(async move { operations.run_session_summary(job).await.map(|()| JobAttemptEnd::Done) })
    }
}
