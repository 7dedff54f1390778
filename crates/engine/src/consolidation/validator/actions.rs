//! Rules on single actions: V01, V08, V09, V10, V11, V17, V18.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::limits;

use super::super::plan::{Action, Operation, Words};
use super::super::snapshot::reference_key;
use super::{RuleCode, ValidationInput, allowed};

/// Number of retirements that are always allowed.
const RETIRED_MIN: usize = 8;

/// Returns the kinds of actions that the requested operations allow (V01).
pub(super) fn allowed_actions(judging: &ValidationInput<'_>) -> BTreeSet<&'static str> {
    let mut kinds = allowed(&judging.bounds.operations);
    if judging.bounds.extracts {
        kinds.extend(["create", "supersede", "update"]);
    }
    kinds
}

pub(super) fn allowed_kinds(judging: &mut ValidationInput<'_>) {
    let kinds = allowed_actions(judging);
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        if let Action::Update { path, words, .. } = action
            && let Some(wrong) = update_beyond(judging, path, words)
        {
            judging.refuse(RuleCode::V01, at, wrong);
        }
        if !kinds.contains(action.kind()) {
            let kind = action.kind();
            judging.refuse(RuleCode::V01, at, format!("the operations asked for do not allow {kind}"));
        }
    }
}

/// Returns the violation if an update exceeds the operations. Resolving contradictions changes
/// bodies, reorganizing changes titles and descriptions, and deduplicating removes repeated lines.
fn update_beyond(judging: &ValidationInput<'_>, path: &str, words: &Words) -> Option<&'static str> {
    let asked = |operation| judging.bounds.operations.contains(&operation);
    if judging.bounds.extracts || asked(Operation::ResolveContradictions) {
        return None;
    }
    let about = words.title.is_some() || words.description.is_some();
    if words.content.is_some() || (about && !asked(Operation::Reorganize)) {
        return Some("the operations asked for do not allow other words about a document");
    }
    let (body, document) = (words.body.as_deref()?, judging.find(path)?);
    let allowed = asked(Operation::Deduplicate) && only_drops_lines(&document.text, body);
    (!allowed).then_some("the operations asked for do not allow another body")
}

/// Returns true if the new text is the old one without some lines that occur elsewhere in it.
fn only_drops_lines(old: &str, new: &str) -> bool {
    let kept: BTreeSet<&str> = new.lines().map(str::trim).collect();
    let mut rest = new.split_inclusive('\n').peekable();
    for line in old.split_inclusive('\n') {
        if rest.peek().is_some_and(|next| next.trim_end_matches('\n') == line.trim_end_matches('\n')) {
            rest.next();
        } else if !kept.contains(line.trim()) {
            return false;
        }
    }
    rest.next().is_none()
}

/// Checks V08: no two actions write one path.
pub(super) fn one_write(judging: &mut ValidationInput<'_>) {
    let mut written: BTreeSet<String> = BTreeSet::new();
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        if let Some(path) = action.writes()
            && !written.insert(reference_key(path))
        {
            judging.refuse(RuleCode::V08, at, format!("{path} is written twice"));
        }
    }
}

/// Checks V09: no path is written and vacated, except a merge's target that is its own source.
pub(super) fn written_and_vacated(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    let vacated: BTreeSet<String> =
        plan.actions.iter().flat_map(Action::vacates).map(reference_key).collect();
    for (at, action) in plan.actions.iter().enumerate() {
        if let Some(path) = action.writes()
            && vacated.contains(&reference_key(path))
        {
            judging.refuse(RuleCode::V09, at, format!("{path} is written and vacated"));
        }
    }
}

/// Checks V10: an action overwrites only documents that it read.
pub(super) fn unread(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(path) = action.writes() else { continue };
        let stands = judging.stands(path) || judging.is_taken(path);
        let own = match action {
            Action::Merge { sources, .. } => {
                sources.iter().any(|source| reference_key(source) == reference_key(path))
            }
            Action::Update { .. } => true,
            // A move to another spelling of the same path.
            Action::Move { from, .. } => from != path && reference_key(from) == reference_key(path),
            Action::Create { .. } | Action::Supersede { .. } | Action::Archive { .. } => false,
        };
        if stands && !own {
            judging.refuse(RuleCode::V10, at, format!("{path} would overwrite a document"));
        }
    }
}

/// Checks V11: moves and supersessions form no cycle, and nothing is retired twice.
pub(super) fn cycles(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    let mut next: BTreeMap<String, String> = BTreeMap::new();
    let mut retired: BTreeSet<String> = BTreeSet::new();
    for (at, action) in plan.actions.iter().enumerate() {
        for path in action.vacates() {
            if !retired.insert(reference_key(path)) {
                judging.refuse(RuleCode::V11, at, format!("{path} is retired or moved twice"));
            }
        }
        match action {
            Action::Supersede { path, by, .. } => {
                next.insert(reference_key(path), reference_key(by));
            }
            Action::Move { from, to, .. } => {
                next.insert(reference_key(from), reference_key(to));
            }
            Action::Merge { .. } | Action::Update { .. } | Action::Create { .. } | Action::Archive { .. } => {
            }
        }
    }
    for (at, action) in plan.actions.iter().enumerate() {
        let start = match action {
            Action::Supersede { path, .. } => reference_key(path),
            Action::Move { from, .. } => reference_key(from),
            _ => continue,
        };
        let mut place = &start;
        for _ in 0..=next.len() {
            match next.get(place) {
                Some(to) if to == &start => {
                    judging.refuse(RuleCode::V11, at, format!("{start} leads back to itself"));
                    break;
                }
                Some(to) => place = to,
                None => break,
            }
        }
    }
}

/// Checks V17: every reason has 1 to 500 characters without control characters.
pub(super) fn reasons(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let reason = action.reason();
        if reason.trim().is_empty() {
            judging.refuse(RuleCode::V17, at, "the reason is empty");
        } else if reason.chars().count() > limits::REASON_CHARS_MAX {
            judging.refuse(
                RuleCode::V17,
                at,
                format!("the reason is longer than {} characters", limits::REASON_CHARS_MAX),
            );
        } else if reason.chars().any(|c| c.is_control()) {
            judging.refuse(RuleCode::V17, at, "the reason holds control characters");
        }
    }
}

/// Checks V18: one run retires at most a quarter of the documents, or eight; the rest is held.
pub(super) fn retirements(judging: &mut ValidationInput<'_>) {
    // Extraction sees only neighbours, not the whole tree.
    if judging.bounds.extracts {
        return;
    }
    let all = judging.bounds.tree_documents.unwrap_or_else(|| judging.snapshot.standing());
    let most = (all / 4).max(RETIRED_MIN);
    let mut retired = 0;
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate().filter(|(_, action)| action.retires()) {
        retired += action.vacates().len();
        if retired > most {
            judging.hold(RuleCode::V18, at, format!("more than {most} documents would be retired at once"));
        }
    }
}
