//! Background work of documents: the upkeep of trees, the periodic sync of mirrors, and read
//! counts.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::{BackgroundLoop, RunnerState, Sweep};
use loci_model::{Result, Timestamp};

use crate::mirror::Schedule;
use crate::{Documents, DocumentsParts};

/// The interval between two checks for due mirrors, in milliseconds.
const MIRRORS_LOOK_MS: u64 = 1_000;
/// The interval between two writes of read counts, in microseconds.
const READS_KEPT_US: u64 = 60_000_000;
/// The pause of the loop of read counts between two checks of the time, in milliseconds.
const READS_LOOK_MS: u64 = 6_000;

/// The upkeep of due trees.
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

/// The periodic sync of mirrors, with a final sync at the end of this process.
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

/// The loop that stores the read counts of this process; each process stores its own.
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
