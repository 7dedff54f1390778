//! A directory as a file backend: the five required methods, and preconditions under a lock that
//! all processes share. It keeps no versions and does not search. `file_access` and `walk` read and
//! write the disk.

mod file_access;
mod walk;

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;

use self::file_access::DirectoryRoot;
use super::file_backend::{BackendCapabilities, FileBackend, StorageFuture};
use super::listing_part::ListingPart;
use super::path_rules::{clean_path, clean_prefix};
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult};
use crate::agent::blocking_task::off_thread;

/// The maximum size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A directory as a file backend. Hidden files and temporary files of editors are invisible, and
/// links are not followed. The backend does not protect against another process that replaces
/// directories by links during a call.
#[derive(Debug, Clone)]
pub struct DirectoryBackend {
    place: Arc<DirectoryRoot>,
}

impl DirectoryBackend {
    /// Opens a directory. A missing directory is created, with access only for its owner.
    ///
    /// # Errors
    /// `Unavailable` if the directory cannot be created or read; `PathConflict` if the path is not
    /// a directory.
    pub fn open(directory: &Path) -> Result<Self, StorageError> {
        Ok(Self { place: Arc::new(DirectoryRoot::open(directory)?) })
    }

    /// Runs disk work on a thread that may block.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&DirectoryRoot) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let place = Arc::clone(&self.place);
        off_thread(move || work(&place)).await.map_err(|error| {
            let message = "the work on the directory broke off: try again";
            StorageError::new(StorageErrorKind::Unavailable, message).caused_by(error)
        })?
    }
}

impl FileBackend for DirectoryBackend {
    fn capabilities(&self) -> BackendCapabilities {
        BackendCapabilities {
            cas: true,
            file_bytes_max: Some(FILE_BYTES_MAX),
            ..BackendCapabilities::default()
        }
    }

    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
        async move {
            let path = visible(path)?;
            self.on_disk(move |place| Ok(place.read(&path)?.map(BackendFile::new))).await
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult> {
        async move {
            let path = visible(path)?;
            if bytes.len() as u64 > FILE_BYTES_MAX {
                return Err(file_access::too_large(&path));
            }
            let (bytes, only_if) = (bytes.to_vec(), only_if.clone());
            self.on_disk(move |place| place.write(&path, bytes, &only_if)).await
        }
        .boxed()
    }

    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
        async move {
            let (path, only_if) = (visible(path)?, only_if.clone());
            self.on_disk(move |place| place.delete(&path, &only_if)).await
        }
        .boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>> {
        async move { Ok(self.list_part(prefix, None, usize::MAX).await?.files) }.boxed()
    }

    fn list_part<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> StorageFuture<'a, ListingPart> {
        async move {
            let (prefix, after) = (clean_prefix(prefix)?, after.map(str::to_owned));
            self.on_disk(move |place| place.list(&prefix, after.as_deref(), limit)).await
        }
        .boxed()
    }

    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
        async move {
            let path = visible(path)?;
            self.on_disk(move |place| place.exists(&path)).await
        }
        .boxed()
    }
}

/// Returns a path whose file a listing shows.
fn visible(path: &str) -> Result<String, StorageError> {
    let path = clean_path(path)?;
    match path.split('/').find(|name| walk::is_invisible(name)) {
        None => Ok(path),
        Some(name) => {
            let rule = format!("{name} is hidden or temporary, and a directory does not show such files");
            Err(StorageError::invalid_path(format!("path \"{path}\": {rule}: choose another name")))
        }
    }
}

#[cfg(test)]
mod tests;
