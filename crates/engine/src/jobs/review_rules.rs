//! The job that asks a model which rules follow from a review, where one is asked. Rules without a model have read it already: what the
//! model tells takes their place. What is asked, and what becomes of the answer, is `coding::rules::modelled`'s matter.

use loci_model::Result;
use loci_model::exchange::Step;
use loci_model::job::Job;
use loci_model::strategy::StrategyBase;

use super::forget_questions::forget_questions;
use super::{Ended, failure};
use crate::Engine;
use crate::asking::{Asked, Unanswered, ask};

/// Said of a job that no model answered.
const READ_WITHOUT: &str = "what was read without a model stays: start the job again to ask once more";

/// Asks, and learns from the answer. Run twice, the second time finds the answer that is kept, or a review that is known to have been read.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let Some(asked) = engine.review_question(job).await? else { return Ok(Ended::Done) };
    let read = |reply: &str| asked.read(reply);
    match ask(engine, job, asked.mode, Step::ReviewRules, &asked.question, &read).await? {
        Asked::Off => Ok(Ended::Done),
        Asked::Waits => Ok(Ended::Waits),
        Asked::Read(said, _) => {
            engine.learn_as_told(job, &asked, said).await?;
            forget_questions(engine, job).await?;
            Ok(Ended::Done)
        }
        Asked::Unanswered(unanswered) => unanswered_end(engine, job, &unanswered).await,
    }
}

/// Asked again later, where that can help.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<Ended> {
    let [random, ..] = engine.ids.random();
    let reason = format!("{}: {}", unanswered.code, unanswered.explanation);
    if let Some(retry_at) = failure::ask_again_at(unanswered, job.attempts, engine.clock.now(), random) {
        return Ok(Ended::Unanswered { reason, messages: Vec::new(), retry_at });
    }
    engine.observe.extraction_failed(StrategyBase::Semantic, unanswered.code);
    forget_questions(engine, job).await?;
    Ok(Ended::FellBack(format!("{reason}; {READ_WITHOUT}"), Vec::new()))
}
