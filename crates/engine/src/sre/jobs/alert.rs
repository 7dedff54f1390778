//! The job of an alert: what hooks delivered of it. Run twice, it finds nothing the second time.

use futures::future::BoxFuture;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::Engine;
use crate::deliveries::incoming::{self, JOB_KEY};
use crate::hooks::JobHandler;
use crate::jobs::Ended;
use crate::sre::ALERT_KEY;

/// The handler of deliveries by alerting systems.
pub(crate) struct AlertHook;

impl JobHandler for AlertHook {
    fn kind(&self) -> JobKind {
        incoming::KIND
    }

    fn handles(&self, job: &Job) -> bool {
        let is_of_alert =
            || job.unique_key.strip_prefix(JOB_KEY).is_some_and(|key| key.starts_with(ALERT_KEY));
        job.kind == self.kind() && is_of_alert()
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(async { engine.handle_alert(job).await.map(Ended::from) })
    }
}
