//! The job that reads what a worker agent answered, and asks a model about its prose, where one is asked. What is read, and what becomes of the
//! answer, is the matter of investigations.

use loci_model::Result;
use loci_model::exchange::Step;
use loci_model::job::Job;
use loci_model::making::Making;
use loci_model::strategy::StrategyBase;

use super::{Ended, failure};
use crate::Engine;
use crate::asking::{Asked, Unanswered, Why, ask};
use crate::sre::Told;

/// Reads. Run twice, it finds what it saved, an answer that is kept, or its result.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
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
