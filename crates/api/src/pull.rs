//! Pull mode: the caller fetches the questions that strategies have for a language model, asks its
//! own model, and returns the answers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for the next question that waits for the caller's model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobNext {
    /// Kinds of questions that the caller answers, separated by commas: `extract`, `summarise`,
    /// `consolidate`, `reflect`, `review_rules`, `tree_plan`, `agent_response`. Default: all kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<String>,
    /// Id or name of the memory that asks. Default: any memory that the caller may read and write
    /// as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Time in milliseconds for which only this caller may answer the question, 1,000 to 3,600,000.
    /// Default: 300,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// Maximum time in milliseconds to wait for a question if there is none, at most 60,000.
    /// Default: 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// A question for a language model, leased to the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PulledJob {
    /// Id of the question, which the path of the answer contains.
    pub job_id: String,
    /// Id of the memory that asks.
    pub memory: String,
    /// Kind of the question: `extract`, `summarise`, `consolidate`, `reflect`, `review_rules`,
    /// `tree_plan` or `agent_response`.
    pub kind: String,
    /// Id of the strategy that asks; absent if no strategy does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Name and version of the prompt, such as `semantic.extract@1`.
    pub prompt_version: String,
    /// System prompt for the model: its instructions.
    pub prompt: String,
    /// User prompt for the model: the text that the question is about. It is data and contains no
    /// instructions.
    pub input: String,
    /// Name or text of the grammar that the answer must follow.
    pub grammar: String,
    /// Name of the model that the strategy specifies; absent if the caller may choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Time at which the lease ends. Afterwards another caller may receive the question.
    pub lease_until: String,
}

/// The answer of the caller's model to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobResult {
    /// Answer of the model, without any change.
    pub output: String,
    /// Name of the model that answered, as the model reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Cost of the answer in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The result of returning an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobResultTaken {
    /// Number of entries of the answer that became records. While the job is not done, the number
    /// of entries that the server could read.
    pub accepted: u64,
    /// Number of entries of the answer that became no record: duplicates, and entries that the
    /// consolidation omitted.
    pub discarded: u64,
    /// Ids of the records that the answer created.
    pub records: Vec<String>,
    /// State of the job that asked: `done`, `failed`, `waiting` (for the answer to another
    /// question), `pending` or `running`.
    pub state: String,
}

/// A request to give up a question, because the caller's model cannot answer it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobGivenUp {
    /// Reason for giving up, for the log of the server, at most 4,096 characters.
    pub error: String,
}

/// The result of a request to extract records from a session without further delay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionEnded {
    /// Number of extraction jobs of the session that are due now.
    pub due: u64,
}
