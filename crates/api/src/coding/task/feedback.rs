//! Feedback on records that a task received.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Feedback on records. A client may send it at any time, and repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskFeedback {
    /// Ids of the records that the agent used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
    /// Ids of the records that helped the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpful: Vec<String>,
    /// Records that misled the agent. A record is quarantined if two tasks of the memory, or one
    /// person, report it as misleading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful: Vec<HarmfulMemory>,
    /// Author of the feedback: `agent`, or `human`, which requires administration of the task's
    /// actor. Default: `agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A record that misled the agent of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HarmfulMemory {
    /// Id of the record.
    pub id: String,
    /// Explanation of the harm, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// All feedback on records that a task has sent so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskFeedbackTaken {
    /// Id of the task.
    pub task_id: String,
    /// Ids of the records that the agent used.
    pub used: Vec<String>,
    /// Ids of the records that helped the agent.
    pub helpful: Vec<String>,
    /// Records that misled the agent, sorted by id.
    pub harmful: Vec<HarmfulMemory>,
    /// Ids of the records that this request quarantined.
    pub quarantined: Vec<String>,
    /// Warnings about unknown ids, which the server does not store.
    pub warnings: Vec<String>,
}
