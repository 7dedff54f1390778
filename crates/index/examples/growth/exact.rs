//! Brute force beside the index: nearest rows by cosine of the f32 vectors, and all rows that hold a question's words.
//! It goes along while rows come in, so that no vector has to be kept.

use std::collections::{BTreeSet, HashMap};

use loci_model::ports::search::ScopeStatistics;
use loci_text::{TurnAnalysis, bm25};

use crate::filters::Filter;
use crate::measure::Question;
use crate::source::DIMENSIONS;
use crate::world::Traits;

/// Places of the list that recall is counted over.
pub(crate) const RECALL_AT: usize = 10;
/// How far two sums of the same products may be apart.
const NEAR: f32 = 1e-4;

/// The nearest rows of one question, best first.
type Nearest = Vec<(f32, u64)>;

/// A row that holds a word of a question.
struct Match {
    row: u64,
    length: u32,
    counts: Vec<u32>,
    /// A `Name: ` at its start, with its terms and those of the question among them.
    prefix: Option<(String, u32, Vec<u32>)>,
}

/// What brute force knows.
pub(crate) struct Exact<'a> {
    questions: &'a [Question],
    filters: &'a [Filter],
    checked: usize,
    /// By question and filter; unchecked questions have the first filter only.
    nearest: Vec<Vec<Nearest>>,
    /// Rows each filter takes.
    taken: Vec<u64>,
    /// Questions and places of each word.
    words: HashMap<String, Vec<(usize, usize)>>,
    matches: Vec<Vec<Match>>,
}

impl<'a> Exact<'a> {
    /// Of nothing yet. The first `checked` questions are compared under every filter.
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

    /// Questions compared under every filter.
    pub(crate) fn checked(&self) -> usize {
        self.checked
    }

    /// Rows a filter takes.
    pub(crate) fn taken(&self, filter: usize) -> u64 {
        self.taken[filter]
    }

    /// A row comes in.
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

    /// The share of the nearest rows that are in `found`; `None` where there are none.
    pub(crate) fn recall(&self, question: usize, filter: usize, found: &BTreeSet<u64>) -> Option<f64> {
        let nearest = &self.nearest[question][filter];
        let held = nearest.iter().filter(|(_, row)| found.contains(row)).count();
        (!nearest.is_empty()).then(|| held as f64 / nearest.len() as f64)
    }

    /// What is wrong with the best `length` by BM25 of the turn, if anything.
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

/// Dot product in sixteen sums, which compilers make vectors of.
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
