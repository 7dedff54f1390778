//! The parts of the sweep that coding memory adds.

use futures::future::BoxFuture;
use loci_model::{Result, Timestamp};

use crate::Engine;
use crate::hooks::Sweep;

/// Reviews: repositories whose forges are to be asked.
pub(super) struct ReviewSweep;

impl Sweep for ReviewSweep {
    fn name(&self) -> &'static str {
        "reviews"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(engine.sweep_reviews(now))
    }
}

/// Rules whose settings changed: they are weighed again.
pub(super) struct RuleSweep;

impl Sweep for RuleSweep {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(engine.sweep_rules(now))
    }
}
