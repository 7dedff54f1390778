//! Calls about memories.

use loci_api::Nothing;
use loci_api::memory::ensure::{MemoryEnsure, MemoryEnsureQuery, MemoryEnsured};
use loci_api::memory::recreate::{MemoryRecreate, MemoryRecreated};
use loci_api::memory::{
    Memory, MemoryCreate, MemoryList, MemoryListing, MemorySettings, MemoryUpdate, TagKeys, Tags,
};
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Makes a memory.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn memory_create(&self, new: &MemoryCreate) -> Result<Memory, ClientError> {
        self.send(at(&api::MEMORY_CREATE, &[]), new).await
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
        self.send(at(&api::MEMORY_ENSURE, &[name]).with_query(how)?, asked).await
    }

    /// A page of memories, newest first.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_list(&self, listing: &MemoryListing) -> Result<MemoryList, ClientError> {
        self.query(at(&api::MEMORY_LIST, &[]), listing).await
    }

    /// A memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_get(&self, memory: &str) -> Result<Memory, ClientError> {
        self.plain(at(&api::MEMORY_GET, &[memory])).await
    }

    /// Changes a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_update(&self, memory: &str, change: &MemoryUpdate) -> Result<Memory, ClientError> {
        self.send(at(&api::MEMORY_UPDATE, &[memory]), change).await
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
        self.send(at(&api::MEMORY_RECREATE, &[memory]), recreate).await
    }

    /// Deletes a memory with all it holds.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_delete(&self, memory: &str) -> Result<Nothing, ClientError> {
        self.plain(at(&api::MEMORY_DELETE, &[memory])).await
    }

    /// Replaces the settings of a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn settings_put(&self, memory: &str, settings: &MemorySettings) -> Result<Memory, ClientError> {
        self.send(at(&api::SETTINGS_PUT, &[memory]), settings).await
    }

    /// Tags of a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_list(&self, memory: &str) -> Result<Tags, ClientError> {
        self.plain(at(&api::TAGS_LIST, &[memory])).await
    }

    /// Adds or replaces tags.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_add(&self, memory: &str, tags: &Tags) -> Result<Nothing, ClientError> {
        self.send(at(&api::TAGS_ADD, &[memory]), tags).await
    }

    /// Takes tags off.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_remove(&self, memory: &str, keys: &TagKeys) -> Result<Nothing, ClientError> {
        self.send(at(&api::TAGS_REMOVE, &[memory]), keys).await
    }
}
