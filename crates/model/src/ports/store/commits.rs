//! Access to commits that were reported for tasks.

use crate::facts::code::ObjectId;
use crate::tasks::commit::TaskCommit;
use crate::{ActorId, MemoryId, Result, TaskId};

/// The table of commits.
pub trait Commits {
    /// Returns a commit of a repository by its id.
    fn get(&self, memory: &MemoryId, actor: &ActorId, sha: &ObjectId) -> Result<Option<TaskCommit>>;
    /// Returns the commits of this id in all repositories, ordered by the repositories' actors.
    fn of_sha(&self, memory: &MemoryId, sha: &ObjectId, limit: usize) -> Result<Vec<TaskCommit>>;
    /// Returns the commits of a repository with this patch id, the first reported first, ties by
    /// id.
    fn by_patch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        patch_id: &str,
        limit: usize,
    ) -> Result<Vec<TaskCommit>>;
    /// Returns the commits of a task, the first reported first, ties by id.
    fn of_task(&self, memory: &MemoryId, task: &TaskId, limit: usize) -> Result<Vec<TaskCommit>>;
    /// Returns the commits of a memory after this one, ordered by actor and id.
    fn list(
        &self,
        memory: &MemoryId,
        after: Option<(&ActorId, &ObjectId)>,
        limit: usize,
    ) -> Result<Vec<TaskCommit>>;
    /// Writes a new or changed commit.
    fn put(&mut self, commit: &TaskCommit) -> Result<()>;
    /// Erases every commit of an actor; returns their number.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
