//! Jobs: work that outlives the request that asked for it, and waiting for it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The memory.
    pub memory: String,
    /// `extract`, `embed`, `purge`, `handover`, `reflect`, `verify`, `cite`, `co_change`.
    pub kind: String,
    /// `pending`, `waiting` (for an answer from outside), `running`, `failed`, `done`.
    pub state: String,
    /// The strategy, for extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The actor, for extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The session, for extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it may run.
    pub due_at: String,
    /// How often it was tried since it last succeeded.
    pub attempts: u32,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Its last end was by the deterministic half, in the model's place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
    /// The messages it read when it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<JobMessage>,
    /// When it was asked for.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// A message that a job read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobMessage {
    /// The event.
    pub event: String,
    /// Index into its payload.
    pub message: u32,
}

/// Which jobs to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobListing {
    /// Only of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Only of this strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Only of this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of jobs, latest change first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobList {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A job that was started again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobStarted {
    /// Its id.
    pub id: String,
}

/// What to wait for: makes pending jobs due now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionWait {
    /// Only of this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only of this session; needs the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// At most so long, up to 300,000; 60,000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Where extraction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionState {
    /// Nothing is pending any more.
    pub complete: bool,
    /// Jobs that are pending or run.
    pub pending: u64,
    /// Of these, waiting for an answer from outside.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u64,
    /// Jobs that failed for good.
    pub failed: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
