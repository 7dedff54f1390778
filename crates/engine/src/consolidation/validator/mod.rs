//! Checks a plan before it is applied: each rule separately, all violations at once. Pure.
//!
//! | file | rules |
//! |---|---|
//! | `actions` | V01 allowed, V08 one write per path, V09 written and vacated, |
//! | | V10 nothing unread is overwritten, V11 cycles and double retirement, |
//! | | V17 reasons, V18 share of retired documents |
//! | `references` | V02 every reference exists, once |
//! | `paths` | V04 targets, V13 `system/` and pinned documents |
//! | `texts` | V05 descriptions, V06 bodies, V07 `content`, V12 nothing invented or lost, |
//! | | V16 injection and secrets |
//! | `lineage` | V03 permitted merges, V14 sources of derived documents, |
//! | | V15 permitted supersessions, and trust |
//! | `bounds` | size limits of a plan |
//!
//! A rule on paths ignores references that are record ids. To add a rule, add its code, its
//! function in a file, its line in [`validate`], and its property test.

mod actions;
mod bounds;
mod lineage;
mod paths;
mod references;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Operation, Plan};
use super::snapshot::{PlanDocument, Snapshot, reference_key};

pub use bounds::Bounds;

/// The code of a rule of the validator, as the table in this module's documentation lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table in the module's header says what each code is")]
pub enum RuleCode {
    Bounds,
    V01,
    V02,
    V03,
    V04,
    V05,
    V06,
    V07,
    V08,
    V09,
    V10,
    V11,
    V12,
    V13,
    V14,
    V15,
    V16,
    V17,
    V18,
}

/// A violation of a rule by a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule that the plan violates.
    pub code: RuleCode,
    /// The index of the change that violates the rule; the first change if the plan as a whole
    /// does.
    pub action: usize,
    /// A message for people. It names documents but contains none of their text.
    pub message: String,
    /// True if the change only has to wait for a person's review; false if the whole plan is
    /// rejected.
    pub held: bool,
}

/// The input of the rules: the plan, its basis and its bounds.
#[derive(Debug)]
pub(super) struct ValidationInput<'a> {
    pub(super) plan: &'a Plan,
    pub(super) snapshot: &'a Snapshot,
    pub(super) bounds: &'a Bounds,
    /// Indexes of documents in the snapshot by the key of their reference.
    by_name: BTreeMap<String, Vec<usize>>,
    /// Keys of paths that belong to others.
    taken: BTreeSet<String>,
    found: Vec<Violation>,
}

impl<'a> ValidationInput<'a> {
    fn of(plan: &'a Plan, snapshot: &'a Snapshot, bounds: &'a Bounds) -> Self {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, document) in snapshot.documents.iter().enumerate() {
            by_name.entry(reference_key(&document.reference)).or_default().push(at);
        }
        let taken = snapshot.taken.iter().map(|path| reference_key(path)).collect();
        Self { plan, snapshot, bounds, by_name, taken, found: Vec::new() }
    }

    /// Returns the number of documents with a reference.
    pub(super) fn named(&self, reference: &str) -> usize {
        self.by_name.get(&reference_key(reference)).map_or(0, Vec::len)
    }

    /// Returns the document with that reference; `None` if there is none, or more than one.
    pub(super) fn find(&self, reference: &str) -> Option<&'a PlanDocument> {
        match self.by_name.get(&reference_key(reference))?.as_slice() {
            [only] => self.snapshot.documents.get(*only),
            _ => None,
        }
    }

    /// Returns true if a document had that reference before the plan.
    pub(super) fn stands(&self, reference: &str) -> bool {
        let places = self.by_name.get(&reference_key(reference)).into_iter().flatten();
        places.filter_map(|at| self.snapshot.documents.get(*at)).any(|document| !document.is_new)
    }

    /// Returns true if the path belongs to a document that the plan must not touch.
    pub(super) fn is_taken(&self, reference: &str) -> bool {
        self.taken.contains(&reference_key(reference))
    }

    pub(super) fn refuse(&mut self, code: RuleCode, action: usize, message: impl Into<String>) {
        self.found.push(Violation { code, action, message: message.into(), held: false });
    }

    pub(super) fn hold(&mut self, code: RuleCode, action: usize, message: impl Into<String>) {
        self.found.push(Violation { code, action, message: message.into(), held: true });
    }
}

/// Returns all violations of a plan, by action, then by rule.
pub fn validate(plan: &Plan, snapshot: &Snapshot, bounds: &Bounds) -> Vec<Violation> {
    let mut judging = ValidationInput::of(plan, snapshot, bounds);
    for rule in [
        bounds::sizes,
        actions::allowed_kinds,
        references::there,
        lineage::may_merge,
        paths::targets,
        texts::descriptions,
        texts::bodies,
        texts::contents,
        actions::one_write,
        actions::written_and_vacated,
        actions::unread,
        actions::cycles,
        texts::nothing_invented,
        paths::protected,
        paths::system_budget,
        lineage::derived,
        lineage::may_supersede,
        lineage::trusted_alike,
        lineage::by_model,
        texts::safe,
        actions::reasons,
        actions::retirements,
    ] {
        rule(&mut judging);
    }
    let mut found = judging.found;
    found.sort_by_key(|violation| (violation.action, violation.code));
    found.dedup();
    found
}

/// Returns the actions that an operation allows.
fn allowed_by(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::ResolveContradictions => &["update", "supersede"],
        Operation::Deduplicate => &["merge", "archive", "update"],
        Operation::DeriveInsights => &["create"],
        Operation::Reorganize => &["move", "update", "merge"],
        Operation::Prune => &["archive"],
    }
}

fn allowed(operations: &BTreeSet<Operation>) -> BTreeSet<&'static str> {
    operations.iter().flat_map(|operation| allowed_by(*operation)).copied().collect()
}

#[cfg(test)]
mod tests;
