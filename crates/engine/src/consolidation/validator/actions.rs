//! Rules on actions as such: V01, V08, V09, V10, V11, V17, V18.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::limits;

use super::super::plan::Action;
use super::{Judging, RuleCode, allowed};

/// So many retirements are always allowed.
const RETIRED_MIN: usize = 8;

/// V01: the operations that were asked for allow the action.
pub(super) fn allowed_actions(judging: &Judging<'_>) -> BTreeSet<&'static str> {
    let mut kinds = allowed(&judging.bounds.operations);
    if judging.bounds.extracts {
        kinds.extend(["create", "supersede", "update"]);
    }
    kinds
}

pub(super) fn allowed_kinds(judging: &mut Judging<'_>) {
    let kinds = allowed_actions(judging);
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        if !kinds.contains(action.kind()) {
            let kind = action.kind();
            judging.refuse(RuleCode::V01, at, format!("the operations asked for do not allow {kind}"));
        }
    }
}

/// V08: no two actions write one path.
pub(super) fn one_write(judging: &mut Judging<'_>) {
    let mut written: BTreeSet<&str> = BTreeSet::new();
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        if let Some(path) = action.writes()
            && !written.insert(path)
        {
            judging.refuse(RuleCode::V08, at, format!("{path} is written twice"));
        }
    }
}

/// V09: no path is written and vacated, except a merge's target that is its own source.
pub(super) fn written_and_vacated(judging: &mut Judging<'_>) {
    let plan = judging.plan;
    let vacated: BTreeSet<&str> = plan.actions.iter().flat_map(Action::vacates).collect();
    for (at, action) in plan.actions.iter().enumerate() {
        if let Some(path) = action.writes()
            && vacated.contains(path)
        {
            judging.refuse(RuleCode::V09, at, format!("{path} is written and vacated"));
        }
    }
}

/// V10: what stands at a new path was not read by this action.
pub(super) fn unread(judging: &mut Judging<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(path) = action.writes() else { continue };
        let stands = judging.snapshot.documents.iter().any(|one| one.reference == path && !one.is_new);
        let own = match action {
            Action::Merge { sources, .. } => sources.iter().any(|source| source == path),
            Action::Update { .. } => true,
            Action::Create { .. }
            | Action::Move { .. }
            | Action::Supersede { .. }
            | Action::Archive { .. } => false,
        };
        if stands && !own {
            judging.refuse(RuleCode::V10, at, format!("{path} would overwrite a document"));
        }
    }
}

/// V11: moves and supersessions lead nowhere back, and nothing is retired twice.
pub(super) fn cycles(judging: &mut Judging<'_>) {
    let plan = judging.plan;
    let mut next: BTreeMap<&str, &str> = BTreeMap::new();
    let mut retired: BTreeSet<&str> = BTreeSet::new();
    for (at, action) in plan.actions.iter().enumerate() {
        for path in action.vacates() {
            if !retired.insert(path) {
                judging.refuse(RuleCode::V11, at, format!("{path} is retired or moved twice"));
            }
        }
        match action {
            Action::Supersede { path, by, .. } => {
                next.insert(path, by);
            }
            Action::Move { from, to, .. } => {
                next.insert(from, to);
            }
            Action::Merge { .. } | Action::Update { .. } | Action::Create { .. } | Action::Archive { .. } => {
            }
        }
    }
    for (at, action) in plan.actions.iter().enumerate() {
        let start = match action {
            Action::Supersede { path, .. } => path.as_str(),
            Action::Move { from, .. } => from.as_str(),
            _ => continue,
        };
        let mut place = start;
        for _ in 0..=next.len() {
            match next.get(place) {
                Some(to) if *to == start => {
                    judging.refuse(RuleCode::V11, at, format!("{start} leads back to itself"));
                    break;
                }
                Some(to) => place = to,
                None => break,
            }
        }
    }
}

/// V17: every reason says something, in at most 500 characters and without control characters.
pub(super) fn reasons(judging: &mut Judging<'_>) {
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

/// V18: at most a quarter of the documents is retired in one run, or eight; the rest is held.
pub(super) fn retirements(judging: &mut Judging<'_>) {
    // Extraction sees neighbours, not the tree.
    if judging.bounds.extracts {
        return;
    }
    let most = (judging.snapshot.standing() / 4).max(RETIRED_MIN);
    let mut retired = 0;
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate().filter(|(_, action)| action.retires()) {
        retired += action.vacates().len();
        if retired > most {
            judging.hold(RuleCode::V18, at, format!("more than {most} documents would be retired at once"));
        }
    }
}
