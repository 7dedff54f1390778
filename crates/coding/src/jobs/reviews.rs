//! The jobs by which reviews come in: the deliveries of hooks for one unit, a round of polling, a
//! part of a backfill. Run twice, each finds nothing the second time, or the same again.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::deliveries::incoming;
use loci_engine::hooks::JobHandler;
use loci_engine::jobs::Ended;
use loci_model::Result;
use loci_model::job::{Job, JobKind};
use loci_model::tasks::forge_news::NewsUnit;

use crate::product::Registered;

/// The kind of rounds of polling.
pub(crate) const POLL: JobKind = JobKind::named("review_poll");
/// The kind of parts of a backfill.
pub(crate) const BACKFILL: JobKind = JobKind::named("review_backfill");

/// The handler of deliveries by forges.
pub(crate) struct ForgeHook {
    pub(crate) registered: Registered,
}

impl JobHandler for ForgeHook {
    fn kind(&self) -> JobKind {
        incoming::KIND
    }

    fn is_part(&self) -> bool {
        true
    }

    fn handles(&self, job: &Job) -> bool {
        let key = job.unique_key.strip_prefix(incoming::JOB_KEY);
        job.kind == self.kind() && key.and_then(NewsUnit::of_key).is_some()
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.handle_hook(job).await.map(Ended::from) })
    }
}

/// The handler of rounds of polling.
pub(crate) struct ReviewPoll {
    pub(crate) registered: Registered,
}

impl JobHandler for ReviewPoll {
    fn kind(&self) -> JobKind {
        POLL
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.run_review_poll(job).await.map(Ended::from) })
    }
}

/// The handler of parts of a backfill.
pub(crate) struct ReviewBackfill {
    pub(crate) registered: Registered,
}

impl JobHandler for ReviewBackfill {
    fn kind(&self) -> JobKind {
        BACKFILL
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.run_review_backfill(job).await.map(Ended::from) })
    }
}
