//! The planner: it runs the passes of consolidation over a tree in a fixed order, and validates
//! the result by the rules of every plan.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::plan::{Action, Operation, Plan};
use loci_engine::consolidation::snapshot::{Snapshot, reference_key};
use loci_engine::consolidation::validator::{Bounds, Violation, validate};
use loci_model::Timestamp;

use super::planning_state::PlanningState;
use super::settings::PlannerSettings;
use super::{contradictions, duplicates, prune, reorganize, topics};

/// The maximum number of pairs that a report names. It states how many more there are.
const PAIRS_NAMED: usize = 10;
/// The sentence that a summary contains if only a part of the documents was compared.
const PARTIAL: &str = " Not all documents were compared: too many have much in common.";

/// The part of the found actions that a caller requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum About {
    /// All actions of all requested operations.
    #[default]
    Everything,
    /// The actions that name one of these documents, given by their path keys, and all actions for
    /// misplaced and expired documents.
    Changed(BTreeSet<String>),
    /// The actions of every operation that name one of these documents, given by their path keys.
    Touching(BTreeSet<String>),
    /// The actions that name only documents at or below these paths, given by their keys.
    Within(Vec<String>),
}

impl About {
    fn wants(&self, planned: &PlannedAction) -> bool {
        let keys = || planned.action.reads().into_iter().chain(planned.action.writes()).map(reference_key);
        match self {
            Self::Everything => true,
            Self::Changed(changed) => {
                matches!(planned.operation, Operation::Reorganize | Operation::Prune)
                    || keys().any(|key| changed.contains(&key))
            }
            Self::Touching(touched) => keys().any(|key| touched.contains(&key)),
            Self::Within(paths) => planned
                .action
                .reads()
                .into_iter()
                .map(reference_key)
                .all(|key| paths.iter().any(|path| is_within(&key, path))),
        }
    }

    fn wants_review(&self, review: &Review) -> bool {
        self.wants_pair(&review.paths)
    }

    fn wants_pair(&self, paths: &[String; 2]) -> bool {
        let mut keys = paths.iter().map(|path| reference_key(path));
        match self {
            Self::Everything => true,
            Self::Changed(some) | Self::Touching(some) => keys.any(|key| some.contains(&key)),
            Self::Within(paths) => keys.all(|key| paths.iter().any(|path| is_within(&key, path))),
        }
    }
}

/// Returns true if the key equals the path or is below it.
fn is_within(key: &str, path: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The request of a consolidation plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// The operations to plan. They run in a fixed order.
    pub operations: BTreeSet<Operation>,
    /// The part of the found actions that is requested.
    pub about: About,
    /// The current time, by which documents expire.
    pub now: Timestamp,
    /// The time since which reads are counted. `None` means that they are not counted.
    pub counted_since: Option<Timestamp>,
    /// The thresholds of the planner.
    pub settings: PlannerSettings,
    /// The limits of the plan: the numbers of files, bytes and actions.
    pub bounds: Bounds,
}

impl PlanRequest {
    /// Returns a request of operations with the default thresholds. The whole tree may be planned,
    /// because no model reads it.
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
        Self { operations, about: About::Everything, now, counted_since: None, settings, bounds }
    }
}

/// An action of a plan, with the operation that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedAction {
    /// The operation that found the action.
    pub operation: Operation,
    /// The action.
    pub action: Action,
    /// The reason why a person must decide on the action. `None` if it may be applied at once.
    pub held: Option<String>,
}

/// A finding that no action resolves, for a person to review.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Review {
    /// The kind of the finding.
    pub kind: ReviewKind,
    /// The paths of the two documents, sorted.
    pub paths: [String; 2],
}

/// The kinds of findings for review. There are no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewKind {
    /// One document contradicts another in a narrower scope. Both stay.
    MoreSpecific,
    /// A newer document contradicts one that is pinned or loaded with every prompt.
    Protected,
}

impl ReviewKind {
    /// Returns the sentence that describes the finding to people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::MoreSpecific => "more specific exists",
            Self::Protected => "contradicted, and pinned or always loaded",
        }
    }
}

/// The work that rules leave undone if no model is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelWork {
    /// The pairs of similar documents in the same scope for which no rule decides which is right.
    pub pairs: Vec<[String; 2]>,
    /// The requested operations that need a model for all or a part of their work.
    pub operations: BTreeSet<Operation>,
}

impl ModelWork {
    /// Returns a sentence about each item of remaining work, for reports.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let named = self.pairs.iter().take(PAIRS_NAMED);
        let mut all: Vec<String> =
            named.map(|[one, other]| format!("{one} and {other} are alike, and no rule decides")).collect();
        if let Some(more) = self.pairs.len().checked_sub(PAIRS_NAMED).filter(|more| *more > 0) {
            all.push(format!("{more} more pairs that no rule decides"));
        }
        let of_operation = |operation: &Operation| match operation {
            Operation::DeriveInsights => Some("derive_insights: new documents over several"),
            Operation::Reorganize => Some("reorganize: titles, descriptions, and places by meaning"),
            Operation::ResolveContradictions | Operation::Deduplicate | Operation::Prune => None,
        };
        all.extend(self.operations.iter().filter_map(of_operation).map(str::to_owned));
        all
    }

    /// Returns the sentences for a summary. It contains only remaining work that a reader would
    /// assume to be done, and is empty if there is none.
    fn in_short(&self) -> String {
        let mut parts = Vec::new();
        match self.pairs.len() {
            0 => {}
            1 => parts.push("1 pair of documents that no rule decides".to_owned()),
            many => parts.push(format!("{many} pairs of documents that no rule decides")),
        }
        if self.operations.contains(&Operation::DeriveInsights) {
            parts.push("insights".to_owned());
        }
        if parts.is_empty() { String::new() } else { format!(" Left to a model: {}.", parts.join(", ")) }
    }
}

