//! The stored form of a plan: rules over a tree, and the documents that each action was planned on.
//! Pure.

use std::collections::BTreeSet;

use loci_api::documents::consolidation::ConsolidationViolation;
use loci_engine::consolidation::snapshot::reference_key;
use loci_engine::document_text::areas::SYSTEM;
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{Result, Timestamp};

use super::plan_input::TreeRead;
use super::run::{ConsolidationRun, RunAction, RunReview};
use crate::consolidation::report::report;
use crate::consolidation::{About, PlanRequest, PlanResult, PlannedAction, PlannerSettings};

/// The rules and their version.
pub(super) const RULES: &str = "deterministic@2";
/// The reason to hold an action on documents that are always loaded.
const NEEDS_ADMIN: &str = "what is always loaded is changed with a grant of admin";

/// Returns the request of a run to its planner. `covered`: the sequence up to which earlier runs
/// covered the tree.
pub(super) fn asked(
    run: &ConsolidationRun,
    read: &TreeRead,
    covered: u64,
    (settings, now): (&PlannerSettings, Timestamp),
) -> PlanRequest {
    let about = match run.scope.keys() {
        Some(paths) => About::Within(paths),
        None if run.scope == super::run_request::RunScope::SinceLast && covered > 0 => {
            About::Changed(read.changed_since(covered))
        }
        None => About::Everything,
    };
    PlanRequest {
        operations: run.operations.iter().copied().collect(),
        about,
        now,
        counted_since: read.counted_since,
        settings: *settings,
        bounds: run.limits.bounds(&run.operations, settings.system_tokens),
    }
}

/// Writes a plan into its run. `by_model`: the indices of the actions with a model's texts.
///
/// # Errors
/// An internal error, if the report cannot be serialised.
pub(super) fn fill(
    run: &mut ConsolidationRun,
    read: &TreeRead,
    planned: &PlanResult,
    asked: &PlanRequest,
    (by_model, skipped_clusters): (&BTreeSet<usize>, usize),
) -> Result<()> {
    run.snapshot_sequence = read.snapshot.sequence;
    run.covered_sequence.get_or_insert(read.snapshot.sequence);
    run.summary = planned.summary();
    let made = planned.actions.iter().enumerate();
    run.actions = made
        .map(|(at, one)| {
            let id = format!("a{}", at + 1);
            action(one, id, read, (run.by_admin, by_model.contains(&at)))
        })
        .collect();
    let id_of = |at: usize| run.actions.get(at).map(|one| one.id.clone());
    let violation = |one: &loci_engine::consolidation::validator::Violation| ConsolidationViolation {
        code: format!("{:?}", one.code),
        action: id_of(one.action),
        message: one.message.clone(),
    };
    run.violations = planned.violations.iter().map(violation).collect();
    run.reviews = planned
        .reviews
        .iter()
        .map(|review| RunReview {
            reason: review.kind.text().to_owned(),
            paths: review.paths.to_vec(),
            conflict: None,
        })
        .collect();
    let told = serde_json::to_value(report(&read.snapshot, planned, asked, skipped_clusters));
    let unwritten = |error| loci_model::Error::bug("a report cannot be written").caused_by(error);
    run.report = Some(told.map_err(unwritten)?);
    if planned.violations.is_empty() {
        run.status = RunStatus::Planned;
    } else {
        run.status = RunStatus::Failed;
        run.failure = Some("the plan breaks rules that every plan keeps: see violations".to_owned());
    }
    Ok(())
}

fn action(
    planned: &PlannedAction,
    id: String,
    read: &TreeRead,
    (is_admin, by_model): (bool, bool),
) -> RunAction {
    let needs_admin = !is_admin && touches_system(&planned.action);
    let held = planned.held.clone().or_else(|| needs_admin.then(|| NEEDS_ADMIN.to_owned()));
    let status = if held.is_some() { ActionStatus::Held } else { ActionStatus::Planned };
    let mut seen = Vec::new();
    for path in planned.action.reads() {
        seen.extend(read.seen.get(&reference_key(path)).cloned());
    }
    RunAction {
        id,
        operation: planned.operation,
        action: planned.action.clone(),
        status,
        held,
        seen,
        by_model,
    }
}

/// True if an action changes documents that are always loaded.
pub(super) fn touches_system(action: &loci_engine::consolidation::plan::Action) -> bool {
    let below = format!("{SYSTEM}/");
    action.vacates().into_iter().chain(action.writes()).any(|path| reference_key(path).starts_with(&below))
}
