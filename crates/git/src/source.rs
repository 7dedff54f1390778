//! A repository as the code port uses it: the data shared by its worktrees, and the worktree
//! through which it was opened.

use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, ObjectId, Origin, Rename, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeCapabilities, CodeError, CodeResult, CodeSource};
use loci_model::tasks::code_history::{CommitChanges, History, HistoryAsk};

use crate::confined_files::Dir;
use crate::fault;
use crate::limits::OBJECT_BYTES_MAX;
use crate::objects::format::ObjectKind;
use crate::repository::layout::Layout;
use crate::repository::refs::RefCount;
use crate::repository::{Repository, configuration};
use crate::worktree::Worktree;

/// A repository opened at a directory.
pub(crate) struct Source {
    pub(crate) repository: Arc<Repository>,
    pub(crate) worktree: Option<Worktree>,
    /// The directory that contains `HEAD`: that of the worktree, or the shared one.
    private: Dir,
}

impl Source {
    pub(crate) fn open(layout: &Layout, repository: Arc<Repository>) -> CodeResult<Self> {
        let private =
            Dir::open(&layout.private)?.ok_or_else(|| fault::unreadable("there is no repository"))?;
        let worktree = match &layout.worktree {
            Some(path) => Some(Worktree::open(path)?),
            None => None,
        };
        Ok(Self { repository, worktree, private })
    }

    pub(crate) fn follow_ref(&self, name: &str) -> CodeResult<Option<(String, ObjectId)>> {
        self.repository.refs.follow(&self.repository.dir, &self.private, name)
    }

    /// Like `follow_ref`, with the `HEAD` of the repository itself instead of that of a worktree.
    pub(crate) fn follow_shared(&self, name: &str) -> CodeResult<Option<(String, ObjectId)>> {
        self.repository.refs.follow(&self.repository.dir, &self.repository.dir, name)
    }

    /// Returns the number of refs with this prefix, as none, one or several.
    pub(crate) fn sole(&self, folder: &str) -> CodeResult<RefCount> {
        self.repository.refs.sole(&self.repository.dir, folder)
    }

    /// Returns true for a repository without a worktree, by its configuration, or else by its
    /// layout.
    pub(crate) fn is_bare(&self) -> CodeResult<bool> {
        Ok(configuration(&self.repository.dir)?.bare.unwrap_or(self.worktree.is_none()))
    }

    /// Returns the target of `HEAD`, without following it.
    pub(crate) fn branch(&self) -> CodeResult<Option<String>> {
        let target = self.repository.refs.find(&self.repository.dir, &self.private, "HEAD")?;
        Ok(match target {
            Some(crate::repository::refs::RefTarget::Symbolic(name)) => {
                name.strip_prefix("refs/heads/").map(str::to_owned)
            }
            Some(crate::repository::refs::RefTarget::Id(_)) | None => None,
        })
    }

    /// Returns the size of a blob in bytes. `None` if the blob is neither in this clone nor a known
    /// file of the worktree.
    pub(crate) fn blob_bytes(&self, id: &ObjectId) -> CodeResult<Option<u64>> {
        if let Some(blob) = self.repository.caches.blobs.get(&(self.repository.number, *id)) {
            return Ok(Some(blob.len() as u64));
        }
        match self.repository.objects.header(id)? {
            Some(header) if header.kind == ObjectKind::Blob => Ok(Some(header.bytes)),
            Some(_) => Err(fault::damaged("an object of another kind than is said")),
            None => Ok(self.worktree.as_ref().and_then(|worktree| worktree.bytes_of(id))),
        }
    }

