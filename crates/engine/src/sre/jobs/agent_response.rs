//! The job that reads the answer of a worker agent, and asks a model about its prose, where one is asked.

use futures::future::BoxFuture;
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::derivation::Making;
use loci_model::{RecordId, Result, Timestamp};

use crate::Engine;
use crate::asking::{Asked, Unanswered, Why, ask};
use crate::hooks::{JobHandler, JobPolicy};
use crate::jobs::{Ended, failure};
use crate::sre::Told;

/// The kind.
pub(crate) const KIND: JobKind = JobKind::named("agent_response");

/// The handler: run twice, it finds what it saved, an answer that is kept, or its result.
pub(crate) struct AgentResponse;

impl JobHandler for AgentResponse {
    fn kind(&self) -> JobKind {
        KIND
    }

    fn policy(&self) -> JobPolicy {
        JobPolicy { is_awaited: true, ..JobPolicy::default() }
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(run(engine, job))
    }

    fn pulled_records<'a>(
        &'a self,
        engine: &'a Engine,
        job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        Some(Box::pin(engine.read_by_model(job)))
    }
}

async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let Some(asked) = engine.read_agent_response(job).await? else { return Ok(Ended::Done) };
    let read = |reply: &str| asked.read(reply);
    match ask(engine, job, asked.mode, Step::AgentResponse, &asked.question, &read).await? {
        Asked::Waits => return Ok(Ended::Waits),
        Asked::Off => engine.learn_from_prose(job, Told::default(), &Making::default()).await?,
        Asked::Read(told, by) => engine.learn_from_prose(job, told, &by.making()).await?,
        Asked::Unanswered(unanswered) => return unanswered_end(engine, job, &unanswered).await,
    }
    Ok(Ended::Done)
}

/// Asked again later, where that can help. What was read without a model is saved whatever a model does: the job is done, and its result says
/// what it lacks.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<Ended> {
    let [random, ..] = engine.ids.random();
    let reason = format!("{}: {}", unanswered.code, unanswered.explanation);
    // One revision was asked for already: another try would ask the same model the same.
    let is_final = unanswered.why == Why::Form;
    if let Some(retry_at) = failure::ask_again_at(unanswered, job.attempts, engine.clock.now(), random)
        && !is_final
    {
        return Ok(Ended::Unanswered { reason, messages: Vec::new(), retry_at });
    }
    engine.observe.extraction_failed(StrategyBase::Semantic, unanswered.code);
    engine.leave_prose(job, format!("no model read the prose of the answer: {reason}")).await?;
    Ok(Ended::Done)
}
