//! Pull requests, pushes and checks from a forge, normalised: webhooks and polls yield the same
//! types. This module holds the data types. The engine derives the effect on tasks and rules.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::tasks::review::ForgeUser;

/// The current state of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// The number of the pull request.
    pub number: u64,
    /// The author of the pull request.
    pub author: ForgeUser,
    /// The title of the pull request.
    #[serde(default)]
    pub title: String,
    /// The description of the pull request.
    #[serde(default)]
    pub body: String,
    /// True if the pull request is open.
    pub is_open: bool,
    /// True if the pull request is a draft.
    #[serde(default)]
    pub is_draft: bool,
    /// True if its branch belongs to another repository. Statements of such a branch are not
    /// trusted.
    #[serde(default)]
    pub is_fork: bool,
    /// The time at which the pull request was merged.
    #[serde(default)]
    pub merged_at: Option<Timestamp>,
    /// The user who merged the pull request.
    #[serde(default)]
    pub merged_by: Option<ForgeUser>,
    /// The commit that merged the pull request into its base branch.
    #[serde(default)]
    pub merge_commit_sha: Option<String>,
    /// The time at which the pull request was closed.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
    /// The newest commit of the pull request.
    pub head_sha: String,
    /// The branch of the pull request.
    pub head_ref: String,
    /// The branch the pull request merges into.
    pub base_ref: String,
    /// The labels of the pull request.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The commits of the pull request, as far as the forge lists them (250).
    #[serde(default)]
    pub commits: Vec<PullRequestCommit>,
    /// Number of review comments on lines of the pull request.
    #[serde(default)]
    pub review_comment_count: u32,
    /// Number of lines that the pull request adds.
    #[serde(default)]
    pub additions: u32,
    /// Number of lines that the pull request deletes.
    #[serde(default)]
    pub deletions: u32,
    /// Number of files that the pull request changes.
    #[serde(default)]
    pub changed_files: u32,
    /// The URL of the pull request.
    #[serde(default)]
    pub url: Option<String>,
    /// The time at which the pull request was opened.
    pub created_at: Timestamp,
    /// The time at which the pull request was last changed.
    pub updated_at: Timestamp,
}

/// A commit of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCommit {
    /// The id of the commit.
    pub sha: String,
    /// The account of the commit's author, if the forge knows one.
    #[serde(default)]
    pub author: Option<ForgeUser>,
    /// The whole message of the commit, with trailers.
    pub message: String,
}

/// A change of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestChange {
    /// No change is known; a poll or a fetch read the current state of the pull request.
    Seen,
    /// The pull request was opened.
    Opened,
    /// The pull request was closed, merged or not.
    Closed,
    /// The closed pull request was opened again.
    Reopened,
    /// New commits were pushed to the pull request.
    Synchronized,
}

/// A push to a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchPush {
    /// The branch, without `refs/heads/`.
    pub branch: String,
    /// True for the default branch.
    pub is_default: bool,
    /// The id of the newest commit of the branch after the push.
    pub after: String,
    /// The pushed commits: ids and messages.
    pub commits: Vec<PullRequestCommit>,
    /// The time of the push.
    pub at: Timestamp,
}

/// A finished suite of checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSuite {
    /// The forge's id of the suite.
    pub id: u64,
    /// The commit that was checked.
    pub head_sha: String,
    /// True if everything in it passed; none if the result is neither (skipped, cancelled,
    /// neutral).
    pub passed: Option<bool>,
    /// The time at which the check suite ended.
    pub at: Timestamp,
}
