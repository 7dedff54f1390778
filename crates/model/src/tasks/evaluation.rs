//! What evaluations found in the work of tasks. Shapes only.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, TaskId, Timestamp};

closed_words! {
    /// Which kind of failure something is.
    FailureCategory {
        /// It thought wrongly.
        ReasoningError = "reasoning_error",
        /// It did not do what it was told.
        InstructionNoncompliance = "instruction_noncompliance",
        /// It did not look whether it was right.
        MissingVerification = "missing_verification",
        /// Its time was over.
        Timeout = "timeout",
        /// What it worked with was broken.
        EnvironmentFailure = "environment_failure",
    }
}

/// A finding, and the record that it became.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationFinding {
    /// Which kind of failure it is.
    pub category: FailureCategory,
    /// What that rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The record that says it; none where it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
}

/// An evaluation of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The memory.
    pub memory: MemoryId,
    /// The task's actor.
    pub actor: ActorId,
    /// Its id.
    pub id: String,
    /// The task.
    pub task: TaskId,
    /// What it found.
    pub findings: Vec<EvaluationFinding>,
    /// How the prompt should be changed, for a person to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
    /// The version of the prompt that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Who evaluated, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

impl Shelved for Evaluation {
    const SHELF: Shelf = Shelf::named("evaluation");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.id.clone()
    }

    fn subject(&self) -> Option<String> {
        Some(self.task.to_string())
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}
