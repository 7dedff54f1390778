//! Brute force for comparison with the index: the nearest rows by cosine of the f32 vectors, and
//! all rows that contain a question's words. It processes rows as they arrive, so that no vector
//! must be kept.

use std::collections::{BTreeSet, HashMap};

use loci_model::ports::search::ScopeStatistics;
use loci_text::{TurnAnalysis, bm25};

use crate::filters::Filter;
use crate::measure::Question;
use crate::source::DIMENSIONS;
use crate::world::Traits;

/// The length of the list for which recall is measured.
pub(crate) const RECALL_AT: usize = 10;
/// The tolerance between two sums of the same products.
const NEAR: f32 = 1e-4;

/// The nearest rows of one question, best first.
type Nearest = Vec<(f32, u64)>;

/// A row that contains a word of a question.
struct Match {
    row: u64,
    length: u32,
    counts: Vec<u32>,
    /// The prefix `Name: `, with the number of its terms and those of the question in it.
    prefix: Option<(String, u32, Vec<u32>)>,
}

/// The results of brute force.
pub(crate) struct Exact<'a> {
    questions: &'a [Question],
    filters: &'a [Filter],
    checked: usize,
    /// The nearest rows by question and filter. Unchecked questions have the first filter only.
    nearest: Vec<Vec<Nearest>>,
    /// The number of rows that each filter admits.
    taken: Vec<u64>,
    /// The questions and positions of each word.
    words: HashMap<String, Vec<(usize, usize)>>,
    matches: Vec<Vec<Match>>,
}

impl<'a> Exact<'a> {
    /// Returns the empty state. The first `checked` questions are compared under every filter.
    pub(crate) fn new(questions: &'a [Question], filters: &'a [Filter], checked: usize) -> Self {
        let checked = checked.min(questions.len());
        let wide = |question| if question < checked { filters.len() } else { 1 };
        let mut words: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (at, question) in questions.iter().take(checked).enumerate() {
            for (place, term) in question.four.iter().enumerate() {
                words.entry(term.clone()).or_default().push((at, place));
            }
        }
        Self {
            questions,
            filters,
            checked,
            nearest: (0..questions.len()).map(|question| vec![Nearest::new(); wide(question)]).collect(),
            taken: vec![0; filters.len()],
            words,
            matches: (0..checked).map(|_| Vec::new()).collect(),
        }
    }

    /// Returns the number of questions compared under every filter.
    pub(crate) fn checked(&self) -> usize {
        self.checked
    }

    /// Returns the number of rows that a filter admits.
    pub(crate) fn taken(&self, filter: usize) -> u64 {
        self.taken[filter]
    }

    /// Processes a row.
    pub(crate) fn see(&mut self, row: u64, vector: &[f32], analysis: &TurnAnalysis) {
        let traits = Traits::of(row);
        let admitted: Vec<bool> = self.filters.iter().map(|filter| filter.admits(&traits)).collect();
        for (count, admitted) in self.taken.iter_mut().zip(&admitted) {
            *count += u64::from(*admitted);
        }
        let length = dot(vector, vector).sqrt().max(f32::MIN_POSITIVE);
        for (question, by_filter) in self.questions.iter().zip(&mut self.nearest) {
            let cosine = dot(vector, &question.vector) / length;
            for (nearest, _) in by_filter.iter_mut().zip(&admitted).filter(|(_, admitted)| **admitted) {
                enter(nearest, cosine, row);
            }
        }
        self.see_words(row, analysis);
    }

    fn see_words(&mut self, row: u64, analysis: &TurnAnalysis) {
        let prefix_terms = analysis.prefix.as_ref().map_or(0, |prefix| prefix.terms);
        let mut found: HashMap<usize, Match> = HashMap::new();
        for (at, term) in analysis.terms.iter().enumerate() {
            for (question, place) in self.words.get(term).into_iter().flatten() {
                let held = found.entry(*question).or_insert_with(|| Match {
                    row,
                    length: analysis.terms.len() as u32,
                    counts: vec![0; 4],
                    prefix: analysis
                        .prefix
                        .as_ref()
                        .map(|prefix| (prefix.name.clone(), prefix.terms as u32, vec![0; 4])),
                });
                held.counts[*place] += 1;
                if let Some((_, _, counts)) = held.prefix.as_mut().filter(|_| at < prefix_terms) {
                    counts[*place] += 1;
                }
            }
        }
        for (question, held) in found {
            self.matches[question].push(held);
        }
    }

    /// Returns the share of the nearest rows that are in `found`; `None` if there are none.
    pub(crate) fn recall(&self, question: usize, filter: usize, found: &BTreeSet<u64>) -> Option<f64> {
        let nearest = &self.nearest[question][filter];
        let held = nearest.iter().filter(|(_, row)| found.contains(row)).count();
        (!nearest.is_empty()).then(|| held as f64 / nearest.len() as f64)
    }

    /// Returns the first error in the best `length` rows by BM25 of the turn, if any.
    pub(crate) fn wrong_words(
        &self,
        question: usize,
        filter: usize,
        (found, length): (&BTreeSet<u64>, usize),
        known: &BTreeSet<String>,
        statistics: &ScopeStatistics,
    ) -> Option<String> {
        let mut scored: Vec<(f32, u64)> = Vec::new();
        for held in
            self.matches[question].iter().filter(|held| self.filters[filter].admits(&Traits::of(held.row)))
        {
            let stripped = held.prefix.as_ref().filter(|(name, ..)| known.contains(name));
            let terms = held.length - stripped.map_or(0, |(_, terms, _)| *terms);
            let mut score = 0.0;
            for (place, count) in held.counts.iter().enumerate() {
                let tf = count - stripped.map_or(0, |(_, _, counts)| counts[place]);
                let df = statistics.df.get(place).copied().unwrap_or(0);
                let idf = bm25::idf(statistics.turns, df);
                let average = statistics.views[0].average_length;
                score += bm25::term_score(bm25::TURN, idf, tf as f32, terms as f32, average);
            }
            if score > 0.0 {
                scored.push((score, held.row));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let last = scored.get(length - 1).map_or(0.0, |(score, _)| *score);
        let by_row: HashMap<u64, f32> = scored.iter().map(|(score, row)| (*row, *score)).collect();
        if let Some((_, row)) =
            scored.iter().find(|(score, row)| *score > last + NEAR && !found.contains(row))
        {
            return Some(format!("row {row} is missing"));
        }
        let worse = found.iter().find(|row| by_row.get(row).is_none_or(|score| *score < last - NEAR));
        worse.map(|row| format!("row {row} is none of the best"))
    }
}

fn enter(nearest: &mut Nearest, cosine: f32, row: u64) {
    if nearest.len() == RECALL_AT && nearest.last().is_some_and(|(least, _)| *least >= cosine) {
        return;
    }
    let at = nearest.partition_point(|(other, _)| *other >= cosine);
    nearest.insert(at, (cosine, row));
    nearest.truncate(RECALL_AT);
}

/// Returns a dot product, with sixteen partial sums that compilers vectorise.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (a, b) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
    for (a, b) in a.iter().zip(b).take(DIMENSIONS / 16) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}
