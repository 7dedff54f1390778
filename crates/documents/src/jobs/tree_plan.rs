//! The job that asks a model for a plan of a tree's upkeep.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::{Ended, failure, forget_questions};
use loci_engine::language_models::Why;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::upkeep::Modelled;
use crate::{Documents, DocumentsParts};

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("tree_plan");

/// The handler: plans as far as answers are available. A repeated run finds the stored answers, or
/// a run that is already planned.
pub(crate) struct TreePlan {
    pub(crate) parts: DocumentsParts,
}

impl JobHandler for TreePlan {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        let documents = Documents::new(engine.clone(), &self.parts);
        Box::pin(async move { run(&documents, job).await })
    }
}

async fn run(documents: &Documents, job: &Job) -> Result<Ended> {
    let engine = &documents.engine;
    let unanswered = match documents.plan_run_of(job).await? {
        Modelled::Waits => return Ok(Ended::Waits),
        Modelled::Ended => {
            forget_questions(engine, job).await?;
            return Ok(Ended::Done);
        }
        Modelled::Unanswered(unanswered) => unanswered,
    };
    // One revision was already requested: a retry would repeat the question to the same model.
    let is_final = unanswered.why == Why::Form;
    if let Some(ended) = failure::asked_again(engine, job, &unanswered).filter(|_| !is_final) {
        return Ok(ended);
    }
    documents.plan_unanswered(job, &unanswered).await?;
    forget_questions(engine, job).await?;
    Ok(Ended::FellBack(unanswered.reason(), Vec::new()))
}
