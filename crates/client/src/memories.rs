//! Calls about memories.

use loci_api::Nothing;
use loci_api::memory::ensure::{MemoryEnsure, MemoryEnsureQuery, MemoryEnsured};
use loci_api::memory::recreate::{MemoryRecreate, MemoryRecreated};
use loci_api::memory::{
    Memory, MemoryCreate, MemoryList, MemoryListing, MemorySettings, MemoryUpdate, TagKeys, Tags,
};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Creates a memory.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn memory_create(&self, new: &MemoryCreate) -> Result<Memory, ClientError> {
        self.send(at(&api::MEMORY_CREATE, &[]), new).await
    }

    /// Creates a memory of this exact name if it is missing, or adds the missing strategies and
    /// settings to the existing one. Repeating the call changes nothing.
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

    /// Returns a page of memories, newest first.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_list(&self, listing: &MemoryListing) -> Result<MemoryList, ClientError> {
        self.query(at(&api::MEMORY_LIST, &[]), listing).await
    }

    /// Returns the description of one memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_get(&self, memory: &str) -> Result<Memory, ClientError> {
        self.plain(at(&api::MEMORY_GET, &[memory])).await
    }

    /// Changes the members of a memory that the request contains.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn memory_update(&self, memory: &str, change: &MemoryUpdate) -> Result<Memory, ClientError> {
        self.send(at(&api::MEMORY_UPDATE, &[memory]), change).await
    }

    /// Deletes all contents of a memory and creates the memory again, if the request contains the
    /// memory's name as confirmation. Otherwise returns what would be deleted.
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

    /// Deletes a memory with all its contents.
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

    /// Returns the tags of a memory.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_list(&self, memory: &str) -> Result<Tags, ClientError> {
        self.plain(at(&api::TAGS_LIST, &[memory])).await
    }

    /// Adds tags to a memory. A tag whose key exists replaces the old value.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_add(&self, memory: &str, tags: &Tags) -> Result<Nothing, ClientError> {
        self.send(at(&api::TAGS_ADD, &[memory]), tags).await
    }

    /// Removes tags from a memory, by their keys.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn tags_remove(&self, memory: &str, keys: &TagKeys) -> Result<Nothing, ClientError> {
        self.send(at(&api::TAGS_REMOVE, &[memory]), keys).await
    }
}
