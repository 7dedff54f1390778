//! The job that sums up the session of an investigation. What it says is the matter of investigations.

use loci_model::Result;
use loci_model::job::Job;

use super::Ended;
use crate::Engine;

/// Sums up. Run twice, it finds the summary, and changes nothing.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.run_session_summary(job).await.map(|()| Ended::Done)
}
