//! Calls about memories.

use http::Method;
use loci_api::Nothing;
use loci_api::memory::ensure::{MemoryEnsure, MemoryEnsureQuery, MemoryEnsured};
use loci_api::memory::recreate::{MemoryRecreate, MemoryRecreated};
use loci_api::memory::{
    Memory, MemoryCreate, MemoryList, MemoryListing, MemorySettings, MemoryUpdate, TagKeys, Tags,
};

use crate::call::{Client, path, with_query};
use crate::error::ClientError;

impl Client {
    /// Makes a memory.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn memory_create(&self, new: &MemoryCreate) -> Result<Memory, ClientError> {
        self.send(Method::POST, path(&["v1", "memories"]), new).await
    }

    /// A memory of this exact name is there when the answer is: made, or completed. Again, it changes nothing.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_ensure(
        &self,
        name: &str,
        how: &MemoryEnsureQuery,
        asked: &MemoryEnsure,
    ) -> Result<MemoryEnsured, ClientError> {
        self.send(Method::PUT, with_query(path(&["v1", "memories", name]), how)?, asked).await
    }

    /// A page of memories, newest first.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_list(&self, listing: &MemoryListing) -> Result<MemoryList, ClientError> {
        self.get_query(path(&["v1", "memories"]), listing).await
    }

    /// A memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_get(&self, memory: &str) -> Result<Memory, ClientError> {
        self.get(path(&["v1", "memories", memory])).await
    }

    /// Changes a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_update(&self, memory: &str, change: &MemoryUpdate) -> Result<Memory, ClientError> {
        self.send(Method::PATCH, path(&["v1", "memories", memory]), change).await
    }

    /// Says what a memory holds; with its name, destroys that and makes the memory anew.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_recreate(
        &self,
        memory: &str,
        recreate: &MemoryRecreate,
    ) -> Result<MemoryRecreated, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "recreate"]), recreate).await
    }

    /// Deletes a memory with all it holds.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_delete(&self, memory: &str) -> Result<Nothing, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "memories", memory])).await
    }

    /// Replaces the settings of a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn settings_put(&self, memory: &str, settings: &MemorySettings) -> Result<Memory, ClientError> {
        self.send(Method::PUT, path(&["v1", "memories", memory, "settings"]), settings).await
    }

    /// Tags of a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_list(&self, memory: &str) -> Result<Tags, ClientError> {
        self.get(path(&["v1", "memories", memory, "tags"])).await
    }

    /// Adds or replaces tags.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_add(&self, memory: &str, tags: &Tags) -> Result<Nothing, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "tags"]), tags).await
    }

    /// Takes tags off.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_remove(&self, memory: &str, keys: &TagKeys) -> Result<Nothing, ClientError> {
        self.send(Method::DELETE, path(&["v1", "memories", memory, "tags"]), keys).await
    }
}
