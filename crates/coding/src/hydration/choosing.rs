//! From what was read to what may be shown, in order: what does not fit the task is taken out, with the reason; the rest is put in
//! the order in which the budget takes it. Pure.

use std::cmp::Ordering;
use std::cmp::Reverse;

use loci_engine::strategies::learnings::MODULE;
use loci_model::{TaskId, Timestamp};
use loci_verified::CitedFate;

use super::candidate::{Candidate, Left};
use super::kind::HydrationKind;
use super::scope_match::{AskedPaths, is_named};
use super::trust::{is_distrusted, outlived, trust};
use crate::learnings::learning_write::SELF_FEEDBACK;
use crate::repositories::docs::RepositoryDocs;
use crate::settings::{CodingSettings, DropPolicy, OnConflict, OnUnverifiable};

/// Scores of a ratio below this are taken for the same. A difference would not do: most of what is
/// relevant at all has a low score, and there a twentieth is the whole range.
const BAND_RATIO: f64 = 1.05;
/// Least score that has a band of its own.
const BAND_SCORE_MIN: f64 = 0.001;

/// What the task is about.
pub(super) struct Aim<'a> {
    /// Who asks; what it tells itself is left out.
    pub(super) task: Option<&'a TaskId>,
    pub(super) query: Option<&'a str>,
    pub(super) paths: &'a AskedPaths,
    /// What the prompt says anyway.
    pub(super) docs: Option<&'a RepositoryDocs>,
    pub(super) now: Timestamp,
}

/// Candidates of one kind in order, and what is left out of them.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) kept: Vec<Candidate>,
    pub(super) left: Vec<Left>,
}

/// Chooses among candidates of one kind.
pub(super) fn choose(
    kind: HydrationKind,
    mut found: Vec<Candidate>,
    aim: &Aim<'_>,
    settings: &CodingSettings,
) -> Chosen {
    for candidate in &mut found {
        candidate.trust = trust(candidate, aim.now);
        candidate.score = score(candidate);
    }
    found.sort_by(|a, b| order(kind, a, b, aim, settings.drop_policy));
    let mut chosen = Chosen::default();
    for (mut candidate, rank) in found.into_iter().zip(1..) {
        candidate.rank = rank;
        match unfit(&candidate, aim, settings) {
            Some(reason) => chosen.left.push(Left::new(candidate, reason)),
            None => chosen.kept.push(candidate),
        }
    }
    behind_the_first(kind, &mut chosen, settings);
    chosen
}

/// What stands behind the first must fit the question well.
fn behind_the_first(kind: HydrationKind, chosen: &mut Chosen, settings: &CodingSettings) {
    let first = first(kind, settings);
    if first >= chosen.kept.len() {
        return;
    }
    let behind = chosen.kept.split_off(first);
    for candidate in behind {
        if candidate.similarity >= settings.min_similarity {
            chosen.kept.push(candidate);
        } else {
            chosen.left.push(Left::new(candidate, "similarity"));
        }
    }
}

/// So many of a kind are tried first.
pub(super) fn first(kind: HydrationKind, settings: &CodingSettings) -> usize {
    match kind {
        HydrationKind::Knowledge => settings.semantic_top_k,
        HydrationKind::Episodes => settings.episodic_top_k,
        HydrationKind::Rules | HydrationKind::Preferences | HydrationKind::Reflections => usize::MAX,
    }
}

/// Why a candidate is not shown, whatever the budget is.
fn unfit(candidate: &Candidate, aim: &Aim<'_>, settings: &CodingSettings) -> Option<&'static str> {
    // What an agent would have needed is no knowledge; its themes are.
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
        // What happened, and what somebody wants, is no repetition of a document.
        let is_told = matches!(candidate.kind, HydrationKind::Episodes | HydrationKind::Preferences);
        let is_said = |docs: &RepositoryDocs| docs.say(&candidate.record.text);
        (!is_told && aim.docs.is_some_and(is_said)).then_some("in_repo_docs")
    })
}

/// What its code says against it.
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

/// Returns true where the scope of a record excludes the paths of the task. Without paths no scope
/// does: relevance alone decides.
fn contradicts_paths(candidate: &Candidate, aim: &Aim<'_>) -> bool {
    let Some(scope) = &candidate.record.scope else { return false };
    if aim.paths.is_empty() || aim.paths.meet(scope) {
        return false;
    }
    // A module need not be part of a path: the question may name it instead.
    let topic = candidate.record.title.as_deref();
    !(scope.starts_with(MODULE) && aim.query.is_some_and(|query| is_named(scope, topic, query)))
}

/// Rules and preferences count by their weight, all else by fit and trust.
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

/// Best first; of about the same score the newest, then by id.
fn order(kind: HydrationKind, a: &Candidate, b: &Candidate, aim: &Aim<'_>, policy: DropPolicy) -> Ordering {
    let band = |candidate: &Candidate| match policy {
        DropPolicy::Scored => (candidate.score.max(BAND_SCORE_MIN).ln() / BAND_RATIO.ln()).floor() as i64,
        DropPolicy::Oldest => 0,
    };
    // Without paths what holds everywhere comes before what holds somewhere.
    let is_narrow = |candidate: &Candidate| {
        kind == HydrationKind::Rules && aim.paths.is_empty() && candidate.record.scope.is_some()
    };
    let by = |candidate: &Candidate| {
        (is_narrow(candidate), Reverse(band(candidate)), Reverse(candidate.observed_at))
    };
    by(a).cmp(&by(b)).then_with(|| a.record.id.cmp(&b.record.id))
}
