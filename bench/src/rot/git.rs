//! Reads a history through the hardened `git` executable. It never writes. It uses no code of the
//! product that reads repositories, because labels must not depend on that code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::git::{Contents, git};

/// A file of a tree.
#[derive(Debug, Clone)]
pub(super) struct TreeFile {
    /// The id of its blob.
    pub(super) id: String,
    pub(super) bytes: u64,
}

/// Regular files of a tree, by path.
pub(super) type Tree = BTreeMap<String, TreeFile>;

/// A repository and its blobs.
pub(super) struct Repository {
    folder: PathBuf,
    contents: Contents,
}

impl Repository {
    /// Opens a clone, a bare repository or a worktree.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        Ok(Self { folder: folder.to_owned(), contents: Contents::open(folder)? })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the output of `git`.
    pub(super) fn git(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        git(&self.folder, arguments)
    }

    fn line(&self, arguments: &[&str]) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.git(arguments)?).trim().to_owned())
    }

    /// Returns the full id of the commit that a name designates.
    pub(super) fn commit(&self, name: &str) -> Result<String> {
        let wanted = format!("{name}^{{commit}}");
        self.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
            .with_context(|| format!("{name:?} is no commit here"))
    }

    /// Returns the day of a commit, `YYYY-MM-DD`.
    pub(super) fn day(&self, commit: &str) -> Result<String> {
        self.line(&["log", "-1", "--format=%cs", "--end-of-options", commit])
    }

    /// Returns true if the clone is shallow.
    pub(super) fn is_shallow(&self) -> Result<bool> {
        Ok(self.line(&["rev-parse", "--is-shallow-repository"])? == "true")
    }

    /// Returns the number of commits on the first-parent path after `from` up to `to`, or `None` if
    /// `from` is not on it.
    pub(super) fn first_parents(&self, from: &str, to: &str) -> Result<Option<usize>> {
        let list = self.line(&["rev-list", "--first-parent", "--parents", "--end-of-options", to])?;
        let place = list.lines().position(|line| line.split(' ').next() == Some(from));
        Ok(place)
    }

    /// Returns the regular files of a commit whose paths are UTF-8.
    pub(super) fn tree(&self, commit: &str) -> Result<Tree> {
        let list = self.git(&["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", commit])?;
        let file = |line: &[u8]| {
            let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
            let mut about = about.split_ascii_whitespace();
            let (mode, _, id, bytes) = (about.next()?, about.next()?, about.next()?, about.next()?);
            let bytes = bytes.parse().unwrap_or(u64::MAX);
            mode.starts_with("100").then(|| (path.to_owned(), TreeFile { id: id.to_owned(), bytes }))
        };
        Ok(list.split(|byte| *byte == 0).filter_map(file).collect())
    }

    /// Returns the bytes of a blob, or `None` if the object does not exist.
    pub(super) fn read(&mut self, content: &str) -> Result<Option<Vec<u8>>> {
        self.contents.read(content)
    }
}

/// Returns lines as git counts them, without their line feed.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if all.last().is_some_and(|last| last.is_empty()) {
        all.pop();
    }
    all
}

/// Returns true if the line contains only white space.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
