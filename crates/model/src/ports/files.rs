//! Files outside (files-and-git.md §8.1): what a mirror is written to and read from. A backend knows paths and bytes: what a file means, which
//! side of it is right and what a commit is to say is the engine's matter.
//!
//! Paths are relative, with `/` between their parts, and have passed the rules of documents: a backend only makes sure that none leaves its
//! root. What a backend cannot do it says in its capabilities, and is never asked for.

use crate::{Result, Timestamp};

use super::BoxFuture;

/// What a backend can do beside reading, listing and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileCapabilities {
    /// It keeps what files were, each change with who made it and why.
    pub versioning: bool,
    /// Preconditions hold against whoever else writes.
    pub cas: bool,
    /// Several files change together, or none.
    pub atomic_multi_write: bool,
}

/// The SHA-256 of a file's bytes.
pub type FileDigest = [u8; 32];

/// What must hold of a file for it to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precondition {
    /// Nothing.
    #[default]
    Any,
    /// It is not there.
    Absent,
    /// It has these bytes.
    Holds(FileDigest),
}

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub sha256: FileDigest,
}

/// A file in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where.
    pub path: String,
    /// How long, in bytes.
    pub bytes: u64,
    /// The digest of its bytes.
    pub sha256: FileDigest,
}

/// Something that lies there and is no file of the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSkipped {
    /// Where, as far as it can be written.
    pub path: String,
    /// Why: `symlink`, `no_regular_file`, `no_text_path`, `too_large`, `unreadable`.
    pub why: &'static str,
}

/// What lies there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileListing {
    /// False where the root itself is gone: an empty listing then says nothing.
    pub has_root: bool,
    /// The text of the marker, where there is one.
    pub marker: Option<String>,
    /// Files, by path.
    pub entries: Vec<FileEntry>,
    /// What was left out, by path.
    pub skipped: Vec<FileSkipped>,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where.
    pub path: String,
    /// What it is to hold; `None`: it goes, and where it is gone already that is no change.
    pub bytes: Option<Vec<u8>>,
    /// What must hold.
    pub only_if: Precondition,
}

/// Who changes files, when and why: what a versioned backend keeps with the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNote {
    /// The author's name.
    pub author_name: String,
    /// The author's address.
    pub author_email: String,
    /// The address of this instance, which commits.
    pub committer_email: String,
    /// When, to the second.
    pub at: Timestamp,
    /// Subject, reason, paths and trailers.
    pub message: String,
}

/// What became of changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilesApplied {
    /// Paths that changed.
    pub changed: Vec<String>,
    /// Paths whose precondition did not hold: nothing of the call was changed where the backend changes several together.
    pub refused: Vec<String>,
    /// The commit, where there is one.
    pub commit: Option<String>,
}

/// The newest change of a versioned backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesCommit {
    /// Its id.
    pub id: String,
    /// What it says.
    pub message: String,
}

/// A place for files.
pub trait FileBackend: Send + Sync {
    /// What it can do.
    fn capabilities(&self) -> FileCapabilities;

    /// A file; `None` where there is none.
    ///
    /// # Errors
    /// What the place says; `TooLarge` past the limit of a document.
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>>;

    /// All files.
    ///
    /// # Errors
    /// What the place says.
    fn list(&self) -> BoxFuture<'_, Result<FileListing>>;

    /// Changes files, in this order: writes are durable before the answer.
    ///
    /// # Errors
    /// What the place says; what was changed before that stays, unless the backend changes several together.
    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>>;

    /// Writes the marker that says whose mirror this is.
    ///
    /// # Errors
    /// What the place says.
    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>>;

    /// The newest change; `None` without one, and of a backend that keeps none.
    ///
    /// # Errors
    /// What the place says.
    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>>;
}
