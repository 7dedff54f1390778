//! The way in which the server derived a record from its sources, and the record's safety findings.

pub use loci_model::record::derivation::{Decided, Evidence};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The way in which the server derived a record: prompt, model and decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Making {
    /// Name and version of the prompt for the model; absent if no model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Name of the model that answered, as the model reports it; absent if no model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Means of the derivation: `deterministic` (rules), `model` (called by the server), `pull`
    /// (the caller's model) or `fallback` (rules in place of a model that failed).
    pub mode: String,
    /// Decision of the consolidation about the new record; absent if there was nothing to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// Counts that the text of the record is based on; absent for other records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The results of the safety checks of a record's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Findings {
    /// Injection score: the degree, 0 to 1, to which the text looks like instructions to its
    /// reader.
    pub injection: f32,
    /// Reasons for the injection score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Kinds of secrets that were masked in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<String>,
}
