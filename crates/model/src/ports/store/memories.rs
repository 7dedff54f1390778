//! Access to memories.

use crate::memory::Memory;
use crate::{MemoryId, Result, Timestamp};

/// The table of memories. A deleted memory is out of every read here.
pub trait Memories {
    /// The memory of that id.
    fn get(&self, id: &MemoryId) -> Result<Option<Memory>>;
    /// The memory of that name.
    fn by_name(&self, name: &str) -> Result<Option<Memory>>;
    /// Newest first (creation, then id descending), behind `after`, at most `limit`.
    /// One whose row cannot be read is left out: [`Memories::unreadable`].
    fn list(&self, after: Option<&(Timestamp, MemoryId)>, limit: usize) -> Result<Vec<Memory>>;
    /// The ids of memories whose rows cannot be read, as they are stored.
    fn unreadable(&self) -> Result<Vec<String>>;
    /// The memory's sequence number: how many record changes it has seen.
    fn sequence(&self, id: &MemoryId) -> Result<u64>;
    /// The identity of the store: another one after a restore from a copy, or a move. Sequences may
    /// go back then, and agreements with the store before mean nothing.
    fn identity_of_store(&self) -> Result<String>;
    /// Adds a memory; a taken name is a conflict.
    fn insert(&mut self, memory: &Memory) -> Result<()>;
    /// Replaces what is configured; false if there is none.
    fn update(&mut self, memory: &Memory) -> Result<bool>;
    /// Hides the memory at once and frees its name; its content is left to [`Memories::purge`]. False if none.
    fn delete(&mut self, id: &MemoryId, at: Timestamp) -> Result<bool>;
    /// Deleted memories whose content is still there and was deleted before `before`.
    fn deleted(&self, before: Timestamp, limit: usize) -> Result<Vec<MemoryId>>;
    /// Removes up to `rows` rows of a deleted memory; true when nothing is left, the memory's row included.
    fn purge(&mut self, id: &MemoryId, rows: usize) -> Result<bool>;
}
