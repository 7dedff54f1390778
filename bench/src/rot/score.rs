//! Compares labels with verdicts and counts the results of a window. It reads and prints nothing.

use std::collections::BTreeMap;

use loci_model::facts::verdict::{Method, Unverifiable, Verdict};
use serde::Serialize;

use super::git::is_blank;
use super::item::{Class, Item, Label, Stratum};
use super::rate::Rate;
use crate::figures::{Latencies, Quantiles};

/// Citations of one memory.
const OF_A_MEMORY: usize = 3;

/// A verifier's verdict on one item, and its duration.
#[derive(Debug, Clone)]
pub(super) struct VerifierResult {
    pub(super) verdict: Verdict,
    pub(super) method: Method,
    pub(super) unverifiable: Option<Unverifiable>,
    pub(super) at: Option<(String, u32, u32)>,
    pub(super) took: std::time::Duration,
}

/// A wrong verdict, with the data to reproduce it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Wrong {
    pub(super) path: String,
    pub(super) line_start: u32,
    pub(super) line_end: u32,
    pub(super) label: Class,
    pub(super) words: usize,
    pub(super) verdict: Verdict,
    pub(super) method: Method,
    pub(super) unverifiable: Option<Unverifiable>,
    pub(super) traced_to: Option<(String, u32, u32)>,
    pub(super) found_at: Option<(String, u32, u32)>,
    /// True if `git blame --reverse` agrees with the tracer, and `None` if it did not run.
    pub(super) second_opinion: Option<bool>,
}

/// Rates of one class, or of one kind of text.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct ClassRates {
    pub(super) detection: Rate,
    pub(super) false_alarms: Rate,
}

impl ClassRates {
    fn add(&mut self, present: bool, valid: bool) {
        if present { self.false_alarms.add(!valid) } else { self.detection.add(!valid) }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            detection: self.detection.and(other.detection),
            false_alarms: self.false_alarms.and(other.false_alarms),
        }
    }
}

/// The counts of a window, or of several.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Counts {
    pub(super) items: usize,
    pub(super) classes: BTreeMap<Class, usize>,
    pub(super) all: ClassRates,
    pub(super) by_class: BTreeMap<Class, ClassRates>,
    pub(super) by_stratum: BTreeMap<Stratum, ClassRates>,
    /// Items whose files have another path now, in any class.
    pub(super) in_renamed_files: ClassRates,
    /// `ABSENT` items reported gone or contradicted.
    pub(super) hard: Rate,
    /// Verdicts on items of classes that are scored separately.
    pub(super) apart: BTreeMap<Class, BTreeMap<Verdict, usize>>,
    pub(super) memories: ClassRates,
    /// Objects that are truly missing: not scored.
    pub(super) missing: usize,
    /// Blocks that cannot be cited: not scored.
    pub(super) refused: usize,
    /// Items found at other lines than the tracer's.
    pub(super) elsewhere: Rate,
    /// Items with a second opinion, and the number of those on which it differs.
    pub(super) disagreement: Rate,
    /// Items on which both opinions agree.
    pub(super) gold: ClassRates,
}

impl Counts {
    /// Returns the sums of several windows.
    pub(super) fn pooled<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut pool = Self::default();
        for one in all {
            pool.items += one.items;
            pool.missing += one.missing;
            pool.refused += one.refused;
            one.classes.iter().for_each(|(class, count)| *pool.classes.entry(*class).or_default() += count);
            for (class, verdicts) in &one.apart {
                let slot = pool.apart.entry(*class).or_default();
                verdicts.iter().for_each(|(verdict, count)| *slot.entry(*verdict).or_default() += count);
            }
            pool.all = pool.all.and(one.all);
            pool.in_renamed_files = pool.in_renamed_files.and(one.in_renamed_files);
            pool.memories = pool.memories.and(one.memories);
            pool.gold = pool.gold.and(one.gold);
            pool.hard = pool.hard.and(one.hard);
            pool.elsewhere = pool.elsewhere.and(one.elsewhere);
            pool.disagreement = pool.disagreement.and(one.disagreement);
            for (class, row) in &one.by_class {
                let slot = pool.by_class.entry(*class).or_default();
                *slot = slot.and(*row);
            }
            for (stratum, row) in &one.by_stratum {
                let slot = pool.by_stratum.entry(*stratum).or_default();
                *slot = slot.and(*row);
            }
        }
        pool
    }

    /// Returns Youden's J: detection minus false alarms.
    pub(super) fn youden(&self) -> Option<f64> {
        Some(self.all.detection.share()? - self.all.false_alarms.share()?)
    }

    /// Returns the number of items whose labels failed the tracer's self-check.
    pub(super) fn trackerr(&self) -> usize {
        self.classes.get(&Class::Trackerr).copied().unwrap_or(0)
    }
}

