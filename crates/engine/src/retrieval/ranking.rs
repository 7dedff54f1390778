//! Computes the score of each candidate from its ranking signals, and sorts the candidates. It
//! reads nothing but its arguments.
//!
//! The signals define the values; `calibration` converts a sum to a relevance.

use std::cmp::Ordering;
use std::collections::HashSet;

use loci_model::limits;
use loci_model::ports::search::{Candidate, CandidateSet};
use loci_text::question::Question;

use super::question_view::QuestionView;
use super::signals::{SIGNAL_COUNT, SIGNALS};
use super::turn_view::TurnView;
use super::weights::Weights;

/// The maximum difference of two scores that count as equal.
const EQUAL_SCORES: f64 = 1e-6;

/// A candidate with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    /// The candidate passage.
    pub candidate: &'a Candidate,
    /// The score: the weighted sum of the signals.
    pub score: f64,
    /// The value of each signal, in the order of [`SIGNALS`].
    pub values: [f32; SIGNAL_COUNT],
}

/// Returns the distinct terms of a query, in order of first appearance.
pub fn distinct_terms(question: &Question) -> Vec<String> {
    let mut seen = HashSet::new();
    question.terms.iter().filter(|term| seen.insert(term.as_str())).cloned().collect()
}

/// Returns the 64 rarest terms by their `idf`, in the order of `terms`. Among equally rare terms
/// the earlier ones are chosen.
pub fn rarest(terms: Vec<String>, idf: &[f32]) -> Vec<String> {
    let mut ranked: Vec<(usize, f32)> = idf.iter().copied().enumerate().collect();
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    ranked.truncate(limits::QUERY_TERMS_MAX);
    let kept: HashSet<usize> = ranked.into_iter().map(|(place, _)| place).collect();
    terms.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, term)| term).collect()
}

/// Returns the value of each signal of [`SIGNALS`] for each candidate. `terms` are the terms of
/// the request that `set` answers.
pub fn signal_values(
    question: &Question,
    terms: &[String],
    set: &CandidateSet,
    lexical_scale: f32,
) -> Vec<[f32; SIGNAL_COUNT]> {
    signal_values_among(question, terms, set, lexical_scale, &|_| true)
}

/// Works like [`signal_values`], but computes the maxima over a part of the set only, as if the
/// other turns were not listed. Training uses it, because it examines all turns.
pub fn signal_values_among(
    question: &Question,
    terms: &[String],
    set: &CandidateSet,
    lexical_scale: f32,
    competes: &dyn Fn(&Candidate) -> bool,
) -> Vec<[f32; SIGNAL_COUNT]> {
    let view = QuestionView::new(question, terms, set, lexical_scale);
    let turn = |candidate| TurnView::new(candidate, view.statistics, &view.idf);
    let turns: Vec<_> = set.candidates.iter().map(turn).collect();
    let view = view.with_maxima(turns.iter().filter(|turn| competes(turn.candidate)));
    let values = |turn: &TurnView<'_>| {
        let mut values = [0.0; SIGNAL_COUNT];
        for (value, signal) in values.iter_mut().zip(SIGNALS) {
            *value = (signal.value)(&view, turn);
        }
        values
    };
    turns.iter().map(values).collect()
}

/// Returns all candidates, best first.
pub fn rank<'a>(
    question: &Question,
    terms: &[String],
    set: &'a CandidateSet,
    weights: &Weights,
) -> Vec<Ranked<'a>> {
    let values = signal_values(question, terms, set, weights.lexical_scale);
    let ranked = set.candidates.iter().zip(values).map(|(candidate, values)| Ranked {
        candidate,
        score: sum(&values, weights),
        values,
    });
    in_order(ranked.collect())
}

/// Returns the weighted sum of the values of signals.
pub fn sum(values: &[f32; SIGNAL_COUNT], weights: &Weights) -> f64 {
    weights.signals.iter().zip(values).map(|(weight, value)| weight * f64::from(*value)).sum()
}

/// Returns the best passage of each record, in the order of the list. The iterator is lazy,
/// because callers usually need only the first few.
pub(crate) fn best_passages<'a>(ranked: Vec<Ranked<'a>>) -> impl Iterator<Item = Ranked<'a>> + Send {
    let mut seen = HashSet::new();
    ranked.into_iter().filter(move |ranked| seen.insert(&ranked.candidate.record))
}

/// Sorts candidates by score, highest first. Candidates whose scores are equal are sorted by
/// time, newest first, then by the signal `dense`, then by id; they all get the best score among
/// them, so that scores never rise along the list.
pub(crate) fn in_order(mut ranked: Vec<Ranked<'_>>) -> Vec<Ranked<'_>> {
    ranked.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| among_equals(left, right)));
    let mut rest = ranked.as_mut_slice();
    while let Some(best) = rest.first().map(|first| first.score) {
        let equal = rest.iter().take_while(|other| best - other.score < EQUAL_SCORES).count();
        let (run, after) = rest.split_at_mut(equal.max(1));
        run.sort_by(among_equals);
        run.iter_mut().for_each(|one| one.score = best);
        rest = after;
    }
    ranked
}

fn among_equals(left: &Ranked<'_>, right: &Ranked<'_>) -> Ordering {
    let dense = |ranked: &Ranked<'_>| ranked.candidate.dense.unwrap_or_default();
    let (a, b) = (left.candidate, right.candidate);
    b.time
        .cmp(&a.time)
        .then_with(|| dense(right).total_cmp(&dense(left)))
        .then_with(|| a.record.cmp(&b.record))
        .then_with(|| a.part.cmp(&b.part))
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
mod tests;
