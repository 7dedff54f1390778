//! The part of the sweep that verified memory adds.

use futures::future::BoxFuture;
use loci_model::{Result, Timestamp};

use crate::Engine;
use crate::hooks::Sweep;

/// Facts: repositories that moved on, facts past their time, old verdicts.
pub(super) struct FactSweep;

impl Sweep for FactSweep {
    fn name(&self) -> &'static str {
        "facts"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(engine.sweep_verified(now))
    }
}
