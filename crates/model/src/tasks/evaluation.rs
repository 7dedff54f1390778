//! The results of evaluations of tasks. This module holds the data types.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, TaskId, Timestamp};

closed_words! {
    /// The category of a failure.
    FailureCategory {
        /// The agent reasoned incorrectly.
        ReasoningError = "reasoning_error",
        /// The agent did not follow its instructions.
        InstructionNoncompliance = "instruction_noncompliance",
        /// The agent did not verify its result.
        MissingVerification = "missing_verification",
        /// The time limit passed.
        Timeout = "timeout",
        /// The environment was broken.
        EnvironmentFailure = "environment_failure",
    }
}

/// A finding, and the record that stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationFinding {
    /// The category of the failure.
    pub category: FailureCategory,
    /// The evidence of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The record that contains the finding; `None` if the finding was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
}

/// An evaluation of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The memory that the evaluation belongs to.
    pub memory: MemoryId,
    /// The actor of the task that the evaluation belongs to.
    pub actor: ActorId,
    /// The id of the evaluation.
    pub id: String,
    /// The task that the evaluation belongs to.
    pub task: TaskId,
    /// The findings of the evaluation.
    pub findings: Vec<EvaluationFinding>,
    /// A suggested change of the prompt, for a person to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
    /// The version of the prompt that the suggestion concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// The name of the caller who stored the evaluation.
    pub by: String,
    /// The time of the evaluation.
    pub at: Timestamp,
}

impl LedgerNoun for Evaluation {
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
