//! The state of the planner: the documents that no action names yet, and the used paths. Each
//! pass sees the results of the earlier ones.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::comparison::scope;
use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot, reference_key};
use loci_model::{Timestamp, limits};

use super::normal_form;
use super::planner::{PlannedAction, Review, ReviewKind};
use super::settings::PlannerSettings;

/// A tree of documents, and the plan so far.
pub(super) struct PlanningState<'a> {
    pub(super) documents: Vec<&'a PlanDocument>,
    pub(super) settings: &'a PlannerSettings,
    pub(super) now: Timestamp,
    /// For each document, true if no action names it yet.
    free: Vec<bool>,
    /// For each document, the properties that it must share with documents it is merged with.
    places: Vec<String>,
    taken: BTreeSet<String>,
    /// The indices of documents by directory and description.
    described: BTreeMap<(String, String), Vec<usize>>,
    pub(super) actions: Vec<PlannedAction>,
    pub(super) reviews: Vec<Review>,
    /// The pairs of similar documents for which no rule decides, as indices.
    open: BTreeSet<(usize, usize)>,
    /// The units of comparison work that the current pass may still use.
    work_left: Cell<usize>,
    /// True if the work limit ended the comparison of documents in some pass.
    is_partial: Cell<bool>,
}

impl<'a> PlanningState<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, settings: &'a PlannerSettings, now: Timestamp) -> Self {
        let standing = snapshot.documents.iter().filter(|document| !document.is_new);
        let mut documents: Vec<&PlanDocument> =
            standing.filter(|document| !is_rendered(&document.reference)).collect();
        documents
            .sort_by_cached_key(|one| (reference_key(&one.reference), one.reference.clone(), one.sequence));
        let mut described: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, document) in documents.iter().enumerate() {
            if let Some(description) = &document.description {
                let place = (directory(&document.reference), normal_form::line(description));
                described.entry(place).or_default().push(at);
            }
        }
        Self {
            described,
            free: vec![true; documents.len()],
            places: documents.iter().map(|document| place(document)).collect(),
            taken: taken(snapshot),
            documents,
            settings,
            now,
            actions: Vec::new(),
            reviews: Vec::new(),
            open: BTreeSet::new(),
            work_left: Cell::new(limits::PLAN_WORK_MAX),
            is_partial: Cell::new(false),
        }
    }

    /// Starts a pass with the full limit of comparison work.
    pub(super) fn begin_pass(&self) {
        self.work_left.set(limits::PLAN_WORK_MAX);
    }

    /// Consumes units of comparison work. Returns false if too few are left.
    pub(super) fn may_work(&self, work: usize) -> bool {
        let left = self.work_left.get().checked_sub(work);
        self.work_left.set(left.unwrap_or(0));
        self.note_cut(left.is_none());
        left.is_some()
    }

    /// Records that a pass did not compare all pairs, if `is_cut` is true.
    pub(super) fn note_cut(&self, is_cut: bool) {
        self.is_partial.set(self.is_partial.get() || is_cut);
    }

    /// Returns true if some pass did not compare all pairs of documents that have something in
    /// common.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial.get()
    }

    pub(super) fn is_free(&self, at: usize) -> bool {
        self.free.get(at).copied().unwrap_or(false)
    }

    /// Returns true if no action names the document and it is not in `system/`, which only
    /// reorganizing changes.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.is_free(at) && self.documents.get(at).is_some_and(|one| !is_system(&one.reference))
    }

    /// Returns true if two documents have the same namespace and strategy, and equal values of
    /// strict metadata keys.
    pub(super) fn may_meet(&self, left: usize, right: usize) -> bool {
        self.places.get(left) == self.places.get(right)
    }

    pub(super) fn place(&self, at: usize) -> &str {
        self.places.get(at).map(String::as_str).unwrap_or_default()
    }

    /// Records a pair of documents for which no rule decides.
    pub(super) fn leave_open(&mut self, left: usize, right: usize) {
        self.open.insert((left.min(right), left.max(right)));
    }

    /// Returns the pairs for which no rule decided and that no later action resolved.
    pub(super) fn open_pairs(&self) -> Vec<[String; 2]> {
        let open = self.open.iter().filter(|(left, right)| self.is_free(*left) && self.is_free(*right));
        let path = |at: usize| self.documents.get(at).map(|document| document.reference.clone());
        open.filter_map(|(left, right)| Some([path(*left)?, path(*right)?])).collect()
    }

    /// Plans an action that involves these documents. Later passes then plan nothing else for them.
    pub(super) fn act(
        &mut self,
        operation: Operation,
        action: Action,
        held: Option<&str>,
        settles: &[usize],
    ) {
        for at in settles {
            if let Some(free) = self.free.get_mut(*at) {
                *free = false;
            }
        }
        if let Some(path) = action.writes() {
            self.taken.insert(reference_key(path));
        }
        self.actions.push(PlannedAction { operation, action, held: held.map(str::to_owned) });
    }

    pub(super) fn is_taken(&self, key: &str) -> bool {
        self.taken.contains(key)
    }

    /// Returns the documents in the directory of `reference` that have this description.
    pub(super) fn described(&self, reference: &str, description: &str) -> &[usize] {
        let place = (directory(reference), normal_form::line(description));
        self.described.get(&place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Records a finding for a person, once for each pair of documents.
    pub(super) fn review(&mut self, kind: ReviewKind, left: usize, right: usize) {
        let (Some(left), Some(right)) = (self.documents.get(left), self.documents.get(right)) else { return };
        let mut paths = [left.reference.clone(), right.reference.clone()];
        paths.sort();
        let review = Review { kind, paths };
        if !self.reviews.contains(&review) {
            self.reviews.push(review);
        }
    }
}

fn taken(snapshot: &Snapshot) -> BTreeSet<String> {
    let read = snapshot.documents.iter().map(|document| document.reference.as_str());
    read.chain(snapshot.taken.iter().map(String::as_str)).map(reference_key).collect()
}

fn directory(reference: &str) -> String {
    reference.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned())
}

