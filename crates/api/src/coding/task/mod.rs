//! Tasks of coding agents.

pub mod end;
pub mod feedback;
pub mod session;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A task to be taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskCreate {
    /// 1 to 128 of letters, digits, `.`, `_`, `:` and `-`; absent: one is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The repository, by one of its names; absent: the task is on none, and `user_id` says whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The forge it is at: `github`, `gitlab`, `bitbucket`, or a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The forge's number for it; it must be the repository's, and finds one whose name changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// `new_task`, `pr_iteration` or `pr_review`; absent: `new_task`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Who asks, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Who asks, by the forge's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What is to be done, in at most 10,000 characters.
    pub description: String,
    /// The issue it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// The pull request it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// The branch that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The branch that it leaves from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The commit that it leaves from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// The prompt, by its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// The version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// The model that works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The variant of an experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The task that this one goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// The trace that its work is seen in: 32 small hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// `on`, `off`, `tier1`, `tier2` or `tier3`; absent: that of its parent, else `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_arm: Option<String>,
}

/// A prompt, by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskPrompt {
    /// The template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    /// Digest of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_sha256: Option<String>,
    /// Digest of what the repository overrides in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides_sha256: Option<String>,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskPullRequest {
    /// Its number.
    pub number: u64,
    /// Where it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The commit at its head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_sha: Option<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Its id.
    pub task_id: String,
    /// The repository `owner/name`, or `user:<id>`: the actor of everything that is written for it.
    pub actor: String,
    /// The session of everything that is written for it.
    pub session: String,
    /// The repository's scope key, where it is on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The forge it is at, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The forge's number for it, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// The state of the memory when it was taken in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// What is asked for.
    pub kind: String,
    /// How far it has come.
    pub status: String,
    /// Which memory it is given.
    pub memory_arm: String,
    /// Who asked, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Who asked, by the forge's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What is to be done.
    pub description: String,
    /// The issue it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// The pull request it is about, or ended in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// The branch that is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The branch that it leaves from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The commit that it leaves from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// The prompt, by its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TaskPrompt>,
    /// The version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and of what is to be done: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of what the newest hydration showed, as its answer said; absent: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// The model that works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The variant of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The task that this one goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task_id: Option<String>,
    /// The trace that its work is seen in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// What it cost, with four decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Which kind of failure it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<String>,
    /// It is not trusted: what it wrote is held back, and what it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_alert: Option<TaskAlert>,
    /// What came of it, as `GET /v1/tasks/{task}/outcome` tells; absent: nothing is decided yet, or this answer does not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What it left behind.
    pub written: TaskWritten,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// When it was taken in.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

/// Why a task is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskAlert {
    /// What somebody saw.
    pub reason: String,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: String,
}

/// An alert to be raised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskAlertRaise {
    /// What somebody saw, in 1 to 500 characters; kept with each record that is held back.
    pub reason: String,
}

/// A task with its alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskAlerted {
    /// The task.
    pub task_id: String,
    /// The alert, the first that was raised.
    pub security_alert: TaskAlert,
    /// It was raised by this call.
    pub raised: bool,
    /// What is held back since, by id.
    pub quarantined: Vec<String>,
}

/// A bearer token, which `Debug` does not show.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct AgentToken(pub String);

impl std::fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentToken(…)")
    }
}

/// A task that was taken in, now or before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskTaken {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// What its agent asks with: a bearer token for this task alone, until a day behind its end. Absent where the server asks for no
    /// credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_token: Option<AgentToken>,
    /// What to know: `FORGE_ID_UNCHECKED`, `REPO_RENAMED`.
    pub warnings: Vec<String>,
}

/// What a task left behind in long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskWritten {
    /// Its episode, a record; absent: there is none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
    /// The episode is all that whoever runs agents could say.
    pub minimal: bool,
    /// Learnings that were added.
    pub learnings: u32,
    /// Items of self-feedback that were added.
    pub self_feedback: u32,
}

/// Changes of a task; absent members stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskPatch {
    /// How far it has come: `hydrating`, `running`, `awaiting_approval`, `finalizing`, `completed`, `failed`, `cancelled`,
    /// `timed_out`. The last four are ends, and stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The branch that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Its pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// The trace that its work is seen in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The commit by which its pull request came onto its base: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// A task after its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskPatched {
    /// The task.
    pub task: Task,
    /// What was not done, and why.
    pub warnings: Vec<String>,
}

/// Which tasks; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskListing {
    /// Of this repository, by one of its names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Asked for by this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// So far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// About this issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// About this pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// On this branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// With this version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// In this variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// This came of them: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`, `closed_unmerged`, `closed_superseded`,
    /// `abandoned`, `reverted`, `no_pr`. A page goes through at most 1000 tasks, and may be empty and not the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Taken in then or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Taken in before, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The description holds this, whatever the case of its letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Tasks, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskList {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
