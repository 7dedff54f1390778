//! Access to tasks.

use crate::tasks::task::{Task, TaskStatus};
use crate::{ActorId, MemoryId, RecordId, Result, TaskId, Timestamp};

/// Words of a conversation, all of which must be in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidWords {
    /// Each is part of the description, of what was told at the end, or of what was said, whatever the case of its letters.
    pub words: Vec<String>,
    /// What was said and has expired by then is out.
    pub now: Timestamp,
}

/// Which tasks: every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskQuery {
    /// The memory.
    pub memory: MemoryId,
    /// One of these tasks; `None` means any.
    pub ids: Option<Vec<TaskId>>,
    /// Of one of these actors; none means of any.
    pub actors: Vec<ActorId>,
    /// Asked for by this name.
    pub user: Option<String>,
    /// So far.
    pub status: Option<TaskStatus>,
    /// About this issue.
    pub issue: Option<u64>,
    /// About this pull request.
    pub pr: Option<u64>,
    /// On this branch.
    pub branch: Option<String>,
    /// With this version of the prompt.
    pub prompt_version: Option<String>,
    /// In this variant.
    pub variant: Option<String>,
    /// Taken in then or later.
    pub since: Option<Timestamp>,
    /// Taken in before.
    pub until: Option<Timestamp>,
    /// The description holds this, whatever the case of its letters.
    pub words: Option<String>,
    /// What was said in its session, and of it, holds these.
    pub said: Option<SaidWords>,
    /// Behind this task.
    pub after: Option<(Timestamp, TaskId)>,
    /// At most so many.
    pub limit: usize,
}

impl TaskQuery {
    /// Every task of a memory.
    pub fn all(memory: MemoryId, limit: usize) -> Self {
        Self {
            memory,
            ids: None,
            actors: Vec::new(),
            user: None,
            status: None,
            issue: None,
            pr: None,
            branch: None,
            prompt_version: None,
            variant: None,
            since: None,
            until: None,
            words: None,
            said: None,
            after: None,
            limit,
        }
    }
}

/// The table of tasks.
pub trait Tasks {
    /// One by its id.
    fn get(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>>;
    /// A page, the newest first, ties by id.
    fn list(&self, query: &TaskQuery) -> Result<Vec<Task>>;
    /// Tasks of an actor that called a memory harmful, first later than `after` where that is given, by id.
    fn harmed_by(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        actor: &ActorId,
        after: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<TaskId>>;
    /// Writes one, new or changed, with what it says of memories.
    fn put(&mut self, task: &Task) -> Result<()>;
    /// Erases every task of an actor; how many.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
