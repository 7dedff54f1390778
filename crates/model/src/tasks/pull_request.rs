//! What a forge says of a pull request, a push and a check, normalised: webhooks and polls say the
//! same. Shapes only; what they mean for tasks and rules is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::tasks::review::ForgeUser;

/// A pull request as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Who opened it.
    pub author: ForgeUser,
    /// What it is called.
    #[serde(default)]
    pub title: String,
    /// What it says of itself.
    #[serde(default)]
    pub body: String,
    /// It is open.
    pub is_open: bool,
    /// It is a draft.
    #[serde(default)]
    pub is_draft: bool,
    /// Its branch is another repository's: nothing that the branch says of itself is trusted.
    #[serde(default)]
    pub is_fork: bool,
    /// When it was merged.
    #[serde(default)]
    pub merged_at: Option<Timestamp>,
    /// Who merged it.
    #[serde(default)]
    pub merged_by: Option<ForgeUser>,
    /// The commit by which it came onto its base.
    #[serde(default)]
    pub merge_commit_sha: Option<String>,
    /// When it was closed.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
    /// The commit at its head.
    pub head_sha: String,
    /// Its branch.
    pub head_ref: String,
    /// The branch it goes to.
    pub base_ref: String,
    /// Labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Commits in it, as far as the forge lists them (250).
    #[serde(default)]
    pub commits: Vec<PullRequestCommit>,
    /// Comments on lines.
    #[serde(default)]
    pub review_comment_count: u32,
    /// Lines added.
    #[serde(default)]
    pub additions: u32,
    /// Lines deleted.
    #[serde(default)]
    pub deletions: u32,
    /// Files changed.
    #[serde(default)]
    pub changed_files: u32,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When anything of it was last changed.
    pub updated_at: Timestamp,
}

/// A commit of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCommit {
    /// Its id.
    pub sha: String,
    /// The account of its author, where the forge knows one.
    #[serde(default)]
    pub author: Option<ForgeUser>,
    /// Its whole message, with trailers.
    pub message: String,
}

/// What happened to a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestChange {
    /// It is looked at as it stands: a poll, a fetch.
    Seen,
    /// It was opened.
    Opened,
    /// It was closed, merged or not.
    Closed,
    /// It was opened again.
    Reopened,
    /// Commits came: what it had before and has now.
    Synchronized,
}

/// A push to a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchPush {
    /// The branch, without `refs/heads/`.
    pub branch: String,
    /// It is the default branch.
    pub is_default: bool,
    /// The tip now.
    pub after: String,
    /// What came: ids and messages.
    pub commits: Vec<PullRequestCommit>,
    /// When.
    pub at: Timestamp,
}

/// A finished suite of checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSuite {
    /// The forge's number.
    pub id: u64,
    /// The commit that was checked.
    pub head_sha: String,
    /// Everything in it passed; none where it says neither (skipped, cancelled, neutral).
    pub passed: Option<bool>,
    /// When it ended.
    pub at: Timestamp,
}
