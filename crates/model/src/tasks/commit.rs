//! Commits that were reported for tasks. They lead from a line of code to its task. This module
//! holds the data types. The engine handles reports and assigns commits to tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::words::closed_words;
use crate::{ActorId, MemoryId, TaskId, Timestamp};

closed_words! {
    /// The method by which a task was found for a commit.
    BlameHow {
        /// The hook, or the agent at the end of the task, reported the commit.
        PostCommit = "post_commit",
        /// The commit rewrote one of the task's commits.
        Rewrite = "rewrite",
        /// The commit merged the task's pull request.
        MergeSha = "merge_sha",
        /// One of the task's commits makes the same change.
        PatchId = "patch_id",
        /// The commit's message names the task.
        Trailer = "trailer",
        /// No task was found.
        None = "none",
    }
}

/// A commit of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCommit {
    /// The memory that the commit belongs to.
    pub memory: MemoryId,
    /// The repository: the actor of the commit's tasks.
    pub actor: ActorId,
    /// The commit id.
    pub sha: ObjectId,
    /// The task that made it; `None`: no task was reported, and only the commits that it rewrote or
    /// merged are known.
    pub task: Option<TaskId>,
    /// The name of the user whose prompt led to the commit.
    pub user: Option<String>,
    /// The version of that prompt.
    pub prompt_version: Option<String>,
    /// The parent commits.
    pub parents: Vec<ObjectId>,
    /// The branch the commit was made on.
    pub branch: Option<String>,
    /// The author that the commit states.
    pub author: Option<String>,
    /// The author time that the commit states.
    pub authored_at: Option<Timestamp>,
    /// The trailers of its message. Several values of one name are joined by commas. Trailers are
    /// hints, because an author can write any.
    pub trailers: BTreeMap<String, String>,
    /// The stable id of the commit's change, independent of the place where it is applied.
    pub patch_id: Option<String>,
    /// The commit that it was rewritten to.
    pub rewritten_to: Option<ObjectId>,
    /// The commits that it was rewritten from, in order.
    pub rewritten_from: Vec<ObjectId>,
    /// The pull request that this commit merged.
    pub merged_pr: Option<u64>,
    /// The time of the first report.
    pub reported_at: Timestamp,
}

impl TaskCommit {
    /// Returns a commit of which only the id is known.
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
