//! The repository that facts cite: bare, with two commits. The first has all files, the second
//! lacks some of them. Its branch points to either commit, so that facts are quarantined and
//! restored.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::git;
use crate::rot::{Commit, import};

/// The name of the repository.
pub(super) const REPO: &str = "crash/parts";
/// The number of its files.
pub(super) const PARTS: u64 = 12;
/// Files from this one on are missing in the second commit.
const STAYS: u64 = 9;
/// Lines of a file before the cited ones.
const BEFORE: usize = 2;

/// The repository.
pub(super) struct Code {
    folder: PathBuf,
    whole: String,
    less: String,
    /// True if the branch points to the second commit.
    pub(super) is_less: bool,
}

impl Code {
    /// Creates the repository.
    pub(super) fn make(folder: &Path) -> Result<Self> {
        let files = |count| (0..count).map(|part| (path(part), text(part).into_bytes())).collect();
        let branch = || "main".to_owned();
        let commits = [
            Commit { files: files(PARTS), message: "all".to_owned(), branch: branch(), ..Commit::default() },
            Commit {
                files: files(STAYS),
                parents: vec![0],
                message: "less".to_owned(),
                branch: branch(),
                ..Commit::default()
            },
        ];
        let ids = import(folder, &commits)?;
        let [whole, less] = <[String; 2]>::try_from(ids).ok().context("two commits")?;
        let mut code = Self { folder: folder.to_owned(), whole, less, is_less: true };
        code.stand_at(false)?;
        Ok(code)
    }

    /// Moves the branch to the second commit if `less` is true, otherwise to the first.
    pub(super) fn stand_at(&mut self, less: bool) -> Result<()> {
        let commit = if less { &self.less } else { &self.whole };
        let done = git::command(&self.folder).args(["update-ref", "refs/heads/main", commit]).status()?;
        ensure!(done.success(), "git did not move the branch");
        self.is_less = less;
        Ok(())
    }

    /// Returns true if a fact about this part cannot be verified now.
    pub(super) fn is_gone(&self, part: u64) -> bool {
        self.is_less && part >= STAYS
    }
}

fn path(part: u64) -> String {
    format!("src/part_{part}.rs")
}

fn text(part: u64) -> String {
    let name = word(part);
    format!(
        "//! The {name} part of the works.\n\n/// Counts what the {name} part has finished, unless it is halted.\n\
         pub fn finished_by_{name}(works: &Works) -> usize {{\n    let halted = works.halted_parts().contains(\"{name}\");\n    \
         if halted {{ 0 }} else {{ works.pieces_of(\"{name}\").filter(Piece::is_finished).count() }}\n}}\n"
    )
}

/// Returns the citation of a fact about a part.
pub(super) fn citation(part: u64) -> Value {
    json!({ "path": path(part), "line_start": BEFORE + 1, "line_end": BEFORE + 5 })
}

/// Returns a number in letters. With digits, facts about the same subject would contradict each
/// other.
pub(super) fn word(number: u64) -> String {
    let mut rest = number;
    let mut letters = vec![];
    loop {
        letters.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
        if rest == 0 {
            break;
        }
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_numbers() {
        let words: Vec<_> = [0, 25, 26, 700].map(word).into();
        assert_eq!(words, ["a", "z", "ba", "bay"]);
    }
}
