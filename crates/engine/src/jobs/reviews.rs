//! The jobs by which reviews come in: what hooks brought of one unit, a round of asking, a part of a backfill. What they decide is the
//! matter of reviews. Run twice, each finds nothing the second time, or the same again.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;
use crate::deliveries::incoming::Handled;

/// Deals with what waits.
pub(super) async fn hook(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.handle_hook(job).await.map(ended)
}

/// Asks what has changed.
pub(super) async fn poll(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.run_review_poll(job).await.map(ended)
}

/// Reads some of the past.
pub(super) async fn backfill(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.run_review_backfill(job).await.map(ended)
}

pub(super) fn ended(handled: Handled) -> Ended {
    match handled {
        Handled::Done => Ended::Done,
        Handled::Later(at) => Ended::Again(at),
        Handled::Again { reason, at } => {
            Ended::Unanswered { reason: said(&reason), messages: Vec::new(), retry_at: at }
        }
        Handled::Failed(reason) => Ended::Failed(said(&reason), Vec::new()),
    }
}

fn said(reason: &str) -> String {
    format!("FORGE_UNAVAILABLE: {reason}")
}
