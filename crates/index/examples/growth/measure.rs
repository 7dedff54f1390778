//! Requests to an index of one size, with and without filters.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::Result;
use loci_index::MemoryIndex;
use loci_model::ports::search::{CandidateRequest, CandidateSet, ListLengths};
use loci_model::record::scope::RecordScope;

use crate::brute_force::{Exact, RECALL_AT, dot};
use crate::figures::{Figures, Filtered, KINDS, Latencies, Recall};
use crate::filters::Filter;
use crate::snapshots;
use crate::source::Row;
use crate::world::{MODEL, Traits, number_of};

/// Words that fill up a question of fewer than four words.
const FILLERS: [&str; 4] = ["fix", "test", "add", "use"];
/// The length of the lists compared with brute force.
const LENGTH: usize = 200;

/// A question.
#[derive(Debug)]
pub(crate) struct Question {
    /// The unit vector.
    pub(crate) vector: Vec<f32>,
    /// The distinct terms.
    pub(crate) terms: Vec<String>,
    /// Four of the terms.
    pub(crate) four: Vec<String>,
}

impl Question {
    /// Returns a held-out row as a question.
    pub(crate) fn new(row: &Row) -> Self {
        let mut terms: Vec<String> = Vec::new();
        for term in loci_text::terms(&row.text) {
            if !terms.contains(&term) && terms.len() < 64 {
                terms.push(term);
            }
        }
        let mut four = terms.clone();
        four.extend(FILLERS.iter().map(|word| (*word).to_owned()).filter(|word| !terms.contains(word)));
        four.truncate(4);
        let length = dot(&row.vector, &row.vector).sqrt();
        Self { vector: row.vector.iter().map(|value| value / length).collect(), terms, four }
    }

    /// Returns a request of one of [`KINDS`].
    fn request(&self, kind: usize, scope: &RecordScope, length: usize) -> CandidateRequest {
        let lists = |window, turn, dense| Some(ListLengths { window, turn, dense });
        let vector = Some((self.vector.clone(), MODEL.to_owned()));
        let scope = scope.clone();
        match kind {
            0 => CandidateRequest {
                scope,
                terms: Vec::new(),
                vector,
                earlier: None,
                lists: lists(0, 0, length),
            },
            1 => CandidateRequest {
                scope,
                terms: self.four.clone(),
                vector: None,
                earlier: None,
                lists: lists(0, length, 0),
            },
            2 => CandidateRequest {
                scope,
                terms: self.terms.clone(),
                vector: None,
                earlier: None,
                lists: None,
            },
            _ => CandidateRequest { scope, terms: self.terms.clone(), vector, earlier: None, lists: None },
        }
    }
}

/// An index of one size, with its questions.
pub(crate) struct Bench<'a> {
    pub(crate) index: &'a MemoryIndex,
    pub(crate) questions: &'a [Question],
    pub(crate) filters: &'a [Filter],
    pub(crate) exact: &'a Exact<'a>,
    pub(crate) size: u64,
    /// The last row.
    pub(crate) newest: &'a Row,
    pub(crate) rounds: usize,
}

