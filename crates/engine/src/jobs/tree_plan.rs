//! The job that asks a model what of a tree is to be put in order. What is asked, and what becomes of the answers, is
//! `files::upkeep::modelled`'s matter.

use loci_model::Result;
use loci_model::job::Job;

use super::forget_questions::forget_questions;
use super::{Ended, failure};
use crate::Engine;
use crate::asking::Why;
use crate::files::upkeep::Modelled;

/// Plans as far as answers are there. Run twice, the second time finds them kept, or a run that is planned already.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
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
