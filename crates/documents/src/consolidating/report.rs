//! What a plan gains: documents, the tokens of their listing, duplicates, before and after; actions by kind; what is held; what is new.

use std::cell::Cell;
use std::collections::BTreeMap;

use loci_engine::consolidation::plan::Action;
use loci_engine::consolidation::snapshot::Snapshot;
use loci_text::tokens::estimate_tokens;
use serde::Serialize;

use super::applied::after;
use super::duplicates::groups;
use super::planner::{Asked, Planned};
use super::working::Working;

/// A number before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Before.
    pub before: usize,
    /// After what needs nobody's decision.
    pub after: usize,
}

/// A document that was made of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Derived {
    /// Where.
    pub path: String,
    /// Of these.
    pub derived_from: Vec<String>,
}

/// The report of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Documents.
    pub documents: Change,
    /// Tokens of a listing of all of them: a line each, with path and description.
    pub listing_tokens: Change,
    /// Documents that say what another one says.
    pub duplicates: Change,
    /// Actions by kind, held ones aside.
    pub actions: BTreeMap<&'static str, usize>,
    /// Actions that wait for a person.
    pub held: usize,
    /// What a person should look at beside them.
    pub reviews: usize,
    /// Sentences about the work that rules leave to a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_to_model: Vec<String>,
    /// Parts of the tree that were left out.
    pub skipped_clusters: usize,
    /// New documents, with what they rest on.
    pub derived: Vec<Derived>,
    /// Not every two documents with something in common were compared: more may be duplicates, or contradict
    /// others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// The report of a plan on a tree.
#[must_use]
pub fn report(snapshot: &Snapshot, planned: &Planned, asked: &Asked, skipped_clusters: usize) -> Report {
    let ready = planned.ready();
    let then = after(snapshot, &ready);
    let mut actions: BTreeMap<&'static str, usize> = BTreeMap::new();
    for action in &ready {
        *actions.entry(action.kind()).or_default() += 1;
    }
    let derived = ready.iter().filter_map(|action| match action {
        Action::Create { path, derived_from, .. } => {
            Some(Derived { path: path.clone(), derived_from: derived_from.clone() })
        }
        _ => None,
    });
    let change = |count: &dyn Fn(&Snapshot) -> usize| Change { before: count(snapshot), after: count(&then) };
    let partial = Cell::new(planned.is_partial);
    Report {
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

fn duplicates(snapshot: &Snapshot, asked: &Asked, partial: &Cell<bool>) -> usize {
    let working = Working::of(snapshot, &asked.settings, asked.now);
    let count = groups(&working).iter().map(|group| group.members.len() - 1).sum();
    partial.set(partial.get() || working.is_partial());
    count
}
