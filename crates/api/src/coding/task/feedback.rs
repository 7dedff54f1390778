//! What is said of memories that a task was shown.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is said, at any time and as often as one likes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskFeedback {
    /// Memories that were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
    /// Memories that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpful: Vec<String>,
    /// Memories that misled: what two tasks of one memory say so of, or a person, is quarantined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful: Vec<HarmfulMemory>,
    /// `agent` (absent: this) or `human`, for which administration of the task's actor is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A memory that misled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HarmfulMemory {
    /// The record.
    pub id: String,
    /// How, in at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was said in a task so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskFeedbackTaken {
    /// The task.
    pub task_id: String,
    /// What was used, by id.
    pub used: Vec<String>,
    /// What helped, by id.
    pub helpful: Vec<String>,
    /// What misled, by id.
    pub harmful: Vec<HarmfulMemory>,
    /// What is held back since this call.
    pub quarantined: Vec<String>,
    /// What is not known here, and so is not noted.
    pub warnings: Vec<String>,
}
