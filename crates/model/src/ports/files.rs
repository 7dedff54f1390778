//! Files outside of the store that a mirror writes and reads. A backend handles paths and bytes.
//! The engine decides the meaning of a file, the winning side of a conflict and the text of a
//! commit.
//!
//! Paths are relative, with `/` between their parts, and satisfy the rules of documents. A backend
//! only ensures that no path leaves its root. Its capabilities state the operations that it lacks,
//! and the engine never requests those.

use std::path::PathBuf;
use std::sync::Arc;

use crate::trees::mirror::MirrorKind;
use crate::{MemoryId, Result, Timestamp};

use super::BoxFuture;

/// The file at a mirror's root that identifies its owner. It is never one of the mirror's files.
pub const MARKER: &str = ".loci-mirror";

/// The capabilities of a backend in addition to reading, listing and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileCapabilities {
    /// True if it stores earlier versions of files, with author and reason of each change.
    pub versioning: bool,
    /// True if preconditions hold against any other writer.
    pub cas: bool,
    /// True if several files change together, or none.
    pub atomic_multi_write: bool,
}

/// The SHA-256 of a file's bytes.
pub type FileDigest = [u8; 32];

/// The condition for changing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precondition {
    /// The change has no condition.
    #[default]
    Any,
    /// The file does not exist.
    Absent,
    /// The file has these bytes.
    Holds(FileDigest),
}

/// The content of a file in a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The SHA-256 digest of the bytes.
    pub sha256: FileDigest,
    /// True if the file is executable.
    pub executable: bool,
}

/// A file in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The path of the file.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 digest of the bytes of the file.
    pub sha256: FileDigest,
    /// True if the file is executable.
    pub executable: bool,
}

/// An entry that is not a file of the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSkipped {
    /// The path, as far as it can be written as text.
    pub path: String,
    /// The reason: `symlink`, `no_regular_file`, `no_text_path`, `too_large`, `unreadable`,
    /// `other_mirror`.
    pub why: &'static str,
}

/// The contents of a mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileListing {
    /// False if the root itself is missing. The empty listing then has no meaning.
    pub has_root: bool,
    /// The text of the marker, if there is one.
    pub marker: Option<String>,
    /// Files, by path.
    pub entries: Vec<FileEntry>,
    /// Entries that were left out, by path.
    pub skipped: Vec<FileSkipped>,
    /// Ignored names, by path, without the marker. A directory represents all its contents.
    pub passed_over: Vec<String>,
}

/// A marker of a mirror, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMarker {
    /// The place, below the root.
    pub path: String,
    /// The text of the marker file.
    pub text: String,
}

/// Markers of mirrors below the roots, including those of mirrors that are no longer known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundMarkers {
    /// The markers, by path.
    pub markers: Vec<FoundMarker>,
    /// False if some directory could not be searched.
    pub is_whole: bool,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path of the file.
    pub path: String,
    /// The new content; `None` removes the file. Removing a missing file is no change.
    pub bytes: Option<Vec<u8>>,
    /// True if the file is to be executable; `None` keeps the mode of the existing file.
    pub executable: Option<bool>,
    /// The path of the file that a new one comes from, for example after a move. Its readers may
    /// read the new file. It exists, or was removed since the last listing. A place without modes
    /// ignores it.
    pub like: Option<String>,
    /// The condition that the existing file must meet; otherwise the change is not made.
    pub only_if: Precondition,
}

/// Author, time and reason of a change, which a versioned backend stores with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNote {
    /// The author's name.
    pub author_name: String,
    /// The author's address.
    pub author_email: String,
    /// The address of this instance, which commits.
    pub committer_email: String,
    /// The time, in whole seconds.
    pub at: Timestamp,
    /// Subject, reason, paths and trailers.
    pub message: String,
}

/// The result of changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilesApplied {
    /// Paths that changed.
    pub changed: Vec<String>,
    /// Paths whose precondition failed. If the backend changes several files together, the call
    /// then changed nothing.
    pub refused: Vec<String>,
    /// The commit, if there is one.
    pub commit: Option<String>,
}

/// The newest change of a versioned backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesCommit {
    /// The id of the commit.
    pub id: String,
    /// The message of the commit.
    pub message: String,
}

