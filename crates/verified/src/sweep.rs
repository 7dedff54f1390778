//! The part of the sweep that verified memory adds.

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::hooks::Sweep;
use loci_model::{Result, Timestamp};

use crate::{Verified, VerifiedParts};

/// The sweep of facts: repositories with a new tip, facts past their expiry, old verdicts.
pub(super) struct FactSweep {
    pub(super) parts: VerifiedParts,
}

impl Sweep for FactSweep {
    fn name(&self) -> &'static str {
        "facts"
    }

    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        let verified = Verified::new(engine.clone(), &self.parts);
        Box::pin(async move { verified.sweep_verified(now).await })
    }
}