impl Bench<'_> {
    /// Runs all measurements.
    pub(crate) fn run(&self, build_seconds: f64, changes: Latencies, resident: u64) -> Result<Figures> {
        let mut filtered: Vec<Filtered> =
            self.filters.iter().map(|filter| Filtered::of(&filter.name)).collect();
        let (mut first, mut vector_400): ([Latencies; 4], Latencies) = Default::default();
        for round in 0..self.rounds {
            self.time(round, &mut first, &mut filtered, &mut vector_400);
            progress(&format!("{}: round {}", self.size, round + 1));
        }
        let mut wrong = Vec::new();
        self.compare(&mut filtered, &mut wrong);
        wrong.extend(self.unseen());
        Ok(Figures {
            size: self.size,
            build_seconds,
            bytes_counted: self.index.bytes() as f64 / self.size as f64,
            bytes_resident: resident as f64 / self.size as f64,
            changes,
            first,
            vector_400,
            recall_200: self.recall(LENGTH),
            recall_400: self.recall(2 * LENGTH),
            filtered,
            wrong,
            snapshot: snapshots::measure(self.index)?,
        })
    }

    /// Runs one round of requests. The filters are the inner loop, so that disturbances of the
    /// machine affect all of them equally. Each question is first sent without a filter, so that no
    /// filter benefits from a warm cache. Each question starts with another filter.
    fn time(
        &self,
        round: usize,
        first: &mut [Latencies; 4],
        filtered: &mut [Filtered],
        vector_400: &mut Latencies,
    ) {
        let none = &self.filters[0].scope;
        for (asked, question) in self.questions.iter().enumerate() {
            for (kind, latencies) in first.iter_mut().enumerate() {
                latencies.add_again(asked, timed(self.index, &question.request(kind, none, LENGTH)));
            }
            let long = question.request(0, none, 2 * LENGTH);
            self.index.candidates(&long);
            for step in 0..self.filters.len() {
                let at = (asked + round + step) % self.filters.len();
                let (filter, figures) = (&self.filters[at], &mut filtered[at]);
                for (kind, latencies) in figures.latencies.iter_mut().enumerate() {
                    let took = timed(self.index, &question.request(kind, &filter.scope, LENGTH));
                    latencies.add_again(asked, took);
                }
            }
            vector_400.add_again(asked, timed(self.index, &long));
        }
    }

    /// Returns the recall of lists of one length, without a filter.
    fn recall(&self, length: usize) -> Recall {
        let (mut at_10, mut within) = (Vec::new(), Vec::new());
        for (at, question) in self.questions.iter().enumerate() {
            let set = self.index.candidates(&question.request(0, &self.filters[0].scope, length));
            at_10.extend(self.exact.recall(at, 0, &nearest(&set)));
            within.extend(self.exact.recall(at, 0, &rows(&set)));
        }
        Recall { at_10: mean(&at_10), within: mean(&within) }
    }

    /// Compares the results of some questions under every filter with brute force.
    fn compare(&self, filtered: &mut [Filtered], wrong: &mut Vec<String>) {
        let known: BTreeSet<String> = self.index.known_names(&self.filters[0].scope).into_iter().collect();
        for (at, (filter, figures)) in self.filters.iter().zip(filtered).enumerate() {
            let mut recalls = Vec::new();
            for (asked, question) in self.questions.iter().enumerate().take(self.exact.checked()) {
                for (kind, name) in KINDS.iter().enumerate() {
                    let set = self.index.candidates(&question.request(kind, &filter.scope, LENGTH));
                    figures.passages = set.passages_in_scope;
                    let mut what = self.outside(at, &set);
                    if kind == 0 {
                        recalls.extend(self.exact.recall(asked, at, &nearest(&set)));
                    } else if kind == 1 {
                        let list = (&rows(&set), LENGTH);
                        what =
                            what.or_else(|| self.exact.wrong_words(asked, at, list, &known, &set.statistics));
                    }
                    wrong.extend(
                        what.map(|what| format!("{}, question {asked}, {name}: {what}", filter.name)),
                    );
                }
            }
            figures.recall = (!recalls.is_empty()).then(|| mean(&recalls));
        }
    }

    /// Returns an error if the newest active record is not found by its own vector.
    fn unseen(&self) -> Option<String> {
        let (number, newest) = (self.size - 1, Question::new(self.newest));
        let set = self.index.candidates(&newest.request(0, &self.filters[0].scope, LENGTH));
        let is_missing = self.filters[0].admits(&Traits::of(number)) && !rows(&set).contains(&number);
        is_missing.then(|| format!("the newest record, {number}, is not found"))
    }

    /// Returns an error if a result contains passages outside the filter, or has a wrong passage
    /// count.
    fn outside(&self, filter: usize, set: &CandidateSet) -> Option<String> {
        let taken = self.exact.taken(filter);
        if set.passages_in_scope != taken {
            return Some(format!("{} passages in scope, not {taken}", set.passages_in_scope));
        }
        let outside = rows(set).into_iter().find(|row| !self.filters[filter].admits(&Traits::of(*row)));
        outside.map(|row| format!("row {row} is outside"))
    }
}

fn timed(index: &MemoryIndex, request: &CandidateRequest) -> Duration {
    let start = Instant::now();
    let set = index.candidates(request);
    let took = start.elapsed();
    drop(set);
    took
}

fn rows(set: &CandidateSet) -> BTreeSet<u64> {
    set.candidates.iter().map(|candidate| number_of(&candidate.record)).collect()
}

/// Returns the [`RECALL_AT`] nearest rows according to the index; of equal ones, those that arrived
/// first.
fn nearest(set: &CandidateSet) -> BTreeSet<u64> {
    let mut rows: Vec<(f32, u64)> = set
        .candidates
        .iter()
        .filter_map(|candidate| Some((candidate.dense?, number_of(&candidate.record))))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rows.into_iter().take(RECALL_AT).map(|(_, row)| row).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Prints the progress.
pub(crate) fn progress(what: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{what}        ");
    }
}

/// Returns the resident memory of this process in bytes; 0 if the system does not report it.
pub(crate) fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
