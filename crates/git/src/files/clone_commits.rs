//! The commits that people made in a clone of a mirror, newest first, and the files that differ
//! from one of them. Only objects are read; nothing is checked out, written or executed. Links,
//! submodules and files that are too large cannot be documents, and are left out.

use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::path::Path;
use std::sync::Arc;

use loci_model::facts::code::{EntryKind, ObjectId};
use loci_model::{Error, Result, limits};

use super::edited_tree::executables;
use crate::repository::Repository;
use crate::repository::caches::Caches;
use crate::repository::layout::Layout;
use crate::source::Source;

/// The maximum number of commits read: a clone with more new commits must fetch first.
const COMMITS_MAX: usize = 10_000;

/// A clone of a mirror, for reading its commits.
pub struct Cloned {
    source: Source,
    head: ObjectId,
}

/// A file of a clone that differs from a commit in its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path of the file in the clone.
    pub path: String,
    /// The content of the file. `None` if the file was removed.
    pub content: Option<Vec<u8>>,
    /// True if the file is executable.
    pub executable: bool,
}

fn told(error: loci_model::ports::code::CodeError) -> Error {
    Error::unavailable(format!("the clone cannot be read: {}", error.detail))
}

impl Cloned {
    /// Opens the clone that contains this path. It may be bare.
    ///
    /// # Errors
    /// If no clone contains the path, or the clone has no commit.
    pub fn open(path: &Path) -> Result<Self> {
        let layout = Layout::above(path, &[]).map_err(told)?;
        let layout =
            layout.ok_or_else(|| Error::not_found(format!("there is no clone at {}", path.display())))?;
        let repository = Repository::open(&layout, &[], Arc::new(Caches::new())).map_err(told)?;
        let source = Source::open(&layout, Arc::new(repository)).map_err(told)?;
        let head = source.head().map_err(told)?;
        let head = head.ok_or_else(|| Error::not_found("nothing is committed in the clone"))?;
        Ok(Self { source, head })
    }

    /// Returns the ids of the clone's commits, newest first.
    ///
    /// # Errors
    /// If the commits cannot be read.
    pub fn commits(&self) -> Result<Vec<String>> {
        let repository = &self.source.repository;
        let shallow = repository.shallow().map_err(told)?;
        let mut seen = HashSet::from([self.head]);
        let mut open = BinaryHeap::from([(repository.commit(&self.head).map_err(told)?.time, self.head)]);
        let mut commits = Vec::new();
        while let Some((_, id)) = open.pop() {
            commits.push(id.to_string());
            if commits.len() >= COMMITS_MAX {
                break;
            }
            for parent in &repository.commit_with(&id, &shallow).map_err(told)?.parents {
                if seen.insert(*parent) {
                    let time = repository.commit_with(parent, &shallow).map_err(told)?.time;
                    open.push((time, *parent));
                }
            }
        }
        Ok(commits)
    }

    /// Returns the files that differ from those of a commit, by path.
    ///
    /// # Errors
    /// If the commits cannot be read.
    pub fn changed_since(&self, base: &str) -> Result<Vec<ChangedFile>> {
        let base = ObjectId::parse(base).ok_or_else(|| Error::invalid("base", "base is no commit"))?;
        let (before, now) = (self.files(&base)?, self.files(&self.head)?);
        let mut changed = Vec::new();
        for path in before.keys().filter(|path| !now.contains_key(*path)) {
            changed.push(ChangedFile { path: path.clone(), content: None, executable: false });
        }
        for (path, file) in now.iter().filter(|(path, file)| before.get(*path) != Some(file)) {
            let (id, executable) = *file;
            let read = self.source.blob(&id, limits::MIRRORED_FILE_BYTES_MAX).map_err(told)?;
            changed.push(ChangedFile { path: path.clone(), content: Some(read.to_vec()), executable });
        }
        changed.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changed)
    }

    /// Returns the files of a commit, each with true if it is executable.
    fn files(&self, commit: &ObjectId) -> Result<BTreeMap<String, (ObjectId, bool)>> {
        let repository = &self.source.repository;
        let tree = repository.commit(commit).map_err(told)?.tree;
        let files = repository.tree_files(&tree).map_err(told)?;
        let executables = executables(repository, &tree)?;
        let is_file = |entry: EntryKind| entry == EntryKind::File;
        Ok(files
            .iter()
            .filter(|file| is_file(file.entry.kind))
            .map(|file| (file.path.clone(), (file.entry.id, executables.contains(&file.path))))
            .collect())
    }
}
