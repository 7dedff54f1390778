//! The files of a worktree, regardless of commits. They are opened component by component and never
//! through a link. Ids are those that git would compute, so that an unchanged file is the same blob
//! everywhere. Filters are not run: a file with an up-to-date index entry is the blob of that
//! entry, and any other file is its bytes on disk.

mod glob;
mod ignore;
mod index;

use std::sync::Arc;

use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};
use loci_model::ports::code::CodeResult;

use crate::confined_files::{self, Dir, EntryType, Stamp};
use crate::fault;
use crate::limits::{DEPTH_MAX, ENTRIES_MAX, PATH_BYTES_MAX};
use crate::objects::format::{HashFormat, ObjectKind};
use crate::paths;
use crate::trees::unlisted;
use ignore::Ignored;
use index::{Index, KnownIndex};

/// The maximum size of a file that is read, in bytes; larger ones cannot be cited.
const FILE_BYTES_MAX: u64 = 32 << 20;
/// The maximum size of the memory of file contents, in bytes.
const SEEN_BYTES: usize = 8 << 20;

/// A worktree.
pub(crate) struct Worktree {
    root: Dir,
    index: KnownIndex,
    /// The file in which a content was seen, because it may be in no object.
    seen: BoundedCache<ObjectId, WorktreeFile>,
}

#[derive(Debug, Clone)]
struct WorktreeFile {
    path: Arc<str>,
    bytes: u64,
}

/// The content of a file, if it was read to compute its id.
type Content = Option<Arc<[u8]>>;

impl Worktree {
    pub(crate) fn open(path: &std::path::Path) -> CodeResult<Self> {
        let root = Dir::open(path)?.ok_or_else(|| fault::unreadable("there is no worktree"))?;
        Ok(Self { root, index: KnownIndex::default(), seen: BoundedCache::new(SEEN_BYTES) })
    }

    /// True if a file or a link exists at this path.
    pub(crate) fn has(&self, path: &str) -> CodeResult<bool> {
        if !paths::is_path(path) {
            return Ok(false);
        }
        Ok(matches!(self.root.look(path.as_bytes())?, Some((EntryType::File | EntryType::Symlink, _))))
    }

    /// Returns the entry at a path, and its content if it had to be read.
    pub(crate) fn entry(
        &self,
        private: &Dir,
        path: &str,
        format: HashFormat,
    ) -> CodeResult<Option<(CodeEntry, Content)>> {
        if !paths::is_path(path) {
            return Ok(None);
        }
        let index = self.index.read(private, format.id_bytes())?;
        if self.is_elsewhere(path, &index)? {
            return Ok(None);
        }
        let Some((lying, stamp)) = self.root.look(path.as_bytes())? else {
            let kept = index.get(path).filter(|entry| entry.is_elsewhere());
            return Ok(kept.map(|entry| (CodeEntry { kind: entry.kind, id: entry.id, bytes: None }, None)));
        };
        let kind = match lying {
            EntryType::File => EntryKind::File,
            EntryType::Symlink => EntryKind::Symlink,
            EntryType::Directory => return Ok(directory(&index, path, format).map(|entry| (entry, None))),
            EntryType::Other => return Ok(None),
        };
        self.identified(&self.root, path.as_bytes(), path, kind, &stamp, &index, format)
    }

