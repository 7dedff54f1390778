//! The tree while it is planned on: which documents are still free for an action, and which paths are taken. Each pass sees what those
//! before it left.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::comparison::scope;
use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot, reference_key};
use loci_model::{Timestamp, limits};

use super::normal;
use super::planner::{PlannedAction, Review, ReviewKind};
use super::settings::PlannerSettings;

/// The tree, and what is planned on it.
pub(super) struct Working<'a> {
    pub(super) documents: Vec<&'a PlanDocument>,
    pub(super) settings: &'a PlannerSettings,
    pub(super) now: Timestamp,
    /// By document: no action names it yet.
    free: Vec<bool>,
    /// By document: what documents that may meet have in common.
    places: Vec<String>,
    taken: BTreeSet<String>,
    /// Documents by directory and description.
    described: BTreeMap<(String, String), Vec<usize>>,
    pub(super) actions: Vec<PlannedAction>,
    pub(super) reviews: Vec<Review>,
    /// Documents that are alike, and no rule decides what they are to each other.
    open: BTreeSet<(usize, usize)>,
    /// Work that the pass may still do.
    work_left: Cell<usize>,
    /// Not every two documents with something in common were compared.
    is_partial: Cell<bool>,
}

impl<'a> Working<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, settings: &'a PlannerSettings, now: Timestamp) -> Self {
        let standing = snapshot.documents.iter().filter(|document| !document.is_new);
        let mut documents: Vec<&PlanDocument> =
            standing.filter(|document| !is_rendered(&document.reference)).collect();
        documents
            .sort_by_cached_key(|one| (reference_key(&one.reference), one.reference.clone(), one.sequence));
        let mut described: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, document) in documents.iter().enumerate() {
            if let Some(description) = &document.description {
                let place = (directory(&document.reference), normal::line(description));
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

    /// A pass begins: it has all of its work before it.
    pub(super) fn begin_pass(&self) {
        self.work_left.set(limits::PLAN_WORK_MAX);
    }

    /// True where the pass may do so much work more.
    pub(super) fn may_work(&self, work: usize) -> bool {
        let left = self.work_left.get().checked_sub(work);
        self.work_left.set(left.unwrap_or(0));
        self.note_cut(left.is_none());
        left.is_some()
    }

    /// Notes where not everything is compared.
    pub(super) fn note_cut(&self, is_cut: bool) {
        self.is_partial.set(self.is_partial.get() || is_cut);
    }

    /// True where not every two documents with something in common were compared.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial.get()
    }

    pub(super) fn is_free(&self, at: usize) -> bool {
        self.free.get(at).copied().unwrap_or(false)
    }

    /// Free, and not in `system/`, which only reorganizing touches.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.is_free(at) && self.documents.get(at).is_some_and(|one| !is_system(&one.reference))
    }

    /// True where two documents are of one namespace and strategy, with equal strict values.
    pub(super) fn may_meet(&self, left: usize, right: usize) -> bool {
        self.places.get(left) == self.places.get(right)
    }

    pub(super) fn place(&self, at: usize) -> &str {
        self.places.get(at).map(String::as_str).unwrap_or_default()
    }

    /// Notes two documents that no rule decides about.
    pub(super) fn leave_open(&mut self, left: usize, right: usize) {
        self.open.insert((left.min(right), left.max(right)));
    }

    /// The pairs that no rule decided about, and that no action settled since.
    pub(super) fn open_pairs(&self) -> Vec<[String; 2]> {
        let open = self.open.iter().filter(|(left, right)| self.is_free(*left) && self.is_free(*right));
        let path = |at: usize| self.documents.get(at).map(|document| document.reference.clone());
        open.filter_map(|(left, right)| Some([path(*left)?, path(*right)?])).collect()
    }

    /// Plans an action that settles these documents.
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

    /// The documents of a reference's directory that have a description.
    pub(super) fn described(&self, reference: &str, description: &str) -> &[usize] {
        let place = (directory(reference), normal::line(description));
        self.described.get(&place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes what a person should look at, once for each two documents.
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

/// What is loaded in full with every prompt.
pub(super) fn is_system(reference: &str) -> bool {
    reference_key(reference).starts_with("knowledge/system/")
}

/// What Loci renders: nothing is planned on it.
fn is_rendered(reference: &str) -> bool {
    let key = reference_key(reference);
    key.starts_with("sessions/") || key.starts_with("consolidation/")
}

fn place(document: &PlanDocument) -> String {
    format!("{}\n{:?}\n{:?}", document.namespace.normal(), document.strategy, document.strict)
}

/// Equal where two documents hold in one scope.
pub(super) fn scope(document: &PlanDocument) -> Option<String> {
    document.scope.as_deref().map(scope::normal)
}

/// Greater where a document is newer.
pub(super) fn newness(document: &PlanDocument) -> (Timestamp, Timestamp, u64, &str) {
    (document.valid_from, document.observed_at, document.sequence, &document.reference)
}

/// Smaller where a document was there earlier.
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
        let working = Working::of(&snapshot, &settings, day(1));
        assert!(working.may_work(loci_model::limits::PLAN_WORK_MAX - 1) && working.may_work(1));
        assert!(!working.is_partial(), "the last unit is work like the others");
        assert!(!working.may_work(1));
        assert!(working.is_partial());
        working.begin_pass();
        assert!(working.may_work(loci_model::limits::PLAN_WORK_MAX) && working.is_partial());
    }
}
