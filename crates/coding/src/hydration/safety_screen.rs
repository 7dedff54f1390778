//! Screens the selected candidates before they may appear in a block: sanitizing, masking, scoring.
//! This is CPU work that grows with the memory. Therefore it shares the deadline, proceeds rank by
//! rank through all kinds, and yields to other tasks on its thread. A candidate that was not
//! screened is not shown.

use std::collections::BTreeMap;

use loci_engine::calls::deadline::{Deadline, Turn};
use loci_engine::retrieval::render::ScreenedEntry;
use loci_engine::safety::Patterns;
use loci_model::Timestamp;

use super::candidate::{Candidate, OmittedRecord};
use super::kind::HydrationKind;
use super::lines::entry;
use super::selection::SelectedCandidates;

/// The reason of a candidate that was not screened in time.
const DEADLINE: &str = "deadline";

/// The candidates of one kind that may be shown, in order, and those left out.
#[derive(Debug, Clone, Default)]
pub(super) struct ScreenedCandidates {
    pub(super) kept: Vec<(Candidate, ScreenedEntry)>,
    pub(super) left: Vec<OmittedRecord>,
    /// Lines of the same share that stand for no record.
    pub(super) beside: Vec<ScreenedEntry>,
}

impl ScreenedCandidates {
    /// Returns the number of candidates that were not screened in time.
    pub(super) fn late(&self) -> usize {
        self.left.iter().filter(|left| left.reason == DEADLINE).count()
    }
}

/// Screens the selected candidates until the deadline, the best of every kind first.
pub(super) async fn screen(
    chosen: BTreeMap<HydrationKind, SelectedCandidates>,
    now: Timestamp,
    patterns: &Patterns,
    deadline: &Deadline,
) -> BTreeMap<HydrationKind, ScreenedCandidates> {
    let (mut ready, mut waiting) = (BTreeMap::<HydrationKind, ScreenedCandidates>::new(), Vec::new());
    for (kind, chosen) in chosen {
        waiting.extend((0..).zip(chosen.kept).map(|(place, candidate): (usize, _)| (place, kind, candidate)));
        ready.insert(kind, ScreenedCandidates { left: chosen.left, ..ScreenedCandidates::default() });
    }
    waiting.sort_by_key(|(place, kind, _)| (*place, *kind));
    let mut turn = Turn::default();
    for (_, kind, candidate) in waiting {
        let has_time = deadline.has_time(&mut turn).await;
        let of = ready.entry(kind).or_default();
        if has_time {
            let screened = ScreenedEntry::new(&entry(&candidate, now), patterns);
            of.kept.push((candidate, screened));
        } else {
            of.left.push(OmittedRecord::new(candidate, DEADLINE));
        }
    }
    ready
}
