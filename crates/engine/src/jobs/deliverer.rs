//! The outbox: deliveries that are due go out, in order per key, at least once. Beside the sweeper, on the host alone.
//!
//! Nothing is put into the outbox yet, and nothing is sent.

use loci_model::job::{Job, JobState};
use loci_model::ports::store::Tx;
use loci_model::{Result, Timestamp, limits};

use crate::Engine;
use crate::settings::EngineSettings;

/// Puts the news of a job's end into the outbox, for whoever the settings name. In the write that ends the job.
pub(crate) fn job_ended(
    _tx: &mut dyn Tx,
    _settings: &EngineSettings,
    job: &Job,
    state: JobState,
    _at: Timestamp,
) -> Result<()> {
    tracing::trace!(job = %job.id, state = state.as_str(), "an end nobody is told of");
    Ok(())
}

/// Sends what is due; how many tries were made. The caller asks again while there were any.
pub(crate) async fn deliver_due(engine: &Engine) -> Result<usize> {
    tracing::trace!(sends = engine.deliver.is_some(), "nothing is sent");
    Ok(0)
}

/// Removes deliveries that were made long enough ago; how many.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    tx.deliveries_mut().sweep(now.plus_millis(-limits::DELIVERED_KEPT_MS), rows)
}