/// Returns true for a document that is loaded in full with every prompt.
pub(super) fn is_system(reference: &str) -> bool {
    reference_key(reference).starts_with("knowledge/system/")
}

/// Returns true for a document that Loci writes itself. No action is planned for it.
fn is_rendered(reference: &str) -> bool {
    let key = reference_key(reference);
    key.starts_with("sessions/") || key.starts_with("consolidation/")
}

fn place(document: &PlanDocument) -> String {
    format!("{}\n{:?}\n{:?}", document.namespace.normal(), document.strategy, document.strict)
}

/// Returns the normalised scope of a document. Two documents with the same scope have equal ones.
pub(super) fn scope(document: &PlanDocument) -> Option<String> {
    document.scope.as_deref().map(scope::normal)
}

/// Returns a sort key that is greater for newer documents.
pub(super) fn newness(document: &PlanDocument) -> (Timestamp, Timestamp, u64, &str) {
    (document.valid_from, document.observed_at, document.sequence, &document.reference)
}

/// Returns a sort key that is smaller for older documents.
pub(super) fn age(document: &PlanDocument) -> (Timestamp, u64, &str) {
    (document.observed_at, document.sequence, &document.reference)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{day, tree};
    use super::*;

    #[test]
    fn a_pass_does_so_much_work() {
        let (snapshot, settings) = (tree(&["A.", "B."]), PlannerSettings::default());
        let working = PlanningState::of(&snapshot, &settings, day(1));
        assert!(working.may_work(loci_model::limits::PLAN_WORK_MAX - 1) && working.may_work(1));
        assert!(!working.is_partial(), "the last unit is work like the others");
        assert!(!working.may_work(1));
        assert!(working.is_partial());
        working.begin_pass();
        assert!(working.may_work(loci_model::limits::PLAN_WORK_MAX) && working.is_partial());
    }
}