/// Counts a window. `found` has one verdict per item, in their order, and `None` for blocks that
/// cannot be cited.
pub(super) fn count(
    items: &[Item],
    labels: &[Label],
    found: &[Option<VerifierResult>],
    opinions: &BTreeMap<usize, bool>,
) -> (Counts, Vec<Wrong>) {
    let mut counts = Counts { items: items.len(), ..Counts::default() };
    let mut wrong = Vec::new();
    for (which, ((item, label), found)) in items.iter().zip(labels).zip(found).enumerate() {
        *counts.classes.entry(label.class).or_default() += 1;
        let opinion = opinions.get(&which).copied();
        if let Some(agrees) = opinion {
            counts.disagreement.add(!agrees);
        }
        let Some(found) = found else {
            counts.refused += 1;
            continue;
        };
        if found.unverifiable == Some(Unverifiable::PartialClone) {
            counts.missing += 1;
            continue;
        }
        let Some(present) = label.class.present() else {
            *counts.apart.entry(label.class).or_default().entry(found.verdict).or_default() += 1;
            continue;
        };
        counts.add(item, label, found, present, opinion);
        let valid = found.verdict == Verdict::Valid;
        // An unverifiable item is wrong in both cases.
        let right = found.verdict.is_conclusive() && valid == present;
        if !right {
            wrong.push(a_wrong(item, label, found, opinion));
        }
    }
    counts.memories = memories(labels, found);
    (counts, wrong)
}

impl Counts {
    fn add(
        &mut self,
        item: &Item,
        label: &Label,
        found: &VerifierResult,
        present: bool,
        opinion: Option<bool>,
    ) {
        // An unverifiable item counts as a miss if the block is absent, and as a false alarm if it
        // is present.
        let said_valid = match found.verdict {
            Verdict::Unverifiable => !present,
            Verdict::Valid => true,
            Verdict::Drifted | Verdict::Gone | Verdict::Contradicted => false,
        };
        self.all.add(present, said_valid);
        self.by_class.entry(label.class).or_default().add(present, said_valid);
        self.by_stratum.entry(item.stratum).or_default().add(present, said_valid);
        if label.renamed {
            self.in_renamed_files.add(present, said_valid);
        }
        if opinion == Some(true) {
            self.gold.add(present, said_valid);
        }
        if !present {
            self.hard.add(matches!(found.verdict, Verdict::Gone | Verdict::Contradicted));
        }
        if let (true, Verdict::Valid, Some(traced), Some(at)) = (present, found.verdict, &label.at, &found.at)
        {
            self.elsewhere.add(!same_place(item, traced, at));
        }
    }
}

/// Returns true for the same lines. Blank lines at the ends of the block may be included or not.
fn same_place(item: &Item, traced: &(String, u32, u32), at: &(String, u32, u32)) -> bool {
    let blank = |line: &&Vec<u8>| is_blank(line);
    let count = |blank: usize| u32::try_from(blank).unwrap_or(0);
    let before = count(item.lines.iter().take_while(blank).count());
    let after = count(item.lines.iter().rev().take_while(blank).count());
    let near = |a: u32, b: u32, blank: u32| a.abs_diff(b) <= blank;
    traced.0 == at.0 && near(traced.1, at.1, before) && near(traced.2, at.2, after)
}

