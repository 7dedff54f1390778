//! Dead letters: background writes of the server that failed on all attempts.

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
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The subject of a dead letter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterPayload {
    /// Key of the job, unique among open jobs, such as `cite:` and a record id, or `verify:` and a
    /// repository id.
    pub key: String,
    /// Id of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Id of the actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session.
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
    /// Subject of the job.
    pub payload: DeadLetterPayload,
    /// Error of the last attempt.
    pub error: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Time at which the job was requested.
    pub created_at: String,
    /// Time of the last failure.
    pub failed_at: String,
}

/// A page of dead letters, latest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterList {
    /// The dead letters.
    pub dead_letters: Vec<DeadLetter>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A dead letter that the server attempts again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterRetried {
    /// Id of the dead letter.
    pub id: String,
    /// True if the job had failed. Otherwise it waits, runs or is done, and stays unchanged.
    pub was_dead: bool,
}
