//! The lists by words: rows with the rarer terms of the question, found in the inverted index and
//! scored by BM25.
//!
//! Terms are added by rarity while the number of rows to read stays small. Each row is scored for
//! all terms. Rows that contain only the most frequent terms are missed.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use loci_model::Result;
use loci_text::bm25::{self, TURN};
use tokio_postgres::Row;

use super::PassageKey;
use super::row::Words;
use super::scope::{Extent, Scope};
use crate::bound_values::PgBoundParameters;
use crate::digests::{Key16, Word, word_number};
use crate::tx::{Column, PgTx, limit, unsigned};

/// The columns of [`TermRow`].
const FOUND: &str = "SELECT p.key, p.part, p.chain, p.place, p.path, p.state, p.name, p.path_terms, p.name_terms, p.terms, \
                     p.words FROM passages p";
/// The maximum number of turns for which names with a term are searched too, because they may be
/// unknown names.
const NAMED_MAX: u64 = 50;

/// The terms of a question.
pub(super) struct Terms {
    pub(super) numbers: Vec<i64>,
    /// The number of active turns in the memory with the term, without names.
    pub(super) turns: Vec<u64>,
    /// Its complement, if few names contain it.
    named: Vec<Option<i64>>,
}

impl Terms {
    /// Looks up terms. A repeated term counts once.
    pub(super) fn new(tx: &PgTx<'_>, memory: i64, texts: &[String]) -> Result<Self> {
        let numbers: Vec<i64> = texts.iter().map(|term| word_number(memory, Word::Term, term)).collect();
        let both: Vec<i64> = numbers.iter().flat_map(|number| [*number, !*number]).collect();
        let sql = "SELECT word, turns FROM term_counts WHERE mem = $1 AND word = ANY($2)";
        let counts: HashMap<i64, u64> = tx
            .all(sql, &[&memory, &both], |row| Ok((row.take(0)?, unsigned(row.take(1)?))))?
            .into_iter()
            .collect();
        let turns = numbers.iter().map(|number| counts.get(number).copied().unwrap_or(0)).collect();
        let named =
            |number: &i64| counts.get(&!*number).filter(|turns| **turns <= NAMED_MAX).map(|_| !*number);
        let named = numbers.iter().map(named).collect();
        Ok(Self { numbers, turns, named })
    }

