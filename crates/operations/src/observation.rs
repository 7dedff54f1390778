//! Events of operations memory for the observer: only committed changes, and no content. Requests
//! of the AgentCore wire protocol are counted by that interface, not here.

use loci_model::ports::observe::SreObservation;
use loci_model::services::alert_notice::AlertSource;
use loci_model::services::knowledge::SreType;

use super::{InvestigationCompleted, InvestigationStarted, OutcomeEffect, SreAction, SreSaved};
use crate::Operations;

impl Operations {
    pub(super) fn sre_tell_saved(&self, kind: SreType, saved: &SreSaved) {
        for kept in &saved.records {
            self.engine.observe().operations_memory(&SreObservation::Saved(kind, kept.action.as_str()));
        }
    }

    pub(super) fn sre_tell_started(&self, started: &InvestigationStarted, began_us: u64) {
        let elapsed_us = self.engine.clock().monotonic_us().saturating_sub(began_us);
        let (joined, degraded) = (started.joined, started.degraded);
        self.engine.observe().operations_memory(&SreObservation::Started { joined, degraded, elapsed_us });
    }

    /// A repeated completion is not counted again.
    pub(super) fn sre_tell_completed(&self, done: &InvestigationCompleted) {
        if done.saved && done.action != Some(SreAction::Duplicate) {
            self.engine.observe().operations_memory(&SreObservation::Completed(done.status));
        }
    }

    /// The first effect is that on the investigation.
    pub(super) fn sre_tell_outcome(&self, effects: &[OutcomeEffect]) {
        if let Some(own) = effects.first() {
            self.engine.observe().operations_memory(&SreObservation::Outcome(own.effect));
        }
    }

    pub(super) fn sre_tell_alert(&self, source: AlertSource, effect: &str) {
        self.engine.observe().operations_memory(&SreObservation::Alert(source, effect));
    }
}
