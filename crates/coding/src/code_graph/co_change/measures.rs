//! Support, confidence and lift of two files, and the queries on them. Pure.
//!
//! With `n` transactions, `n_a` of them of a, `n_ab` of both: support is `n_ab`, confidence of b
//! given a is `n_ab / n_a`, lift is `n_ab * n / (n_a * n_b)`.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::graph::{FileId, Graph, TransactionId};

/// The maximum number of samples of a pair.
const SAMPLES: usize = 3;
/// The minimum support of files that always change together. `ALWAYS_CONFIDENCE` is the minimum in
/// both directions.
const ALWAYS_SUPPORT: u32 = 5;
const ALWAYS_CONFIDENCE: f64 = 0.95;

/// The thresholds from which on two files change together often. The lift must also exceed 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// The minimum number of common changes.
    pub support: u32,
    /// The minimum share of one file's changes, 0 to 1.
    pub confidence: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { support: 3, confidence: 0.6 }
    }
}

/// The measures of two files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// The other file.
    pub(super) file: FileId,
    pub(super) support: u32,
    /// The share of the first file's changes that contain the other file.
    pub(super) confidence: f64,
    /// The share of the other file's changes that contain the first file.
    pub(super) reverse_confidence: f64,
    pub(super) lift: f64,
}

impl Measure {
    /// True if the two files change together often.
    pub(super) fn is_often(&self, from: &Thresholds) -> bool {
        self.support >= from.support && self.confidence >= from.confidence && self.lift > 1.0
    }

    fn is_always(&self) -> bool {
        self.support >= ALWAYS_SUPPORT
            && self.confidence >= ALWAYS_CONFIDENCE
            && self.reverse_confidence >= ALWAYS_CONFIDENCE
    }
}

/// Files that always change together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Set {
    /// The files, the one with the most changes first.
    pub(super) files: Vec<FileId>,
    /// The lowest support among its pairs.
    pub(super) support: u32,
    pub(super) confidence: f64,
}

impl Graph {
    /// Returns the measures of one file with each other existing file that changes with it.
    pub(super) fn together_with(&self, file: FileId) -> Vec<Measure> {
        let mut counts = vec![0_u32; self.of_file.len()];
        for id in self.transactions_of(file) {
            for other in self.transaction(*id).map_or(&[][..], |transaction| transaction.files.as_slice()) {
                if let Some(count) = counts.get_mut(*other as usize) {
                    *count += 1;
                }
            }
        }
        let others = (0..).zip(counts).filter(|(other, count)| *count > 0 && *other != file);
        let there = others.filter(|(other, _)| self.path(*other).is_some());
        there.map(|(other, count)| self.measure(file, other, count)).collect()
    }

    fn measure(&self, file: FileId, other: FileId, support: u32) -> Measure {
        let (both, all) = (f64::from(support), f64::from(self.count()));
        let (of_one, of_other) = (f64::from(self.count_of(file)), f64::from(self.count_of(other)));
        Measure {
            file: other,
            support,
            confidence: both / of_one,
            reverse_confidence: both / of_other,
            lift: both * all / (of_one * of_other),
        }
    }

    /// Returns the files that often change with one, the highest confidence first.
    pub(super) fn often_with(&self, file: FileId, from: &Thresholds) -> Vec<Measure> {
        let mut found = self.together_with(file);
        found.retain(|one| one.is_often(from));
        found.sort_by(|a, b| self.surest(a, b));
        found
    }

    /// Orders pairs by descending confidence, support and lift. Ties are ordered by path.
    pub(super) fn surest(&self, a: &Measure, b: &Measure) -> Ordering {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| b.support.cmp(&a.support))
            .then_with(|| b.lift.total_cmp(&a.lift))
            .then_with(|| self.path(a.file).cmp(&self.path(b.file)))
    }

    /// Returns the newest transactions that contain both files.
    pub(super) fn newest_of_both(&self, one: FileId, other: FileId) -> Vec<TransactionId> {
        let (mine, theirs) = (self.transactions_of(one), self.transactions_of(other));
        let (few, many) = if mine.len() <= theirs.len() { (mine, theirs) } else { (theirs, mine) };
        let mut both: Vec<TransactionId> =
            few.iter().copied().filter(|id| many.binary_search(id).is_ok()).collect();
        let at = |id: &TransactionId| self.transaction(*id).map_or(i64::MIN, |transaction| transaction.at_s);
        both.sort_by(|a, b| at(b).cmp(&at(a)).then_with(|| b.cmp(a)));
        both.truncate(SAMPLES);
        both
    }

    /// Returns the groups of files that always change together. Each file is in at most one group,
    /// and always changes together with every other file of its group: a chain of such pairs is not
    /// a group.
    pub(super) fn always(&self) -> Vec<Set> {
        let mut order: Vec<FileId> = self
            .files()
            .map(|(file, _)| file)
            .filter(|file| self.count_of(*file) >= ALWAYS_SUPPORT)
            .collect();
        order.sort_by(|a, b| {
            self.count_of(*b).cmp(&self.count_of(*a)).then_with(|| self.path(*a).cmp(&self.path(*b)))
        });
        let mut taken = BTreeSet::new();
        let mut sets = Vec::new();
        for first in order {
            if taken.contains(&first) {
                continue;
            }
            let set = self.always_with(first, &taken);
            if set.files.len() > 1 {
                taken.extend(&set.files);
                sets.push(set);
            }
        }
        sets
    }

    /// Returns the group of a file: the files that always change with it and with each other.
    fn always_with(&self, first: FileId, taken: &BTreeSet<FileId>) -> Set {
        let mut near = self.together_with(first);
        near.retain(|one| one.is_always() && !taken.contains(&one.file));
        near.sort_by(|a, b| self.surest(a, b));
        let mut set = Set { files: vec![first], support: u32::MAX, confidence: 1.0 };
        for one in near {
            let pairs: Vec<Measure> = set.files.iter().map(|member| self.pair(*member, one.file)).collect();
            if pairs.iter().all(Measure::is_always) {
                for pair in pairs {
                    set.support = set.support.min(pair.support);
                    set.confidence = set.confidence.min(pair.confidence).min(pair.reverse_confidence);
                }
                set.files.push(one.file);
            }
        }
        set
    }

    /// Returns the measures of two files.
    pub(super) fn pair(&self, one: FileId, other: FileId) -> Measure {
        let (mine, theirs) = (self.transactions_of(one), self.transactions_of(other));
        let both = mine.iter().filter(|id| theirs.binary_search(id).is_ok()).count();
        self.measure(one, other, u32::try_from(both).unwrap_or(u32::MAX))
    }
}
