//! Access to memories.

use crate::memory::Memory;
use crate::{MemoryId, Result, Timestamp};

/// The table of memories. No read here returns a deleted memory.
pub trait Memories {
    /// Returns the memory of that id.
    fn get(&self, id: &MemoryId) -> Result<Option<Memory>>;
    /// Returns the memory of that name.
    fn by_name(&self, name: &str) -> Result<Option<Memory>>;
    /// Returns at most `limit` memories after `after`, newest first (creation, then id descending).
    /// A memory whose row cannot be read is left out: [`Memories::unreadable`].
    fn list(&self, after: Option<&(Timestamp, MemoryId)>, limit: usize) -> Result<Vec<Memory>>;
    /// Returns the ids of memories whose rows cannot be read, as stored.
    fn unreadable(&self) -> Result<Vec<String>>;
    /// Returns the memory's sequence number: the number of its record changes.
    fn sequence(&self, id: &MemoryId) -> Result<u64>;
    /// Returns the identity of the store, which changes after a restore from a copy, or a move.
    /// Sequences may then decrease, and agreements with the earlier store are void.
    fn identity_of_store(&self) -> Result<String>;
    /// Adds a memory; a taken name is a conflict.
    fn insert(&mut self, memory: &Memory) -> Result<()>;
    /// Replaces the configuration; false if there is no such memory.
    fn update(&mut self, memory: &Memory) -> Result<bool>;
    /// Hides the memory immediately and frees its name. [`Memories::purge`] removes its content.
    /// False if there is none.
    fn delete(&mut self, id: &MemoryId, at: Timestamp) -> Result<bool>;
    /// Returns deleted memories whose content still exists and was deleted before `before`.
    fn deleted(&self, before: Timestamp, limit: usize) -> Result<Vec<MemoryId>>;
    /// Removes up to `rows` rows of a deleted memory; true if nothing remains, including the
    /// memory's row.
    fn purge(&mut self, id: &MemoryId, rows: usize) -> Result<bool>;
}
