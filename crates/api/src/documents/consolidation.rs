//! Consolidation runs over trees of documents: request, plan and result.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to plan a consolidation run, and optionally to apply the plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationStart {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Operations that the plan may contain: `resolve_contradictions`, `deduplicate`,
    /// `derive_insights`, `reorganize`, `prune`. Default: `resolve_contradictions`, `deduplicate`
    /// and `reorganize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<String>>,
    /// Part of the tree that the run covers. Default: the documents that changed since the last
    /// run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ConsolidationScope>,
    /// Author of the plan: `auto`, `deterministic` (rules) or `llm` (a model). `auto` uses a model
    /// if one is configured. Default: `auto`.
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
    /// Part of the tree: `since_last` (documents that changed since the last run), `all` or
    /// `paths`.
    pub kind: String,
    /// Paths of the documents and directories to cover, each with everything below it. Only for the
    /// kind `paths`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// The limits of a consolidation run. Each number is at least 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationLimits {
    /// Maximum number of documents in one request to a model, at most 1,000. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u64>,
    /// Maximum size in bytes of the documents in one request to a model, at most 1,048,576.
    /// Default: 131,072.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_input_bytes: Option<u64>,
    /// Maximum number of actions in the plan, at most 10,000. Default: 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_actions: Option<u64>,
    /// Maximum number of directories below `knowledge/` after the run, at most 1,000. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_directories: Option<u64>,
    /// Maximum number of model calls for one group of documents, at most 10. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Maximum number of tokens of all model calls of the run. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Maximum time in milliseconds from the start of the run until a model has answered all
    /// requests. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// True to split documents that exceed the limits of one model request into several requests,
    /// false to reject the run. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<bool>,
}

/// The tree that a request about a consolidation run refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationAsk {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A request to apply the plan of a consolidation run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationApply {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Ids of the actions to apply. A held action, which waits for a person, requires a grant with
    /// the capability `admin`. Default: all actions that are not held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
}

/// A request to revert an applied consolidation run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationRevert {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// True to revert also the documents that have changed since the run. Default: false, which
    /// leaves these documents unchanged.
    pub force: bool,
}

/// A request to list consolidation runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationListing {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Status of the runs to list: `planning`, `planned`, `applied`, `failed`, `cancelled`,
    /// `reverted` or `conflict`. Default: every status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `1` to list only runs with an action that waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Maximum number of runs per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of consolidation runs without diffs, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConsolidationList {
    /// The runs on this page.
    pub runs: Vec<ConsolidationRun>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A consolidation run: a planned or applied change of a tree of documents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationRun {
    /// Id of the run.
    pub id: String,
    /// Namespace of the tree.
    pub namespace: String,
    /// Status of the run: `planning`, `planned`, `applied`, `failed`, `cancelled`, `reverted` or
    /// `conflict`.
    pub status: String,
    /// Operations that the plan may contain, in the order of execution.
    pub operations: Vec<String>,
    /// Part of the tree that the run covers.
    pub scope: ConsolidationScope,
    /// Author of the plan: the version of the rules, or of the prompt for a model.
    pub planner: String,
    /// True if the request asked only for a plan.
    pub dry_run: bool,
    /// Actions of the plan.
    pub plan: Vec<ConsolidationAction>,
    /// Pairs of documents that a person should review, because no action resolves them.
    pub reviews: Vec<ConsolidationReview>,
    /// Rules that the plan violates. If there are any, the plan cannot be applied.
    pub violations: Vec<ConsolidationViolation>,
    /// Summary of the run, in one sentence.
    pub summary: String,
    /// Comparison of the tree before and after the run: numbers of documents, tokens of a listing,
    /// duplicates, actions by kind, and held, omitted and derived items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// Tokens that the run used for a model.
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
    /// Time at which the run began.
    pub created_at: String,
    /// Time of the last change of the run.
    pub updated_at: String,
}

/// An action of a consolidation plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationAction {
    /// Id of the action, unique within the run.
    pub id: String,
    /// Status of the action: `planned`, `held` (waits for a person), `applied` or `conflict` (the
    /// document had changed).
    pub status: String,
    /// Operation that the action belongs to, such as `deduplicate`.
    pub operation: String,
    /// The action as a JSON object: its `type` (`merge`, `update`, `supersede`, `create`, `move` or
    /// `archive`), the paths of the documents, and the new texts until the action is applied.
    pub action: serde_json::Value,
    /// Reason for the action.
    pub reason: String,
    /// Reason that the action waits for a person; absent if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

/// Two documents that a person should review, because the plan does not resolve them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationReview {
    /// Reason for the review.
    pub reason: String,
    /// Paths of the two documents.
    pub paths: Vec<String>,
}

/// A rule for plans that a consolidation plan violates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationViolation {
    /// Name of the violated rule: `V01` to `V18`, or `Bounds` for a limit of the run.
    pub code: String,
    /// Id of the action that violates the rule; absent if the whole plan violates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Explanation of the violation.
    pub message: String,
}

/// The tokens that a consolidation run used for a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationUsage {
    /// Number of input tokens.
    pub input_tokens: u64,
    /// Number of output tokens.
    pub output_tokens: u64,
    /// Number of model answers.
    pub calls: u32,
}

/// The change of a document by a consolidation run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationDifference {
    /// Id of the action that makes the change; absent if several actions make it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Path of the document before the run; absent if the run creates the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Path of the document after the run; absent if the run removes the document from the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// Unified diff of the changed lines; absent if it exceeds the limits of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}
