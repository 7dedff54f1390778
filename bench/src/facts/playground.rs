//! A clone of a repository that gets commits while a server reads it: a bare one, with a separate
//! worktree for edits. The original repository is only read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cited_lines::CitedLineRange;
use crate::git::git_text;

/// A bare clone and its worktree.
pub(super) struct Playground {
    bare: PathBuf,
    work: PathBuf,
}

impl Playground {
    pub(super) fn new(source: &Path, folder: &Path) -> Result<Self> {
        let source = std::fs::canonicalize(source).with_context(|| source.display().to_string())?;
        let (bare, work) = (folder.join("bare.git"), folder.join("work"));
        git(folder, &["clone", "--quiet", "--bare", "--no-hardlinks", text(&source)?, text(&bare)?])?;
        git(folder, &["clone", "--quiet", text(&bare)?, text(&work)?])?;
        for (name, value) in [("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")] {
            git(&work, &["config", name, value])?;
        }
        Ok(Self { bare, work })
    }

    pub(super) fn bare(&self) -> &Path {
        &self.bare
    }

    /// Returns the text files of the tip, by path, as lines.
    pub(super) fn files(&self) -> Result<BTreeMap<String, Vec<String>>> {
        let list = git(&self.work, &["ls-files", "-z"])?;
        let mut files = BTreeMap::new();
        for path in list.split('\0').filter(|path| !path.is_empty()) {
            let place = self.work.join(path);
            if !place.symlink_metadata().is_ok_and(|data| data.is_file()) {
                continue;
            }
            // Files that are not text cannot be cited.
            let Ok(text) = String::from_utf8(std::fs::read(place)?) else { continue };
            files.insert(path.to_owned(), text.lines().map(str::to_owned).collect());
        }
        Ok(files)
    }

    /// Commits the deletion of these lines.
    pub(super) fn delete(&self, places: &[CitedLineRange]) -> Result<()> {
        let mut by_file: BTreeMap<&str, Vec<&CitedLineRange>> = BTreeMap::new();
        for place in places {
            by_file.entry(&place.path).or_default().push(place);
        }
        for (path, places) in by_file {
            self.edit(path, |lines| {
                let is_cited =
                    |number| places.iter().any(|place| (place.first..=place.last).contains(&number));
                lines
                    .into_iter()
                    .zip(1..)
                    .filter(|(_, number)| !is_cited(*number))
                    .map(|(line, _)| line)
                    .collect()
            })?;
        }
        self.commit("lines go")
    }

    /// Commits an additional first line in every cited file.
    pub(super) fn shift(&self, places: &[CitedLineRange], round: u64) -> Result<()> {
        let paths: std::collections::BTreeSet<_> = places.iter().map(|place| place.path.as_str()).collect();
        for path in paths {
            self.edit(path, |mut lines| {
                lines.insert(0, format!("// round {round}"));
                lines
            })?;
        }
        self.commit("lines move")
    }

    /// Commits a change to a file that is not cited.
    pub(super) fn touch_others(&self, round: u64) -> Result<()> {
        std::fs::write(self.work.join("round-of-the-bench.txt"), format!("round {round}\n"))?;
        self.commit("something else")
    }

    fn edit(&self, path: &str, change: impl FnOnce(Vec<String>) -> Vec<String>) -> Result<()> {
        let place = self.work.join(path);
        let text = std::fs::read_to_string(&place)?;
        let lines = change(text.lines().map(str::to_owned).collect());
        Ok(std::fs::write(place, lines.join("\n") + "\n")?)
    }

    fn commit(&self, message: &str) -> Result<()> {
        git(&self.work, &["add", "--all"])?;
        git(&self.work, &["commit", "--quiet", "--message", message])?;
        git(&self.work, &["push", "--quiet", "origin", "HEAD"]).map(drop)
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is not UTF-8")
}

/// Returns the output of `git`, with permission to clone and push between folders.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    git_text(folder, &[&["-c", "protocol.file.allow=always"], arguments].concat())
}
