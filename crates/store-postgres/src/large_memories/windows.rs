//! The list by windows: turns with relevant neighbours, even if they contain no term themselves.
//!
//! The rows do not state their neighbours. As a first estimate, the rows of a conversation with
//! terms are treated as adjacent, which gives an upper bound. The best conversations are then read
//! turn by turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use loci_model::Result;
use loci_text::bm25::WINDOW;

use super::context_passages::{Hit, Turn, WHOLE_MAX, members};
use super::scope::{Extent, Scope};
use super::words::{TermRow, best, bm25_of};
use crate::bound_values::PgBoundParameters;
use crate::digests::Key16;
use crate::tx::{Column, PgTx};

/// The number of rows per list entry whose conversations are read.
const LOOKED_UP: usize = 3;
/// The number of turns per list entry that are tested against a scope with partial conversations.
const TESTED: usize = 8;

/// Returns the best turns of a scope by their windows, best first. `rows` are those of all
/// conversations in the scope.
pub(super) fn best_windows(
    tx: &PgTx<'_>,
    scope: &Scope<'_>,
    rows: &[TermRow],
    (idf, average): (&[f32], f32),
    length: usize,
) -> Result<Vec<Hit>> {
    let close = close_together(rows, idf, average);
    let first = best(rows, close.iter().copied(), length.saturating_mul(LOOKED_UP));
    let chains: BTreeSet<Key16> = first.iter().filter_map(|at| rows.get(*at)?.chain).collect();
    let turns = members(tx, scope.memory, &chains)?;
    let found: HashMap<&[u8], &TermRow> =
        rows.iter().filter(|row| row.is_active).map(|row| (row.passage.0.as_slice(), row)).collect();
    let mut scored: Vec<(f32, Hit)> = Vec::new();
    for (chain, turns) in &turns {
        if turns.len() <= WHOLE_MAX {
            scored.extend(in_conversation(*chain, turns, &found, (idf, average)));
        }
    }
    let is_long = |chain: &Key16| turns.get(chain).is_some_and(|turns| turns.len() > WHOLE_MAX);
    for row in first.iter().filter_map(|at| Some((*at, rows.get(*at)?))) {
        if let (Some(chain), Some(score)) = (row.1.chain.filter(is_long), close.get(row.0)) {
            let passage = row.1.passage.clone();
            scored.push((*score, Hit { passage, chain: Some(chain), place: row.1.place }));
        }
    }
    scored.sort_by(|(x, a), (y, b)| {
        y.total_cmp(x).then_with(|| b.place.cmp(&a.place)).then_with(|| a.passage.cmp(&b.passage))
    });
    let hits = scored.into_iter().map(|(_, hit)| hit);
    if scope.is_plain() {
        return Ok(hits.take(length).collect());
    }
    in_scope(tx, scope, hits.take(length.saturating_mul(TESTED)).collect(), length)
}

/// Returns scores of rows, as if the rows of a conversation were adjacent.
fn close_together(rows: &[TermRow], idf: &[f32], average: f32) -> Vec<f32> {
    let mut chains: BTreeMap<Key16, Vec<(usize, &TermRow)>> = BTreeMap::new();
    for (at, found) in rows.iter().enumerate().filter(|(_, found)| found.is_active) {
        if let Some(chain) = found.chain {
            chains.entry(chain).or_default().push((at, found));
        }
    }
    let mut scores = vec![0.0; rows.len()];
    for chain in chains.values_mut() {
        chain.sort_by(|(_, a), (_, b)| a.place.cmp(&b.place).then_with(|| a.passage.cmp(&b.passage)));
        for (place, (at, _)) in chain.iter().enumerate() {
            let around = chain.get(window(place, chain.len())).unwrap_or_default();
            let counts = sum(around.iter().map(|(_, found)| *found), idf.len());
            if let Some(score) = scores.get_mut(*at) {
                *score = bm25_of(&counts, average, idf, WINDOW, average);
            }
        }
    }
    scores
}

/// Returns the range of the window at an index.
fn window(place: usize, of: usize) -> std::ops::Range<usize> {
    place.saturating_sub(2)..place.saturating_add(2).min(of)
}

fn sum<'a>(rows: impl Iterator<Item = &'a TermRow>, terms: usize) -> Vec<u32> {
    let mut counts = vec![0; terms];
    for row in rows {
        counts.iter_mut().zip(&row.counts).for_each(|(sum, count)| *sum += count);
    }
    counts
}

/// Returns the turns of a conversation that have a score.
fn in_conversation(
    chain: Key16,
    turns: &BTreeSet<Turn>,
    found: &HashMap<&[u8], &TermRow>,
    (idf, average): (&[f32], f32),
) -> Vec<(f32, Hit)> {
    let turns: Vec<&Turn> = turns.iter().collect();
    let score = |(at, turn): (usize, &&Turn)| {
        let around = turns.get(window(at, turns.len())).unwrap_or_default();
        let counts = sum(around.iter().filter_map(|turn| found.get(turn.key.as_slice()).copied()), idf.len());
        let length: i64 = around.iter().map(|turn| turn.terms).sum();
        let score = bm25_of(&counts, length as f32, idf, WINDOW, average);
        (score, Hit { passage: (turn.key.clone(), 0), chain: Some(chain), place: turn.place })
    };
    turns.iter().enumerate().map(score).filter(|(score, _)| *score > 0.0).collect()
}

/// Returns the first of these hits that the scope admits.
fn in_scope(tx: &PgTx<'_>, scope: &Scope<'_>, hits: Vec<Hit>, length: usize) -> Result<Vec<Hit>> {
    let mut bound = PgBoundParameters::default();
    let condition = scope.condition(Extent::Full, &mut bound);
    let keys: Vec<Vec<u8>> = hits.iter().map(|hit| hit.passage.0.clone()).collect();
    let sql = format!("SELECT p.key FROM passages p WHERE {condition} AND p.key = ANY({})", bound.put(keys));
    let kept: BTreeSet<Vec<u8>> = tx.all(&sql, &bound.values(), |row| row.take(0))?.into_iter().collect();
    Ok(hits.into_iter().filter(|hit| kept.contains(&hit.passage.0)).take(length).collect())
}