    /// Returns the number of occurrences of each term in a passage.
    fn count(&self, words: impl Iterator<Item = i64>) -> Vec<u32> {
        let mut counts = vec![0; self.numbers.len()];
        for word in words {
            let at = self.numbers.iter().position(|number| *number == word);
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        counts
    }

    /// Returns the rarest terms whose rows are at most `rows_max` in total; at least one existing
    /// term.
    pub(super) fn rarest(&self, rows_max: usize) -> Vec<bool> {
        let (mut sum, mut taken) = (0, vec![false; self.turns.len()]);
        for (turns, at) in self.by_rarity() {
            if sum > 0 && sum + turns > unsigned(limit(rows_max)) {
                break;
            }
            sum += turns;
            if let Some(taken) = taken.get_mut(at) {
                *taken = true;
            }
        }
        taken
    }

    /// Returns the `count` rarest terms.
    pub(super) fn rarest_of(&self, count: usize) -> Vec<bool> {
        let mut taken = vec![false; self.turns.len()];
        for (_, at) in self.by_rarity().into_iter().take(count) {
            if let Some(taken) = taken.get_mut(at) {
                *taken = true;
            }
        }
        taken
    }

    fn by_rarity(&self) -> Vec<(u64, usize)> {
        let mut order: Vec<(u64, usize)> = self.turns.iter().copied().zip(0..).collect();
        order.sort_unstable();
        order
    }
}

/// A row that contains terms of the question.
pub(super) struct TermRow {
    pub(super) passage: PassageKey,
    pub(super) chain: Option<Key16>,
    pub(super) place: i64,
    pub(super) path: Option<i64>,
    pub(super) is_active: bool,
    /// The number of occurrences of each term.
    pub(super) counts: Vec<u32>,
    /// True for each term that its path contains.
    pub(super) in_path: Vec<bool>,
    pub(super) length: u32,
}

/// Rows that contain terms of the question.
pub(super) struct TermRows {
    pub(super) rows: Vec<TermRow>,
    /// True for each term of which all rows are included.
    pub(super) complete: Vec<bool>,
    /// True if there were more; these are the newest.
    pub(super) is_cut: bool,
}

/// Returns rows of a scope that contain any of the selected terms, at most `most`; if there are
/// more, the newest. Only active rows are included, unless the scope requests other states.
pub(super) fn rows(
    tx: &PgTx<'_>,
    scope: &Scope<'_>,
    extent: Extent,
    terms: &Terms,
    (taken, most): (Vec<bool>, usize),
) -> Result<TermRows> {
    if terms.numbers.is_empty() {
        return Ok(TermRows { rows: Vec::new(), complete: Vec::new(), is_cut: false });
    }
    let wanted = terms.numbers.iter().zip(&terms.named).zip(&taken).filter(|(_, taken)| **taken);
    let wanted: BTreeSet<i64> = wanted.flat_map(|((own, named), _)| [Some(*own), *named]).flatten().collect();
    let wanted: Vec<i64> = wanted.into_iter().collect();
    let mut bound = PgBoundParameters::default();
    let sql = statement(scope, extent, wanted.clone(), most.saturating_add(1), &mut bound);
    let mut rows = tx.rows(&sql, &bound.values())?;
    let is_cut = rows.len() > most;
    if is_cut {
        // The order so far is arbitrary, because it depends on the physical location of rows.
        let mut bound = PgBoundParameters::default();
        let sql = newest(scope, extent, wanted, most, &mut bound);
        rows = tx.rows(&sql, &bound.values())?;
    }
    let complete = taken.into_iter().map(|taken| taken && !is_cut).collect();
    Ok(TermRows { rows: read(tx, scope.memory, &rows, terms)?, complete, is_cut })
}

/// Returns the query for the newest rows of a scope that contain any of some words.
pub(super) fn newest(
    scope: &Scope<'_>,
    extent: Extent,
    wanted: Vec<i64>,
    most: usize,
    bound: &mut PgBoundParameters,
) -> String {
    let condition = with_words(scope, extent, wanted, bound);
    first(scope, (&condition, "p.place DESC, p.key, p.part"), most, bound)
}

/// Returns the query for the first rows in an order. Only the keys are sorted.
fn first(
    scope: &Scope<'_>,
    (condition, order): (&str, &str),
    most: usize,
    bound: &mut PgBoundParameters,
) -> String {
    let (memory, most) = (bound.put(scope.memory), bound.put(limit(most)));
    format!(
        "{FOUND} JOIN (SELECT p.key, p.part FROM passages p WHERE {condition} ORDER BY {order} LIMIT {most}) t \
         ON t.key = p.key AND t.part = p.part WHERE p.mem = {memory}"
    )
}

fn with_words(scope: &Scope<'_>, extent: Extent, wanted: Vec<i64>, bound: &mut PgBoundParameters) -> String {
    let condition = scope.condition(extent, bound);
    let active = match extent {
        Extent::Seen | Extent::Asked => " AND p.state = 0",
        Extent::Full => "",
    };
    format!("{condition}{active} AND p.words && {}", bound.put(wanted))
}

/// Returns the query for rows of a scope that contain any of some words.
pub(super) fn statement(
    scope: &Scope<'_>,
    extent: Extent,
    wanted: Vec<i64>,
    most: usize,
    bound: &mut PgBoundParameters,
) -> String {
    let condition = with_words(scope, extent, wanted, bound);
    format!("{FOUND} WHERE {condition} LIMIT {}", bound.put(limit(most)))
}

/// Returns active rows of a scope regardless of their words, as a sample for term frequencies: the
/// first ones by key.
pub(super) fn sample(
    tx: &PgTx<'_>,
    scope: &Scope<'_>,
    extent: Extent,
    terms: &Terms,
    most: usize,
) -> Result<Vec<TermRow>> {
    let mut bound = PgBoundParameters::default();
    let condition = format!("{} AND p.state = 0", scope.condition(extent, &mut bound));
    let sql = first(scope, (&condition, "p.key, p.part"), most, &mut bound);
    let rows = tx.rows(&sql, &bound.values())?;
    read(tx, scope.memory, &rows, terms)
}

fn read(tx: &PgTx<'_>, memory: i64, rows: &[Row], terms: &Terms) -> Result<Vec<TermRow>> {
    let mut names = BTreeSet::new();
    for row in rows {
        names.extend(row.take::<Option<&str>>(6)?);
    }
    let known = known_among(tx, memory, names.into_iter().map(ToOwned::to_owned).collect())?;
    let found = |row: &Row| {
        let words = Words::read(row, 6)?;
        let is_known = words.name.as_ref().is_some_and(|name| known.contains(name));
        let counts = terms.count(words.counted(is_known));
        let path = words.of_path();
        Ok(TermRow {
            passage: (row.take(0)?, row.take(1)?),
            chain: row.take(2)?,
            place: row.take(3)?,
            path: row.take(4)?,
            is_active: row.take::<i16>(5)? == 0,
            counts,
            in_path: terms.numbers.iter().map(|number| path.contains(number)).collect(),
            length: crate::tx::uint(words.length(is_known)),
        })
    };
    rows.iter().map(found).collect()
}

/// Returns the names among these that the memory knows.
pub(super) fn known_among(tx: &PgTx<'_>, memory: i64, names: Vec<String>) -> Result<BTreeSet<String>> {
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sql = "SELECT name FROM name_counts WHERE mem = $1 AND name = ANY($2) AND turns >= 2";
    Ok(tx.all(sql, &[&memory, &names], |row| row.take(0))?.into_iter().collect())
}

/// Returns the best rows by their own terms, best first; equal ones newer first.
pub(super) fn best_turns(rows: &[TermRow], idf: &[f32], average: f32, length: usize) -> Vec<usize> {
    let score = |found: &TermRow| bm25_of(&found.counts, found.length as f32, idf, TURN, average);
    best(rows, rows.iter().map(score), length)
}

/// Returns the BM25 score of counts.
pub(super) fn bm25_of(counts: &[u32], length: f32, idf: &[f32], view: bm25::View, average: f32) -> f32 {
    let terms = counts.iter().zip(idf).filter(|(count, _)| **count > 0);
    terms.map(|(count, idf)| bm25::term_score(view, *idf, *count as f32, length, average)).sum()
}

/// Returns the best rows, best first; equal ones newer first.
pub(super) fn best(rows: &[TermRow], scores: impl Iterator<Item = f32>, length: usize) -> Vec<usize> {
    let mut scored: Vec<(f32, usize)> = scores.zip(0..).filter(|(score, _)| *score > 0.0).collect();
    scored.sort_by(|(x, a), (y, b)| {
        y.total_cmp(x).then_with(|| {
            let key = |at: usize| rows.get(at).map(|found| (Reverse(found.place), &found.passage));
            key(*a).cmp(&key(*b))
        })
    });
    scored.truncate(length);
    scored.into_iter().map(|(_, at)| at).collect()
}
