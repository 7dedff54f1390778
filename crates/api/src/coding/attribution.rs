//! Attribution: the tasks, prompts, people and session events behind a commit, a file or a pull
//! request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::Task;

/// A request for an attribution. A task must meet all conditions that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AttributionAsk {
    /// Name of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Commit that the tasks led to: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Number of the pull request that the tasks are about, or ended in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Number of the issue that the tasks are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Id of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Name of the requesting user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Path, directory or glob. The tasks reported a changed file that matches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Branch of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Status of the tasks: `accepted`, `hydrating`, `running`, `awaiting_approval`, `finalizing`,
    /// `completed`, `failed`, `cancelled` or `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Start of the creation time, inclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time, exclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Words, at most 16. Each must occur in the description, in the final report or in the session
    /// of the task. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Maximum number of tasks per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of tasks, newest first. With `path` or `session`, a page may be short although more tasks
/// follow. In that case `next_cursor` is present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Attribution {
    /// Tasks with their attribution.
    pub items: Vec<Attributed>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A task with its attribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Attributed {
    /// The task.
    pub task: Task,
    /// Prompt of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<AttributedPrompt>,
    /// Name of the user whose prompt it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Commits of the task, in the order of the reports.
    pub commits: Vec<AttributedCommit>,
    /// True if the task has more commits than `commits` contains.
    #[serde(default)]
    pub has_more_commits: bool,
    /// Pull request of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<AttributedPullRequest>,
    /// Outcome of the task; absent if it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Final report of the task.
    pub told: ToldEnd,
    /// Excerpts of the session, by sequence number: events that contain a word of the query;
    /// without words, decisions and notes.
    pub snippets: Vec<Snippet>,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedPrompt {
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Id of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedCommit {
    /// Id of the commit.
    pub sha: String,
    /// `live`, or `rewritten` if another commit replaced it.
    pub state: String,
    /// Evidence that links the commit to the task: `post_commit`, `rewrite` or `merge_sha`.
    pub how: String,
}

/// A pull request.
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

/// The final report of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ToldEnd {
    /// Summary of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Approach that the agent took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Difficulties that the agent met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// Error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Paths of the changed files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
}

/// An excerpt of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Snippet {
    /// Sequence number in the session.
    pub seq: u64,
    /// Type of the event.
    pub r#type: String,
    /// Role of the speaker.
    pub role: String,
    /// Text: at most 400 characters around the first word of the query.
    pub text: String,
    /// True if the text is an excerpt of a longer content.
    pub cut: bool,
    /// Time of the event.
    pub at: String,
}
