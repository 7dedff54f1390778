//! Pull requests, pushes and checks from a forge, normalised: webhooks and polls yield the same
//! types. This module holds the data types. The engine derives the effect on tasks and rules.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::tasks::review::ForgeUser;

/// The current state of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// The author.
    pub author: ForgeUser,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The description.
    #[serde(default)]
    pub body: String,
    /// True if it is open.
    pub is_open: bool,
    /// True if it is a draft.
    #[serde(default)]
    pub is_draft: bool,
    /// True if its branch belongs to another repository. Statements of such a branch are not
    /// trusted.
    #[serde(default)]
    pub is_fork: bool,
    /// The time of its merge.
    #[serde(default)]
    pub merged_at: Option<Timestamp>,
    /// The user who merged it.
    #[serde(default)]
    pub merged_by: Option<ForgeUser>,
    /// The commit that merged it into its base.
    #[serde(default)]
    pub merge_commit_sha: Option<String>,
    /// The time of its closing.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
    /// The commit at its head.
    pub head_sha: String,
    /// Its branch.
    pub head_ref: String,
    /// The branch it merges into.
    pub base_ref: String,
    /// Labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Its commits, as far as the forge lists them (250).
    #[serde(default)]
    pub commits: Vec<PullRequestCommit>,
    /// Number of comments on lines.
    #[serde(default)]
    pub review_comment_count: u32,
    /// Number of lines added.
    #[serde(default)]
    pub additions: u32,
    /// Number of lines deleted.
    #[serde(default)]
    pub deletions: u32,
    /// Number of files changed.
    #[serde(default)]
    pub changed_files: u32,
    /// The URL of the pull request.
    #[serde(default)]
    pub url: Option<String>,
    /// The time of its opening.
    pub created_at: Timestamp,
    /// The time of its last change.
    pub updated_at: Timestamp,
}

/// A commit of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCommit {
    /// Its id.
    pub sha: String,
    /// The account of its author, if the forge knows one.
    #[serde(default)]
    pub author: Option<ForgeUser>,
    /// Its whole message, with trailers.
    pub message: String,
}

/// A change of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestChange {
    /// Its current state, from a poll or a fetch.
    Seen,
    /// It was opened.
    Opened,
    /// It was closed, merged or not.
    Closed,
    /// It was opened again.
    Reopened,
    /// New commits changed its head.
    Synchronized,
}

/// A push to a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchPush {
    /// The branch, without `refs/heads/`.
    pub branch: String,
    /// True for the default branch.
    pub is_default: bool,
    /// The tip after the push.
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
    /// The time of its end.
    pub at: Timestamp,
}
