//! The pass that archives expired and unused documents, except pinned ones and those in
//! `system/`. A document counts as unused only after its reads have been counted long enough.

use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::relate::rank;
use loci_engine::consolidation::snapshot::PlanDocument;
use loci_model::Timestamp;
use loci_model::record::TrustTier;

use super::planning_state::PlanningState;

const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn prune(working: &mut PlanningState<'_>, counted_since: Option<Timestamp>) {
    for at in 0..working.documents.len() {
        let Some(document) = working.documents.get(at).copied() else { continue };
        if !working.is_open(at) || document.pinned {
            continue;
        }
        if let Some(reason) = reason(working, document, counted_since) {
            let action = Action::Archive {
                path: document.reference.clone(),
                covered_by: None,
                reason: reason.to_owned(),
            };
            working.act(Operation::Prune, action, None, &[at]);
        }
    }
}

fn reason(
    working: &PlanningState<'_>,
    document: &PlanDocument,
    counted_since: Option<Timestamp>,
) -> Option<&'static str> {
    let settings = working.settings;
    let is_past = |from: Timestamp, days: u32| from.plus_millis(i64::from(days) * DAY_MS) <= working.now;
    if document.expires_at.is_some_and(|end| end <= working.now) {
        return Some("its time is over");
    }
    let days = match document.tier {
        TrustTier::External => settings.external_days,
        TrustTier::Flagged => settings.flagged_days,
        TrustTier::Agent | TrustTier::Confirmed => settings.kept_days,
    };
    if document.expires_at.is_none() && is_past(document.observed_at, days) {
        return Some("nobody confirmed it for as long as its source is trusted");
    }
    let is_told = counted_since.is_some_and(|since| is_past(since, settings.unused_days));
    let is_unused = document.uses <= settings.unused_reads
        && is_past(document.observed_at, settings.unused_days)
        && rank(document.tier) < rank(TrustTier::Confirmed);
    (is_told && is_unused).then_some("it was not used")
}
