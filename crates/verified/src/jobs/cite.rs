//! The job that proposes citations for one extracted record.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::{Verified, VerifiedParts};

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("cite");

/// The handler. A second run finds its own proposal. If the code cannot be read now, the job is
/// retried later.
pub(crate) struct Cite {
    pub(crate) parts: VerifiedParts,
}

impl JobHandler for Cite {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { has_few_tries: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let verified = Verified::new(engine.clone(), &self.parts);
        Box::pin(async move {
            Ok(verified.propose_citations(job).await?.map_or(JobAttemptEnd::Done, JobAttemptEnd::Again))
        })
    }
}
