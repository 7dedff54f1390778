//! A view of the part of a backend below a prefix. Paths in and out of the view are relative to the
//! prefix.

use std::sync::Arc;

use futures::FutureExt;

use super::file_backend::{BackendCapabilities, FileBackend, StorageFuture};
use super::file_change::{
    BackendChange, BackendChanges, BackendDiff, FileDifference, FileVersions, NotRestored, Restored,
    SearchHit, SnapshotRef, VersionQuery,
};
use super::listing_part::ListingPart;
use super::path_rules::{below, clean_path, clean_prefix};
use super::storage_error::StorageError;
use super::stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult};

/// Returns the view of a backend below a prefix. A view of that prefix is returned unchanged: it is
/// not prefixed twice.
///
/// # Errors
/// `InvalidPath` if the prefix breaks a rule of paths.
pub fn namespace(backend: Arc<dyn FileBackend>, prefix: &str) -> Result<Arc<dyn FileBackend>, StorageError> {
    let prefix = clean_prefix(prefix)?;
    if prefix.is_empty() || backend.view_prefix() == Some(&prefix) {
        return Ok(backend);
    }
    Ok(Arc::new(PrefixedBackend { backend, prefix }))
}

struct PrefixedBackend {
    backend: Arc<dyn FileBackend>,
    prefix: String,
}

impl PrefixedBackend {
    fn full(&self, path: &str) -> Result<String, StorageError> {
        Ok(format!("{}/{}", self.prefix, clean_path(path)?))
    }

    fn full_prefix(&self, prefix: &str) -> Result<String, StorageError> {
        let prefix = clean_prefix(prefix)?;
        Ok(if prefix.is_empty() { self.prefix.clone() } else { format!("{}/{prefix}", self.prefix) })
    }

    /// Returns the path relative to the view's prefix. `None` if the path is outside of the view,
    /// or the prefix itself.
    fn relative(&self, path: &str) -> Option<String> {
        below(path, &self.prefix).map(str::to_owned)
    }

    fn difference(&self, file: FileDifference) -> Option<FileDifference> {
        let relative = |path: Option<String>| path.and_then(|path| self.relative(&path));
        let (path_a, path_b) = (relative(file.path_a), relative(file.path_b));
        let is_inside = path_a.is_some() || path_b.is_some();
        is_inside.then_some(FileDifference { path_a, path_b, unified: file.unified })
    }
}

impl FileBackend for PrefixedBackend {
    fn capabilities(&self) -> BackendCapabilities {
        self.backend.capabilities()
    }

    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
        async move { self.backend.read(&self.full(path)?).await }.boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult> {
        async move { self.backend.write(&self.full(path)?, bytes, only_if).await }.boxed()
    }

    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
        async move { self.backend.delete(&self.full(path)?, only_if).await }.boxed()
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
            // A file at the prefix itself is outside of the view.
            let after = after.map_or_else(|| self.prefix.clone(), |after| format!("{}/{after}", self.prefix));
            let part = self.backend.list_part(&self.full_prefix(prefix)?, Some(&after), limit).await?;
            Ok(part.below(&self.prefix))
        }
        .boxed()
    }

    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
        async move { self.backend.exists(&self.full(path)?).await }.boxed()
    }

    fn history<'a>(&'a self, path: &'a str, page: &'a VersionQuery) -> StorageFuture<'a, FileVersions> {
        async move { self.backend.history(&self.full(path)?, page).await }.boxed()
    }

    fn changes_since<'a>(&'a self, since: Option<&'a str>, limit: u32) -> StorageFuture<'a, BackendChanges> {
        async move {
            let found = self.backend.changes_since(since, limit).await?;
            let inside = found.changes.into_iter().filter_map(|change| {
                let path = self.relative(&change.path)?;
                Some(BackendChange { path, ..change })
            });
            Ok(BackendChanges { changes: inside.collect(), next: found.next, more: found.more })
        }
        .boxed()
    }

    fn diff<'a>(
        &'a self,
        a: &'a SnapshotRef,
        b: &'a SnapshotRef,
        path: Option<&'a str>,
    ) -> StorageFuture<'a, BackendDiff> {
        async move {
            let path = path.map(|path| self.full(path)).transpose()?;
            let found = self.backend.diff(a, b, path.as_deref()).await?;
            let files = found.files.into_iter().filter_map(|file| self.difference(file)).collect();
            Ok(BackendDiff { files, left_out: found.left_out })
        }
        .boxed()
    }

    fn snapshot<'a>(&'a self, label: &'a str) -> StorageFuture<'a, SnapshotRef> {
        self.backend.snapshot(label)
    }

    fn restore<'a>(&'a self, to: &'a SnapshotRef, paths: &'a [String]) -> StorageFuture<'a, Restored> {
        async move {
            let full = if paths.is_empty() {
                vec![self.prefix.clone()]
            } else {
                paths.iter().map(|path| self.full(path)).collect::<Result<_, _>>()?
            };
            let restored = self.backend.restore(to, &full).await?;
            let changed = restored.changed.iter().filter_map(|path| self.relative(path)).collect();
            let left_out = restored.left_out.into_iter().filter_map(|file| {
                let path = self.relative(&file.path)?;
                Some(NotRestored { path, ..file })
            });
            Ok(Restored { changed, left_out: left_out.collect() })
        }
        .boxed()
    }

    fn search<'a>(
        &'a self,
        prefix: &'a str,
        question: &'a str,
        limit: u32,
    ) -> StorageFuture<'a, Vec<SearchHit>> {
        async move {
            let found = self.backend.search(&self.full_prefix(prefix)?, question, limit).await?.into_iter();
            let inside = found.filter_map(|hit| {
                let path = self.relative(&hit.path)?;
                Some(SearchHit { path, ..hit })
            });
            Ok(inside.collect())
        }
        .boxed()
    }

    fn view_prefix(&self) -> Option<&str> {
        Some(&self.prefix)
    }
}
