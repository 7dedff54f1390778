//! The plan: passes in their fixed order over one tree, judged by the rules of every plan.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Timestamp;

use super::settings::PlannerSettings;
use super::working::Working;
use super::{contradicting, duplicates, pruning, reorganizing};
use crate::consolidation::plan::{Action, Operation, Plan};
use crate::consolidation::snapshot::Snapshot;
use crate::consolidation::validator::{Bounds, Violation, validate};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The passes; they run in their own order.
    pub operations: BTreeSet<Operation>,
    /// When.
    pub now: Timestamp,
    /// Since when reads are counted; `None`: they are not.
    pub counted_since: Option<Timestamp>,
    /// Thresholds.
    pub settings: PlannerSettings,
    /// What the plan is judged by.
    pub bounds: Bounds,
}

impl Asked {
    /// The operations with the shipped thresholds; the whole tree may be read, for no model is shown it.
    #[must_use]
    pub fn of(operations: &[Operation], now: Timestamp) -> Self {
        let settings = PlannerSettings::default();
        let operations: BTreeSet<Operation> = operations.iter().copied().collect();
        let bounds = Bounds {
            operations: operations.clone(),
            files_max: usize::MAX,
            input_bytes_max: usize::MAX,
            system_tokens_max: Some(settings.system_tokens),
            ..Bounds::default()
        };
        Self { operations, now, counted_since: None, settings, bounds }
    }
}

/// An action with what led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedAction {
    /// Of which operation it is.
    pub operation: Operation,
    /// The action.
    pub action: Action,
    /// Why a person decides first; `None`: nobody needs to.
    pub held: Option<String>,
}

/// What a person should look at, and no action settles.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Review {
    /// What it is.
    pub kind: ReviewKind,
    /// The documents, sorted.
    pub paths: [String; 2],
}

/// Kinds of reviews; the list is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewKind {
    /// One contradicts the other in a narrower scope: both stay.
    MoreSpecific,
    /// A newer one contradicts one that is pinned or always loaded.
    Protected,
}

impl ReviewKind {
    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::MoreSpecific => "more specific exists",
            Self::Protected => "contradicted, and pinned or always loaded",
        }
    }
}

/// A plan with what is beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    /// In the order of the operations, then of paths.
    pub actions: Vec<PlannedAction>,
    /// What a person should look at; sorted.
    pub reviews: Vec<Review>,
    /// What breaks a rule of plans; such an action is not to be applied.
    pub violations: Vec<Violation>,
}

impl Planned {
    /// The plan in the schema of all plans: held actions are in it.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            actions: self.actions.iter().map(|planned| planned.action.clone()).collect(),
            summary: self.summary(),
        }
    }

    /// What may be applied without anybody's decision.
    #[must_use]
    pub fn ready(&self) -> Vec<&Action> {
        self.actions.iter().filter(|planned| planned.held.is_none()).map(|planned| &planned.action).collect()
    }

    /// Actions by their kind, in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.actions.is_empty() {
            return "Nothing to do.".to_owned();
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for planned in &self.actions {
            *kinds.entry(planned.action.kind()).or_default() += 1;
        }
        let said: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let held = self.actions.iter().filter(|planned| planned.held.is_some()).count();
        format!("{}; {held} held.", said.join(", "))
    }
}

/// Plans on a tree. The same tree and the same question give the same plan, byte for byte.
#[must_use]
pub fn plan(snapshot: &Snapshot, asked: &Asked) -> Planned {
    let mut working = Working::of(snapshot, &asked.settings, asked.now);
    for operation in &asked.operations {
        match operation {
            Operation::ResolveContradictions => contradicting::resolve(&mut working),
            Operation::Deduplicate => duplicates::merge(&mut working),
            // Without a model nothing new is said.
            Operation::DeriveInsights => {}
            Operation::Reorganize => reorganizing::reorganize(&mut working),
            Operation::Prune => pruning::prune(&mut working, asked.counted_since),
        }
    }
    let Working { mut actions, mut reviews, .. } = working;
    // Stable: within a pass, by the first document that an action is about.
    actions.sort_by_cached_key(|planned| (planned.operation, named_first(&planned.action)));
    reviews.sort();
    let mut planned = Planned { actions, reviews, violations: Vec::new() };
    let found = validate(&planned.plan(), snapshot, &asked.bounds);
    let (held, refused): (Vec<Violation>, Vec<Violation>) = found.into_iter().partition(|one| one.held);
    for violation in held {
        if let Some(action) = planned.actions.get_mut(violation.action) {
            action.held.get_or_insert(violation.message);
        }
    }
    Planned { violations: refused, ..planned }
}

fn named_first(action: &Action) -> String {
    action.reads().into_iter().min().unwrap_or_default().to_owned()
}
