//! Derivation of a record by the pipeline, and its safety findings.

pub use loci_model::record::derivation::{Decided, Evidence};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The derivation of a record by the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Making {
    /// Id of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Name of the model that answered, as reported by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `deterministic`, `model`, `pull` or `fallback`. `fallback` means the deterministic mode in
    /// place of a model.
    pub mode: String,
    /// Decision of the consolidation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// Counts that the record is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The safety findings of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Findings {
    /// Similarity of the text to instructions for its reader, 0 to 1.
    pub injection: f32,
    /// Reasons for the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Kinds of secrets that were masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<String>,
}
