//! The BM25 statistics of the scope or, if the caller sees little, of the visible part.
//!
//! Terms whose rows were all read are counted exactly. The most frequent ones are not read: their
//! counts are stored for the whole memory, and estimated for a part from a sample of its own turns.

use std::collections::BTreeSet;

use loci_index::{Lengths, average};
use loci_model::Result;
use loci_model::ports::search::{ScopeStatistics, ViewStatistics};

use super::averages;
use super::memory_state::{ActiveTurnSums, Followed};
use super::scope::{Extent, Scope};
use super::words::{self, TermRow, TermRows, Terms};
use crate::tx::{PgTx, unsigned};

/// The minimum number of active turns of a scope with its own statistics.
const OWN_MIN: u64 = 100;
/// The number of turns in the sample for the frequency of a term.
const SAMPLE: usize = 5_000;

/// The inputs of the counts.
pub(super) struct CountInput<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) followed: &'a Followed,
    pub(super) terms: &'a Terms,
    pub(super) rows_max: usize,
}

impl CountInput<'_> {
    /// Returns the statistics of the scope. `asked` holds its rows that contain terms.
    pub(super) fn statistics(&self, tx: &PgTx<'_>, asked: &TermRows) -> Result<ScopeStatistics> {
        let turns = self.turns(tx, Extent::Asked)?;
        let of_scope = turns >= OWN_MIN;
        if of_scope {
            return self.of(tx, (Extent::Asked, turns), asked, of_scope);
        }
        let turns = self.turns(tx, Extent::Seen)?;
        let taken = (self.terms.rarest(self.rows_max), self.rows_max.saturating_mul(2));
        let seen = words::rows(tx, self.scope, Extent::Seen, self.terms, taken)?;
        self.of(tx, (Extent::Seen, turns), &seen, of_scope)
    }

    fn of(
        &self,
        tx: &PgTx<'_>,
        (extent, turns): (Extent, u64),
        found: &TermRows,
        of_scope: bool,
    ) -> Result<ScopeStatistics> {
        let lengths = if self.scope.of.sees_all() {
            self.followed.measured
        } else {
            averages::measure(tx, self.scope, Extent::Seen)?
        };
        let files = match (self.is_whole(extent), extent) {
            (true, _) | (false, Extent::Seen) => lengths,
            (false, Extent::Asked | Extent::Full) => averages::measure(tx, self.scope, extent)?,
        };
        let estimate = self.estimate(tx, extent, found, files.paths > 0)?;
        let df = (0..self.terms.numbers.len()).map(|at| {
            let here = counted(&found.rows, |row| row.counts.get(at).is_some_and(|count| *count > 0));
            let is_complete = found.complete.get(at) == Some(&true);
            let most = match self.terms.turns.get(at) {
                Some(_) if is_complete => here,
                Some(stored) if self.is_whole(extent) => here.max(*stored),
                Some(_) | None => here.max(estimate.turns(at, turns)),
            };
            number(most.min(turns))
        });
        let path_df = (0..self.terms.numbers.len()).map(|at| {
            let here = paths_with(&found.rows, at);
            let is_complete = found.complete.get(at) == Some(&true);
            number(if is_complete { here } else { here.max(estimate.paths(at, unsigned(files.paths))) })
        });
        Ok(ScopeStatistics {
            turns: number(turns),
            df: df.collect(),
            views: views(&lengths),
            paths: number(unsigned(files.paths)),
            path_df: path_df.collect(),
            path_average_length: average(unsigned(files.path_terms), unsigned(files.paths)),
            of_scope,
        })
    }

    /// Returns the number of active turns.
    fn turns(&self, tx: &PgTx<'_>, extent: Extent) -> Result<u64> {
        if self.is_whole(extent) {
            return Ok(self.followed.turns);
        }
        self.scope.count(tx, extent, true, usize::MAX)
    }

    fn is_whole(&self, extent: Extent) -> bool {
        self.scope.of.sees_all() && (extent == Extent::Seen || self.scope.asks_for_all())
    }

    /// Returns a sample of turns, if a term was not read completely and its count is not stored.
    fn estimate(&self, tx: &PgTx<'_>, extent: Extent, found: &TermRows, has_paths: bool) -> Result<Estimate> {
        let is_complete = found.complete.iter().all(|complete| *complete);
        if is_complete || (self.is_whole(extent) && !has_paths) {
            return Ok(Estimate(Vec::new()));
        }
        words::sample(tx, self.scope, extent, self.terms, SAMPLE).map(Estimate)
    }
}

/// A sample of turns of a part.
struct Estimate(Vec<TermRow>);

impl Estimate {
    /// Estimates the number of turns that contain a term, among `all`.
    fn turns(&self, at: usize, all: u64) -> u64 {
        let with = counted(&self.0, |row| row.counts.get(at).is_some_and(|count| *count > 0));
        share(with, counted(&self.0, |_| true), all)
    }

    /// Estimates the number of paths that contain a term, among `all`.
    fn paths(&self, at: usize, all: u64) -> u64 {
        let seen: BTreeSet<i64> = self.0.iter().filter_map(|row| row.path).collect();
        share(paths_with(&self.0, at), seen.len() as u64, all)
    }
}

fn share(with: u64, of: u64, all: u64) -> u64 {
    if of == 0 { 0 } else { (with as f64 / of as f64 * all as f64).round() as u64 }
}

fn counted(rows: &[TermRow], is_one: impl Fn(&TermRow) -> bool) -> u64 {
    rows.iter().filter(|row| row.is_active && is_one(row)).count() as u64
}

fn paths_with(rows: &[TermRow], at: usize) -> u64 {
    let with = rows.iter().filter(|row| row.is_active && row.in_path.get(at) == Some(&true));
    with.filter_map(|row| row.path).collect::<BTreeSet<i64>>().len() as u64
}

fn views(lengths: &ActiveTurnSums) -> [ViewStatistics; 4] {
    let ActiveTurnSums { turns, sessions, terms, pairs, windows, paths: _, path_terms: _ } = *lengths;
    let [turns, sessions, terms, pairs, windows] = [turns, sessions, terms, pairs, windows].map(unsigned);
    Lengths { turns, sessions, terms, pairs, windows }.averages()
}

fn number(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
