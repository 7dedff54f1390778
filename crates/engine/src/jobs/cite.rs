//! The job that proposes citations for one extracted record. What it proposes is verified memory's matter.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;

/// Proposes. Run twice, it finds its own proposal; where the code cannot be read now, it looks again later.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    Ok(engine.propose_citations(job).await?.map_or(Ended::Done, Ended::Again))
}
