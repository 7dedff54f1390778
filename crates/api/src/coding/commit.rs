//! Commits that are reported for tasks, and the attribution of a commit to tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A report of commits for a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskCommits {
    /// Commits that the agent of the task made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<ReportedCommit>,
    /// Commits of any author that were replaced by an amend or a rebase, each with its replacement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<CommitRewrite>,
}

/// A commit that the agent of a task made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReportedCommit {
    /// Id of the commit: 40 or 64 hex digits.
    pub sha: String,
    /// Ids of the parent commits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Name of the branch to which the commit was made.
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
    /// Version of the prompt with which the commit was made. Default: the prompt version of the
    /// task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Trailers of the commit message. Several values of one name are joined by commas.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trailers: BTreeMap<String, String>,
    /// Patch id of the commit: the output of `git patch-id --stable`. It stays the same when the
    /// commit is rebased.
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

/// The result of a report of commits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskCommitsTaken {
    /// Number of reported commits that are new, or that differ from what was stored.
    pub stored: u32,
    /// Number of commits that are now marked as replaced by other commits.
    pub rewritten: u32,
    /// Warnings about reported commits that the server did not store, or stored only in part.
    pub warnings: Vec<String>,
}

/// A request for the tasks behind a commit, described by a caller that has a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlameAsk {
    /// Id of the commit whose tasks are searched: 40 or 64 hex digits.
    pub commit: String,
    /// Patch id of the commit: the output of `git patch-id --stable`. It finds the task of a commit
    /// that was rebased.
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
    /// Evidence that links the commit to the tasks: `post_commit` (an agent's report), `rewrite`,
    /// `merge_sha`, `patch_id`, `trailer` or `none`.
    pub how: String,
    /// Tasks that led to the commit, most direct first; empty if no task is known.
    pub tasks: Vec<BlamedTask>,
    /// True if a `Task-Id` trailer of the commit names a task that did not make the commit.
    pub attribution_conflict: bool,
    /// Warnings about the attribution.
    pub warnings: Vec<String>,
}

/// A task that led to a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BlamedTask {
    /// Id of the task.
    pub task_id: String,
    /// Id of the commit that the task made, which differs from the requested one after a rebase or
    /// a merge; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Name of the user who requested the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// Digest of the issue and the description of the task: 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of the records that the task's latest hydration returned; absent if the task had no
    /// hydration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// Name of the model that did the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Description of the task.
    pub description: String,
    /// Status of the task.
    pub status: String,
    /// Number of the task's pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Id of the session that contains the task's conversation.
    pub session: String,
    /// Id of the record that contains the task's episode; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
}
