//! The job that asks a language model for a consolidation plan of a tree.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::{JobAttemptEnd, failure, forget_questions};
use loci_engine::language_models::Why;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::upkeep::PlanningRunState;
use crate::{Documents, DocumentsParts};

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("tree_plan");

/// The handler of the job. It continues as far as answers of the model are available. A repeated
/// run reuses the stored answers and a stored plan.
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

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let documents = Documents::new(engine.clone(), &self.parts);
        Box::pin(async move { run(&documents, job).await })
    }
}

async fn run(documents: &Documents, job: &Job) -> Result<JobAttemptEnd> {
    let engine = &documents.engine;
    let unanswered = match documents.plan_run_of(job).await? {
        PlanningRunState::Waits => return Ok(JobAttemptEnd::Waits),
        PlanningRunState::Ended => {
            forget_questions(engine, job).await?;
            return Ok(JobAttemptEnd::Done);
        }
        PlanningRunState::Unanswered(unanswered) => unanswered,
    };
    // One revision was already requested: a retry would repeat the question to the same model.
    let is_final = unanswered.why == Why::Form;
    if let Some(ended) = failure::asked_again(engine, job, &unanswered).filter(|_| !is_final) {
        return Ok(ended);
    }
    documents.plan_unanswered(job, &unanswered).await?;
    forget_questions(engine, job).await?;
    Ok(JobAttemptEnd::FellBack(unanswered.reason(), Vec::new()))
}
