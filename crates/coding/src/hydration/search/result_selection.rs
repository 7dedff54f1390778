//! Selects the results, with a reason for each record left out: trust, code checks, order, and the
//! screening of each text.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use loci_engine::calls::deadline::{Deadline, Turn};
use loci_engine::retrieval::render::ScreenedEntry;
use loci_engine::safety::Patterns;
use loci_model::Timestamp;

use super::super::candidate::{Candidate, OmittedRecord};
use super::super::kind::HydrationKind;
use super::super::lines::entry;
use super::super::selection::by_code;
use super::super::trust::{is_distrusted, trust};
use crate::settings::CodingSettings;

/// The reason of a candidate beyond the limit.
const LIMIT: &str = "limit";
/// The reason of a candidate that looks like instructions.
const SUSPICIOUS: &str = "suspicious";
/// The reason of a candidate that was not screened in time.
const DEADLINE: &str = "deadline";

/// The parameters of a selection.
pub(super) struct ResultSelection<'a> {
    pub(super) settings: &'a CodingSettings,
    pub(super) patterns: &'a Patterns,
    pub(super) deadline: &'a Deadline,
    pub(super) now: Timestamp,
    /// True if the request has a query. Then similarity orders the results; otherwise the newest
    /// come first.
    pub(super) by_question: bool,
    /// The maximum number of results.
    pub(super) most: usize,
}

/// The results, best first, and the records left out.
#[derive(Debug, Default)]
pub(super) struct SelectedResults {
    pub(super) kept: Vec<(Candidate, ScreenedEntry)>,
    pub(super) left: Vec<OmittedRecord>,
    /// The kinds of the candidates that were not screened in time, one entry for each candidate.
    pub(super) late: Vec<HydrationKind>,
}

impl ResultSelection<'_> {
    /// Selects among candidates of all kinds.
    pub(super) async fn pick(&self, found: Vec<Candidate>) -> SelectedResults {
        let (mut picked, mut turn) = (SelectedResults::default(), Turn::default());
        for candidate in self.ranked(found) {
            if let Some(reason) = self.unfit(&candidate) {
                picked.left.push(OmittedRecord::new(candidate, reason));
            } else if picked.kept.len() >= self.most {
                picked.left.push(OmittedRecord::new(candidate, LIMIT));
            } else if self.deadline.has_time(&mut turn).await {
                let screened = ScreenedEntry::new(&entry(&candidate, self.now), self.patterns);
                match screened.is_suspicious() {
                    true => picked.left.push(OmittedRecord::new(candidate, SUSPICIOUS)),
                    false => picked.kept.push((candidate, screened)),
                }
            } else {
                picked.late.push(candidate.kind);
                picked.left.push(OmittedRecord::new(candidate, DEADLINE));
            }
        }
        picked
    }

    /// Returns all candidates in order, each with its rank in its kind.
    fn ranked(&self, mut found: Vec<Candidate>) -> Vec<Candidate> {
        for candidate in &mut found {
            candidate.trust = trust(candidate, self.now);
            candidate.score = candidate.similarity * candidate.trust;
        }
        found.sort_by(|a, b| {
            let score = |one: &Candidate| if self.by_question { one.score } else { 0.0 };
            let newest = |one: &Candidate| Reverse(one.observed_at);
            score(b)
                .total_cmp(&score(a))
                .then_with(|| newest(a).cmp(&newest(b)))
                .then_with(|| a.record.id.cmp(&b.record.id))
        });
        let mut ranks: BTreeMap<HydrationKind, u32> = BTreeMap::new();
        for candidate in &mut found {
            let rank = ranks.entry(candidate.kind).or_default();
            *rank += 1;
            candidate.rank = *rank;
        }
        found
    }

    fn unfit(&self, candidate: &Candidate) -> Option<&'static str> {
        by_code(candidate, self.settings)
            .or_else(|| is_distrusted(candidate, self.settings.trust_threshold).then_some("trust"))
    }
}
