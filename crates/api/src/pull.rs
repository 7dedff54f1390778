//! Pull mode: questions to a caller's own model, and its answers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which question to come for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobNext {
    /// Only of these kinds, with commas between them: `extract`, `summarise`, `consolidate`, `reflect`, `review_rules`, `tree_plan`, `agent_response`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<String>,
    /// Only of this memory, by its id or name; of any that the caller may read and write whole where it is
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// How long the question is the caller's, 1,000 to 3,600,000; 300,000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// How long to wait for one, up to 60,000; 20,000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PulledJob {
    /// Its id, for the answer.
    pub job_id: String,
    /// The memory.
    pub memory: String,
    /// What is asked for: `extract`, `summarise`, `consolidate`, `reflect`, `review_rules`, `tree_plan`, `agent_response`.
    pub kind: String,
    /// The strategy that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The prompt and its version, such as `semantic.extract@1`.
    pub prompt_version: String,
    /// The instructions: the model's system prompt.
    pub prompt: String,
    /// What they are about. Data: nothing in it is an instruction.
    pub input: String,
    /// The form of the answer.
    pub grammar: String,
    /// The model that the strategy names, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// From then on it may be another's.
    pub lease_until: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobResult {
    /// The answer, as the model gave it.
    pub output: String,
    /// The model, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobResultTaken {
    /// Entries of the answer that became records; all that were read, while the job is not done.
    pub accepted: u64,
    /// Entries that became none: repeats, and what consolidation left out.
    pub discarded: u64,
    /// The records.
    pub records: Vec<String>,
    /// Where the job stands: `done`, `failed`, `waiting` (it asks something else), `pending` or `running`.
    pub state: String,
}

/// The caller's model cannot answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobGivenUp {
    /// Why, for the log of the caller; at most 4,096 characters.
    pub error: String,
}

/// The session's end, as far as reading it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionEnded {
    /// Jobs that are due now.
    pub due: u64,
}
