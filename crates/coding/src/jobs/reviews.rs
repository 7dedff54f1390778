//! The jobs that take in reviews: the hook deliveries for one unit, a round of polling, a part of a
//! backfill. A second run of each finds nothing new.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::deliveries::incoming_deliveries;
use loci_engine::hooks::JobHandler;
use loci_engine::jobs::JobAttemptEnd;
use loci_model::Result;
use loci_model::job::{Job, JobKind};
use loci_model::tasks::forge_notifications::NewsUnit;

use crate::product::Registered;

/// The kind of polling rounds.
pub(crate) const POLL: JobKind = JobKind::named("review_poll");
/// The kind of backfill parts.
pub(crate) const BACKFILL: JobKind = JobKind::named("review_backfill");

/// The handler of deliveries by forges.
pub(crate) struct ForgeHook {
    pub(crate) registered: Registered,
}

impl JobHandler for ForgeHook {
    fn kind(&self) -> JobKind {
        incoming_deliveries::KIND
    }

    fn is_part(&self) -> bool {
        true
    }

    fn handles(&self, job: &Job) -> bool {
        let key = job.unique_key.strip_prefix(incoming_deliveries::JOB_KEY);
        job.kind == self.kind() && key.and_then(NewsUnit::of_key).is_some()
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.handle_hook(job).await.map(JobAttemptEnd::from) })
    }
}

/// The handler of polling rounds.
pub(crate) struct ReviewPoll {
    pub(crate) registered: Registered,
}

impl JobHandler for ReviewPoll {
    fn kind(&self) -> JobKind {
        POLL
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.run_review_poll(job).await.map(JobAttemptEnd::from) })
    }
}

/// The handler of backfill parts.
pub(crate) struct ReviewBackfill {
    pub(crate) registered: Registered,
}

impl JobHandler for ReviewBackfill {
    fn kind(&self) -> JobKind {
        BACKFILL
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.run_review_backfill(job).await.map(JobAttemptEnd::from) })
    }
}
