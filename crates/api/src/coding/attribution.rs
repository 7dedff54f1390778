//! Attribution: the tasks, prompts, people and session events behind a commit, a file or a pull
//! request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::Task;

/// A request for the tasks behind some work. A task is in the response if it meets all conditions
/// that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AttributionAsk {
    /// Name of the repository of the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of a commit that the tasks made: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Number of the pull request that the tasks are about, or ended in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Number of the issue that the tasks are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Id of one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Id of the session in which the task ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Version of the prompt with which the task ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the user who requested the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Path of a file or a directory, or a glob. The response contains tasks that reported a
    /// changed file which matches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Branch on which the task worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Status of the tasks: `accepted`, `hydrating`, `running`, `awaiting_approval`, `finalizing`,
    /// `completed`, `failed`, `cancelled` or `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Earliest creation time, inclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest creation time, exclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Words, at most 16. Each must occur in the description, in the final report or in the session
    /// of the task. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Maximum number of tasks on a page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of tasks, newest first. With `path` or `session`, a page may be short although more tasks
/// follow. In that case `next_cursor` is present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Attribution {
    /// Tasks, each with its prompt, user, commits and pull request.
    pub items: Vec<Attributed>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A task with its attribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Attributed {
    /// The task itself.
    pub task: Task,
    /// Prompt that the task received; absent if the task specified none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<AttributedPrompt>,
    /// Name of the user who requested the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Commits of the task, in the order in which they were reported.
    pub commits: Vec<AttributedCommit>,
    /// True if the task has more commits than `commits` contains.
    #[serde(default)]
    pub has_more_commits: bool,
    /// Pull request that the task is about or ended in; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<AttributedPullRequest>,
    /// Outcome of the task's pull request, such as `merged_as_is`; absent if it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Final report of the task's agent.
    pub told: ToldEnd,
    /// Excerpts of the task's session, by sequence number: the events that contain a word of `q`.
    /// If the request has no `q`, the decisions and notes of the session.
    pub snippets: Vec<Snippet>,
}

/// The prompt that a task received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedPrompt {
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Id of the prompt's template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
}

/// A commit that a task made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedCommit {
    /// Id of the commit.
    pub sha: String,
    /// State of the commit: `live`, or `rewritten` if a later commit replaced it (amend, rebase).
    pub state: String,
    /// Evidence that links the commit to the task: `post_commit`, `rewrite` or `merge_sha`.
    pub how: String,
}

/// The pull request of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedPullRequest {
    /// Number of the pull request.
    pub number: u64,
    /// URL of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Commit that merged the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// The final report of a task's agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ToldEnd {
    /// Summary of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Approach that the agent took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Difficulties that the agent met during the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// Error message, if the task failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Paths of the files that the task changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
}

/// An excerpt of an event in a task's session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Snippet {
    /// Sequence number of the event in the session.
    pub seq: u64,
    /// Type of the event.
    pub r#type: String,
    /// Role of the speaker: `user`, `assistant`, `tool` or `other`.
    pub role: String,
    /// Excerpt of the event's content: at most 400 characters around the first word of the query
    /// that occurs in it.
    pub text: String,
    /// True if the event's content is longer than `text`.
    pub cut: bool,
    /// Time of the event.
    pub at: String,
}
