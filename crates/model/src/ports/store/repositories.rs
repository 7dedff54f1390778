//! Access to repositories.

use crate::facts::repository::Repository;
use crate::{MemoryId, RepositoryId, Result, Timestamp};

/// The table of repositories and their names.
pub trait Repositories {
    /// Returns a repository by its identity.
    fn get(&self, memory: &MemoryId, id: &RepositoryId) -> Result<Option<Repository>>;
    /// Returns the repositories with this scope key or alias (as stored, byte for byte), by key.
    fn named(&self, memory: &MemoryId, name: &str) -> Result<Vec<Repository>>;
    /// Returns a page after `after`, by key.
    fn list(&self, memory: &MemoryId, after: Option<&str>, limit: usize) -> Result<Vec<Repository>>;
    /// Returns the repositories of all memories whose tip was not checked since `before`, longest
    /// ago first, those never checked before that, ties by memory and id. The cost is proportional
    /// to the result.
    fn unchecked_since(&self, before: Timestamp, limit: usize) -> Result<Vec<Repository>>;
    /// Writes a new or changed repository with all its names. A scope key of another repository is
    /// a conflict.
    fn put(&mut self, repository: &Repository) -> Result<()>;
    /// Removes a repository; false if it does not exist. Its facts stay.
    fn remove(&mut self, memory: &MemoryId, id: &RepositoryId) -> Result<bool>;
}
