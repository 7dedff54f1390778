//! How a record was made, and what safety found in it.

pub use loci_model::record::derivation::{Decided, Evidence};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the pipeline made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Making {
    /// The prompt that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The model that answered, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `deterministic`, `model`, `pull`, or `fallback` (deterministic, in the model's place).
    pub mode: String,
    /// What consolidation decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// The counts it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What safety found in a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Findings {
    /// How much it looks like instructions to the reader, 0 to 1.
    pub injection: f32,
    /// What gave the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Kinds of secrets that were masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<String>,
}
