//! Files outside: what a mirror is written to and read from. A backend knows paths and bytes: what
//! a file means, which side of it is right and what a commit is to say is the engine's matter.
//!
//! Paths are relative, with `/` between their parts, and have passed the rules of documents: a backend only makes sure that none leaves its
//! root. What a backend cannot do it says in its capabilities, and is never asked for.

use std::path::PathBuf;
use std::sync::Arc;

use crate::trees::mirror::MirrorKind;
use crate::{MemoryId, Result, Timestamp};

use super::BoxFuture;

/// The file at a mirror's root that says whose it is; never one of its files.
pub const MARKER: &str = ".loci-mirror";

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
    /// The file may be run.
    pub executable: bool,
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
    /// The file may be run.
    pub executable: bool,
}

/// Something that lies there and is no file of the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSkipped {
    /// Where, as far as it can be written.
    pub path: String,
    /// Why: `symlink`, `no_regular_file`, `no_text_path`, `too_large`, `unreadable`, `other_mirror`.
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
    /// Names that are passed over, by path, without the marker. A directory stands for all in it.
    pub passed_over: Vec<String>,
}

/// A marker of a mirror, with the place that it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMarker {
    /// The place, below the root.
    pub path: String,
    /// The marker's text.
    pub text: String,
}

/// Markers of mirrors below the roots, whether or not the mirrors are still known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundMarkers {
    /// The markers, by path.
    pub markers: Vec<FoundMarker>,
    /// False where not every directory could be looked through.
    pub is_whole: bool,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where.
    pub path: String,
    /// What it is to hold; `None`: it goes, and where it is gone already that is no change.
    pub bytes: Option<Vec<u8>>,
    /// True where it may be run; `None`: as the file that lies there.
    pub executable: Option<bool>,
    /// The path of the file that a new one comes from, as a moved one does: who may read that one
    /// may read this one. It lies there, or was removed since the last listing. A place without
    /// modes does not ask.
    pub like: Option<String>,
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

/// True for paths that directories pass over: what is hidden, and what editors and stores leave while they write. A document that is called so has
/// no file there.
pub fn is_passed_over(path: &str) -> bool {
    path.split('/').any(|name| {
        let is_unfinished = [".swp", ".tmp", "~"].iter().any(|end| name.ends_with(end));
        name.starts_with('.') || is_unfinished || name.contains(".__strands_tmp_")
    })
}

/// Changes that belong together, with what is kept of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStep {
    /// The changes.
    pub changes: Vec<FileChange>,
    /// Who made them, when and why.
    pub note: ChangeNote,
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

    /// Changes files step by step, as [`FileBackend::apply`] does, each with its own note. What was done before an error stays.
    ///
    /// # Errors
    /// What the place says.
    fn apply_all(&self, steps: Vec<FileStep>) -> BoxFuture<'_, Result<Vec<FilesApplied>>> {
        Box::pin(async move {
            let mut applied = Vec::with_capacity(steps.len());
            for step in steps {
                applied.push(self.apply(step.changes, step.note).await?);
            }
            Ok(applied)
        })
    }

    /// Takes everything out, history and all: what was there cannot be read any more.
    ///
    /// # Errors
    /// What the place says.
    fn renew(&self) -> BoxFuture<'_, Result<()>>;

    /// Files as they were at a change of a versioned backend; `None` where it has no such change.
    ///
    /// # Errors
    /// What the place says.
    fn list_at<'a>(&'a self, commit: &'a str) -> BoxFuture<'a, Result<Option<FileListing>>> {
        let _ = commit;
        Box::pin(async { Ok(None) })
    }

    /// Writes the marker that says whose mirror this is; the root is made where it is gone.
    ///
    /// # Errors
    /// What the place says.
    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Makes an empty place where nothing lies any more. Whoever brings files up asks it first, and nobody else: in the midst of something a
    /// place that is gone is an error, lest it be begun with a part.
    ///
    /// # Errors
    /// What the place says.
    fn begin(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// The text of the marker, where there is one.
    ///
    /// # Errors
    /// What the place says.
    fn marker(&self) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async { Ok(self.list().await?.marker) })
    }

    /// The newest change; `None` without one, and of a backend that keeps none.
    ///
    /// # Errors
    /// What the place says.
    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>>;
}

/// Where mirrors may lie.
pub trait FilePlaces: Send + Sync {
    /// The place of a path, as the configuration allows it: `is_configured` where the path stands in that itself.
    ///
    /// # Errors
    /// `Invalid`, naming `path`, where nothing may be written there; `Invalid`, naming `kind`, for one that this process cannot reach.
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf>;

    /// The path by which a place in a memory's own folder is resolved: below a root, in the directory
    /// that is named like the memory's id. A relative path is below that folder.
    ///
    /// # Errors
    /// `Invalid`, naming `path`, for a place outside of the folder, whatever lies there; naming `kind`, as
    /// [`FilePlaces::resolve`].
    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String>;

    /// Opens a place. It is made where it is not there.
    ///
    /// # Errors
    /// As [`FilePlaces::resolve`]; `Unavailable` where it cannot be made or read.
    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>>;

    /// Whose disks these are: one word for all processes that share them, and no others. `fresh` makes the word where there is none yet.
    ///
    /// # Errors
    /// `Unavailable` where it can be neither read nor written.
    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String>;

    /// The markers below the roots, of places that hold files.
    ///
    /// # Errors
    /// `Unavailable` where the roots cannot be looked through.
    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>>;
}
