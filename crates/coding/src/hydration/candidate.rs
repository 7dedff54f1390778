//! What might be shown: a record with what decides whether it is.

use loci_model::Timestamp;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::time::DAY_MS;
use loci_verified::Cited;

use super::kind::HydrationKind;
use crate::learnings::consolidation::OnBranch;

/// A record that might be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// As what.
    pub kind: HydrationKind,
    /// The record.
    pub record: Record,
    /// How well it fits the question, 0 to 1; 1 for what is shown whatever the question is.
    pub similarity: f64,
    /// Its similarity is below the noise floor of the search that found it.
    pub(super) is_noise: bool,
    /// How far it is trusted now, 0 to 1.
    pub trust: f64,
    /// What decides its place.
    pub score: f64,
    /// Its place in its kind, from 1.
    pub rank: u32,
    /// When somebody last said that it is so.
    pub observed_at: Timestamp,
    /// What became of its citations, where it has any.
    pub cited: Option<Cited>,
    /// A file that it names and that is gone.
    pub gone_path: Option<String>,
    /// It tells a theme of self-feedback: so many tasks lacked it.
    pub lacked_by: Option<u32>,
    /// What others say of it.
    pub standing: RecordStanding,
}

/// What others say of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordStanding {
    /// So many other tasks and people said the same.
    pub agreed: u32,
    /// A person decided for it.
    pub is_approved: bool,
    /// So many records that stand contradict it, and nobody decided yet.
    pub conflicts: u32,
    /// It holds on a branch alone: any of these commits brings it elsewhere.
    pub(super) on_branch: Option<Box<OnBranch>>,
    /// Why it does not hold where the task is, in a word.
    pub(super) elsewhere: Option<&'static str>,
}

impl Candidate {
    /// A record, before anything is known of it but how well it fits.
    pub(crate) fn new(kind: HydrationKind, record: Record, similarity: f64) -> Self {
        let observed_at = record.timestamp;
        Self {
            kind,
            record,
            similarity,
            is_noise: false,
            trust: 0.0,
            score: 0.0,
            rank: 0,
            observed_at,
            cited: None,
            gone_path: None,
            lacked_by: None,
            standing: RecordStanding::default(),
        }
    }

    /// A word or text among its metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.record.metadata.get(key) {
            Some(MetadataValue::String(text)) => Some(text),
            Some(_) | None => None,
        }
    }

    /// A number among its metadata.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.record.metadata.get(key) {
            Some(MetadataValue::Number(number)) => Some(*number),
            Some(_) | None => None,
        }
    }

    /// When it was last known to be so: said, confirmed, or verified.
    pub(super) fn known_at(&self) -> Timestamp {
        let verified_at = self.cited.as_ref().and_then(|cited| cited.verified_at);
        verified_at.map_or(self.observed_at, |at| at.max(self.observed_at))
    }

    /// Whole days since somebody last said that it is so.
    pub fn age_days(&self, now: Timestamp) -> i64 {
        (now.millis() - self.observed_at.millis()).max(0) / DAY_MS
    }
}

/// A record that is not shown, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Left {
    /// The record.
    pub candidate: Candidate,
    /// Why, in a word.
    pub reason: &'static str,
    /// What its lines would have cost; 0 where it never came to that.
    pub tokens: u32,
}

impl Left {
    pub(super) fn new(candidate: Candidate, reason: &'static str) -> Self {
        Self { candidate, reason, tokens: 0 }
    }

    /// Whether its code keeps it back.
    pub fn is_withheld(&self) -> bool {
        self.reason.starts_with("citation_")
    }
}
