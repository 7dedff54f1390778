//! Code sources: what a verifier reads of a repository, and where it runs. Objects only: nothing is checked out, run,
//! filtered or written, and nothing outside the repository is followed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::facts::code::{CodeEntry, CodeFile, ObjectId, Origin, Rename, Revision};
use crate::tasks::code_history::{CommitChanges, History, HistoryAsk};
use crate::{MemoryId, Result};
use serde::{Deserialize, Serialize};

use crate::facts::verdict::Unverifiable;
use crate::ports::BoxFuture;

/// Why something could not be read. An error is no evidence: what is *not there* is `None`, never this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeError {
    /// The reason.
    pub why: Unverifiable,
    /// When to try again, where the other side says so.
    pub retry_after_ms: Option<u64>,
    /// For people: names no secret and no path of this machine.
    pub detail: String,
}

impl CodeError {
    /// An error without a time to try again.
    pub fn new(why: Unverifiable, detail: impl Into<String>) -> Self {
        Self { why, retry_after_ms: None, detail: detail.into() }
    }
}

/// The result of reading code.
pub type CodeResult<T> = std::result::Result<T, CodeError>;

/// What a source can do beside reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeCapabilities {
    /// It compares two revisions for renames.
    pub renames: bool,
    /// It follows a path through the history.
    pub history: bool,
    /// It has a worktree.
    pub worktree: bool,
    /// It lies on this machine: nothing is fetched for it, and several looks at once are done sooner than one after the other.
    pub near: bool,
}

