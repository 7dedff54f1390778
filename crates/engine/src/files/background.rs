//! Background work of documents: the upkeep of trees, mirrors in their intervals, counts of
//! reads.

use futures::future::BoxFuture;
use loci_model::{Result, Timestamp};

use super::mirroring::Schedule;
use crate::Engine;
use crate::hooks::{BackgroundLoop, RunnerState, Sweep};

/// Mirrors are asked whether they are due this often.
const MIRRORS_LOOK_MS: u64 = 1_000;
/// Counts of reads are kept this often.
const READS_KEPT_US: u64 = 60_000_000;
/// The pause of the loop of counts between two looks at the time.
const READS_LOOK_MS: u64 = 6_000;

/// Trees whose turn of upkeep it is.
pub(super) struct TreeSweep;

impl Sweep for TreeSweep {
    fn name(&self) -> &'static str {
        "trees"
    }

    fn run<'a>(&'a self, engine: &'a Engine, _now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { engine.follow_upkeep().await.map(drop) })
    }
}

/// Mirrors: brought up each in its interval, and once more when this process ends.
pub(super) struct MirrorLoop;

impl BackgroundLoop for MirrorLoop {
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()> {
        Box::pin(async {
            if engine.files.is_none() {
                return;
            }
            let mut schedule = Schedule::default();
            while !runner.is_stopping() {
                let seen = engine.wake.calls();
                if runner.is_hosting()
                    && let Err(error) = Box::pin(engine.mirrors_due(&mut schedule)).await
                {
                    tracing::error!(?error, "mirrors cannot be looked up");
                }
                engine.pause(seen, MIRRORS_LOOK_MS).await;
            }
            Box::pin(engine.mirrors_last(&schedule)).await;
        })
    }
}

/// Counts of reads of this process; each process keeps its own.
pub(super) struct ReadCountLoop;

impl BackgroundLoop for ReadCountLoop {
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()> {
        Box::pin(async {
            let mut kept_us = engine.clock.monotonic_us();
            while !runner.is_stopping() {
                let seen = engine.wake.calls();
                let now_us = engine.clock.monotonic_us();
                if now_us.saturating_sub(kept_us) >= READS_KEPT_US {
                    kept_us = now_us;
                    keep(engine).await;
                }
                engine.pause(seen, READS_LOOK_MS).await;
            }
            keep(engine).await;
        })
    }
}

async fn keep(engine: &Engine) {
    if let Err(error) = engine.reads_kept().await {
        tracing::warn!(?error, "reads of documents were not kept: they are the next time");
    }
}
