//! Commits that are reported for tasks, and the attribution of a commit to tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A report of commits for a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskCommits {
    /// Commits that the task made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<ReportedCommit>,
    /// Commits that replaced other commits, of any author.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<CommitRewrite>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReportedCommit {
    /// Id of the commit: 40 or 64 hex digits.
    pub sha: String,
    /// Ids of the parent commits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Branch of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Author, as stated in the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Author time, as stated in the commit, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<String>,
    /// Name of the user whose prompt led to the commit. Default: the requesting user of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the prompt. Default: the version of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Trailers of the commit message. Several values of one name are joined by commas.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trailers: BTreeMap<String, String>,
    /// Output of `git patch-id --stable` for the change of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
}

/// A commit that replaced another one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRewrite {
    /// Id of the replaced commit.
    pub old: String,
    /// Id of the new commit.
    pub new: String,
}

/// The result of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskCommitsTaken {
    /// Number of commits that are new or changed.
    pub stored: u32,
    /// Number of commits that are now marked as replaced.
    pub rewritten: u32,
    /// Warnings about the report.
    pub warnings: Vec<String>,
}

/// A request for the tasks behind a commit, described by a caller that has a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlameAsk {
    /// Id of the commit.
    pub commit: String,
    /// Output of `git patch-id --stable` for the change of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
    /// Values of the commit's `Task-Id` trailers, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<String>,
    /// Author time, as stated in the commit, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<String>,
}

/// The tasks behind a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Blame {
    /// Id of the commit.
    pub commit: String,
    /// Evidence: `post_commit`, `rewrite`, `merge_sha`, `patch_id`, `trailer` or `none`.
    pub how: String,
    /// Tasks, nearest first; empty if none is known.
    pub tasks: Vec<BlamedTask>,
    /// True if a trailer names a task that did not make the commit.
    pub attribution_conflict: bool,
    /// Warnings about the attribution.
    pub warnings: Vec<String>,
}

/// A task that led to a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BlamedTask {
    /// Id of the task.
    pub task_id: String,
    /// Id of the commit that the task made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Name of the user whose prompt it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and the description: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of the content of the task's latest hydration; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// Name of the model that did the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Description of the task.
    pub description: String,
    /// Status of the task.
    pub status: String,
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Session of the task's conversation.
    pub session: String,
    /// Id of the task's episode, a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
}
