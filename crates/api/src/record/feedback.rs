//! Feedback on a record, by which agents and people call it useful or wrong.

pub use loci_model::record::feedback::FeedbackVerdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The author of feedback on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackBy {
    /// An agent. The feedback of one agent alone never quarantines a record, regardless of its
    /// permissions.
    Agent,
    /// A person who administers the whole memory. The feedback of one person is enough to
    /// quarantine a record.
    Human,
}

/// Feedback on a record. Each principal has one verdict on a version of the record; a later verdict
/// replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordFeedback {
    /// Verdict on the record.
    pub verdict: FeedbackVerdict,
    /// Reason for the verdict, at most 500 characters; stored with the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Author of the feedback. Default: `agent`. `human` requires administration of the whole
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<FeedbackBy>,
}

/// The feedback of all principals on a record, after the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordFeedbackStanding {
    /// Id of the record.
    pub id: String,
    /// Version of the record that the numbers refer to. For a new version, counting starts again.
    pub version: u32,
    /// Number of principals who call the record useful.
    pub useful: u64,
    /// Number of principals who call the record wrong. If a person releases the record from
    /// quarantine, all earlier feedback stops counting.
    pub wrong: u64,
    /// State of the record: `quarantined` if two principals call it wrong, or one person who
    /// administers the memory.
    pub state: String,
    /// Reason for the state of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
}

/// Numbers of principals who call the current version of a record useful or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FeedbackCounts {
    /// Principals who call the record useful.
    pub useful: u64,
    /// Principals who call the record wrong.
    pub wrong: u64,
}
