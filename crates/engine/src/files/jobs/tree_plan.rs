//! The job that asks a model what of a tree is to be put in order.

use futures::future::BoxFuture;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::Engine;
use crate::files::upkeep::Modelled;
use crate::hooks::{JobHandler, JobPolicy};
use crate::jobs::{Ended, failure, forget_questions};
use crate::language_models::Why;

/// The kind.
pub(crate) const KIND: JobKind = JobKind::named("tree_plan");

/// The handler: plans as far as answers are there. Run twice, it finds them kept, or a run that is
/// planned already.
pub(crate) struct TreePlan;

impl JobHandler for TreePlan {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(run(engine, job))
    }
}

async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let unanswered = match engine.plan_run_of(job).await? {
        Modelled::Waits => return Ok(Ended::Waits),
        Modelled::Ended => {
            forget_questions(engine, job).await?;
            return Ok(Ended::Done);
        }
        Modelled::Unanswered(unanswered) => unanswered,
    };
    let [random, ..] = engine.ids.random();
    let reason = format!("{}: {}", unanswered.code, unanswered.explanation);
    // One revision was asked for already: another try would ask the same model the same.
    let is_final = unanswered.why == Why::Form;
    if let Some(retry_at) = failure::ask_again_at(&unanswered, job.attempts, engine.clock.now(), random)
        && !is_final
    {
        return Ok(Ended::Unanswered { reason, messages: Vec::new(), retry_at });
    }
    engine.plan_unanswered(job, &unanswered).await?;
    forget_questions(engine, job).await?;
    Ok(Ended::FellBack(reason, Vec::new()))
}
