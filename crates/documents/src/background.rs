//! Background work of documents: the upkeep of trees, mirrors in their intervals, counts of
//! reads.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{BackgroundLoop, RunnerState, Sweep};
use loci_model::{Result, Timestamp};

use crate::mirroring::Schedule;
use crate::{Documents, DocumentsParts};

/// Mirrors are asked whether they are due this often.
const MIRRORS_LOOK_MS: u64 = 1_000;
/// Counts of reads are kept this often.
const READS_KEPT_US: u64 = 60_000_000;
/// The pause of the loop of counts between two looks at the time.
const READS_LOOK_MS: u64 = 6_000;

/// Trees whose turn of upkeep it is.
pub(super) struct TreeSweep {
    pub(super) parts: DocumentsParts,
}

impl Sweep for TreeSweep {
    fn name(&self) -> &'static str {
        "trees"
    }

    fn run<'a>(&'a self, engine: &'a Engine, _now: Timestamp) -> BoxFuture<'a, Result<()>> {
        let documents = Documents::new(engine.clone(), &self.parts);
        Box::pin(async move { documents.follow_upkeep().await.map(drop) })
    }
}

/// Mirrors: brought up each in its interval, and once more when this process ends.
pub(super) struct MirrorLoop {
    pub(super) parts: DocumentsParts,
}

impl BackgroundLoop for MirrorLoop {
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()> {
        let documents = Documents::new(engine.clone(), &self.parts);
        Box::pin(async move {
            if engine.file_places().is_none() {
                return;
            }
            let mut schedule = Schedule::default();
            while !runner.is_stopping() {
                let seen = engine.wake().calls();
                if runner.is_hosting()
                    && let Err(error) = Box::pin(documents.mirrors_due(&mut schedule)).await
                {
                    tracing::error!(?error, "mirrors cannot be looked up");
                }
                engine.pause(seen, MIRRORS_LOOK_MS).await;
            }
            Box::pin(documents.mirrors_last(&schedule)).await;
        })
    }
}

/// Counts of reads of this process; each process keeps its own.
pub(super) struct ReadCountLoop {
    pub(super) parts: DocumentsParts,
}

impl BackgroundLoop for ReadCountLoop {
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()> {
        let documents = Documents::new(engine.clone(), &self.parts);
        Box::pin(async move {
            let mut kept_us = engine.clock().monotonic_us();
            while !runner.is_stopping() {
                let seen = engine.wake().calls();
                let now_us = engine.clock().monotonic_us();
                if now_us.saturating_sub(kept_us) >= READS_KEPT_US {
                    kept_us = now_us;
                    keep(&documents).await;
                }
                engine.pause(seen, READS_LOOK_MS).await;
            }
            keep(&documents).await;
        })
    }
}

async fn keep(documents: &Documents) {
    if let Err(error) = documents.reads_kept().await {
        tracing::warn!(?error, "reads of documents were not kept: they are the next time");
    }
}
