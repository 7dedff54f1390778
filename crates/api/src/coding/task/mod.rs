//! Tasks of coding agents: creation, changes, security alerts and lists.

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
    /// Name of the repository on which the agent works. If absent, the task has no repository and
    /// belongs to the user in `user_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Forge of the repository: `github`, `gitlab`, `bitbucket`, or the name of a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// Number of the repository at its forge. By this number, the server recognises a repository
    /// that was renamed. The request fails if the number belongs to another repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// Kind of the task: `new_task`, `pr_iteration` (changes to an existing pull request) or
    /// `pr_review`. Default: `new_task`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Name of the user who requests the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Number by which the forge identifies the user who requests the task.
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
    /// Branch on which the agent works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Branch that the agent's branch starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Id of the commit that the agent's branch starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Digests of the parts of the agent's prompt. The server computes the version of the prompt
    /// from them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// Name of the version of the agent's prompt, if the caller knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the model that does the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the experiment variant that the task belongs to, for measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Id of the task that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// Id of the trace that contains the work: 32 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Memory arm: the memory that the task receives in a comparison. `on` is all, `off` none, and
    /// `tier1`, `tier2` and `tier3` are growing parts of it. Default: the arm of the parent task,
    /// otherwise `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_arm: Option<String>,
}

/// A prompt, described by the digests of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskPrompt {
    /// Id of the prompt's template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    /// SHA-256 digest of the template's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_sha256: Option<String>,
    /// SHA-256 digest of the values by which the repository overrides parts of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides_sha256: Option<String>,
}

/// A pull request of a task.
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
    /// Actor of all events and records of the task: the repository `owner/name`, or `user:<id>` for
    /// a task without a repository.
    pub actor: String,
    /// Id of the session that contains all events of the task.
    pub session: String,
    /// Name of the repository, `owner/name`; absent if the task has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Forge of the repository, as specified in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// Number of the repository at its forge, as specified in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// Id of the snapshot of the repository's memory at the creation of the task. A rollback can
    /// return to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// Kind of the task: `new_task`, `pr_iteration` or `pr_review`.
    pub kind: String,
    /// Status: `accepted`, `hydrating`, `running`, `awaiting_approval`, `finalizing`, `completed`,
    /// `failed`, `cancelled` or `timed_out`.
    pub status: String,
    /// Memory arm: the part of memory that the task receives: `on`, `off`, `tier1`, `tier2` or
    /// `tier3`.
    pub memory_arm: String,
    /// Name of the user who requested the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Number by which the forge identifies the user who requested the task.
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
    /// Branch on which the agent works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Branch that the agent's branch starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Id of the commit that the agent's branch starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Digests of the parts of the agent's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// Name of the version of the agent's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and the description: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of the records that the task's latest hydration returned; absent if the task had no
    /// hydration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// Name of the model that does the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the experiment variant that the task belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Id of the task that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// Id of the trace that contains the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Cost of the task in US dollars, with four decimals; absent if it was not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Duration of the task in seconds; absent if it was not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// Error message, if the task failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Category of the failure, such as `reasoning_error` or `timeout`; absent if none was
    /// reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<String>,
    /// Security alert about the task. If present, the server trusts nothing that the task wrote:
    /// all its records are quarantined, including future ones.
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
    /// Time of the last change of the task.
    pub updated_at: String,
}

/// A security alert: the reason for which the server does not trust a task.
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
    /// Observation that led to the alert, 1 to 500 characters; stored with each record that the
    /// alert quarantines.
    pub reason: String,
}

/// A task with its security alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskAlerted {
    /// Id of the task.
    pub task_id: String,
    /// The security alert of the task. A later alert does not replace the first.
    pub security_alert: TaskAlert,
    /// True if this request raised the alert.
    pub raised: bool,
    /// Ids of the records of the task that the alert quarantined.
    pub quarantined: Vec<String>,
}

/// A bearer token for the agent of one task. `Debug` does not show it.
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
    /// Warnings: `FORGE_ID_UNCHECKED` (the server could not check `forge_repo_id`), `REPO_RENAMED`
    /// (the repository is stored under another name).
    pub warnings: Vec<String>,
}

/// The records that a task wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskWritten {
    /// Id of the record that contains the task's episode; absent if there is none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
    /// True if the episode contains only the report of the platform that runs agents, not one of
    /// the agent.
    pub minimal: bool,
    /// Number of learnings of the task that were added to memory.
    pub learnings: u32,
    /// Number of items of self-feedback of the task that were added to memory.
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
    /// Branch on which the agent works.
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
    /// Warnings about requested changes that the server did not make, with the reason.
    pub warnings: Vec<String>,
}

/// A request to list tasks. A task must meet all conditions that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskListing {
    /// Name of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Name of the user who requested the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Status of the tasks, such as `running` or `completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Number of the issue that the tasks are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Number of the pull request that the tasks are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Branch on which the agents work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Name of the version of the agents' prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the experiment variant that the tasks belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Outcome of the tasks: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`,
    /// `closed_unmerged`, `closed_superseded`, `abandoned`, `reverted` or `no_pr`. The server
    /// examines at most 1000 tasks for a page, so a page may be empty although more tasks follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Earliest creation time, inclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest creation time, exclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the description of the tasks must contain; letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Maximum number of tasks per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of tasks, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskList {
    /// The tasks on this page.
    pub tasks: Vec<Task>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
