//! The job that asks a model for the rules of a review, if a model is configured. The extraction
//! without a model has already read the review; the model's answer replaces its result.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::{JobAttemptEnd, failure, forget_questions};
use loci_engine::language_models::{QuestionOutcome, Unanswered, ask};
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::memory::strategy::StrategyBase;
use loci_model::{RecordId, Result, Timestamp};

use crate::Coding;
use crate::product::Registered;

/// The kind of the job.
pub(crate) const KIND: JobKind = JobKind::named("review_rules");

/// The note on a job without a model's answer.
const READ_WITHOUT: &str = "what was read without a model stays: start the job again to ask once more";

/// The handler of the job. A second run finds the stored answer, or a review that is already read.
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

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
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

async fn run(coding: &Coding, job: &Job) -> Result<JobAttemptEnd> {
    let engine = &coding.engine;
    let Some(asked) = coding.review_question(job).await? else { return Ok(JobAttemptEnd::Done) };
    let read = |reply: &str| asked.read(reply);
    match ask(engine, job, asked.mode, Step::ReviewRules, &asked.question, &read).await? {
        QuestionOutcome::Off => Ok(JobAttemptEnd::Done),
        QuestionOutcome::Waits => Ok(JobAttemptEnd::Waits),
        QuestionOutcome::Read(said, _) => {
            coding.learn_as_told(job, &asked, said).await?;
            forget_questions(engine, job).await?;
            Ok(JobAttemptEnd::Done)
        }
        QuestionOutcome::Unanswered(unanswered) => unanswered_end(engine, job, &unanswered).await,
    }
}

/// Returns the end of a job without a model's answer. The model is asked again if that can help.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<JobAttemptEnd> {
    if let Some(ended) = failure::asked_again(engine, job, unanswered) {
        return Ok(ended);
    }
    engine.observe().extraction_failed(StrategyBase::Semantic, unanswered.code);
    forget_questions(engine, job).await?;
    Ok(JobAttemptEnd::FellBack(format!("{}; {READ_WITHOUT}", unanswered.reason()), Vec::new()))
}