/// True for paths that directories ignore: hidden files, and temporary files of editors and stores.
/// A document with such a path has no file there.
pub fn is_passed_over(path: &str) -> bool {
    path.split('/').any(|name| {
        let is_unfinished = [".swp", ".tmp", "~"].iter().any(|end| name.ends_with(end));
        name.starts_with('.') || is_unfinished || name.contains(".__strands_tmp_")
    })
}

/// Changes of one step, with their note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStep {
    /// The changes.
    pub changes: Vec<FileChange>,
    /// Author, time and reason of the changes, for a versioned backend.
    pub note: ChangeNote,
}

/// A backend for files.
pub trait FileBackend: Send + Sync {
    /// Returns the capabilities.
    fn capabilities(&self) -> FileCapabilities;

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// Errors of the backend; `TooLarge` above the limit of a document.
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>>;

    /// Lists all files.
    ///
    /// # Errors
    /// Errors of the backend.
    fn list(&self) -> BoxFuture<'_, Result<FileListing>>;

    /// Changes files in this order. Writes are durable before the function returns.
    ///
    /// # Errors
    /// Errors of the backend. Earlier changes remain, unless the backend changes several files
    /// together.
    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>>;

    /// Changes files step by step like [`FileBackend::apply`], each step with its own note. Steps
    /// before an error remain.
    ///
    /// # Errors
    /// Errors of the backend.
    fn apply_all(&self, steps: Vec<FileStep>) -> BoxFuture<'_, Result<Vec<FilesApplied>>> {
        Box::pin(async move {
            let mut applied = Vec::with_capacity(steps.len());
            for step in steps {
                applied.push(self.apply(step.changes, step.note).await?);
            }
            Ok(applied)
        })
    }

    /// Removes everything, including the history, so that no earlier content can be read.
    ///
    /// # Errors
    /// Errors of the backend.
    fn renew(&self) -> BoxFuture<'_, Result<()>>;

    /// Lists the files at a commit of a versioned backend; `None` if it has no such commit.
    ///
    /// # Errors
    /// Errors of the backend.
    fn list_at<'a>(&'a self, commit: &'a str) -> BoxFuture<'a, Result<Option<FileListing>>> {
        let _ = commit;
        Box::pin(async { Ok(None) })
    }

    /// Writes the marker that identifies the mirror. Creates a missing root.
    ///
    /// # Errors
    /// Errors of the backend.
    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Creates an empty place if it is missing. Only the start of an upload calls this first.
    /// During other work a missing place is an error, so that it is not started with a part of the
    /// files.
    ///
    /// # Errors
    /// Errors of the backend.
    fn begin(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the text of the marker, if there is one.
    ///
    /// # Errors
    /// Errors of the backend.
    fn marker(&self) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async { Ok(self.list().await?.marker) })
    }

    /// Returns the newest commit; `None` if there is none, or if the backend stores no versions.
    ///
    /// # Errors
    /// Errors of the backend.
    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>>;
}

/// The allowed places of mirrors.
pub trait FilePlaces: Send + Sync {
    /// Resolves a path to its place, as far as the configuration allows it. `is_configured` is true
    /// if the configuration itself holds the path.
    ///
    /// # Errors
    /// `Invalid`, naming `path`, if writes are not allowed there; `Invalid`, naming `kind`, for one
    /// that this process cannot reach.
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf>;

    /// Returns the path for resolving a place in a memory's own folder: below a root, in the
    /// directory with the name of the memory's id. A relative path is below that folder.
    ///
    /// # Errors
    /// `Invalid`, naming `path`, for any place outside of the folder; naming `kind`, as in
    /// [`FilePlaces::resolve`].
    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String>;

    /// Opens a place, and creates it if it is missing.
    ///
    /// # Errors
    /// Errors of [`FilePlaces::resolve`]; `Unavailable` if it cannot be created or read.
    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>>;

    /// Returns the identity of these disks: one word for all processes that share them, and for no
    /// others. `fresh` generates the word if there is none yet.
    ///
    /// # Errors
    /// `Unavailable` if it can be neither read nor written.
    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String>;

    /// Returns the markers below the roots, of places that hold files.
    ///
    /// # Errors
    /// `Unavailable` if the roots cannot be searched.
    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>>;
}
