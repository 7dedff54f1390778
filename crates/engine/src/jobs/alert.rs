//! The job of an alert: what hooks brought of it. Jobs of hooks are told apart by what they deal with. Run twice, it finds nothing the second
//! time.

use loci_model::Result;
use loci_model::job::Job;

use super::{Ended, reviews};
use crate::Engine;
use crate::deliveries::incoming::JOB_KEY;
use crate::sre::ALERT_KEY;

/// Whether a hook's job is of an alert.
pub(super) fn is_of(job: &Job) -> bool {
    job.unique_key.strip_prefix(JOB_KEY).is_some_and(|key| key.starts_with(ALERT_KEY))
}

/// Deals with what waits.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    engine.handle_alert(job).await.map(reviews::ended)
}
