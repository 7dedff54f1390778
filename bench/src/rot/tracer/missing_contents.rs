//! Finds blobs that a partial or damaged clone lacks. A path with such a blob cannot be followed,
//! so the window leaves it out and the report names it. Missing commits and trees make the history
//! unusable.

use std::collections::{BTreeSet, HashSet};

use anyhow::{Result, bail};

use super::super::git::Repository;
use super::steps::{FileChange, raw_change};

/// The maximum number of paths. More indicate a partial clone, and their names would not fit on a
/// command line.
const PATHS_MAX: usize = 500;

/// Returns the paths that cannot be followed from one commit to another.
///
/// # Errors
/// Errors if the history cannot be read, or if too many blobs are missing.
pub(in crate::rot) fn holes(repository: &Repository, from: &str, to: &str) -> Result<BTreeSet<String>> {
    let missing = missing(repository, from, to)?;
    if missing.is_empty() {
        return Ok(BTreeSet::new());
    }
    let steps = steps(repository, from, to)?;
    let mut paths: BTreeSet<String> = standing(repository, from, &missing)?;
    let is_missing = |id: &String| missing.contains(id);
    let holed = steps.iter().flatten().filter(|change| change.contents.iter().any(is_missing));
    paths.extend(holed.flat_map(|change| change.file.paths().cloned()));
    close(&steps, &mut paths);
    if paths.len() > PATHS_MAX {
        bail!(
            "the clone lacks {} contents at {} paths, and at most {PATHS_MAX} can be left out: clone without --filter",
            missing.len(),
            paths.len()
        );
    }
    Ok(paths)
}

/// A change of one file in one step, by blob ids alone.
struct Change {
    file: FileChange,
    /// The blob ids before and after.
    contents: [String; 2],
}

/// Adds files that disappeared in the step in which a file at an unfollowed path appeared. They may
/// have been renamed to it, which cannot be determined.
fn close(steps: &[Vec<Change>], paths: &mut BTreeSet<String>) {
    loop {
        let known = paths.len();
        for step in steps {
            let comes = |change: &Change| {
                change.file.old.is_none() && change.file.new.as_ref().is_some_and(|path| paths.contains(path))
            };
            if step.iter().any(comes) {
                let left = step.iter().filter(|change| change.file.new.is_none());
                paths.extend(left.filter_map(|change| change.file.old.clone()));
            }
        }
        if paths.len() == known {
            return;
        }
    }
}

/// Returns the ids of missing blobs.
fn missing(repository: &Repository, from: &str, to: &str) -> Result<HashSet<String>> {
    let range = format!("{from}..{to}");
    let list = ["rev-list", "--objects", "--missing=print", "--first-parent"];
    let mut all = HashSet::new();
    for what in [&["--end-of-options", range.as_str()][..], &["--no-walk", "--end-of-options", from][..]] {
        let said = repository.git(&[&list, what].concat())?;
        let names = said.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"?"));
        all.extend(names.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    Ok(all)
}

/// Returns their paths at a commit.
fn standing(repository: &Repository, commit: &str, missing: &HashSet<String>) -> Result<BTreeSet<String>> {
    let tree = repository.tree(commit)?;
    Ok(tree.into_iter().filter(|(_, file)| missing.contains(&file.id)).map(|(path, _)| path).collect())
}

/// Returns all steps, newest first.
fn steps(repository: &Repository, from: &str, to: &str) -> Result<Vec<Vec<Change>>> {
    let said = repository.git(&[
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        "--format=%x01%H",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        "--end-of-options",
        &format!("{from}..{to}"),
    ])?;
    let mut steps: Vec<Vec<Change>> = Vec::new();
    for line in said.split(|byte| *byte == b'\n') {
        if line.starts_with(b"\x01") {
            steps.push(Vec::new());
        } else if let (Some(step), Some(change)) = (steps.last_mut(), change(line)) {
            step.push(change);
        }
    }
    Ok(steps)
}

/// Parses `:100644 100644 <blob> <blob> M<tab>path`.
fn change(line: &[u8]) -> Option<Change> {
    let file = raw_change(line.strip_prefix(b":").map(|_| line)?)?;
    let mut fields = line.split(|byte| *byte == b' ').skip(2);
    let mut content = || Some(String::from_utf8_lossy(fields.next()?).into_owned());
    Some(Change { file, contents: [content()?, content()?] })
}

#[cfg(test)]
mod tests {
    use super::super::super::synthetic_history::{Commit, import};
    use super::*;

    fn commit(files: &[(&str, &str)], parents: Vec<usize>) -> Commit {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Commit { files, parents, branch: "main".to_owned(), ..Commit::default() }
    }

    /// Creates three commits. The second has a blob that the clone then loses.
    fn holed(folder: &std::path::Path) -> Result<(Repository, Vec<String>)> {
        let path = folder.join("holed");
        let stays = ("kept.txt", "one line of many words\n");
        let commits = [
            commit(&[stays, ("a.txt", "first text\n"), ("b.txt", "what may have become it\n")], Vec::new()),
            commit(&[stays, ("a.txt", "lost text\n"), ("b.txt", "what may have become it\n")], vec![0]),
            commit(&[stays, ("c.txt", "lost text\n")], vec![1]),
            commit(&[("kept.txt", "another line\n"), ("c.txt", "found again\n")], vec![2]),
        ];
        let ids = import(&path, &commits)?;
        let repository = Repository::open(&path)?;
        let lost = repository.git(&["rev-parse", &format!("{}:a.txt", ids[1])])?;
        let lost = String::from_utf8_lossy(&lost).trim().to_owned();
        std::fs::remove_file(path.join("objects").join(&lost[..2]).join(&lost[2..]))?;
        Ok((Repository::open(&path)?, ids))
    }

    #[test]
    fn paths_with_missing_contents_are_left_out_and_those_that_may_have_become_them() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (repository, ids) = holed(folder.path())?;
        let paths = |from: &str, to: &str| -> Result<Vec<String>> {
            Ok(holes(&repository, from, to)?.into_iter().collect())
        };
        assert_eq!(paths(&ids[0], &ids[1])?, ["a.txt"]);
        assert_eq!(paths(&ids[1], &ids[2])?, ["a.txt", "b.txt", "c.txt"]);
        assert_eq!(paths(&ids[0], &ids[3])?, ["a.txt", "b.txt", "c.txt"]);
        Ok(())
    }

    #[test]
    fn a_whole_clone_has_no_holes() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("whole");
        let ids = import(&path, &[commit(&[("a", "1\n")], Vec::new()), commit(&[("b", "1\n")], vec![0])])?;
        assert!(holes(&Repository::open(&path)?, &ids[0], &ids[1])?.is_empty());
        Ok(())
    }
}
