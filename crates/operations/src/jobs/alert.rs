//! The job of an alert: processes deliveries of hooks. A second run finds nothing to do.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::deliveries::incoming_deliveries::{self, JOB_KEY};
use loci_engine::hooks::JobHandler;
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};

use crate::ALERT_KEY;
use crate::{Operations, OperationsParts};

/// The handler of deliveries from alerting systems.
pub(crate) struct AlertHook {
    pub(crate) parts: OperationsParts,
}

impl JobHandler for AlertHook {
    fn kind(&self) -> JobKind {
        incoming_deliveries::KIND
    }

    fn is_part(&self) -> bool {
        true
    }

    fn handles(&self, job: &Job) -> bool {
        let is_of_alert =
            || job.unique_key.strip_prefix(JOB_KEY).is_some_and(|key| key.starts_with(ALERT_KEY));
        job.kind == self.kind() && is_of_alert()
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let operations = Operations::new(engine.clone(), &self.parts);
        Box::pin(async move { operations.handle_alert(job).await.map(JobAttemptEnd::from) })
    }
}
