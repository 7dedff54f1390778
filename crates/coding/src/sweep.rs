//! The parts of the sweep that coding memory adds.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::Sweep;
use loci_model::{Result, Timestamp};

use crate::product::Registered;

/// Polls the forges of repositories for reviews.
pub(super) struct ReviewSweep {
    pub(super) registered: Registered,
}

impl Sweep for ReviewSweep {
    fn name(&self) -> &'static str {
        "reviews"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.sweep_reviews(now).await })
    }
}

/// Weighs rules again whose settings changed.
pub(super) struct RuleSweep {
    pub(super) registered: Registered,
}

impl Sweep for RuleSweep {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move { coding.sweep_rules(now).await })
    }
}