/// One repository, open for reading. Synchronous: it is used on the adapter's own threads ([`CodeSources::read`]).
pub trait CodeSource {
    /// What it can do.
    fn capabilities(&self) -> CodeCapabilities;
    /// The commit that a name (branch, tag, commit id of at least 7 digits, `HEAD`) stands for, with the
    /// steps to an ancestor that follow it, or the worktree for `WORKTREE`. `None` where no such thing is
    /// there, and where a shortened id fits several.
    fn resolve(&self, name: &str) -> CodeResult<Option<Revision>>;
    /// The default branch: its name and its tip. `None` where nothing tells which it is; what is checked out does not.
    fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>>;
    /// The entry at a path; `None` where there is none. Never through a symbolic link.
    fn entry(&self, at: &Revision, path: &str) -> CodeResult<Option<CodeEntry>>;
    /// The content of a blob; `too_large` above `bytes_max`. Of a worktree: that of an entry which this source gave.
    fn read(&self, blob: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>>;
    /// Says which blobs will be read next, so that a source far away fetches them together. Nothing fails here: what could
    /// not be fetched shows when it is read.
    fn prefetch(&self, _blobs: &[ObjectId], _bytes_max: u64) {}
    /// All files, by path (bytewise). Paths that are not UTF-8 are left out.
    fn files(&self, at: &Revision) -> CodeResult<Arc<Vec<CodeFile>>>;
    /// What [`CodeSource::files`] leaves out though it is there, for people: files whose names are not UTF-8, or too large to have an id
    /// here. Directories end with `/`: nothing below them is listed.
    fn unlisted(&self, _at: &Revision) -> CodeResult<Arc<Vec<String>>> {
        Ok(Arc::default())
    }
    /// Files of `from` that have another path in `to`, by two-endpoint comparison: at least `similarity` percent alike. By
    /// old path.
    fn renames(&self, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Arc<Vec<Rename>>>;
    /// True where [`CodeSource::renames`] may have left some out, so that a file which it does not name may have another path all the
    /// same. For what it names this says nothing.
    fn may_lack_renames(&self, _from: &ObjectId, _to: &Revision) -> CodeResult<bool> {
        Ok(false)
    }
    /// The path that a file of `from` has in `to`, following its renames commit by commit along the first parents from `to`
    /// back to `from`, at least `similarity` percent alike at each step. `None` where it ends, or `from` is not reached.
    fn follow(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Option<String>>;
    /// The other way round: what the file at a path of `to` was in `from`, by the same steps. A file that left its path and
    /// came back later is new.
    fn origin(&self, path: &str, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Origin>;
    /// Commits without parents in the history of a commit, sorted, at most 8. Empty where they cannot be told: the history is cut off,
    /// or is walked by nobody.
    fn roots(&self, _tip: &ObjectId) -> CodeResult<Vec<ObjectId>> {
        Ok(Vec::new())
    }
    /// Commits of a history, the newest first. `None` where nobody can tell them.
    fn history(&self, _ask: &HistoryAsk) -> CodeResult<Option<History>> {
        Ok(None)
    }
    /// What a commit changed against its first parent, or against nothing where it is the first; renames are at least `similarity`
    /// percent alike. `None` where its parent is not here, or nobody can tell.
    fn changes(&self, _commit: &ObjectId, _similarity: u8) -> CodeResult<Option<CommitChanges>> {
        Ok(None)
    }
    /// True when `older` is `newer` or one of its ancestors.
    fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool>;
    /// The youngest commit that both histories share; `None` where they share none.
    ///
    /// # Errors
    /// `partial_clone` where the clone ends before such a commit; a source that walks no history cannot tell.
    fn merge_base(&self, _one: &ObjectId, _other: &ObjectId) -> CodeResult<Option<ObjectId>> {
        Err(CodeError::new(Unverifiable::AuthOrMissing, "the history cannot be walked here: use a clone"))
    }
}

/// Where a repository's code can be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodePlace {
    /// A clone, a bare repository or a worktree on this machine.
    Local(PathBuf),
    /// A forge.
    Forge {
        /// Its host, from configuration.
        host: String,
        /// Path of the repository there, `owner/name`.
        path: String,
    },
}

/// Who a repository is, on its forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeRepository {
    /// Its host, as configured.
    pub host: String,
    /// Its number there, which neither a rename nor a transfer changes.
    pub id: u64,
    /// Its path now, `owner/name`: another than the one that was asked for where it has moved.
    pub path: String,
    /// What its default branch is called; `None` for a repository without any.
    pub default_branch: Option<String>,
    /// Number and path of the repository it was forked from.
    pub parent: Option<(u64, String)>,
}

/// What a directory turns out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The directory that all worktrees of the clone share.
    pub common_dir: PathBuf,
    /// The worktree's root; `None` for a bare repository.
    pub worktree: Option<PathBuf>,
    /// Remotes: name and URL as configured, by name.
    pub remotes: Vec<(String, String)>,
    /// Root commits of the default branch's history along all parents, sorted, at most 8; empty where the history is cut off.
    pub roots: Vec<ObjectId>,
    /// What the default branch is called; `None` where nothing tells which it is.
    pub default_branch: Option<String>,
    /// The branch that is checked out, without `refs/heads/`.
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<ObjectId>,
}

/// Work on one open repository.
pub type CodeWork = Box<dyn FnOnce(&dyn CodeSource) + Send>;

/// All repositories that can be read, and the threads on which they are.
pub trait CodeSources: Send + Sync {
    /// Opens a repository (or takes the open one) and runs `work` on it, on a thread that may block. An error says that it
    /// could not be opened; `work` has not run then.
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>>;
    /// What the directory, or the nearest one above it with a repository, is. `None` where there is no repository.
    fn discover<'a>(&'a self, directory: &'a Path) -> BoxFuture<'a, Result<Option<Discovered>>>;
    /// True where a directory of this machine lies in a memory's own folder: below one of the allowed
    /// roots, in the directory that is named like the memory's id. Links are followed first; what is not
    /// there yet counts by the nearest directory above it.
    fn is_in_folder_of<'a>(&'a self, _directory: &'a Path, _memory: &'a MemoryId) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
    /// Who the repository at a place is, as its forge says now; `None` for a place that is on no forge.
    fn at_forge<'a>(&'a self, _place: &'a CodePlace) -> BoxFuture<'a, CodeResult<Option<ForgeRepository>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}
