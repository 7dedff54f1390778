//! Access to sessions of tasks and to what was said in them.

use crate::tasks::task_session::{SessionItem, SessionItemKind, TaskSession};
use crate::{ActorId, MemoryId, Result, TaskId, Timestamp};

/// Which items of a session, by number; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionItemQuery {
    /// The memory.
    pub memory: MemoryId,
    /// The task.
    pub task: TaskId,
    /// Behind this number.
    pub after: Option<u64>,
    /// Of one of these kinds; none means of any.
    pub kinds: Vec<SessionItemKind>,
    /// The text that is kept holds one of these, whatever the case of its letters; none means any item.
    pub words: Vec<String>,
    /// What has expired by then is out.
    pub now: Timestamp,
    /// At most so many.
    pub limit: usize,
}

/// The tables of sessions of tasks and of their items.
pub trait TaskSessions {
    /// The session of a task.
    fn get(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<TaskSession>>;
    /// All of a memory behind this one, in order of their tasks.
    fn list(&self, memory: &MemoryId, after: Option<&TaskId>, limit: usize) -> Result<Vec<TaskSession>>;
    /// Writes one, new or changed.
    fn put(&mut self, session: &TaskSession) -> Result<()>;
    /// The item of that number, expired or not: its number is taken.
    fn item(&self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<Option<SessionItem>>;
    /// A page of items in the order of their numbers.
    fn items(&self, query: &SessionItemQuery) -> Result<Vec<SessionItem>>;
    /// The greatest number of a session.
    fn last_seq(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<u64>>;
    /// All items of a memory behind this one, expired ones too, in order of task and number.
    fn list_items(
        &self,
        memory: &MemoryId,
        after: Option<(&TaskId, u64)>,
        limit: usize,
    ) -> Result<Vec<SessionItem>>;
    /// Writes an item, new or changed.
    fn put_item(&mut self, item: &SessionItem) -> Result<()>;
    /// Removes an item; false where there is none of that number.
    fn drop_item(&mut self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<bool>;
    /// Removes up to `rows` items that expired before `now`, of all memories; how many.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Erases every session and item of an actor; how many items.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
