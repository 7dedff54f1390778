//! The job that reads the answer of a worker agent, and asks the configured model about its prose.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{JobHandler, JobPolicy};
use loci_engine::jobs::{JobAttemptEnd, failure};
use loci_engine::language_models::{QuestionOutcome, Unanswered, Why, ask};
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::derivation::RecordDerivation;
use loci_model::{RecordId, Result, Timestamp};

use crate::ProseReply;
use crate::{Operations, OperationsParts};

/// The job kind.
pub(crate) const KIND: JobKind = JobKind::named("agent_response");

/// The handler. A second run finds the saved records, a stored reply, or the result.
pub(crate) struct AgentResponse {
    pub(crate) parts: OperationsParts,
}

impl JobHandler for AgentResponse {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let operations = Operations::new(engine.clone(), &self.parts);
        Box::pin(async move { run(&operations, job).await })
    }

    fn pulled_records<'a>(
        &'a self,
        engine: &'a Engine,
        job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        let operations = Operations::new(engine.clone(), &self.parts);
        Some(Box::pin(async move { operations.read_by_model(job).await }))
    }
}

async fn run(operations: &Operations, job: &Job) -> Result<JobAttemptEnd> {
    let Some(asked) = operations.read_agent_response(job).await? else { return Ok(JobAttemptEnd::Done) };
    let read = |reply: &str| asked.read(reply);
    match ask(&operations.engine, job, asked.mode, Step::AgentResponse, &asked.question, &read).await? {
        QuestionOutcome::Waits => return Ok(JobAttemptEnd::Waits),
        QuestionOutcome::Off => {
            operations.learn_from_prose(job, ProseReply::default(), &RecordDerivation::default()).await?
        }
        QuestionOutcome::Read(told, by) => operations.learn_from_prose(job, told, &by.making()).await?,
        QuestionOutcome::Unanswered(unanswered) => return unanswered_end(operations, job, &unanswered).await,
    }
    Ok(JobAttemptEnd::Done)
}

/// Returns the end of a job whose model gave no usable reply. The model is asked again if that can
/// help. Otherwise the job is done, and its result names the missing part. Parts that were read
/// without a model are saved in any case.
async fn unanswered_end(
    operations: &Operations,
    job: &Job,
    unanswered: &Unanswered,
) -> Result<JobAttemptEnd> {
    // A revision was already requested: another attempt would repeat the same question.
    let is_final = unanswered.why == Why::Form;
    if let Some(ended) = failure::asked_again(&operations.engine, job, unanswered).filter(|_| !is_final) {
        return Ok(ended);
    }
    operations.engine.observe().extraction_failed(StrategyBase::Semantic, unanswered.code);
    let reason = unanswered.reason();
    operations.leave_prose(job, format!("no model read the prose of the answer: {reason}")).await?;
    Ok(JobAttemptEnd::Done)
}
