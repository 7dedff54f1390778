//! Access to tasks.

use crate::tasks::task::{Task, TaskStatus};
use crate::{ActorId, MemoryId, RecordId, Result, TaskId, Timestamp};

/// Words that a conversation must all contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationWords {
    /// The words. Each occurs in the description, in the final report or in the session's texts,
    /// ignoring case.
    pub words: Vec<String>,
    /// The current time: expired items are excluded.
    pub now: Timestamp,
}

/// A query for tasks: every specified member must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskQuery {
    /// The memory whose tasks to return.
    pub memory: MemoryId,
    /// One of these tasks; `None` means any.
    pub ids: Option<Vec<TaskId>>,
    /// Only tasks of these actors; empty means any.
    pub actors: Vec<ActorId>,
    /// Only tasks of this requester, by name.
    pub user: Option<String>,
    /// Only tasks with this status.
    pub status: Option<TaskStatus>,
    /// Only tasks about this issue.
    pub issue: Option<u64>,
    /// Only tasks about this pull request.
    pub pr: Option<u64>,
    /// Only tasks on this branch.
    pub branch: Option<String>,
    /// Only tasks with this version of the prompt.
    pub prompt_version: Option<String>,
    /// Only tasks in this variant.
    pub variant: Option<String>,
    /// Only tasks accepted at this time or later.
    pub since: Option<Timestamp>,
    /// Only tasks accepted before this time.
    pub until: Option<Timestamp>,
    /// Only tasks whose description contains this, ignoring case.
    pub words: Option<String>,
    /// Only tasks whose texts contain these words.
    pub said: Option<ConversationWords>,
    /// Only tasks after this one.
    pub after: Option<(Timestamp, TaskId)>,
    /// Maximum number of tasks.
    pub limit: usize,
}

impl TaskQuery {
    /// Returns a query for every task of a memory.
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
    /// Returns a task by its id.
    fn get(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>>;
    /// Returns a page, the newest first, ties by id.
    fn list(&self, query: &TaskQuery) -> Result<Vec<Task>>;
    /// Returns tasks of an actor that reported a memory as harmful, by id; with `after`, only those
    /// whose first report is later.
    fn harmed_by(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        actor: &ActorId,
        after: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<TaskId>>;
    /// Writes a new or changed task with its feedback on memories.
    fn put(&mut self, task: &Task) -> Result<()>;
    /// Erases every task of an actor; returns their number.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
