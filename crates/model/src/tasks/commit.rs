//! Commits that were reported for tasks: what a line of code leads back to. Shapes only; who
//! reports what, and which task a commit belongs to, is the engine's matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::words::closed_words;
use crate::{ActorId, MemoryId, TaskId, Timestamp};

closed_words! {
    /// How a task was found for a commit.
    BlameHow {
        /// Its hook, or the agent at its end, reported the commit.
        PostCommit = "post_commit",
        /// The commit took the place of one of its commits.
        Rewrite = "rewrite",
        /// Its pull request was merged by the commit.
        MergeSha = "merge_sha",
        /// One of its commits changes the same.
        PatchId = "patch_id",
        /// The commit's message says so.
        Trailer = "trailer",
        /// It was not.
        None = "none",
    }
}

/// A commit of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCommit {
    /// The memory.
    pub memory: MemoryId,
    /// The repository: the actor of its tasks.
    pub actor: ActorId,
    /// Its id.
    pub sha: ObjectId,
    /// The task that made it; `None`: nobody said, and what is known is what it took the place of, or merged.
    pub task: Option<TaskId>,
    /// Whose prompt led to it, by name.
    pub user: Option<String>,
    /// The version of that prompt.
    pub prompt_version: Option<String>,
    /// The commits before it.
    pub parents: Vec<ObjectId>,
    /// The branch it was made on.
    pub branch: Option<String>,
    /// Its author, as it says.
    pub author: Option<String>,
    /// When it was written, as it says.
    pub authored_at: Option<Timestamp>,
    /// The trailers of its message; several values of one name are joined by commas. Hints: an author can write any.
    pub trailers: BTreeMap<String, String>,
    /// The stable id of what it changes, wherever it is applied.
    pub patch_id: Option<String>,
    /// The commit that took its place.
    pub rewritten_to: Option<ObjectId>,
    /// The commits whose place it took, in order.
    pub rewritten_from: Vec<ObjectId>,
    /// The pull request that came onto its base by this commit.
    pub merged_pr: Option<u64>,
    /// When it was first heard of.
    pub reported_at: Timestamp,
}

impl TaskCommit {
    /// One of which nothing is known but its id.
    pub fn bare(memory: MemoryId, actor: ActorId, sha: ObjectId, at: Timestamp) -> Self {
        Self {
            memory,
            actor,
            sha,
            task: None,
            user: None,
            prompt_version: None,
            parents: Vec::new(),
            branch: None,
            author: None,
            authored_at: None,
            trailers: BTreeMap::new(),
            patch_id: None,
            rewritten_to: None,
            rewritten_from: Vec::new(),
            merged_pr: None,
            reported_at: at,
        }
    }
}
