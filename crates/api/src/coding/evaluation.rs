//! Evaluations of the work of tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::end::Learned;

/// An evaluation of a task, to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationAdd {
    /// Id of the task.
    pub task_id: String,
    /// Findings, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<EvaluationFindingAdd>,
    /// Suggested change of the prompt, at most 10000 characters. The server stores it for a person
    /// to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
}

/// A finding, to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationFindingAdd {
    /// Category: `reasoning_error`, `instruction_noncompliance`, `missing_verification`, `timeout`
    /// or `environment_failure`.
    pub category: String,
    /// Information for future tasks. The server stores it like a learning.
    pub text: String,
    /// Scope: a path, a glob or `module:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Evidence for the finding, at most 10000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// A stored evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationAdded {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Actions on the findings, in the order of the request.
    pub learned: Vec<Learned>,
    /// Warnings about findings that could not be compared.
    pub warnings: Vec<String>,
}

/// An evaluation of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// Id of the evaluation. Storing the same evaluation of a task again returns the same id.
    pub evaluation_id: String,
    /// Id of the task.
    pub task_id: String,
    /// Findings of the evaluation.
    pub findings: Vec<EvaluationFinding>,
    /// Suggested change of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
    /// Version of the prompt that the suggestion refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the evaluator.
    pub by: String,
    /// Time of the evaluation.
    pub at: String,
}

/// A finding with the record that it became.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationFinding {
    /// Category of the failure.
    pub category: String,
    /// Evidence for the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Id of the record that contains the finding; absent if it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
}

/// A request to list the evaluations of a repository, of a task, or of both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationListing {
    /// Name of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Maximum number of evaluations per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of evaluations, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationList {
    /// The evaluations.
    pub evaluations: Vec<Evaluation>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
