//! What something leads back to: tasks, prompts, people, and what was said.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::coding::task::Task;

/// Which tasks; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AttributionAsk {
    /// Of this repository, by one of its names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// This commit leads back to them: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// About this pull request, or ended in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// About this issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// This one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// With this version of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Asked for by this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Their agents said that they changed a file there: a path, a directory, a glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// On this branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// `accepted`, `hydrating`, `running`, `awaiting_approval`, `finalizing`, `completed`, `failed`, `cancelled`, `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Taken in then or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Taken in before, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Up to 16 words, each of which is part of the description, of what was told at the end or of what was said, whatever the case
    /// of its letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of tasks, the newest first. With `path` or `session` a page may hold fewer than there are behind it: the cursor says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Attribution {
    /// The tasks, and what leads to them.
    pub items: Vec<Attributed>,
    /// More is behind this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A task, and what leads to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Attributed {
    /// The task.
    pub task: Task,
    /// Its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<AttributedPrompt>,
    /// Whose prompt it was, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Its commits, the first reported first.
    pub commits: Vec<AttributedCommit>,
    /// It has more of them.
    #[serde(default)]
    pub has_more_commits: bool,
    /// Its pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<AttributedPullRequest>,
    /// What came of it; absent: nothing is decided yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What was told at its end.
    pub told: ToldEnd,
    /// What was said, by number: where the question has words, what holds one of them, else decisions and notes.
    pub snippets: Vec<Snippet>,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedPrompt {
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedCommit {
    /// Its id.
    pub sha: String,
    /// `live`, or `rewritten`: another took its place.
    pub state: String,
    /// How it leads to the task: `post_commit`, `rewrite`, `merge_sha`.
    pub how: String,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AttributedPullRequest {
    /// Its number.
    pub number: u64,
    /// Where it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The commit by which it came onto its base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// What was told at the end of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ToldEnd {
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// What was in the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Snippet {
    /// Its number in its session.
    pub seq: u64,
    /// What it is.
    pub r#type: String,
    /// Who spoke.
    pub role: String,
    /// What was said, in at most 400 characters around the first word of the question.
    pub text: String,
    /// It is a part of that.
    pub cut: bool,
    /// When.
    pub at: String,
}
