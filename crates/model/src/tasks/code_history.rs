//! The history of a repository as whoever counts it reads it: commits with their parents, and what each of them changed. Facts
//! only; what belongs together is the engine's matter.

use crate::facts::code::{ObjectId, Rename};

/// Which commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryAsk {
    /// This commit and its ancestors.
    pub tip: ObjectId,
    /// But not this one and its ancestors.
    pub without: Option<ObjectId>,
    /// At most so many that are no merges, the newest.
    pub commits_max: usize,
    /// At most so many seconds older than the tip.
    pub span_s: Option<i64>,
}

/// A commit of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    /// Its id.
    pub id: ObjectId,
    /// Its parents, those too that are no part of what was asked for.
    pub parents: Vec<ObjectId>,
    /// Seconds since 1970, as the committer's clock said.
    pub at_s: i64,
    /// The first line of its message, cut to a length that is enough for a number of a pull request.
    pub subject: String,
}

/// Commits, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The commits, merges among them.
    pub commits: Vec<HistoryCommit>,
    /// There are more, which were left out by number or age, or which the clone does not hold.
    pub is_cut: bool,
}

/// What a commit changed, against its first parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitChanges {
    /// Files with another content.
    pub changed: Vec<String>,
    /// New files that are no renamed ones.
    pub come: Vec<String>,
    /// Files that are gone, and not renamed.
    pub gone: Vec<String>,
    /// Files that have another path.
    pub renames: Vec<Rename>,
}
