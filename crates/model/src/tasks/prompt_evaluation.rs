//! Results of evaluating a version of an extraction prompt against a labelled set. This module
//! holds the data types and their arithmetic.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, Timestamp};

/// Counts over the cases of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptScore {
    /// Number of cases that were evaluated.
    pub cases: u32,
    /// Number of items that the labels expect.
    pub expected: u32,
    /// Number of expected items that an answer contains.
    pub met: u32,
    /// Number of items in the answers.
    pub items: u32,
    /// Number of items in the answers that the labels expect.
    pub right: u32,
    /// Number of items that repeat a planted trap.
    pub forbidden: u32,
    /// Number of parts of answers that have the wrong form.
    pub discarded: u32,
}

impl PromptScore {
    /// Adds the counts of another case.
    pub fn add(&mut self, other: &Self) {
        self.cases = self.cases.saturating_add(other.cases);
        self.expected = self.expected.saturating_add(other.expected);
        self.met = self.met.saturating_add(other.met);
        self.items = self.items.saturating_add(other.items);
        self.right = self.right.saturating_add(other.right);
        self.forbidden = self.forbidden.saturating_add(other.forbidden);
        self.discarded = self.discarded.saturating_add(other.discarded);
    }

    /// Returns the share of items that are right; `None` without items.
    pub fn precision(&self) -> Option<f64> {
        (self.items > 0).then(|| f64::from(self.right) / f64::from(self.items))
    }

    /// Returns the share of expected items that an answer contains; `None` if none are expected.
    pub fn recall(&self) -> Option<f64> {
        (self.expected > 0).then(|| f64::from(self.met) / f64::from(self.expected))
    }
}

/// An evaluation of a version of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptEvaluation {
    /// The memory that the evaluation belongs to.
    pub memory: MemoryId,
    /// The actor under which the ledger stores it.
    pub actor: ActorId,
    /// The id of the evaluation.
    pub id: String,
    /// The version, such as `learnings@1`.
    pub prompt: String,
    /// The digest of the labelled set.
    pub set: String,
    /// The model that answered.
    pub model: String,
    /// True if the caller's own model answered and not one that the server called.
    #[serde(default)]
    pub is_pulled: bool,
    /// The counts over the cases of the labelled set.
    pub score: PromptScore,
    /// The name of the caller who evaluated.
    pub by: String,
    /// The time of the evaluation.
    pub at: Timestamp,
}

impl LedgerNoun for PromptEvaluation {
    const SHELF: Shelf = Shelf::named("prompt_evaluation");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.id.clone()
    }

    fn subject(&self) -> Option<String> {
        Some(self.prompt.clone())
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nothing_are_none() {
        let mut sum = PromptScore::default();
        assert_eq!((sum.precision(), sum.recall()), (None, None));
        sum.add(&PromptScore { cases: 1, expected: 2, met: 1, items: 4, right: 1, ..PromptScore::default() });
        assert_eq!((sum.precision(), sum.recall()), (Some(0.25), Some(0.5)));
    }
}