    /// Returns all files that are tracked or not ignored, by path, and display paths of entries
    /// that cannot be listed. `shared` and `private` are the directories of the repository.
    pub(crate) fn files(
        &self,
        shared: &Dir,
        private: &Dir,
        format: HashFormat,
    ) -> CodeResult<(Vec<CodeFile>, Vec<String>)> {
        let index = self.index.read(private, format.id_bytes())?;
        let ignored = Ignored::of_repository(shared)?;
        let mut walk = Walk {
            worktree: self,
            index: &index,
            format,
            ignored,
            files: Vec::new(),
            unlisted: Vec::new(),
            budget: ENTRIES_MAX,
        };
        walk.directory(&self.root, "", 0, false)?;
        let Walk { mut files, unlisted, .. } = walk;
        for entry in
            index.entries.iter().filter(|entry| entry.is_elsewhere() && entry.kind != EntryKind::Directory)
        {
            if self.root.look(entry.path.as_bytes())?.is_none() {
                let kept = CodeEntry { kind: entry.kind, id: entry.id, bytes: None };
                files.push(CodeFile { path: entry.path.clone(), entry: kept });
            }
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok((files, unlisted))
    }

    /// Returns the directories that a sparse checkout excludes as a whole, with their trees,
    /// because they are part of the worktree.
    pub(crate) fn left_out(&self, private: &Dir, format: HashFormat) -> CodeResult<Vec<(String, ObjectId)>> {
        let index = self.index.read(private, format.id_bytes())?;
        let directories = index.entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
        Ok(directories.map(|entry| (entry.path.clone(), entry.id)).collect())
    }

    /// Returns the size of a known content, in bytes.
    pub(crate) fn bytes_of(&self, id: &ObjectId) -> Option<u64> {
        self.seen.get(id).map(|seen| seen.bytes)
    }

    /// Reads a known content again; `None` if it is unknown, or has changed.
    pub(crate) fn read_again(
        &self,
        id: &ObjectId,
        format: HashFormat,
        bytes_max: u64,
    ) -> CodeResult<Option<Arc<[u8]>>> {
        let Some(seen) = self.seen.get(id) else { return Ok(None) };
        let path = seen.path.as_bytes();
        let content = match self.root.look(path)? {
            Some((EntryType::File, _)) => self.root.read(path, bytes_max)?,
            Some((EntryType::Symlink, _)) => self.root.link(path)?,
            Some((EntryType::Directory | EntryType::Other, _)) | None => None,
        };
        Ok(content.filter(|content| format.id_of(ObjectKind::Blob, content) == Some(*id)).map(Arc::from))
    }

    /// True for a path inside another repository: a submodule, or an unregistered one.
    fn is_elsewhere(&self, path: &str, index: &Index) -> CodeResult<bool> {
        let is_tracked = index.get(path).is_some();
        for (at, _) in path.match_indices('/') {
            let directory = path.get(..at).unwrap_or_default();
            if index.get(directory).is_some_and(|entry| entry.kind == EntryKind::Submodule) {
                return Ok(true);
            }
            if !is_tracked && self.root.look(format!("{directory}/.git").as_bytes())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the entry of a file or a link called `name` in `dir`.
    #[expect(clippy::too_many_arguments, reason = "one place decides what a file's id is")]
    fn identified(
        &self,
        dir: &Dir,
        name: &[u8],
        path: &str,
        kind: EntryKind,
        stamp: &Stamp,
        index: &Index,
        format: HashFormat,
    ) -> CodeResult<Option<(CodeEntry, Content)>> {
        if let Some(id) = index.unchanged(path, kind, stamp) {
            self.note(&id, path, stamp.bytes);
            return Ok(Some((CodeEntry { kind, id, bytes: None }, None)));
        }
        let content = match kind {
            EntryKind::Symlink => dir.link(name)?,
            EntryKind::File => match dir.file(name)? {
                Some((file, stamp)) => Some(confined_files::read_all(file, &stamp, FILE_BYTES_MAX)?),
                None => None,
            },
            EntryKind::Directory | EntryKind::Submodule => None,
        };
        let Some(content) = content else { return Ok(None) };
        let Some(id) = format.id_of(ObjectKind::Blob, &content) else { return Ok(None) };
        self.note(&id, path, content.len() as u64);
        let entry = CodeEntry { kind, id, bytes: Some(content.len() as u64) };
        Ok(Some((entry, Some(Arc::from(content)))))
    }

    fn note(&self, id: &ObjectId, path: &str, bytes: u64) {
        self.seen.put(*id, WorktreeFile { path: Arc::from(path), bytes }, path.len());
    }
}

/// Returns the entry of a directory: it has no object of its own; a submodule has the commit in the
/// index.
fn directory(index: &Index, path: &str, format: HashFormat) -> Option<CodeEntry> {
    if let Some(entry) = index.get(path).filter(|entry| entry.kind == EntryKind::Submodule) {
        return Some(CodeEntry { kind: EntryKind::Submodule, id: entry.id, bytes: None });
    }
    let id = format.id_of(ObjectKind::Tree, b"")?;
    Some(CodeEntry { kind: EntryKind::Directory, id, bytes: None })
}

/// Returns true if the rules of a `.gitignore` ignore a path.
pub(crate) fn ignores(rules: &[u8], path: &str) -> CodeResult<bool> {
    Ignored::of_rules(rules).has(path, true)
}

struct Walk<'a> {
    worktree: &'a Worktree,
    index: &'a Index,
    format: HashFormat,
    ignored: Ignored,
    files: Vec<CodeFile>,
    unlisted: Vec<String>,
    budget: usize,
}

impl Walk<'_> {
    /// Adds all files of a directory; for an ignored one only tracked files.
    fn directory(&mut self, dir: &Dir, prefix: &str, depth: usize, is_ignored: bool) -> CodeResult<()> {
        if depth > DEPTH_MAX {
            return Err(fault::too_large("the depth of the worktree"));
        }
        self.ignored.enter(dir, prefix)?;
        for name in dir.names(self.budget)? {
            self.budget = self.budget.saturating_sub(1);
            let Ok(text) = std::str::from_utf8(&name) else {
                let lying = dir.look(&name)?.map(|(lying, _)| lying);
                // Such a name cannot be matched with ignore rules: under an ignored directory, only
                // tracked files count.
                if !is_ignored
                    && matches!(lying, Some(EntryType::File | EntryType::Symlink | EntryType::Directory))
                {
                    self.unlisted.push(unlisted(prefix, &name, lying == Some(EntryType::Directory)));
                }
                continue;
            };
            if !paths::is_component(&name) || prefix.len() + name.len() + 1 >= PATH_BYTES_MAX {
                continue;
            }
            let path = if prefix.is_empty() { text.to_owned() } else { format!("{prefix}/{text}") };
            match dir.look(&name)? {
                Some((EntryType::File, stamp)) => {
                    self.file(dir, &name, path, EntryKind::File, &stamp, is_ignored)?;
                }
                Some((EntryType::Symlink, stamp)) => {
                    self.file(dir, &name, path, EntryKind::Symlink, &stamp, is_ignored)?;
                }
                Some((EntryType::Directory, _)) => self.below(dir, &name, path, depth, is_ignored)?,
                Some((EntryType::Other, _)) | None => {}
            }
        }
        self.ignored.leave();
        Ok(())
    }

    fn below(
        &mut self,
        dir: &Dir,
        name: &[u8],
        path: String,
        depth: usize,
        is_ignored: bool,
    ) -> CodeResult<()> {
        if let Some(entry) = self.index.get(&path).filter(|entry| entry.kind == EntryKind::Submodule) {
            let entry = CodeEntry { kind: EntryKind::Submodule, id: entry.id, bytes: None };
            self.files.push(CodeFile { path, entry });
            return Ok(());
        }
        let is_tracked = self.index.has_below(&path);
        let is_ignored = is_ignored || self.ignored.has(&path, true)?;
        if is_ignored && !is_tracked {
            return Ok(());
        }
        let Some(below) = dir.directory(name)? else { return Ok(()) };
        // An unregistered repository inside this one.
        if !is_tracked && below.look(b".git")?.is_some() {
            return Ok(());
        }
        self.directory(&below, &path, depth + 1, is_ignored)
    }

    fn file(
        &mut self,
        dir: &Dir,
        name: &[u8],
        path: String,
        kind: EntryKind,
        stamp: &Stamp,
        is_ignored: bool,
    ) -> CodeResult<()> {
        let is_ours = self.index.get(&path).is_some() || !(is_ignored || self.ignored.has(&path, false)?);
        if !is_ours {
            return Ok(());
        }
        if stamp.bytes > FILE_BYTES_MAX && self.index.unchanged(&path, kind, stamp).is_none() {
            self.unlisted.push(path);
            return Ok(());
        }
        let found = self.worktree.identified(dir, name, &path, kind, stamp, self.index, self.format)?;
        if let Some((entry, _)) = found {
            self.files.push(CodeFile { path, entry });
        }
        Ok(())
    }
}
