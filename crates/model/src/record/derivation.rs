//! How the pipeline made a record: by which prompt and model, what was decided about it and why, on which evidence.

use serde::{Deserialize, Serialize};

use crate::memory::prompt::PromptId;
use crate::words::closed_words;

closed_words! {
    /// Who did the reading.
    #[derive(Default)]
    MakingMode {
        /// The strategy's half that needs no model.
        #[default]
        Deterministic = "deterministic",
        /// A language model, asked by this server.
        Model = "model",
        /// A language model of the caller's, which came for the question (pull mode).
        Pull = "pull",
        /// The deterministic half, because the model did not answer; with a prompt: the model read, and rules alone settled
        /// what it read. It gives way when the messages are read again.
        Fallback = "fallback",
    }
}

/// How a record was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Making {
    /// The prompt that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptId>,
    /// The model that answered, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who did the reading.
    pub mode: MakingMode,
    /// What consolidation decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// The counts it rests on, recounted by the engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// A decision of consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Decided {
    /// `add`, `update`, `supersede` or `skip`.
    pub action: String,
    /// The rules or the prompt that decided.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// Of so many records, so many bear it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// Records that bear it out.
    pub hits: u32,
    /// Records that were looked at.
    pub of: u32,
    /// What was counted.
    pub predicate: String,
}
