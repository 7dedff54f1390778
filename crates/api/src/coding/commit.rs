//! Commits that are reported for tasks, and what a commit leads back to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happened in a repository for a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskCommits {
    /// Commits that the task made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<ReportedCommit>,
    /// Commits that took the place of others, whoever made those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<CommitRewrite>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReportedCommit {
    /// Its id: 40 or 64 hex digits.
    pub sha: String,
    /// The commits before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// The branch it was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Its author, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was written, as it says; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<String>,
    /// Whose prompt led to it, by name; absent: whoever asked for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The version of that prompt; absent: that of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// The trailers of its message; several values of one name are joined by commas.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trailers: BTreeMap<String, String>,
    /// What `git patch-id --stable` says of what it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
}

/// A commit that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRewrite {
    /// The one before.
    pub old: String,
    /// The one in its place.
    pub new: String,
}

/// What became of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskCommitsTaken {
    /// Commits that were not known like this before.
    pub stored: u32,
    /// Commits whose place another has taken now.
    pub rewritten: u32,
    /// What to know.
    pub warnings: Vec<String>,
}

/// Which commit a line comes from, as whoever has the clone sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlameAsk {
    /// The commit.
    pub commit: String,
    /// What `git patch-id --stable` says of what it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
    /// The values of its trailers `Task-Id`, joined by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<String>,
    /// When it was written, as it says; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<String>,
}

/// What a commit leads back to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Blame {
    /// The commit.
    pub commit: String,
    /// How that is known: `post_commit`, `rewrite`, `merge_sha`, `patch_id`, `trailer`, `none`.
    pub how: String,
    /// The tasks, the nearest first; none: nothing is known of it.
    pub tasks: Vec<BlamedTask>,
    /// Trailers name a task that did not make it.
    pub attribution_conflict: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// A task that led to a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BlamedTask {
    /// Its id.
    pub task_id: String,
    /// The commit that it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whose prompt it was, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The version of that prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and of what is to be done: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of what the newest hydration of the task showed; absent: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// The model that worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was to be done.
    pub description: String,
    /// How far it has come.
    pub status: String,
    /// Its pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// The session of its conversation.
    pub session: String,
    /// Its episode, a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
}
