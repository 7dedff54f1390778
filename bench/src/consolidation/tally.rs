//! Compares decisions with labels: precision and recall with Wilson intervals, and every error.

use std::collections::BTreeMap;

use loci_engine::consolidation::Relation;
use serde::Serialize;

use super::pair::{Expect, Kind, Pair};

/// A pair and the planner's decision.
#[derive(Debug, Clone)]
pub(super) struct DecidedPair {
    pub(super) pair: Pair,
    pub(super) got: Expect,
    pub(super) relation: Relation,
    pub(super) reason: &'static str,
    pub(super) cosine: Option<f32>,
}

/// All decisions on a set.
#[derive(Debug, Default)]
pub(super) struct Tally {
    decided: Vec<DecidedPair>,
}

/// A share with its 95 % interval (Wilson).
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Share {
    pub(crate) hits: usize,
    pub(crate) of: usize,
    pub(crate) share: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Precision and recall of one action.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ActionRates {
    pub(super) precision: Share,
    pub(super) recall: Share,
}

/// The reported figures.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub(super) pairs: usize,
    /// Rows for "skip or supersede", then for each action and each kind.
    pub(super) rows: BTreeMap<String, ActionRates>,
    /// Pairs of different scopes of which one superseded the other.
    pub(super) scopes_superseded: usize,
    pub(super) errors: Vec<String>,
}

impl Tally {
    pub(super) fn add(&mut self, decided: DecidedPair) {
        self.decided.push(decided);
    }

    /// Returns true if both figures reach their minimum and no scope supersedes another.
    pub(super) fn reaches(&self, precision: f64, recall: f64) -> bool {
        let all = self.row(|_| true, |expect| expect != Expect::Add);
        all.precision.share >= precision && all.recall.share >= recall && self.scopes_superseded() == 0
    }

    /// Counts pairs with different scopes whose label keeps both, but of which one was superseded.
    fn scopes_superseded(&self) -> usize {
        let wrong = |one: &&DecidedPair| {
            one.got == Expect::Supersede && one.pair.expect == Expect::Add && one.pair.scopes_differ()
        };
        self.decided.iter().filter(wrong).count()
    }

    fn row(&self, among: impl Fn(&Pair) -> bool, counts: impl Fn(Expect) -> bool) -> ActionRates {
        let among: Vec<&DecidedPair> = self.decided.iter().filter(|one| among(&one.pair)).collect();
        let hits = among.iter().filter(|one| counts(one.got) && one.got == one.pair.expect).count();
        let decided = among.iter().filter(|one| counts(one.got)).count();
        let labelled = among.iter().filter(|one| counts(one.pair.expect)).count();
        ActionRates { precision: share(hits, decided), recall: share(hits, labelled) }
    }

    pub(super) fn figures(&self) -> Figures {
        let mut rows = BTreeMap::new();
        let acts = |expect: Expect| expect != Expect::Add;
        rows.insert("skip or supersede".to_owned(), self.row(|_| true, acts));
        for (name, wanted) in [("skip", Expect::Skip), ("supersede", Expect::Supersede), ("add", Expect::Add)]
        {
            rows.insert(name.to_owned(), self.row(|_| true, |expect| expect == wanted));
        }
        let kinds = [
            ("of semantic", Kind::Semantic),
            ("of preferences", Kind::UserPreference),
            ("of code", Kind::Code),
        ];
        for (name, kind) in kinds {
            rows.insert(name.to_owned(), self.row(|pair| pair.kind == kind, acts));
        }
        let errors = self.decided.iter().filter(|one| one.got != one.pair.expect).map(line).collect();
        Figures { pairs: self.decided.len(), rows, scopes_superseded: self.scopes_superseded(), errors }
    }

    pub(super) fn show(&self) {
        let figures = self.figures();
        println!("{:<20} {:>34} {:>34}", "", "precision", "recall");
        for (name, row) in &figures.rows {
            println!("{name:<20} {:>34} {:>34}", shown(row.precision), shown(row.recall));
        }
        println!("one scope superseded another: {}", figures.scopes_superseded);
        for error in &figures.errors {
            println!("  {error}");
        }
    }
}

fn line(one: &DecidedPair) -> String {
    let cosine = one.cosine.map(|cosine| format!(" {cosine:.2}")).unwrap_or_default();
    let Pair { id, old, new, expect, why, .. } = &one.pair;
    format!(
        "{id}: {expect:?} ({why}), decided {:?}: {:?}, {}{cosine} | {} | {}",
        one.got, one.relation, one.reason, old.text, new.text
    )
}

pub(crate) fn shown(share: Share) -> String {
    format!(
        "{:.1} % [{:.1}–{:.1}] {}/{}",
        share.share * 100.0,
        share.low * 100.0,
        share.high * 100.0,
        share.hits,
        share.of
    )
}

/// Returns a share with its Wilson interval at 95 %. A share of nothing is 1, because without
/// decisions none is wrong.
pub(crate) fn share(hits: usize, of: usize) -> Share {
    if of == 0 {
        return Share { hits, of, share: 1.0, low: 0.0, high: 1.0 };
    }
    const Z: f64 = 1.959_963_985;
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    Share { hits, of, share: p, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn wilson() {
        let check = |hits: usize, of: usize, low: f64, high: f64| {
            let found = share(hits, of);
            assert!((found.low - low).abs() < 0.001 && (found.high - high).abs() < 0.001, "{found:?}");
        };
        check(50, 100, 0.404, 0.596);
        check(10, 10, 0.722, 1.0);
        check(0, 10, 0.0, 0.278);
        check(0, 0, 0.0, 1.0);
    }
}
