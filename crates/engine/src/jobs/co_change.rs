//! The job that reads what is new of a repository's history. What is counted of it is the matter of `coding/co_change`.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;

/// Reads it. Run twice, the second time reads nothing.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.read_history(job).await?;
    Ok(Ended::Done)
}