    /// Returns the content of a blob, from the cache, the objects, or the worktree.
    pub(crate) fn blob(&self, id: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>> {
        let key = (self.repository.number, *id);
        let bytes_max = bytes_max.min(OBJECT_BYTES_MAX);
        if let Some(blob) = self.repository.caches.blobs.get(&key) {
            return if blob.len() as u64 > bytes_max { Err(fault::too_large("a file")) } else { Ok(blob) };
        }
        let stored = self.repository.objects.read_kind(id, ObjectKind::Blob, bytes_max);
        let blob = match (stored, &self.worktree) {
            (Ok(blob), _) => blob,
            (Err(error), Some(worktree)) if error.why == Unverifiable::PartialClone => {
                worktree.read_again(id, self.repository.objects.format(), bytes_max)?.ok_or(error)?
            }
            (Err(error), _) => return Err(error),
        };
        self.repository.caches.blobs.put(key, Arc::clone(&blob), blob.len());
        Ok(blob)
    }

    pub(crate) fn worktree_files(&self) -> CodeResult<Arc<Vec<CodeFile>>> {
        self.worktree_listing().map(|(files, _)| Arc::new(files))
    }

    /// Returns the files of the worktree, and the paths that cannot be listed.
    fn worktree_listing(&self) -> CodeResult<(Vec<CodeFile>, Vec<String>)> {
        let format = self.repository.objects.format();
        let worktree = self.worktree()?;
        let (mut files, mut unlisted) = worktree.files(&self.repository.dir, &self.private, format)?;
        for (directory, tree) in worktree.left_out(&self.private, format)? {
            for file in self.repository.tree_files(&tree)?.iter() {
                files.push(CodeFile { path: format!("{directory}/{}", file.path), entry: file.entry });
            }
            let below = self.repository.tree_unlisted(&tree)?;
            unlisted.extend(below.iter().map(|path| format!("{directory}/{path}")));
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok((files, unlisted))
    }

    /// True if a file or a link exists at this path.
    pub(crate) fn worktree_has(&self, path: &str) -> CodeResult<bool> {
        self.worktree()?.has(path)
    }

    fn worktree(&self) -> CodeResult<&Worktree> {
        self.worktree
            .as_ref()
            .ok_or_else(|| CodeError::new(Unverifiable::Ref, "a bare repository has no worktree"))
    }
}

impl CodeSource for Source {
    fn capabilities(&self) -> CodeCapabilities {
        CodeCapabilities { renames: true, history: true, worktree: self.worktree.is_some(), near: true }
    }

    fn resolve(&self, name: &str) -> CodeResult<Option<Revision>> {
        self.resolved(name)
    }

    fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>> {
        self.default()
    }

    fn entry(&self, at: &Revision, path: &str) -> CodeResult<Option<CodeEntry>> {
        match at {
            Revision::Commit(id) => {
                let tree = self.repository.commit(id)?.tree;
                self.repository.tree_entry(&tree, path)
            }
            Revision::Worktree(_) => {
                let format = self.repository.objects.format();
                let worktree = self.worktree()?;
                let Some((entry, content)) = worktree.entry(&self.private, path, format)? else {
                    let left_out = worktree.left_out(&self.private, format)?;
                    let below = left_out.iter().find_map(|(directory, tree)| {
                        Some((tree, path.strip_prefix(directory.as_str())?.strip_prefix('/')?))
                    });
                    return below.map_or(Ok(None), |(tree, rest)| self.repository.tree_entry(tree, rest));
                };
                if let Some(content) = content {
                    let bytes = content.len();
                    self.repository.caches.blobs.put((self.repository.number, entry.id), content, bytes);
                }
                Ok(Some(entry))
            }
        }
    }

    fn read(&self, blob: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>> {
        self.blob(blob, bytes_max)
    }

    fn files(&self, at: &Revision) -> CodeResult<Arc<Vec<CodeFile>>> {
        match at {
            Revision::Commit(id) => self.repository.tree_files(&self.repository.commit(id)?.tree),
            Revision::Worktree(_) => self.worktree_files(),
        }
    }

    fn unlisted(&self, at: &Revision) -> CodeResult<Arc<Vec<String>>> {
        match at {
            Revision::Commit(id) => self.repository.tree_unlisted(&self.repository.commit(id)?.tree),
            Revision::Worktree(_) => self.worktree_listing().map(|(_, unlisted)| Arc::new(unlisted)),
        }
    }

    fn renames(&self, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Arc<Vec<Rename>>> {
        self.renamed(from, to, similarity)
    }

    fn follow(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Option<String>> {
        self.followed(path, from, to, similarity)
    }

    fn origin(&self, path: &str, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Origin> {
        self.traced_back(path, from, to, similarity)
    }

    fn roots(&self, tip: &ObjectId) -> CodeResult<Vec<ObjectId>> {
        self.repository.roots(tip)
    }

    fn history(&self, ask: &HistoryAsk) -> CodeResult<Option<History>> {
        self.repository.history(ask).map(Some)
    }

    fn changes(&self, commit: &ObjectId, similarity: u8) -> CodeResult<Option<CommitChanges>> {
        self.changed_by(commit, similarity)
    }

    fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool> {
        self.repository.is_ancestor(older, newer)
    }

    fn merge_base(&self, one: &ObjectId, other: &ObjectId) -> CodeResult<Option<ObjectId>> {
        self.repository.merge_base(one, other)
    }
}
