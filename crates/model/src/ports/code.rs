//! Code sources: the view of a repository for a verifier, and the threads of its reads. They read
//! objects only: nothing is checked out, run, filtered or written, and no link leads outside the
//! repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::facts::code::{CodeEntry, CodeFile, ObjectId, Origin, Rename, Revision};
use crate::tasks::code_history::{CommitChanges, History, HistoryAsk};
use crate::{MemoryId, Result};
use serde::{Deserialize, Serialize};

use crate::facts::verdict::Unverifiable;
use crate::ports::BoxFuture;

/// The reason why code could not be read. An error is no evidence: for code that does *not exist*,
/// the result is `None`, never this error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeError {
    /// The reason for the error.
    pub why: Unverifiable,
    /// The time before a retry in milliseconds, if the host specifies it.
    pub retry_after_ms: Option<u64>,
    /// A message for people. It names no secret and no path of this machine.
    pub detail: String,
}

impl CodeError {
    /// Returns an error without a retry time.
    pub fn new(why: Unverifiable, detail: impl Into<String>) -> Self {
        Self { why, retry_after_ms: None, detail: detail.into() }
    }
}

/// The result of reading code.
pub type CodeResult<T> = std::result::Result<T, CodeError>;

/// The capabilities of a source in addition to reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeCapabilities {
    /// True if it compares two revisions for renames.
    pub renames: bool,
    /// True if it follows a path through the history.
    pub history: bool,
    /// True if it has a worktree.
    pub worktree: bool,
    /// True if it is on this machine: nothing is fetched for it, and several concurrent reads are
    /// faster than sequential ones.
    pub near: bool,
}

