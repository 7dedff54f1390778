//! The job that proposes citations for one extracted record.

use futures::future::BoxFuture;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::Engine;
use crate::hooks::{JobHandler, JobPolicy};
use crate::jobs::Ended;

/// The kind.
pub(crate) const KIND: JobKind = JobKind::named("cite");

/// The handler: run twice, it finds its own proposal; where the code cannot be read now, it looks
/// again later.
pub(crate) struct Cite;

impl JobHandler for Cite {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { has_few_tries: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(async { Ok(engine.propose_citations(job).await?.map_or(Ended::Done, Ended::Again)) })
    }
}
