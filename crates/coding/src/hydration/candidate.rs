//! A candidate for the prompt: a record with the data that decides its selection.

use loci_model::Timestamp;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::time::DAY_MS;
use loci_verified::CitationState;

use super::kind::HydrationKind;
use crate::learnings::consolidation::OnBranch;

/// A record that hydration may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The kind under which it is shown.
    pub kind: HydrationKind,
    /// The record.
    pub record: Record,
    /// The similarity of the record to the query, 0 to 1; 1 for kinds that ignore the query.
    pub similarity: f64,
    /// True if its similarity is below the noise floor of the search that found it.
    pub(super) is_noise: bool,
    /// The current trust of the record, 0 to 1.
    pub trust: f64,
    /// The score that determines its rank.
    pub score: f64,
    /// The rank of the record among the records of its kind, from 1.
    pub rank: u32,
    /// The time of the latest statement of the record's content.
    pub observed_at: Timestamp,
    /// The verification result of its citations, if it has any.
    pub cited: Option<CitationState>,
    /// A file that it names and that no longer exists.
    pub gone_path: Option<String>,
    /// The number of tasks that lacked it, if it states a theme of self-feedback.
    pub lacked_by: Option<u32>,
    /// The agreement and conflicts with other records.
    pub standing: RecordStanding,
}

/// The relation of a record to other records and to branches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordStanding {
    /// The number of other tasks and people that stated it.
    pub agreed: u32,
    /// True if a person approved it.
    pub is_approved: bool,
    /// The number of active records that contradict it, without a decision so far.
    pub conflicts: u32,
    /// The branch that it is limited to, with the commits that bring it to other branches.
    pub(super) on_branch: Option<Box<OnBranch>>,
    /// The reason, as one word, why it does not hold at the task's revision.
    pub(super) elsewhere: Option<&'static str>,
}

impl Candidate {
    /// Returns a candidate with only its record and its similarity.
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

    /// Returns a text value of its metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.record.metadata.get(key) {
            Some(MetadataValue::String(text)) => Some(text),
            Some(_) | None => None,
        }
    }

    /// Returns a number of its metadata.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.record.metadata.get(key) {
            Some(MetadataValue::Number(number)) => Some(*number),
            Some(_) | None => None,
        }
    }

    /// Returns the time at which it was last stated, confirmed or verified.
    pub(super) fn known_at(&self) -> Timestamp {
        let verified_at = self.cited.as_ref().and_then(|cited| cited.verified_at);
        verified_at.map_or(self.observed_at, |at| at.max(self.observed_at))
    }

    /// Returns the whole days since it was last stated.
    pub fn age_days(&self, now: Timestamp) -> i64 {
        (now.millis() - self.observed_at.millis()).max(0) / DAY_MS
    }
}

/// A record that is not shown, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct OmittedRecord {
    /// The record.
    pub candidate: Candidate,
    /// The reason, as one word.
    pub reason: &'static str,
    /// The tokens that its lines would have cost; 0 if they were never estimated.
    pub tokens: u32,
}

impl OmittedRecord {
    pub(super) fn new(candidate: Candidate, reason: &'static str) -> Self {
        Self { candidate, reason, tokens: 0 }
    }

    /// True if its citations withhold it.
    pub fn is_withheld(&self) -> bool {
        self.reason.starts_with("citation_")
    }
}