/// One repository, open for reading. It is synchronous and runs on the adapter's own threads
/// ([`CodeSources::read`]).
pub trait CodeSource {
    /// Returns the capabilities.
    fn capabilities(&self) -> CodeCapabilities;
    /// Returns the commit of a name: branch, tag, commit id of at least 7 digits, or `HEAD`, with
    /// optional steps to an ancestor. For `WORKTREE` it returns the worktree. Returns `None` if the
    /// name does not exist, or if a shortened id matches several objects.
    fn resolve(&self, name: &str) -> CodeResult<Option<Revision>>;
    /// Returns the name and the tip of the default branch. `None` if it is unknown; the checked-out
    /// branch does not determine it.
    fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>>;
    /// Returns the entry at a path; `None` if there is none. It never follows a symbolic link.
    fn entry(&self, at: &Revision, path: &str) -> CodeResult<Option<CodeEntry>>;
    /// Returns the content of a blob; `too_large` above `bytes_max`. For a worktree, the blob must
    /// come from an entry of this source.
    fn read(&self, blob: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>>;
    /// Announces the blobs that will be read next, so that a remote source fetches them together.
    /// This call never fails: a blob that could not be fetched causes an error when it is read.
    fn prefetch(&self, _blobs: &[ObjectId], _bytes_max: u64) {}
    /// Returns all files, ordered bytewise by path. Paths that are not UTF-8 are left out.
    fn files(&self, at: &Revision) -> CodeResult<Arc<Vec<CodeFile>>>;
    /// Returns the existing paths that [`CodeSource::files`] leaves out, for people: files whose
    /// names are not UTF-8, or that are too large to have an id here. Directories end with `/`, and
    /// nothing below them is listed.
    fn unlisted(&self, _at: &Revision) -> CodeResult<Arc<Vec<String>>> {
        Ok(Arc::default())
    }
    /// Returns the files of `from` that have another path in `to`, by comparing these two
    /// revisions. The files are at least `similarity` percent alike and ordered by old path.
    fn renames(&self, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Arc<Vec<Rename>>>;
    /// True if [`CodeSource::renames`] may have left some renames out, so that a file that it does
    /// not name may still have another path. The renames that it names are not affected.
    fn may_lack_renames(&self, _from: &ObjectId, _to: &Revision) -> CodeResult<bool> {
        Ok(false)
    }
    /// Returns the path in `to` of a file of `from`. It follows renames commit by commit along the
    /// first parents from `to` back to `from`, at least `similarity` percent alike at each step.
    /// `None` if the file ends, or if `from` is not reached.
    fn follow(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Option<String>>;
    /// Returns the origin in `from` of the file at a path of `to`, by the steps of
    /// [`CodeSource::follow`] in reverse. A file that left its path and came back later is new.
    fn origin(&self, path: &str, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Origin>;
    /// Returns the commits without parents in the history of a commit, sorted, at most 8. Empty if
    /// they are unknown: the history is cut off, or the source does not walk it.
    fn roots(&self, _tip: &ObjectId) -> CodeResult<Vec<ObjectId>> {
        Ok(Vec::new())
    }
    /// Returns the commits of a history, the newest first. `None` if the source does not support
    /// this.
    fn history(&self, _ask: &HistoryAsk) -> CodeResult<Option<History>> {
        Ok(None)
    }
    /// Returns the changes of a commit against its first parent, or against nothing if it is the
    /// first commit. Renames are at least `similarity` percent alike. `None` if its parent is not
    /// present, or if the source does not support this.
    fn changes(&self, _commit: &ObjectId, _similarity: u8) -> CodeResult<Option<CommitChanges>> {
        Ok(None)
    }
    /// True if `older` is `newer` or one of its ancestors.
    fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool>;
    /// Returns the youngest commit that both histories share; `None` if they share none.
    ///
    /// # Errors
    /// `partial_clone` if the clone ends before such a commit; an error for a source that walks no
    /// history.
    fn merge_base(&self, _one: &ObjectId, _other: &ObjectId) -> CodeResult<Option<ObjectId>> {
        Err(CodeError::new(Unverifiable::AuthOrMissing, "the history cannot be walked here: use a clone"))
    }
}

/// A place to read a repository's code from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodePlace {
    /// A clone, a bare repository or a worktree on this machine.
    Local(PathBuf),
    /// A repository at a forge, read over its API.
    Forge {
        /// The host of the forge, as the configuration names it.
        host: String,
        /// Path of the repository there, `owner/name`.
        path: String,
    },
}

/// The identity of a repository on its forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeRepository {
    /// The host of the repository, as configured.
    pub host: String,
    /// The id of the repository at its forge, which neither a rename nor a transfer changes.
    pub id: u64,
    /// Its current path, `owner/name`. It differs from the requested path if the repository was
    /// moved.
    pub path: String,
    /// The name of its default branch; `None` for a repository without branches.
    pub default_branch: Option<String>,
    /// Id and path of the repository it was forked from.
    pub parent: Option<(u64, String)>,
}

/// The repository of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredRepository {
    /// The directory that all worktrees of the clone share.
    pub common_dir: PathBuf,
    /// The worktree's root; `None` for a bare repository.
    pub worktree: Option<PathBuf>,
    /// Remotes: name and URL as configured, by name.
    pub remotes: Vec<(String, String)>,
    /// Root commits of the default branch's history along all parents, sorted, at most 8; empty if
    /// the history is cut off.
    pub roots: Vec<ObjectId>,
    /// The name of the default branch; `None` if it is unknown.
    pub default_branch: Option<String>,
    /// The branch that is checked out, without `refs/heads/`.
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<ObjectId>,
}

/// Work on one open repository.
pub type CodeWork = Box<dyn FnOnce(&dyn CodeSource) + Send>;

/// All readable repositories, and the threads that read them.
pub trait CodeSources: Send + Sync {
    /// Opens a repository (or takes the open one) and runs `work` on it, on a thread that may
    /// block. An error means that it could not be opened and that `work` did not run.
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>>;
    /// Returns the repository of the directory, or of its nearest parent with a repository. `None`
    /// if there is none.
    fn discover<'a>(&'a self, directory: &'a Path) -> BoxFuture<'a, Result<Option<DiscoveredRepository>>>;
    /// True if a directory of this machine is in a memory's own folder: below one of the allowed
    /// roots, in the directory with the name of the memory's id. Links are resolved first. For a
    /// path that does not exist yet, the nearest existing directory above it counts.
    fn is_in_folder_of<'a>(&'a self, _directory: &'a Path, _memory: &'a MemoryId) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
    /// Returns the current identity of the repository at its forge; `None` for a place that is not
    /// at a forge.
    fn at_forge<'a>(&'a self, _place: &'a CodePlace) -> BoxFuture<'a, CodeResult<Option<ForgeRepository>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}
