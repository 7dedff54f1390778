//! Tasks of coding agents.

pub mod end;
pub mod feedback;
pub mod session;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to create a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskCreate {
    /// Id of the task: 1 to 128 letters, digits, `.`, `_`, `:` and `-`. Default: a generated id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Name of the repository. If absent, the task has no repository and belongs to the user in
    /// `user_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Forge of the repository: `github`, `gitlab`, `bitbucket`, or a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// Number of the repository at its forge. It must match the repository, and it identifies a
    /// repository whose name has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// Kind of the task: `new_task`, `pr_iteration` or `pr_review`. Default: `new_task`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Name of the requesting user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Number of the requesting user at the forge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Description of the work, at most 10,000 characters.
    pub description: String,
    /// Number of the issue that the task is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Number of the pull request that the task is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Branch of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Branch that the work starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Commit that the work starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Prompt, by its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// Version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the model that does the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Variant of an experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Id of the task that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// Id of the trace that contains the work: 32 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Memory arm: `on`, `off`, `tier1`, `tier2` or `tier3`. Default: the arm of the parent task,
    /// otherwise `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_arm: Option<String>,
}

/// A prompt, by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskPrompt {
    /// Id of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    /// SHA-256 digest of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_sha256: Option<String>,
    /// SHA-256 digest of the repository's overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides_sha256: Option<String>,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskPullRequest {
    /// Number of the pull request.
    pub number: u64,
    /// URL of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Commit at the head of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_sha: Option<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Id of the task.
    pub task_id: String,
    /// Actor of everything that is written for the task: the repository `owner/name`, or
    /// `user:<id>`.
    pub actor: String,
    /// Session of everything that is written for the task.
    pub session: String,
    /// Scope key of the repository, if the task has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Forge of the repository, as specified in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// Number of the repository at its forge, as specified in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// Id of the memory's state when the task was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// Kind of the task.
    pub kind: String,
    /// Status of the task.
    pub status: String,
    /// Memory arm of the task.
    pub memory_arm: String,
    /// Name of the requesting user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Number of the requesting user at the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Description of the work.
    pub description: String,
    /// Number of the issue that the task is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Pull request that the task is about, or that it ended in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// Branch of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Branch that the work starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Commit that the work starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Prompt, by its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and the description: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of the content of the latest hydration, as in its response; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// Name of the model that does the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Variant of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Id of the task that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// Id of the trace that contains the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Cost in US dollars, with four decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// Error message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Category of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<String>,
    /// Security alert. If present, the task is not trusted, and all its records are quarantined,
    /// including future ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_alert: Option<TaskAlert>,
    /// Outcome of the task, as in `GET /v1/tasks/{task}/outcome`; absent if it is undecided, or if
    /// this response does not include it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Records that the task wrote.
    pub written: TaskWritten,
    /// Time at which the task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// Time at which the task was created.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// The reason that a task is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskAlert {
    /// Observation that led to the alert.
    pub reason: String,
    /// Name of the person or program that raised the alert.
    pub by: String,
    /// Time of the alert.
    pub at: String,
}

/// A request to raise a security alert.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskAlertRaise {
    /// Observation that led to the alert, 1 to 500 characters. Each quarantined record contains it.
    pub reason: String,
}

/// A task with its security alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskAlerted {
    /// Id of the task.
    pub task_id: String,
    /// The first alert that was raised.
    pub security_alert: TaskAlert,
    /// True if this request raised the alert.
    pub raised: bool,
    /// Ids of the quarantined records.
    pub quarantined: Vec<String>,
}

/// A bearer token. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct AgentToken(pub String);

impl std::fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentToken(…)")
    }
}

/// A task that was created, by this or an earlier request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskTaken {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Bearer token for the agent. It is valid for this task only, until one day after its end.
    /// Absent if the server requires no credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_token: Option<AgentToken>,
    /// Warnings: `FORGE_ID_UNCHECKED`, `REPO_RENAMED`.
    pub warnings: Vec<String>,
}

/// The records that a task wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskWritten {
    /// Id of the task's episode, a record; absent if there is none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
    /// True if the episode contains only the information of the platform that runs agents.
    pub minimal: bool,
    /// Number of learnings that were added.
    pub learnings: u32,
    /// Number of items of self-feedback that were added.
    pub self_feedback: u32,
}

/// A change of a task. Absent members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskPatch {
    /// Status: `hydrating`, `running`, `awaiting_approval`, `finalizing`, `completed`, `failed`,
    /// `cancelled` or `timed_out`. The last four are final.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Branch of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Pull request of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// Id of the trace that contains the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Commit that merged the pull request: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// A task after its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskPatched {
    /// The task.
    pub task: Task,
    /// Warnings about changes that were not made, with the reason.
    pub warnings: Vec<String>,
}

/// A request to list tasks. A task must meet all conditions that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskListing {
    /// Name of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Name of the requesting user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Status of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Number of the issue that the task is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Number of the pull request that the task is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Branch of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Variant of an experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Outcome: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`,
    /// `closed_unmerged`, `closed_superseded`, `abandoned`, `reverted` or `no_pr`. A page examines
    /// at most 1000 tasks, so a page may be empty without being the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Start of the creation time, inclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time, exclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the description must contain. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Maximum number of tasks per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of tasks, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskList {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
