//! Consolidation runs over trees of documents: request, plan and result.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to plan a run, and optionally to apply it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationStart {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Allowed operations: `resolve_contradictions`, `deduplicate`, `derive_insights`,
    /// `reorganize`, `prune`. Default: `resolve_contradictions`, `deduplicate` and `reorganize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<String>>,
    /// Scope of the run. Default: the documents that changed since the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ConsolidationScope>,
    /// Planner: `auto`, `deterministic` or `llm`. Default: `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    /// True to create only the plan, false to apply it as well. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Additional instructions for the model, at most 4,096 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Limits of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<ConsolidationLimits>,
}

/// The part of a tree that a run covers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationScope {
    /// `since_last`, `all` or `paths`.
    pub kind: String,
    /// Paths for `paths`, each with everything below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// The limits of a run. Each number is at least 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationLimits {
    /// Maximum number of documents in one question to a model, at most 1,000. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u64>,
    /// Maximum size of these documents in bytes, at most 1,048,576. Default: 131,072.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_input_bytes: Option<u64>,
    /// Maximum number of actions in the plan, at most 10,000. Default: 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_actions: Option<u64>,
    /// Maximum number of directories below `knowledge/` after the run, at most 1,000. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_directories: Option<u64>,
    /// Maximum number of model calls for the documents of one question, at most 10. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Maximum number of tokens of all calls. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Maximum time in milliseconds from the start of the run until a model has answered all
    /// questions. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// True to split input that exceeds the limits of one question, false to reject it. Default:
    /// true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<bool>,
}

/// A reference to the tree of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationAsk {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A request to apply a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationApply {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Ids of the actions to apply. A held action requires a grant with the capability `admin`.
    /// Default: all actions that are not held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
}

/// A request to revert a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationRevert {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// True to revert documents that have changed since the run, too. Default: false.
    pub force: bool,
}

/// A request to list runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationListing {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Status of the runs to list: `planning`, `planned`, `applied`, `failed`, `cancelled`,
    /// `reverted` or `conflict`. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `1` to list only runs with an action that waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Maximum number of runs per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of runs without diffs, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConsolidationList {
    /// The runs.
    pub runs: Vec<ConsolidationRun>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A consolidation run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationRun {
    /// Id of the run.
    pub id: String,
    /// Namespace of the tree.
    pub namespace: String,
    /// Status: `planning`, `planned`, `applied`, `failed`, `cancelled`, `reverted` or `conflict`.
    pub status: String,
    /// Allowed operations, in the order of execution.
    pub operations: Vec<String>,
    /// Scope of the run.
    pub scope: ConsolidationScope,
    /// Planner with its version: rules or a prompt.
    pub planner: String,
    /// True if only the plan was requested.
    pub dry_run: bool,
    /// Actions of the plan.
    pub plan: Vec<ConsolidationAction>,
    /// Pairs of documents that a person should review, because no action resolves them.
    pub reviews: Vec<ConsolidationReview>,
    /// Rules that the plan violates. If there are any, the plan cannot be applied.
    pub violations: Vec<ConsolidationViolation>,
    /// Summary of the run, in one sentence.
    pub summary: String,
    /// Comparison of before and after: documents, tokens of a listing, duplicates, actions by kind,
    /// and the numbers of held, omitted and derived items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// Token usage of the model.
    pub usage: ConsolidationUsage,
    /// Number of times that the run was planned again because the tree had changed.
    pub replans: u32,
    /// Paths of documents that conflicted with the run, or that a revert left unchanged.
    pub conflicts: Vec<String>,
    /// Changes of documents, planned or applied.
    pub differences: Vec<ConsolidationDifference>,
    /// Id of the run that this run reverts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// Id of the run that reverted this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// Reason that the run ended without being applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Name of the caller that requested the run.
    pub by: String,
    /// Start time of the run.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// An action of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationAction {
    /// Id of the action within the run.
    pub id: String,
    /// Status: `planned`, `held`, `applied` or `conflict`.
    pub status: String,
    /// Operation that the action belongs to.
    pub operation: String,
    /// Action: `type` (`merge`, `update`, `supersede`, `create`, `move` or `archive`), the paths,
    /// and the texts until they are written.
    pub action: serde_json::Value,
    /// Reason for the action.
    pub reason: String,
    /// Reason that the action waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

/// Two documents that a person should review.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationReview {
    /// Reason for the review.
    pub reason: String,
    /// Paths of the documents.
    pub paths: Vec<String>,
}

/// A rule that a plan violates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationViolation {
    /// Rule: `V01` to `V18`, or `Bounds`.
    pub code: String,
    /// Id of the action, if one action violates the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Explanation of the violation.
    pub message: String,
}

/// The token usage of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationUsage {
    /// Number of input tokens.
    pub input_tokens: u64,
    /// Number of output tokens.
    pub output_tokens: u64,
    /// Number of answers that were read.
    pub calls: u32,
}

/// The change of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationDifference {
    /// Id of the action that makes the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Path before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Path after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// Unified diff of the changed lines; absent if it exceeds the limits of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}
