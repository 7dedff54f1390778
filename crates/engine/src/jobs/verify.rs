//! The job that verifies a repository's facts at a new tip of its default branch. What it decides is verified memory's matter.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;

/// Verifies them all. Run twice, the second time changes nothing.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.verify_repository(job).await?;
    Ok(Ended::Done)
}
