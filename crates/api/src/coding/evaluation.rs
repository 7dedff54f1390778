//! Evaluations of the work of tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::end::Learned;

/// An evaluation of a finished task, to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationAdd {
    /// Id of the evaluated task.
    pub task_id: String,
    /// Findings, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<EvaluationFindingAdd>,
    /// Suggested change of the task's prompt, at most 10000 characters. The server only stores the
    /// suggestion; a person decides about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
}

/// A finding of an evaluation, to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationFindingAdd {
    /// Category of the failure: `reasoning_error`, `instruction_noncompliance`,
    /// `missing_verification`, `timeout` or `environment_failure`.
    pub category: String,
    /// Information that future tasks need. The server stores the text like a learning.
    pub text: String,
    /// Part of the repository that the finding is about: a path, a glob or `module:<name>`.
    /// Default: the whole repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Evidence for the finding, at most 10000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// The result of storing an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationAdded {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Actions that the server took on the findings, in the order of the request.
    pub learned: Vec<Learned>,
    /// Warnings about findings that the server could not compare with stored records.
    pub warnings: Vec<String>,
}

/// An evaluation of a finished task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Evaluation {
    /// Id of the evaluation. Storing the same evaluation of a task again returns the same id.
    pub evaluation_id: String,
    /// Id of the task.
    pub task_id: String,
    /// Findings of the evaluation.
    pub findings: Vec<EvaluationFinding>,
    /// Suggested change of the task's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_suggestion: Option<String>,
    /// Version of the task's prompt, which the suggestion would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the caller who stored the evaluation.
    pub by: String,
    /// Time at which the evaluation was stored.
    pub at: String,
}

/// A finding of an evaluation, and the record that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationFinding {
    /// Category of the failure, such as `reasoning_error` or `timeout`.
    pub category: String,
    /// Evidence for the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Id of the record that contains the finding; absent if the server did not store the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
}

/// A request to list the evaluations of a repository, of a task, or of both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationListing {
    /// Name of the repository of the evaluated tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the evaluated task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Maximum number of evaluations per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of evaluations, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvaluationList {
    /// The evaluations on this page.
    pub evaluations: Vec<Evaluation>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
