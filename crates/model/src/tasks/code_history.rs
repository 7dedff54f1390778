//! The history of a repository for the counting of file changes: commits with their parents and
//! changes. This module holds facts only. The engine decides which files belong together.

use crate::facts::code::{ObjectId, Rename};

/// The selection of commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryAsk {
    /// The commit to start from; the selection includes its ancestors.
    pub tip: ObjectId,
    /// A commit that is excluded with its ancestors.
    pub without: Option<ObjectId>,
    /// Maximum number of commits without merges, the newest first.
    pub commits_max: usize,
    /// Maximum age relative to the tip, in seconds.
    pub span_s: Option<i64>,
}

/// A commit of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    /// The id of the commit.
    pub id: ObjectId,
    /// The parents of the commit, including those outside of the selection.
    pub parents: Vec<ObjectId>,
    /// Seconds since 1970, by the committer's clock.
    pub at_s: i64,
    /// The first line of its message, truncated to a length that still holds a pull request's
    /// number.
    pub subject: String,
}

/// Commits, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The commits, including merges.
    pub commits: Vec<HistoryCommit>,
    /// True if there are more commits, which the limits excluded or which the clone does not hold.
    pub is_cut: bool,
}

/// The changes of a commit relative to its first parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitChanges {
    /// Files with changed content.
    pub changed: Vec<String>,
    /// New files, except renamed ones.
    pub come: Vec<String>,
    /// Removed files, except renamed ones.
    pub gone: Vec<String>,
    /// Files that have another path.
    pub renames: Vec<Rename>,
}