/// A plan of consolidation, with its findings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanResult {
    /// The actions, ordered by operation, then by path.
    pub actions: Vec<PlannedAction>,
    /// The findings for a person to review, sorted.
    pub reviews: Vec<Review>,
    /// The violations of the rules of plans. An action that violates a rule must not be applied.
    pub violations: Vec<Violation>,
    /// The work that the rules leave to a model.
    pub left: ModelWork,
    /// True if the work limit ended the comparison of documents, so that more documents may be
    /// duplicates or contradict each other.
    pub is_partial: bool,
}

impl PlanResult {
    /// Returns the plan in the schema of all consolidation plans, including the held actions.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            actions: self.actions.iter().map(|planned| planned.action.clone()).collect(),
            summary: self.summary(),
        }
    }

    /// Keeps only the actions of the requested part. The caller validates the plan again.
    pub(crate) fn keep(&mut self, about: &About) {
        self.actions.retain(|planned| about.wants(planned));
        self.reviews.retain(|review| about.wants_review(review));
        self.left.pairs.retain(|pair| about.wants_pair(pair));
        self.violations.clear();
    }

    /// Returns the actions that may be applied without a person's decision.
    #[must_use]
    pub fn ready(&self) -> Vec<&Action> {
        self.actions.iter().filter(|planned| planned.held.is_none()).map(|planned| &planned.action).collect()
    }

    /// Returns a sentence with the number of actions of each kind.
    #[must_use]
    pub fn summary(&self) -> String {
        let partial = if self.is_partial { PARTIAL } else { "" };
        let left = self.left.in_short();
        let look = match self.reviews.len() {
            0 => String::new(),
            many => format!(" {many} for a person to look at."),
        };
        if self.actions.is_empty() {
            let is_idle = left.is_empty() && look.is_empty();
            let done = if is_idle { "Nothing to do." } else { "No action by rules." };
            return format!("{done}{look}{left}{partial}");
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for planned in &self.actions {
            *kinds.entry(planned.action.kind()).or_default() += 1;
        }
        let said: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let held = self.actions.iter().filter(|planned| planned.held.is_some()).count();
        format!("{}; {held} held.{look}{left}{partial}", said.join(", "))
    }
}

/// Plans the consolidation of a tree. Equal trees and requests give equal plans, byte for byte.
#[must_use]
pub fn plan(snapshot: &Snapshot, asked: &PlanRequest) -> PlanResult {
    let mut working = PlanningState::of(snapshot, &asked.settings, asked.now);
    for operation in &asked.operations {
        match operation {
            Operation::ResolveContradictions => contradictions::resolve(&mut working),
            Operation::Deduplicate => duplicates::merge(&mut working),
            // Only a model writes new text: the operation is left to it.
            Operation::DeriveInsights => {}
            Operation::Reorganize => {
                topics::gather(&mut working);
                reorganize::reorganize(&mut working);
            }
            Operation::Prune => prune::prune(&mut working, asked.counted_since),
        }
    }
    let is_partial = working.is_partial();
    let mut pairs = working.open_pairs();
    pairs.retain(|pair| asked.about.wants_pair(pair));
    let operations = [Operation::DeriveInsights, Operation::Reorganize];
    let operations = operations.into_iter().filter(|one| asked.operations.contains(one)).collect();
    let left = ModelWork { pairs, operations };
    let PlanningState { mut actions, mut reviews, .. } = working;
    actions.retain(|planned| asked.about.wants(planned));
    reviews.retain(|review| asked.about.wants_review(review));
    // A stable sort: within a pass by the first document that an action names.
    actions.sort_by_cached_key(|planned| (planned.operation, named_first(&planned.action)));
    reviews.sort();
    judged(PlanResult { actions, reviews, violations: Vec::new(), left, is_partial }, snapshot, &asked.bounds)
}

/// Validates a plan by the rules of every plan: it holds actions that need a person's decision, and
/// reports violations.
#[must_use]
pub fn judged(mut planned: PlanResult, snapshot: &Snapshot, bounds: &Bounds) -> PlanResult {
    let found = validate(&planned.plan(), snapshot, bounds);
    let (held, refused): (Vec<Violation>, Vec<Violation>) = found.into_iter().partition(|one| one.held);
    for violation in held {
        if let Some(action) = planned.actions.get_mut(violation.action) {
            action.held.get_or_insert(violation.message);
        }
    }
    PlanResult { violations: refused, ..planned }
}

fn named_first(action: &Action) -> String {
    action.reads().into_iter().min().unwrap_or_default().to_owned()
}
