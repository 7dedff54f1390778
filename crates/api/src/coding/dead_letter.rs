//! What the server should have written later, and gave up.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::JobMessage;

/// Which of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeadLetterListing {
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What it is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterPayload {
    /// What there is one of at a time: `cite:` and a record, `verify:` and a repository, …
    pub key: String,
    /// The strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The messages it read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<JobMessage>,
}

/// A dead letter: a job that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetter {
    /// Its id: that of the job.
    pub id: String,
    /// What was to be done: `cite`, `verify`, `extract`, `embed`, `handover`, `reflect`, `purge`.
    pub kind: String,
    /// What it is about.
    pub payload: DeadLetterPayload,
    /// Why it was given up.
    pub error: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was asked for.
    pub created_at: String,
    /// When it was given up.
    pub failed_at: String,
}

/// Dead letters, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterList {
    /// The letters.
    pub dead_letters: Vec<DeadLetter>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One that is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterRetried {
    /// Its id.
    pub id: String,
    /// It had been given up; otherwise it waits or runs, or is done, and stays as it is.
    pub was_dead: bool,
}
