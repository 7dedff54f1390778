//! Selects and orders candidates: records that do not fit the task are left out with a reason, the
//! rest is sorted in the order in which the budget takes it. Pure.

use std::cmp::Ordering;
use std::cmp::Reverse;

use loci_engine::strategies::learnings::MODULE;
use loci_model::{TaskId, Timestamp};
use loci_verified::CitedFate;

use super::candidate::{Candidate, OmittedRecord};
use super::kind::HydrationKind;
use super::scope_match::{RequestPaths, is_named};
use super::trust::{is_distrusted, outlived, trust};
use crate::learnings::learning_write::SELF_FEEDBACK;
use crate::repositories::docs::RepositoryDocs;
use crate::settings::{CodingSettings, DropPolicy, OnConflict, OnUnverifiable};

/// Scores within this ratio count as equal. A fixed difference does not work: most relevant records
/// have a low score, where a difference of 0.05 covers the whole range.
const BAND_RATIO: f64 = 1.05;
/// The lowest score with a band of its own.
const BAND_SCORE_MIN: f64 = 0.001;

/// The task and request that candidates are selected for.
pub(super) struct SelectionAim<'a> {
    /// The requesting task. Its own episode is left out.
    pub(super) task: Option<&'a TaskId>,
    pub(super) query: Option<&'a str>,
    pub(super) paths: &'a RequestPaths,
    /// The documents that the prompt already contains.
    pub(super) docs: Option<&'a RepositoryDocs>,
    pub(super) now: Timestamp,
}

/// Candidates of one kind in order, and those left out.
#[derive(Debug, Default)]
pub(super) struct SelectedCandidates {
    pub(super) kept: Vec<Candidate>,
    pub(super) left: Vec<OmittedRecord>,
}

/// Selects among candidates of one kind.
pub(super) fn choose(
    kind: HydrationKind,
    mut found: Vec<Candidate>,
    aim: &SelectionAim<'_>,
    settings: &CodingSettings,
) -> SelectedCandidates {
    for candidate in &mut found {
        candidate.trust = trust(candidate, aim.now);
        candidate.score = score(candidate);
    }
    found.sort_by(|a, b| order(kind, a, b, aim, settings.drop_policy));
    let mut chosen = SelectedCandidates::default();
    for (mut candidate, rank) in found.into_iter().zip(1..) {
        candidate.rank = rank;
        match unfit(&candidate, aim, settings) {
            Some(reason) => chosen.left.push(OmittedRecord::new(candidate, reason)),
            None => chosen.kept.push(candidate),
        }
    }
    behind_the_first(kind, &mut chosen, settings);
    chosen
}

/// Leaves out candidates after the first ones of a kind, unless they are similar enough to the
/// query.
fn behind_the_first(kind: HydrationKind, chosen: &mut SelectedCandidates, settings: &CodingSettings) {
    let first = first(kind, settings);
    if first >= chosen.kept.len() {
        return;
    }
    let behind = chosen.kept.split_off(first);
    for candidate in behind {
        if candidate.similarity >= settings.min_similarity {
            chosen.kept.push(candidate);
        } else {
            chosen.left.push(OmittedRecord::new(candidate, "similarity"));
        }
    }
}

/// Returns the number of candidates of a kind that are selected without a similarity threshold.
pub(super) fn first(kind: HydrationKind, settings: &CodingSettings) -> usize {
    match kind {
        HydrationKind::Knowledge => settings.semantic_top_k,
        HydrationKind::Episodes => settings.episodic_top_k,
        HydrationKind::Rules | HydrationKind::Preferences | HydrationKind::Reflections => usize::MAX,
    }
}

