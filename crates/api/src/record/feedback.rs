//! What principals say of a record: useful, or wrong.

pub use loci_model::record::feedback::FeedbackVerdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackBy {
    /// An agent: one alone hides nothing, whatever its rights are.
    Agent,
    /// A person who administers the whole memory: one is enough.
    Human,
}

/// What is said of a record. Each principal has one standing verdict on a version; a later one takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordFeedback {
    /// What it is.
    pub verdict: FeedbackVerdict,
    /// Why, in at most 500 characters; kept with the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who says it; absent: an agent. A person must administer the whole memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<FeedbackBy>,
}

/// What is said of a record by now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordFeedbackStanding {
    /// The record.
    pub id: String,
    /// The version that it is about: a new one begins anew.
    pub version: u32,
    /// Principals who call it useful.
    pub useful: u64,
    /// Principals who call it wrong. A release from quarantine decides what was said before it.
    pub wrong: u64,
    /// Where the record stands: `quarantined` where two principals call it wrong, or a person who administers it.
    pub state: String,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
}

/// How many principals say what of a record's version in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FeedbackCounts {
    /// It is useful.
    pub useful: u64,
    /// It is wrong.
    pub wrong: u64,
}
