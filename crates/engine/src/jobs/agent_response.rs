//! The job that reads what a worker agent answered. What comes of it is the matter of investigations.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;

/// Reads. Run twice, it finds what it saved, or its result.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.run_agent_response(job).await.map(|()| Ended::Done)
}