/// Returns the reason why a candidate is not shown, regardless of the budget.
fn unfit(candidate: &Candidate, aim: &SelectionAim<'_>, settings: &CodingSettings) -> Option<&'static str> {
    // Self-feedback of a single task is not knowledge; its themes are.
    if candidate.record.subtype.as_deref() == Some(SELF_FEEDBACK) && candidate.lacked_by.is_none() {
        return Some(SELF_FEEDBACK);
    }
    let is_own = |task: &TaskId| candidate.text("task_id") == Some(task.as_str());
    if candidate.kind == HydrationKind::Episodes && aim.task.is_some_and(is_own) {
        return Some("own_task");
    }
    by_code(candidate, settings).or(candidate.standing.elsewhere).or_else(|| {
        if candidate.standing.conflicts > 0 && settings.on_conflict == OnConflict::Withhold {
            return Some("conflict");
        }
        if is_distrusted(candidate, settings.trust_threshold) {
            return Some("trust");
        }
        if let Some(reason) = outlived(candidate, aim.now) {
            return Some(reason);
        }
        if contradicts_paths(candidate, aim) {
            return Some("scope");
        }
        if candidate.is_noise {
            return Some("noise");
        }
        // Episodes and preferences never count as repetitions of a document.
        let is_told = matches!(candidate.kind, HydrationKind::Episodes | HydrationKind::Preferences);
        let is_said = |docs: &RepositoryDocs| docs.say(&candidate.record.text);
        (!is_told && aim.docs.is_some_and(is_said)).then_some("in_repo_docs")
    })
}

/// Returns the reason of the code checks against a candidate.
pub(super) fn by_code(candidate: &Candidate, settings: &CodingSettings) -> Option<&'static str> {
    if candidate.gone_path.is_some() {
        return Some("citation_gone");
    }
    let cited = candidate.cited.as_ref()?;
    match cited.fate {
        CitedFate::Gone => Some("citation_gone"),
        CitedFate::Contradicted => Some("citation_contradicted"),
        CitedFate::Unverifiable if cited.is_proposed => Some("citation_unproven"),
        CitedFate::Unverifiable if settings.on_unverifiable == OnUnverifiable::Withhold => {
            Some("citation_unverifiable")
        }
        CitedFate::Unverifiable | CitedFate::Valid | CitedFate::Drifted => None,
    }
}

/// True if the scope of a record excludes the paths of the task. Without paths no scope does:
/// relevance alone decides.
fn contradicts_paths(candidate: &Candidate, aim: &SelectionAim<'_>) -> bool {
    let Some(scope) = &candidate.record.scope else { return false };
    if aim.paths.is_empty() || aim.paths.meet(scope) {
        return false;
    }
    // A module need not be part of a path: the query may name it instead.
    let topic = candidate.record.title.as_deref();
    !(scope.starts_with(MODULE) && aim.query.is_some_and(|query| is_named(scope, topic, query)))
}

/// Returns the score: rules and preferences count by their weight, other kinds by similarity and
/// trust.
fn score(candidate: &Candidate) -> f64 {
    match candidate.kind {
        HydrationKind::Rules | HydrationKind::Preferences => {
            let weight = candidate.number("weight").filter(|weight| weight.is_finite());
            weight.unwrap_or(candidate.trust).clamp(0.0, 1.0)
        }
        HydrationKind::Knowledge | HydrationKind::Episodes | HydrationKind::Reflections => {
            candidate.similarity * candidate.trust
        }
    }
}

/// Orders candidates by descending score; within a band by the newest, then by id.
fn order(
    kind: HydrationKind,
    a: &Candidate,
    b: &Candidate,
    aim: &SelectionAim<'_>,
    policy: DropPolicy,
) -> Ordering {
    let band = |candidate: &Candidate| match policy {
        DropPolicy::Scored => (candidate.score.max(BAND_SCORE_MIN).ln() / BAND_RATIO.ln()).floor() as i64,
        DropPolicy::Oldest => 0,
    };
    // If the request has no paths, rules for the whole repository precede rules with a scope.
    let is_narrow = |candidate: &Candidate| {
        kind == HydrationKind::Rules && aim.paths.is_empty() && candidate.record.scope.is_some()
    };
    let by = |candidate: &Candidate| {
        (is_narrow(candidate), Reverse(band(candidate)), Reverse(candidate.observed_at))
    };
    by(a).cmp(&by(b)).then_with(|| a.record.id.cmp(&b.record.id))
}
