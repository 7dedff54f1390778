//! The job that verifies a repository's facts at a new tip of its default branch.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::{Verified, VerifiedParts};

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("verify");

/// The handler. A second run changes nothing.
pub(crate) struct Verify {
    pub(crate) parts: VerifiedParts,
}

impl JobHandler for Verify {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { has_few_tries: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let verified = Verified::new(engine.clone(), &self.parts);
        Box::pin(async move { verified.verify_repository(job).await.map(|()| JobAttemptEnd::Done) })
    }
}
