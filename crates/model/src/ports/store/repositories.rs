//! Access to repositories.

use crate::facts::repository::Repository;
use crate::{MemoryId, RepositoryId, Result, Timestamp};

/// The table of repositories and their names.
pub trait Repositories {
    /// One by its identity.
    fn get(&self, memory: &MemoryId, id: &RepositoryId) -> Result<Option<Repository>>;
    /// Those with this scope key or alias (as stored, byte for byte), by key.
    fn named(&self, memory: &MemoryId, name: &str) -> Result<Vec<Repository>>;
    /// A page, by key, behind `after`.
    fn list(&self, memory: &MemoryId, after: Option<&str>, limit: usize) -> Result<Vec<Repository>>;
    /// Of all memories: those whose tip was not looked at since `before`, longest ago first, never before that, ties by memory
    /// and id. It costs what it finds.
    fn unchecked_since(&self, before: Timestamp, limit: usize) -> Result<Vec<Repository>>;
    /// Writes one, new or changed, with all its names. A scope key that another one has is a conflict.
    fn put(&mut self, repository: &Repository) -> Result<()>;
    /// Removes one; false where it was not there. Its facts stay.
    fn remove(&mut self, memory: &MemoryId, id: &RepositoryId) -> Result<bool>;
}
