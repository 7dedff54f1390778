//! Jobs: work that continues after the response to the request that started it, and waiting for
//! that work.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A job: work that the server does after it has answered a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Id of the job.
    pub id: String,
    /// Id of the memory that the job belongs to.
    pub memory: String,
    /// Kind of the job, such as `extract`, `embed`, `purge`, `handover`, `reflect`, `verify`,
    /// `cite` or `co_change`.
    pub kind: String,
    /// State of the job: `pending`, `waiting` (for an answer of the caller's model), `running`,
    /// `failed` or `done`.
    pub state: String,
    /// Id of the strategy that the job runs; absent if the job does not extract records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Id of the actor whose events the job reads; absent if the job does not extract records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session whose events the job reads; absent if the job does not extract records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Time before which the server does not start the job.
    pub due_at: String,
    /// Number of attempts since the last success.
    pub attempts: u32,
    /// Reason of the last failure; absent if the last attempt did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// True if the model of the last run failed and deterministic rules did the work in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
    /// Messages that the job read when it failed; empty if it did not fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<JobMessage>,
    /// Time at which the job was created.
    pub created_at: String,
    /// Time of the last change of the job.
    pub updated_at: String,
}

/// A message that a job read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobMessage {
    /// Id of the event that contains the message.
    pub event: String,
    /// Index of the message in the event's payload.
    pub message: u32,
}

/// A request to list jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobListing {
    /// Kind of the jobs to list. Default: all kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// State of the jobs to list. Default: all states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Id of the strategy. Default: all strategies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Id of the actor. Default: all actors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session. Default: all sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Maximum number of jobs per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of jobs, latest change first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobList {
    /// The jobs on this page.
    pub jobs: Vec<Job>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A job that was restarted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobStarted {
    /// Id of the job that the server runs again.
    pub id: String,
}

/// A request to make pending extraction jobs due now and to wait for them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionWait {
    /// Id of the actor. Default: all actors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session; requires `actor`. Default: all sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Maximum waiting time in milliseconds, at most 300,000. Default: 60,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Progress of the extraction jobs that a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionState {
    /// True if no extraction job is pending or running.
    pub complete: bool,
    /// Number of jobs that are pending or running.
    pub pending: u64,
    /// Number of the pending jobs that wait for an external answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u64,
    /// Number of jobs that failed on all attempts.
    pub failed: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
