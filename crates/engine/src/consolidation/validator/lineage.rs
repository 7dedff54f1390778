//! Rules on lineage: V03 merging, V14 deriving, V15 superseding and trust.

use loci_model::record::TrustTier;

use super::super::plan::{Action, Operation};
use super::super::relate::rank;
use super::super::snapshot::{PlanDocument, reference_key};
use super::{RuleCode, ValidationInput};
use crate::consolidation::comparison::scope::{ScopeRelation, lie};

/// Checks V03: at least two sources, of one namespace, strategy and scope, with equal strict
/// values.
pub(super) fn may_merge(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Action::Merge { sources, .. } = action else { continue };
        let mut distinct: Vec<String> = sources.iter().map(|source| reference_key(source)).collect();
        distinct.sort();
        distinct.dedup();
        if distinct.len() < 2 || distinct.len() < sources.len() {
            judging.refuse(RuleCode::V03, at, "a merge has at least two different sources");
        }
        let found: Vec<&PlanDocument> = distinct.iter().filter_map(|source| judging.find(source)).collect();
        let Some((first, rest)) = found.split_first() else { continue };
        if rest.iter().any(|other| !same_place(first, other)) {
            judging.refuse(RuleCode::V03, at, "merged documents are of one namespace and strategy");
        }
        if rest.iter().any(|other| !same_scope(first, other)) {
            judging.refuse(RuleCode::V03, at, "merged documents have one scope");
        }
        if rest.iter().any(|other| first.strict != other.strict) {
            judging.refuse(RuleCode::V03, at, "merged documents have equal strictly consistent values");
        }
    }
}

fn same_place(left: &PlanDocument, right: &PlanDocument) -> bool {
    left.namespace.normal() == right.namespace.normal() && left.strategy == right.strategy
}

fn same_scope(left: &PlanDocument, right: &PlanDocument) -> bool {
    lie(left.scope.as_deref(), right.scope.as_deref()) == ScopeRelation::Equal
}

/// Checks V14: a derived document has at least two sources, each named once, and its counts are
/// those of the sources.
pub(super) fn derived(judging: &mut ValidationInput<'_>) {
    let derives = judging.bounds.operations.contains(&Operation::DeriveInsights) && !judging.bounds.extracts;
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Action::Create { derived_from, words, .. } = action else { continue };
        let mut distinct: Vec<String> = derived_from.iter().map(|source| reference_key(source)).collect();
        distinct.sort();
        distinct.dedup();
        if distinct.len() < derived_from.len() {
            judging.refuse(RuleCode::V14, at, "a source is named twice");
        }
        if !derives {
            continue;
        }
        let least = judging.bounds.derived_min;
        if distinct.len() < least {
            judging.refuse(
                RuleCode::V14,
                at,
                format!("a derived document rests on at least {least} documents"),
            );
        }
        let body = words.body.as_deref().or(words.content.as_deref()).unwrap_or_default();
        for (hits, of) in counts(body) {
            if of != distinct.len() || hits > of {
                judging.refuse(RuleCode::V14, at, "a count is not that of the documents it rests on");
            }
            if distinct.len() < 3 {
                judging.refuse(
                    RuleCode::V14,
                    at,
                    "a statement with counts rests on at least three documents",
                );
            }
        }
    }
}

/// Returns the counts in a text, such as "3 of 5".
fn counts(text: &str) -> Vec<(usize, usize)> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words
        .windows(3)
        .filter_map(|three| match three {
            [hits, "of", of] => Some((hits.parse().ok()?, of.parse().ok()?)),
            _ => None,
        })
        .collect()
}

/// Checks V15: documents of different trust are merged without review only if their texts are
/// identical.
pub(super) fn trusted_alike(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Action::Merge { sources, words, .. } = action else { continue };
        let found: Vec<&PlanDocument> = sources.iter().filter_map(|source| judging.find(source)).collect();
        let Some((first, rest)) = found.split_first() else { continue };
        let is_alike = rest.iter().all(|other| rank(other.tier) == rank(first.tier));
        let body = words.body.as_ref().or(words.content.as_ref()).unwrap_or(&first.text);
        if !is_alike && found.iter().any(|one| one.text != *body) {
            judging.hold(RuleCode::V15, at, "the merged documents are not trusted alike");
        }
    }
}

/// Checks V15: without review by a person, a model neither rewrites confirmed documents nor
/// archives documents that no document of equal trust covers.
pub(super) fn by_model(judging: &mut ValidationInput<'_>) {
    if !judging.bounds.by_model {
        return;
    }
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        match action {
            Action::Update { path, words, .. } => {
                let rewrites = words.body.is_some() || words.content.is_some();
                let is_confirmed =
                    judging.find(path).is_some_and(|document| document.tier == TrustTier::Confirmed);
                if rewrites && is_confirmed {
                    judging.hold(RuleCode::V15, at, format!("{path} was confirmed by a person"));
                }
            }
            Action::Archive { path, covered_by, .. } => {
                let Some(document) = judging.find(path) else { continue };
                let by = covered_by.as_deref().and_then(|by| judging.find(by));
                let covers = |by: &PlanDocument| by.id != document.id && rank(by.tier) >= rank(document.tier);
                if !by.is_some_and(covers) {
                    let told = format!("nothing that is trusted as much covers {path}");
                    judging.hold(RuleCode::V15, at, told);
                }
            }
            _ => {}
        }
    }
}

/// Checks V15: the superseding document is newer, of the same namespace and scope, and not of lower
/// trust.
pub(super) fn may_supersede(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Action::Supersede { path, by, .. } = action else { continue };
        let (Some(old), Some(new)) = (judging.find(path), judging.find(by)) else {
            continue;
        };
        if reference_key(path) == reference_key(by) {
            judging.refuse(RuleCode::V15, at, "nothing supersedes itself");
            continue;
        }
        let (place, scope) = (same_place(old, new), same_scope(old, new));
        let agrees = old.strict == new.strict;
        let newer = (new.valid_from, new.observed_at, new.sequence, new.is_new)
            >= (old.valid_from, old.observed_at, old.sequence, old.is_new);
        let trusted = rank(new.tier) >= rank(old.tier);
        if !place || !agrees {
            judging.refuse(
                RuleCode::V15,
                at,
                "documents of different places or strict values never supersede each other",
            );
        }
        if !scope {
            judging.refuse(RuleCode::V15, at, "documents of different scopes never supersede each other");
        }
        if !newer {
            judging.refuse(RuleCode::V15, at, format!("{by} is older than {path}"));
        }
        if !trusted {
            judging.hold(RuleCode::V15, at, format!("{by} is trusted less than {path}"));
        }
    }
}
