//! A clone, read with the `git` command: commits, trees and blobs. It is read only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::git::{Contents, git_text};

/// The maximum number of files that a usable commit changes.
const TOUCHED_MAX: usize = 10;
/// The maximum size of a blob in bytes. People do not write longer texts.
const BYTES_MAX: usize = 512 * 1024;

/// One commit.
pub(super) struct Commit {
    pub(super) parent: String,
    /// The subject and the body.
    pub(super) message: String,
    /// The paths of the files that it changes or removes.
    pub(super) touched: Vec<String>,
}

/// A clone and its blobs.
pub(super) struct Repository {
    folder: PathBuf,
    contents: Contents,
}

impl Repository {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        Ok(Self { folder: folder.to_owned(), contents: Contents::open(folder)? })
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        git_text(&self.folder, arguments)
    }

    /// Returns the newest usable commits, oldest first.
    pub(super) fn commits_of_use(&self, from: &str, wanted: usize) -> Result<Vec<Commit>> {
        let list =
            self.git(&["log", "--topo-order", "--no-merges", "--format=%H%x00%P%x00%an%x00%ae", from])?;
        let mut commits = Vec::new();
        for line in list.lines() {
            let mut fields = line.split('\0');
            let mut next = || fields.next().unwrap_or_default();
            let (hash, parent, name, address) = (next(), next(), next(), next());
            let a_bot = name.contains("[bot]") || address.contains("[bot]");
            if parent.is_empty() || parent.contains(' ') || a_bot {
                continue;
            }
            let touched = self.git(&[
                "diff-tree",
                "-r",
                "--no-commit-id",
                "--no-renames",
                "--diff-filter=MD",
                "--name-only",
                "-z",
                hash,
            ])?;
            let touched: Vec<String> =
                touched.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
            if (1..=TOUCHED_MAX).contains(&touched.len()) {
                let message = self.git(&["log", "-1", "--format=%B", hash])?;
                commits.push(Commit { parent: parent.to_owned(), message, touched });
            }
            if commits.len() == wanted {
                break;
            }
        }
        commits.reverse();
        Ok(commits)
    }

    /// Returns the paths and blob ids of a tree, for regular files only.
    pub(super) fn tree(&self, commit: &str) -> Result<BTreeMap<String, String>> {
        let list = self.git(&["ls-tree", "-r", "-z", commit])?;
        let file = |line: &str| {
            let (about, path) = line.split_once('\t')?;
            let mut about = about.split(' ');
            let (mode, _, content) = (about.next()?, about.next()?, about.next()?);
            mode.starts_with("100").then(|| (path.to_owned(), content.to_owned()))
        };
        Ok(list.split('\0').filter_map(file).collect())
    }

    /// Returns the text of a blob, or `None` if it is not text.
    pub(super) fn text(&mut self, content: &str) -> Result<Option<String>> {
        let bytes = self.contents.read(content)?.with_context(|| format!("no object {content} here"))?;
        let is_text = bytes.len() <= BYTES_MAX && !bytes.contains(&0);
        Ok(if is_text { String::from_utf8(bytes).ok() } else { None })
    }
}
