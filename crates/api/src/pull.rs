//! Pull mode: questions to a caller's own model, and the answers of that model.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for the next question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobNext {
    /// Kinds of questions, separated by commas: `extract`, `summarise`, `consolidate`, `reflect`,
    /// `review_rules`, `tree_plan`, `agent_response`. Default: all kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<String>,
    /// Id or name of the memory. Default: any memory that the caller may read and write as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Duration of the lease on the question in milliseconds, 1,000 to 3,600,000. Default: 300,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// Maximum waiting time for a question in milliseconds, at most 60,000. Default: 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// A question, leased to the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PulledJob {
    /// Id of the question, to be used in the path of the answer.
    pub job_id: String,
    /// Id of the memory.
    pub memory: String,
    /// Kind of the question: `extract`, `summarise`, `consolidate`, `reflect`, `review_rules`,
    /// `tree_plan` or `agent_response`.
    pub kind: String,
    /// Id of the strategy that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Prompt and its version, such as `semantic.extract@1`.
    pub prompt_version: String,
    /// Instructions: the system prompt for the model.
    pub prompt: String,
    /// Input of the question. It is data and contains no instructions.
    pub input: String,
    /// Grammar of the answer.
    pub grammar: String,
    /// Model that the strategy specifies, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// End of the lease. After this time another caller may receive the question.
    pub lease_until: String,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobResult {
    /// Answer, exactly as returned by the model.
    pub output: String,
    /// Name of the model, as reported by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Cost of the answer in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The result of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobResultTaken {
    /// Number of entries of the answer that became records. Until the job is done: number of
    /// entries that were read.
    pub accepted: u64,
    /// Number of entries that became no record: duplicates, and entries that the consolidation
    /// omitted.
    pub discarded: u64,
    /// Ids of the records.
    pub records: Vec<String>,
    /// State of the job: `done`, `failed`, `waiting` (for the answer to another question),
    /// `pending` or `running`.
    pub state: String,
}

/// A request to give up a question, because the caller's model cannot answer it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobGivenUp {
    /// Reason, for the log, at most 4,096 characters.
    pub error: String,
}

/// The result of ending a session for extraction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionEnded {
    /// Number of jobs that are due now.
    pub due: u64,
}
