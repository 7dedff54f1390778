//! What evaluations found in the work of tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::end::Learned;

/// An evaluation of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationAdd {
    /// The task.
    pub task_id: String,
    /// What was found, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<EvaluationFindingAdd>,
    /// How the prompt should be changed, in at most 10000 characters: kept for a person to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationFindingAdd {
    /// `reasoning_error`, `instruction_noncompliance`, `missing_verification`, `timeout` or `environment_failure`.
    pub category: String,
    /// What future tasks should know: it is remembered, as a learning is.
    pub text: String,
    /// What it is about: a path, a glob or `module:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// What it rests on, in at most 10000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// An evaluation that was stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationAdded {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// What became of the findings, in their order.
    pub learned: Vec<Learned>,
    /// What could not be looked at.
    pub warnings: Vec<String>,
}

/// An evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// Its id: the same evaluation of a task has the same.
    pub evaluation_id: String,
    /// The task.
    pub task_id: String,
    /// What it found.
    pub findings: Vec<EvaluationFinding>,
    /// How the prompt should be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
    /// The version of the prompt that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Who evaluated, by name.
    pub by: String,
    /// When.
    pub at: String,
}

/// A finding, and the record that it became.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationFinding {
    /// Which kind of failure it is.
    pub category: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The record that says it; absent where it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
}

/// Which evaluations: of a repository, of a task, or both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationListing {
    /// Of this repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Evaluations, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationList {
    /// The evaluations.
    pub evaluations: Vec<Evaluation>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
