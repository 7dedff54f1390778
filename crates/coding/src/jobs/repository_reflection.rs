//! The job that reflects on the tasks of a repository: rules always run first, then a model if one
//! is configured.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::reflect::{close, closed, opened};
use loci_engine::jobs::{JobAttemptEnd, failure};
use loci_engine::language_models::{QuestionOutcome, Unanswered, ask};
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::{Error, RecordId, Result, Timestamp};

use crate::Coding;
use crate::product::Registered;
use crate::reflection::ReflectionPlace;
use crate::reflection::model;

/// The note on a job without a model's answer.
const BY_RULES: &str = "rules alone looked at the tasks: start the job again to ask once more";

/// The handler of the job.
pub(crate) struct RepositoryReflection {
    pub(crate) registered: Registered,
}

impl JobHandler for RepositoryReflection {
    fn kind(&self) -> JobKind {
        JobKind::REFLECT
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, is_reported: true, ..JobPolicy::default() }
    }

    fn is_part(&self) -> bool {
        true
    }

    fn handles(&self, job: &Job) -> bool {
        job.kind == self.kind() && place_of(job).is_some()
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { run(&coding, job).await })
    }

    fn pulled_records<'a>(
        &'a self,
        engine: &'a Engine,
        job: &'a Job,
        since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        let place = place_of(job)?;
        let coding = self.registered.coding(engine);
        Some(Box::pin(async move { coding.reflections_pulled(&place, since).await }))
    }
}

fn place_of(job: &Job) -> Option<ReflectionPlace> {
    ReflectionPlace::of(&job.memory, &job.unique_key)
}

async fn run(coding: &Coding, job: &Job) -> Result<JobAttemptEnd> {
    let engine = &coding.engine;
    let place = &place_of(job).ok_or_else(|| Error::bug("a reflection whose key names no repository"))?;
    let opened_at = opened(engine, job, place.window).await?;
    let Some(look) = coding.reflection_look(place, opened_at).await? else {
        return closed(engine, job).await;
    };
    coding.reflect_by_rules(&look).await?;
    coding.conclude_of_people(&look).await?;
    let question = look.question().filter(|_| !look.is_too_little());
    let Some(question) = question else { return closed(engine, job).await };
    let read = |reply: &str| model::told(reply);
    match ask(engine, job, look.mode, Step::Reflect, &question, &read).await? {
        QuestionOutcome::Off => closed(engine, job).await,
        QuestionOutcome::Waits => Ok(JobAttemptEnd::Waits),
        QuestionOutcome::Read(told, by) => {
            coding.reflect_as_told(&look, &told, by.making()).await?;
            closed(engine, job).await
        }
        QuestionOutcome::Unanswered(unanswered) => unanswered_end(engine, job, &unanswered).await,
    }
}

/// Returns the end of a job without a model's answer. The model is asked again if that can help;
/// otherwise the findings of the rules stay, and the reason states this.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<JobAttemptEnd> {
    if let Some(ended) = failure::asked_again(engine, job, unanswered) {
        return Ok(ended);
    }
    engine.observe().extraction_failed(loci_model::memory::strategy::StrategyBase::Episodic, unanswered.code);
    close(engine, job).await?;
    Ok(JobAttemptEnd::FellBack(format!("{}; {BY_RULES}", unanswered.reason()), Vec::new()))
}
