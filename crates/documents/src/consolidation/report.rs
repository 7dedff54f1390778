//! The report of a plan: documents, listing tokens and duplicates before and after it, actions by
//! kind, held actions, and new documents.

use std::cell::Cell;
use std::collections::BTreeMap;

use loci_engine::consolidation::plan::Action;
use loci_engine::consolidation::snapshot::Snapshot;
use loci_text::tokens::estimate_tokens;
use serde::Serialize;

use super::duplicates::groups;
use super::plan_preview::after;
use super::planner::{PlanRequest, PlanResult};
use super::planning_state::PlanningState;

/// A number before and after a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NumberChange {
    /// The number before the plan is applied.
    pub before: usize,
    /// The number after all actions that need no decision are applied.
    pub after: usize,
}

/// A new document that a plan makes from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DerivedDocument {
    /// The path of the new document.
    pub path: String,
    /// The paths of the documents that it was made from.
    pub derived_from: Vec<String>,
}

/// The report of a consolidation plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// The number of documents in the tree.
    pub documents: NumberChange,
    /// The number of tokens of a listing of all documents: one line each, with path and
    /// description.
    pub listing_tokens: NumberChange,
    /// The number of documents that duplicate another one.
    pub duplicates: NumberChange,
    /// The number of actions by kind, without those that wait for a person.
    pub actions: BTreeMap<&'static str, usize>,
    /// The number of actions that wait for a person.
    pub held: usize,
    /// The number of findings for a person to review.
    pub reviews: usize,
    /// The sentences about the work that rules leave to a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_to_model: Vec<String>,
    /// The number of parts of the tree that the plan left out.
    pub skipped_clusters: usize,
    /// The new documents, with the documents that they were made from.
    pub derived: Vec<DerivedDocument>,
    /// True if not all documents were compared, so that more of them may be duplicates or
    /// contradict others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// Returns the report of a plan for a tree.
#[must_use]
pub fn report(
    snapshot: &Snapshot,
    planned: &PlanResult,
    asked: &PlanRequest,
    skipped_clusters: usize,
) -> PlanReport {
    let ready = planned.ready();
    let then = after(snapshot, &ready);
    let mut actions: BTreeMap<&'static str, usize> = BTreeMap::new();
    for action in &ready {
        *actions.entry(action.kind()).or_default() += 1;
    }
    let derived = ready.iter().filter_map(|action| match action {
        Action::Create { path, derived_from, .. } => {
            Some(DerivedDocument { path: path.clone(), derived_from: derived_from.clone() })
        }
        _ => None,
    });
    let change =
        |count: &dyn Fn(&Snapshot) -> usize| NumberChange { before: count(snapshot), after: count(&then) };
    let partial = Cell::new(planned.is_partial);
    PlanReport {
        documents: change(&Snapshot::standing),
        listing_tokens: change(&listing_tokens),
        duplicates: change(&|snapshot| duplicates(snapshot, asked, &partial)),
        actions,
        held: planned.actions.len() - ready.len(),
        reviews: planned.reviews.len(),
        left_to_model: planned.left.sentences(),
        skipped_clusters,
        derived: derived.collect(),
        partial: partial.get(),
    }
}

fn listing_tokens(snapshot: &Snapshot) -> usize {
    let line = |path: &str, description: &str| format!("<file path=\"{path}\">{description}</file>\n");
    let documents = snapshot.documents.iter();
    documents
        .map(|one| {
            estimate_tokens(&line(&one.reference, one.description.as_deref().unwrap_or_default())) as usize
        })
        .sum()
}

fn duplicates(snapshot: &Snapshot, asked: &PlanRequest, partial: &Cell<bool>) -> usize {
    let working = PlanningState::of(snapshot, &asked.settings, asked.now);
    let count = groups(&working).iter().map(|group| group.members.len() - 1).sum();
    partial.set(partial.get() || working.is_partial());
    count
}
