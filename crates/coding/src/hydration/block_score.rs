//! Scores the finished block once more, because lines that are harmless alone may not be so
//! together. Flagged entries are removed and the block is planned again. If it cannot be scored, or
//! is still flagged with no entry left to remove, nothing is shown. The task continues in either
//! case.

use std::collections::BTreeMap;

use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::retrieval::render::ScreenedEntry;
use loci_engine::safety::Patterns;
use loci_engine::safety::injection::{FLAGGED, QUARANTINED};
use loci_model::{Error, Result};

use super::block_plan::{BlockLimits, BlockPlan, plan};
use super::candidate::{Candidate, OmittedRecord};
use super::kind::HydrationKind;
use super::safety_screen::ScreenedCandidates;
use crate::Coding;

/// The reason of an entry that made the block look like instructions.
const SUSPICIOUS: &str = "suspicious";
/// The reason of an entry in a block that could not be scored.
pub(super) const UNSCREENED: &str = "screening_failed";
/// The minimum score of the entries that each round removes: first the doubtful ones, then all with
/// any match.
const ROUNDS: [f32; 2] = [FLAGGED, f32::MIN_POSITIVE];

/// A block that may be shown.
pub(super) struct RescoredBlock {
    pub(super) plan: BlockPlan,
    /// The error because of which nothing is shown.
    pub(super) failed: Option<Error>,
}

impl Coding {
    /// Plans a block, and scores it until it may be shown.
    pub(super) async fn rescored(
        &self,
        mut ready: BTreeMap<HydrationKind, ScreenedCandidates>,
        limits: &BlockLimits,
        deadline: &Deadline,
    ) -> RescoredBlock {
        let settings = &self.parts.settings;
        let mut rounds = ROUNDS.into_iter();
        loop {
            let planned = plan(ready.clone(), limits, settings);
            if planned.shown.is_empty() && planned.related.is_empty() {
                return RescoredBlock { plan: planned, failed: None };
            }
            let score = match deadline.assemble(self.score_of(&planned.block)).await {
                DeadlineRead::Done(score) => score,
                DeadlineRead::Late => Err(Error::unavailable("the block was not scored in time")),
            };
            let failed = match score {
                Ok(score) if score < QUARANTINED => return RescoredBlock { plan: planned, failed: None },
                Ok(_) => match rounds.next() {
                    Some(from) => {
                        take_out(&mut ready, &planned, from);
                        continue;
                    }
                    None => {
                        Error::unavailable("the block looks like instructions whatever is taken out of it")
                    }
                },
                Err(error) => error,
            };
            let left = ready.into_values().flat_map(|ready| {
                let kept =
                    ready.kept.into_iter().map(|(candidate, _)| OmittedRecord::new(candidate, UNSCREENED));
                ready.left.into_iter().chain(kept)
            });
            let left = left.collect();
            let empty = plan(BTreeMap::new(), limits, settings);
            return RescoredBlock { plan: BlockPlan { left, ..empty }, failed: Some(failed) };
        }
    }

    /// Returns the similarity of a text to instructions, by the patterns and by the classifier if
    /// one is configured.
    pub(super) async fn score_of(&self, text: &str) -> Result<f32> {
        let by_patterns = Patterns::in_force(self.engine.settings().patterns).score(text).score;
        match self.engine.scorer() {
            Some(scorer) => {
                let score = scorer.score(text).await?;
                // A score that is not a number from 0 to 1 carries no information, so the text is
                // not cleared.
                let is_number = (0.0..=1.0).contains(&score);
                let odd = || Error::unavailable("the scorer gave no number from 0 to 1");
                is_number.then(|| by_patterns.max(score)).ok_or_else(odd)
            }
            None => Ok(by_patterns),
        }
    }
}

/// Removes shown entries that look like instructions with at least this score.
fn take_out(ready: &mut BTreeMap<HydrationKind, ScreenedCandidates>, planned: &BlockPlan, from: f32) {
    for ready in ready.values_mut() {
        let kept = std::mem::take(&mut ready.kept);
        let is_out = |(candidate, screened): &(Candidate, ScreenedEntry)| {
            let id = &candidate.record.id;
            screened.score() >= from && planned.shown.iter().any(|one| one.candidate.record.id == *id)
        };
        let (out, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(is_out);
        ready.kept = kept;
        ready.left.extend(out.into_iter().map(|(candidate, _)| OmittedRecord::new(candidate, SUSPICIOUS)));
        ready.beside.retain(|line| line.score() < from);
    }
}
