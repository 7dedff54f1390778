//! Access to sessions of tasks and their items.

use crate::tasks::task_session::{SessionItem, SessionItemKind, TaskSession};
use crate::{ActorId, MemoryId, Result, TaskId, Timestamp};

/// A query for items of a session, by number; every specified member must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionItemQuery {
    /// The memory whose items to return.
    pub memory: MemoryId,
    /// Only items of this task.
    pub task: TaskId,
    /// Only items after this number.
    pub after: Option<u64>,
    /// Only items of these kinds; empty means any.
    pub kinds: Vec<SessionItemKind>,
    /// Only items whose stored text contains one of these, ignoring case; empty means any item.
    pub words: Vec<String>,
    /// The current time: expired items are excluded.
    pub now: Timestamp,
    /// Maximum number of items.
    pub limit: usize,
}

/// The tables of sessions of tasks and of their items.
pub trait TaskSessions {
    /// Returns the session of a task.
    fn get(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<TaskSession>>;
    /// Returns the sessions of a memory after this one, ordered by task.
    fn list(&self, memory: &MemoryId, after: Option<&TaskId>, limit: usize) -> Result<Vec<TaskSession>>;
    /// Writes a new or changed session.
    fn put(&mut self, session: &TaskSession) -> Result<()>;
    /// Returns the item of that number, even if it expired, because its number is taken.
    fn item(&self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<Option<SessionItem>>;
    /// Returns a page of items, ordered by number.
    fn items(&self, query: &SessionItemQuery) -> Result<Vec<SessionItem>>;
    /// Returns the greatest number of a session.
    fn last_seq(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<u64>>;
    /// Returns all items of a memory after this one, including expired ones, ordered by task and
    /// number.
    fn list_items(
        &self,
        memory: &MemoryId,
        after: Option<(&TaskId, u64)>,
        limit: usize,
    ) -> Result<Vec<SessionItem>>;
    /// Writes a new or changed item.
    fn put_item(&mut self, item: &SessionItem) -> Result<()>;
    /// Removes an item; false if there is none of that number.
    fn drop_item(&mut self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<bool>;
    /// Removes up to `rows` items of all memories that expired before `now`; returns their number.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Erases every session and item of an actor; returns the number of items.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