fn a_wrong(item: &Item, label: &Label, found: &VerifierResult, second_opinion: Option<bool>) -> Wrong {
    Wrong {
        path: item.path.clone(),
        line_start: item.start,
        line_end: item.end(),
        label: label.class,
        words: item.words,
        verdict: found.verdict,
        method: found.method,
        unverifiable: found.unverifiable,
        traced_to: label.at.clone(),
        found_at: found.at.clone(),
        second_opinion,
    }
}

/// Counts memories of three citations each. A memory is valid if all its citations are, and present
/// if all are.
fn memories(labels: &[Label], found: &[Option<VerifierResult>]) -> ClassRates {
    let scored: Vec<(bool, bool)> = labels
        .iter()
        .zip(found)
        .filter_map(|(label, found)| {
            let found = found.as_ref().filter(|found| found.verdict.is_conclusive())?;
            Some((label.class.present()?, found.verdict == Verdict::Valid))
        })
        .collect();
    let mut row = ClassRates::default();
    for three in scored.chunks_exact(OF_A_MEMORY) {
        row.add(three.iter().all(|(present, _)| *present), three.iter().all(|(_, valid)| *valid));
    }
    row
}

/// Returns the quantiles of the durations of all verdicts.
pub(super) fn times(found: &[Option<VerifierResult>]) -> Quantiles {
    let mut latencies = Latencies::default();
    found.iter().flatten().for_each(|found| latencies.add(found.took));
    latencies.quantiles()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(class: Class, verdict: Verdict) -> (Item, Label, VerifierResult) {
        let item = Item {
            path: "a".into(),
            start: 1,
            lines: vec![b"one".to_vec()],
            words: 1,
            stratum: Stratum::Code,
        };
        let label = Label { class, renamed: false, all_alive: class.present() == Some(true), at: None };
        let unverifiable = (verdict == Verdict::Unverifiable).then_some(Unverifiable::Deadline);
        (
            item,
            label,
            VerifierResult {
                verdict,
                method: Method::None,
                unverifiable,
                at: None,
                took: Default::default(),
            },
        )
    }

    #[test]
    fn verdicts_are_counted_against_labels() {
        let all = [
            one(Class::Unchanged, Verdict::Valid),
            one(Class::Shifted, Verdict::Gone),
            one(Class::Shifted, Verdict::Unverifiable),
            one(Class::Edited, Verdict::Drifted),
            one(Class::Deleted, Verdict::Gone),
            one(Class::Deleted, Verdict::Valid),
            one(Class::Deleted, Verdict::Unverifiable),
            one(Class::Split, Verdict::Drifted),
            one(Class::Trackerr, Verdict::Gone),
        ];
        let items: Vec<Item> = all.iter().map(|(item, _, _)| item.clone()).collect();
        let labels: Vec<Label> = all.iter().map(|(_, label, _)| label.clone()).collect();
        let found: Vec<Option<VerifierResult>> =
            all.iter().map(|(_, _, found)| Some(found.clone())).collect();
        let opinions = BTreeMap::from([(0, true), (1, false)]);
        let (counts, wrong) = count(&items, &labels, &found, &opinions);
        assert_eq!(counts.all.detection, Rate { hits: 2, of: 4 });
        assert_eq!(counts.all.false_alarms, Rate { hits: 2, of: 3 });
        assert_eq!(counts.hard, Rate { hits: 1, of: 4 });
        assert_eq!(wrong.len(), 4);
        assert_eq!(counts.apart.get(&Class::Split), Some(&BTreeMap::from([(Verdict::Drifted, 1)])));
        assert_eq!(counts.disagreement, Rate { hits: 1, of: 2 });
        assert_eq!(counts.gold.false_alarms, Rate { hits: 0, of: 1 });
        assert_eq!((counts.trackerr(), counts.memories.detection.of), (1, 1));
        let pool = Counts::pooled([&counts, &counts].into_iter());
        assert_eq!(pool.all.detection, Rate { hits: 4, of: 8 });
        assert_eq!(pool.classes.get(&Class::Deleted), Some(&6));
    }
}
