//! The same job over the tasks of a repository: rules look first, always; then a model, where one is asked. What it finds, and how it is
//! written, is `coding::reflection`'s matter.

use loci_model::Result;
use loci_model::exchange::Step;
use loci_model::job::Job;

use super::super::{Ended, failure};
use super::write;
use crate::Engine;
use crate::asking::{Asked, Unanswered, ask};
use crate::coding::reflection::ReflectionPlace;
use crate::strategies::repository_reflection_model;

/// Said of a job that no model answered.
const BY_RULES: &str = "rules alone looked at the tasks: start the job again to ask once more";

pub(super) async fn run(engine: &Engine, job: &Job, place: &ReflectionPlace) -> Result<Ended> {
    let opened_at = super::opened(engine, job, place.window).await?;
    let Some(look) = engine.reflection_look(place, opened_at).await? else {
        return write::nothing(engine, job).await;
    };
    engine.reflect_by_rules(&look).await?;
    engine.conclude_of_people(&look).await?;
    let question = look.question().filter(|_| !look.is_too_little());
    let Some(question) = question else { return write::nothing(engine, job).await };
    let read = |reply: &str| repository_reflection_model::told(reply);
    match ask(engine, job, look.mode, Step::Reflect, &question, &read).await? {
        Asked::Off => write::nothing(engine, job).await,
        Asked::Waits => Ok(Ended::Waits),
        Asked::Read(told, by) => {
            engine.reflect_as_told(&look, &told, by.making()).await?;
            write::nothing(engine, job).await
        }
        Asked::Unanswered(unanswered) => unanswered_end(engine, job, &unanswered).await,
    }
}

/// Asked again later, where that can help; else rules have looked in the model's place, and it is said.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<Ended> {
    let [random, ..] = engine.ids.random();
    let reason = format!("{}: {}", unanswered.code, unanswered.explanation);
    if let Some(retry_at) = failure::ask_again_at(unanswered, job.attempts, engine.clock.now(), random) {
        return Ok(Ended::Unanswered { reason, messages: Vec::new(), retry_at });
    }
    engine.observe.extraction_failed(loci_model::strategy::StrategyBase::Episodic, unanswered.code);
    write::close(engine, job).await?;
    Ok(Ended::FellBack(format!("{reason}; {BY_RULES}"), Vec::new()))
}
