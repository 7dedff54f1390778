//! The pass that keeps `system/`, the documents that are loaded with every prompt, within its
//! token budget. It moves out the documents with the lowest priority and the fewest reads. It
//! proposes pinned or frequently read documents for `system/`, and a person decides.

use std::cmp::Reverse;

use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::snapshot::PlanDocument;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::slug::free_path;
use loci_model::Error;
use loci_model::record::TrustTier;
use loci_text::tokens::estimate_tokens;

use super::planning_state::{PlanningState, is_system};

/// The target directory of documents that are moved out of `system/`.
const FACTS: &str = "knowledge/facts";
const SYSTEM: &str = "knowledge/system";

pub(super) fn reorganize(working: &mut PlanningState<'_>) {
    let budget = working.settings.system_tokens;
    let mut loaded: Vec<usize> = (0..working.documents.len())
        .filter(|at| of(working, *at).is_some_and(|one| is_system(&one.reference)))
        .collect();
    loaded.sort_by_key(|at| of(working, *at).map(order));
    let mut spent: u32 = 0;
    for at in loaded {
        let Some(document) = of(working, at) else { continue };
        let tokens = estimate_tokens(&document.text);
        let fits = spent.saturating_add(tokens) <= budget;
        if fits || document.pinned || !working.is_free(at) {
            spent = spent.saturating_add(tokens);
        } else if let Some(action) = moved(working, document, FACTS, "knowledge/system/ is over its budget") {
            working.act(Operation::Reorganize, action, None, &[at]);
        }
    }
    promote(working, spent);
}

/// Returns the sort key for the order in which `system/` is loaded. The last document is moved out
/// first.
fn order(document: &PlanDocument) -> (bool, Reverse<i64>, Reverse<u64>, &str) {
    (!document.pinned, Reverse(document.priority), Reverse(document.uses), &document.reference)
}

/// Proposes documents for `system/`: pinned ones with a priority, and those that are read often.
/// The actions wait for an administrator.
fn promote(working: &mut PlanningState<'_>, mut spent: u32) {
    let promote_reads = working.settings.promote_reads;
    let is_chosen = |one: &PlanDocument| one.pinned && one.priority > 0;
    let wanted = |one: &PlanDocument| {
        (is_chosen(one) || one.uses >= promote_reads)
            && !is_system(&one.reference)
            && matches!(one.tier, TrustTier::Agent | TrustTier::Confirmed)
    };
    let mut found: Vec<usize> =
        (0..working.documents.len()).filter(|at| of(working, *at).is_some_and(wanted)).collect();
    found.sort_by_key(|at| of(working, *at).map(order));
    for at in found {
        let Some(document) = of(working, at).filter(|_| working.is_free(at)) else { continue };
        let tokens = estimate_tokens(&document.text);
        if spent.saturating_add(tokens) > working.settings.system_tokens {
            continue;
        }
        let why = if is_chosen(document) { "it is pinned and has a priority" } else { "it is read often" };
        if let Some(action) = moved(working, document, SYSTEM, why) {
            spent = spent.saturating_add(tokens);
            working.act(
                Operation::Reorganize,
                action,
                Some("what is always loaded is decided by a person"),
                &[at],
            );
        }
    }
}

fn of<'a>(working: &PlanningState<'a>, at: usize) -> Option<&'a PlanDocument> {
    working.documents.get(at).copied()
}

/// Returns the action that moves a document into a directory, under its own name or the next free
/// one. `None` if the rules of plans forbid its name.
fn moved(
    working: &PlanningState<'_>,
    document: &PlanDocument,
    directory: &str,
    reason: &str,
) -> Option<Action> {
    let path = DocumentPath::check(&document.reference).ok().filter(|path| path.ending() == ".md")?;
    let to =
        free_path(directory, path.stem(), |_, key| Ok::<_, Error>(working.is_taken(key.as_str()))).ok()?;
    Some(Action::Move {
        from: document.reference.clone(),
        to: to.as_str().to_owned(),
        reason: reason.to_owned(),
    })
}
