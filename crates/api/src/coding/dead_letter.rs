//! Dead letters: background jobs of the server for coding agents that failed on all attempts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::JobMessage;

/// A request to list dead letters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeadLetterListing {
    /// Maximum number of dead letters per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The work that a failed job had to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterPayload {
    /// Key of the job, unique among the jobs that wait or run, such as `cite:` with a record id, or
    /// `verify:` with a repository id.
    pub key: String,
    /// Id of the strategy whose extraction failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Id of the actor whose events the job read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session whose events the job read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Messages that the job read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<JobMessage>,
}

/// A dead letter: a job that failed on all attempts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetter {
    /// Id of the dead letter, which is the id of the job.
    pub id: String,
    /// Kind of the job: `cite`, `verify`, `extract`, `embed`, `handover`, `reflect`, `purge`.
    pub kind: String,
    /// The work that the job had to do.
    pub payload: DeadLetterPayload,
    /// Error of the last attempt.
    pub error: String,
    /// Number of attempts that the server made.
    pub attempts: u32,
    /// Time at which the job was created.
    pub created_at: String,
    /// Time of the last failure.
    pub failed_at: String,
}

/// A page of dead letters, latest failure first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterList {
    /// The dead letters on this page.
    pub dead_letters: Vec<DeadLetter>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The result of a request to attempt a failed job again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterRetried {
    /// Id of the dead letter.
    pub id: String,
    /// True if the job had failed and is attempted again. False if the job still waits, runs or is
    /// done; the request then changes nothing.
    pub was_dead: bool,
}
