//! Background work for documents: consolidation of trees that are due, the periodic sync of
//! mirrors, and storing of read counts.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{BackgroundLoop, RunnerState, Sweep};
use loci_model::{Result, Timestamp};

use crate::mirror::Schedule;
use crate::{Documents, DocumentsParts};

/// The interval between two checks for mirrors that are due for a sync, in milliseconds.
const MIRRORS_LOOK_MS: u64 = 1_000;
/// The interval between two writes of read counts, in microseconds.
const READS_KEPT_US: u64 = 60_000_000;
/// The pause of the read count loop between two checks of the time, in milliseconds.
const READS_LOOK_MS: u64 = 6_000;

/// The background loop that consolidates trees that are due.
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

/// The background loop that syncs mirrors periodically, and once more when this process ends.
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

/// The background loop that stores the read counts of this process. Each process stores its own
/// counts.
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
