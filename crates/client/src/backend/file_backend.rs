//! The port of file backends. A new backend implements [`FileBackend`]: `capabilities`, the five
//! required methods of files, and those that its capabilities announce. It does not retry, and it
//! returns every error.

use futures::future::{BoxFuture, FutureExt, ready};

use super::file_change::{
    BackendChanges, BackendDiff, FileVersions, Restored, SearchHit, SnapshotRef, VersionQuery,
};
use super::listing_part::ListingPart;
use super::storage_error::StorageError;
use super::stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult};

/// The future result of a method of a backend.
pub type StorageFuture<'a, T> = BoxFuture<'a, Result<T, StorageError>>;

/// The optional methods that a backend supports, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct BackendCapabilities {
    /// True if the methods `history`, `changes_since`, `diff`, `snapshot` and `restore` are
    /// supported.
    pub versioning: bool,
    /// True if the preconditions `Absent` and `Sha256` hold against every other writer, in other
    /// processes, too.
    pub cas: bool,
    /// True if the method `search` is supported.
    pub search: bool,
    /// True if `restore` changes either all its files or none.
    pub atomic_multi_write: bool,
    /// The maximum size of a file, in bytes. `None` means that files of 1 MiB are always accepted,
    /// and larger ones perhaps.
    pub file_bytes_max: Option<u64>,
    /// True if files must be UTF-8 text.
    pub text_only: bool,
}

/// A backend that stores files.
///
/// Every method takes paths as [`clean_path`](super::clean_path) reads them and rejects the others
/// with [`InvalidPath`](super::StorageErrorKind::InvalidPath). A write that returns `Ok` has stored
/// the bytes unchanged. A rejected call changes nothing.
pub trait FileBackend: Send + Sync {
    /// Returns the capabilities of the backend. The answer never changes.
    fn capabilities(&self) -> BackendCapabilities;

    /// Returns the file at a path; `None` if there is none.
    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>>;

    /// Stores the bytes as the file at a path and replaces an existing file. Other readers see the
    /// old file or the new one, never a part.
    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult>;

    /// Removes the file at a path. `false`: there was none, regardless of the precondition.
    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool>;

    /// Returns the file at `prefix` and the files below it, sorted by the bytes of their full
    /// paths. The empty prefix means every file.
    fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>>;

    /// Returns the first `limit` files at or below `prefix` whose paths sort after `after`. The
    /// result also names files in that part that the backend has and cannot list.
    ///
    /// This default implementation lists all files. It suffices for a backend that lists fast and
    /// can list every file.
    fn list_part<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> StorageFuture<'a, ListingPart> {
        async move { Ok(ListingPart::of_listing(self.list(prefix).await?, after, limit)) }.boxed()
    }

    /// Returns true if the path has a file.
    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool>;

    /// Returns the versions of the file at a path, newest first. A path without versions has an
    /// empty page.
    fn history<'a>(&'a self, _path: &'a str, _page: &'a VersionQuery) -> StorageFuture<'a, FileVersions> {
        unsupported("history")
    }

    /// Returns the changes after a cursor, in order. `None` starts with the first change. A cursor
    /// is a sequence number, never a time.
    fn changes_since<'a>(
        &'a self,
        _since: Option<&'a str>,
        _limit: u32,
    ) -> StorageFuture<'a, BackendChanges> {
        unsupported("changes_since")
    }

    /// Returns the files that differ between two snapshots, sorted by path.
    fn diff<'a>(
        &'a self,
        _a: &'a SnapshotRef,
        _b: &'a SnapshotRef,
        _path: Option<&'a str>,
    ) -> StorageFuture<'a, BackendDiff> {
        unsupported("diff")
    }

    /// Gives the current state of all files a label. A label that is already used is rejected.
    fn snapshot<'a>(&'a self, _label: &'a str) -> StorageFuture<'a, SnapshotRef> {
        unsupported("snapshot")
    }

    /// Writes the content of a snapshot as new versions: the files at `paths` and below them, or
    /// all files if `paths` is empty. Earlier versions are kept.
    fn restore<'a>(&'a self, _to: &'a SnapshotRef, _paths: &'a [String]) -> StorageFuture<'a, Restored> {
        unsupported("restore")
    }

    /// Returns at most `limit` files below `prefix` that match a query, best first.
    fn search<'a>(
        &'a self,
        _prefix: &'a str,
        _question: &'a str,
        _limit: u32,
    ) -> StorageFuture<'a, Vec<SearchHit>> {
        unsupported("search")
    }

    /// Returns the prefix of a view that [`namespace`](super::namespace) created. `None` if the
    /// backend is not a view.
    fn view_prefix(&self) -> Option<&str> {
        None
    }
}

/// Returns the error of a method whose capability is absent.
fn unsupported<'a, T: Send + 'a>(method: &'static str) -> StorageFuture<'a, T> {
    ready(Err(StorageError::unsupported(method))).boxed()
}
