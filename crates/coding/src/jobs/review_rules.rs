//! The job that asks a model which rules follow from a review, where one is asked. Rules without a
//! model have read the review already: the model's answer takes their place.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::{Ended, failure, forget_questions};
use loci_engine::language_models::{Asked, Unanswered, ask};
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::memory::strategy::StrategyBase;
use loci_model::{RecordId, Result, Timestamp};

use crate::Coding;
use crate::product::Registered;

/// The kind.
pub(crate) const KIND: JobKind = JobKind::named("review_rules");

/// Said of a job that no model answered.
const READ_WITHOUT: &str = "what was read without a model stays: start the job again to ask once more";

/// The handler: run twice, the second time finds the answer that is kept, or a review that is known
/// to have been read.
pub(crate) struct ReviewRules {
    pub(crate) registered: Registered,
}

impl JobHandler for ReviewRules {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, is_reported: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { run(&coding, job).await })
    }

    fn pulled_records<'a>(
        &'a self,
        engine: &'a Engine,
        job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        let coding = self.registered.coding(engine);
        Some(Box::pin(async move { coding.rules_told(job).await }))
    }
}

async fn run(coding: &Coding, job: &Job) -> Result<Ended> {
    let engine = &coding.engine;
    let Some(asked) = coding.review_question(job).await? else { return Ok(Ended::Done) };
    let read = |reply: &str| asked.read(reply);
    match ask(engine, job, asked.mode, Step::ReviewRules, &asked.question, &read).await? {
        Asked::Off => Ok(Ended::Done),
        Asked::Waits => Ok(Ended::Waits),
        Asked::Read(said, _) => {
            coding.learn_as_told(job, &asked, said).await?;
            forget_questions(engine, job).await?;
            Ok(Ended::Done)
        }
        Asked::Unanswered(unanswered) => unanswered_end(engine, job, &unanswered).await,
    }
}

/// Returns the end of a job whose model gave no answer: the model is asked again where that can
/// help.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<Ended> {
    if let Some(ended) = failure::asked_again(engine, job, unanswered) {
        return Ok(ended);
    }
    engine.observe().extraction_failed(StrategyBase::Semantic, unanswered.code);
    forget_questions(engine, job).await?;
    Ok(Ended::FellBack(format!("{}; {READ_WITHOUT}", unanswered.reason()), Vec::new()))
}
