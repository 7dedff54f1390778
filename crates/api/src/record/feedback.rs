//! Feedback of principals on a record: useful or wrong.

pub use loci_model::record::feedback::FeedbackVerdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The author of the feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackBy {
    /// An agent. One agent alone hides no record, regardless of its permissions.
    Agent,
    /// A person who administers the whole memory. One person is enough.
    Human,
}

/// Feedback on a record. Each principal has one verdict on a version; a later verdict replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordFeedback {
    /// Verdict on the record.
    pub verdict: FeedbackVerdict,
    /// Reason, at most 500 characters; stored with the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Author of the feedback. Default: `agent`. `human` requires administration of the whole
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<FeedbackBy>,
}

/// The feedback on a record, after this request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordFeedbackStanding {
    /// Id of the record.
    pub id: String,
    /// Version that the feedback refers to. Counting starts again for a new version.
    pub version: u32,
    /// Number of principals who call the record useful.
    pub useful: u64,
    /// Number of principals who call the record wrong. A release from quarantine settles all
    /// earlier feedback.
    pub wrong: u64,
    /// State of the record: `quarantined` if two principals call it wrong, or one person who
    /// administers the memory.
    pub state: String,
    /// Reason for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
}

/// Numbers of principals by verdict on the current version of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FeedbackCounts {
    /// Principals who call the record useful.
    pub useful: u64,
    /// Principals who call the record wrong.
    pub wrong: u64,
}
