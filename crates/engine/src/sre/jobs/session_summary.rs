//! The job that sums up the session of an investigation.

use futures::future::BoxFuture;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::Engine;
use crate::hooks::{JobHandler, JobPolicy};
use crate::jobs::Ended;

/// The kind.
pub(crate) const KIND: JobKind = JobKind::named("session_summary");

/// The handler: run twice, it finds the summary, and changes nothing.
pub(crate) struct SessionSummary;

impl JobHandler for SessionSummary {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(async { engine.run_session_summary(job).await.map(|()| Ended::Done) })
    }
}
