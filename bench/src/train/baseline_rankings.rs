//! Plain rankings for comparison with the fitted one: one score alone, or reciprocal ranks of two
//! lists.

use loci_engine::retrieval::signals::SIGNALS;

use super::examples::{Example, ListedRows};
use super::folds::{Judged, judge};

/// k of reciprocal rank fusion.
const RANK_OFFSET: f64 = 60.0;

/// Returns every plain ranking with its name.
pub(super) fn rankings(examples: &[Example], sets: usize) -> Vec<(&'static str, Judged)> {
    let by = |name: &'static str, scores: &dyn Fn(&Example) -> Vec<f64>| {
        (name, judge(examples, sets, ListedRows::All, |example| (scores(example), None)))
    };
    vec![
        by("BM25 of the turn (T)", &|example| column(example, "lex_turn")),
        by("BM25 of the window (W)", &|example| column(example, "lex_window")),
        by("vectors (v)", &|example| column(example, "dense")),
        by("reciprocal ranks of T and v, k 60", &|example| {
            let words = reciprocal_ranks(&column(example, "lex_turn"), 0.0);
            let meaning = reciprocal_ranks(&column(example, "dense"), f64::NEG_INFINITY);
            words.iter().zip(meaning).map(|(a, b)| a + b).collect()
        }),
        by("T + v", &|example| {
            column(example, "lex_turn").iter().zip(column(example, "dense")).map(|(a, b)| a + b).collect()
        }),
    ]
}

fn column(example: &Example, name: &str) -> Vec<f64> {
    let at = SIGNALS.iter().position(|signal| signal.name == name).unwrap_or_default();
    example.values.iter().map(|values| values.get(at).copied().map_or(0.0, f64::from)).collect()
}

/// Returns 1 / (k + rank) of the scores above a bound, and 0 for the others.
fn reciprocal_ranks(scores: &[f64], above: f64) -> Vec<f64> {
    let mut rows: Vec<usize> =
        (0..scores.len()).filter(|row| scores.get(*row).is_some_and(|score| *score > above)).collect();
    let score = |row: &usize| scores.get(*row).copied().unwrap_or_default();
    rows.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    let mut ranks = vec![0.0; scores.len()];
    for (rank, row) in rows.into_iter().enumerate() {
        if let Some(slot) = ranks.get_mut(row) {
            *slot = 1.0 / (RANK_OFFSET + 1.0 + rank as f64);
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks() {
        assert_eq!(reciprocal_ranks(&[0.0, 2.0, 1.0], 0.0), [0.0, 1.0 / 61.0, 1.0 / 62.0]);
        assert_eq!(reciprocal_ranks(&[], 0.0), [0.0; 0]);
    }
}
