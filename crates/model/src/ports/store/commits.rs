//! Access to commits that were reported for tasks.

use crate::facts::code::ObjectId;
use crate::tasks::commit::TaskCommit;
use crate::{ActorId, MemoryId, Result, TaskId};

/// The table of commits.
pub trait Commits {
    /// One of a repository by its id.
    fn get(&self, memory: &MemoryId, actor: &ActorId, sha: &ObjectId) -> Result<Option<TaskCommit>>;
    /// Those of this id, of whichever repository, in order of the repositories' actors.
    fn of_sha(&self, memory: &MemoryId, sha: &ObjectId, limit: usize) -> Result<Vec<TaskCommit>>;
    /// Those of a repository that change the same, the first reported first, ties by id.
    fn by_patch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        patch_id: &str,
        limit: usize,
    ) -> Result<Vec<TaskCommit>>;
    /// Those that a task made, the first reported first, ties by id.
    fn of_task(&self, memory: &MemoryId, task: &TaskId, limit: usize) -> Result<Vec<TaskCommit>>;
    /// All of a memory behind this one, in order of actor and id.
    fn list(
        &self,
        memory: &MemoryId,
        after: Option<(&ActorId, &ObjectId)>,
        limit: usize,
    ) -> Result<Vec<TaskCommit>>;
    /// Writes one, new or changed.
    fn put(&mut self, commit: &TaskCommit) -> Result<()>;
    /// Erases every commit of an actor; how many.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
