//! The derivation of a record by the pipeline: prompt, model, decision with its reason, and
//! evidence.

use serde::{Deserialize, Serialize};

use crate::memory::prompt::PromptId;
use crate::words::closed_words;

closed_words! {
    /// The reader that produced a record.
    #[derive(Default)]
    MakingMode {
        /// The strategy's half that needs no model.
        #[default]
        Deterministic = "deterministic",
        /// A language model that this server called.
        Model = "model",
        /// A language model of the caller, which leased the request (pull mode).
        Pull = "pull",
        /// The deterministic half, because the model did not respond. With a prompt: the model
        /// extracted, and rules alone consolidated the result. A later reading of the messages
        /// replaces it.
        Fallback = "fallback",
    }
}

/// The derivation of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordDerivation {
    /// The name and version of the prompt; `None` if no model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptId>,
    /// The model that responded, by its own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The means by which the record was derived: rules or a model.
    pub mode: MakingMode,
    /// The decision of consolidation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// The counts that support it, recounted by the engine.
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
    /// The reason for the decision.
    pub reason: String,
}

/// The number of records that support a statement, out of those examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// Number of supporting records.
    pub hits: u32,
    /// Number of examined records.
    pub of: u32,
    /// The condition that the supporting records meet.
    pub predicate: String,
}
