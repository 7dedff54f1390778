//! Writes commits into a new bare repository with `git fast-import`, in a separate folder. No other
//! code of the benchmarks writes a repository this way.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::git::command;

/// The kind of a tree entry that is not a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Link,
    /// A submodule. Its bytes are the id of a commit.
    Submodule,
}

/// One commit: files, parents (numbers of earlier commits, the first parent first) and message.
#[derive(Default)]
pub(crate) struct Commit {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Entries that are not files.
    pub(crate) others: Vec<(String, Mode, Vec<u8>)>,
    pub(crate) parents: Vec<usize>,
    pub(crate) message: String,
    /// The branch that the commit advances: `main` or another. A commit without parents needs a new
    /// branch.
    pub(crate) branch: String,
}

/// The time of the first commit and the interval between commits, in seconds.
const BEGIN: u64 = 1_700_000_000;
const APART: u64 = 6 * 3600;

/// Writes all commits. Returns their ids, in order.
///
/// # Errors
/// Errors if git is missing or fails.
pub(crate) fn import(folder: &Path, commits: &[Commit]) -> Result<Vec<String>> {
    let parent = folder.parent().unwrap_or(folder);
    let made = command(parent)
        .args(["init", "--quiet", "--bare", "--initial-branch=main", "--template="])
        .arg(folder)
        .stdout(Stdio::null())
        .status()
        .context("starting git")?;
    if !made.success() {
        bail!("git made no repository in {}", folder.display());
    }
    let marks = folder.join("marks");
    let mut process = command(folder)
        .args(["fast-import", "--quiet", "--export-marks=marks"])
        .stdin(Stdio::piped())
        .spawn()
        .context("starting git fast-import")?;
    {
        let mut out = std::io::BufWriter::new(process.stdin.take().context("git takes no commits")?);
        write(&mut out, commits)?;
        out.flush()?;
    }
    if !process.wait()?.success() {
        bail!("git fast-import refused the made-up history");
    }
    let said = std::fs::read_to_string(&marks)?;
    let by_mark: HashMap<&str, &str> = said.lines().filter_map(|line| line.split_once(' ')).collect();
    let id = |at| by_mark.get(format!(":{}", at + 1).as_str()).map(|id| (*id).to_owned());
    (0..commits.len()).map(|at| id(at).context("a commit without an id")).collect()
}

fn blobs_of(commit: &Commit) -> impl Iterator<Item = &Vec<u8>> {
    let others = commit.others.iter().filter(|(_, mode, _)| *mode != Mode::Submodule);
    commit.files.iter().map(|(_, bytes)| bytes).chain(others.map(|(_, _, bytes)| bytes))
}

/// Writes the stream. Commits have marks from 1, and the marks of their blobs follow.
fn write(out: &mut impl std::io::Write, commits: &[Commit]) -> Result<()> {
    let mut blobs: HashMap<&[u8], usize> = HashMap::new();
    for (at, commit) in commits.iter().enumerate() {
        for bytes in blobs_of(commit) {
            let next = commits.len() + blobs.len() + 1;
            if let std::collections::hash_map::Entry::Vacant(slot) = blobs.entry(bytes) {
                slot.insert(next);
                writeln!(out, "blob\nmark :{next}\ndata {}", bytes.len())?;
                out.write_all(bytes)?;
                writeln!(out)?;
            }
        }
        let when = BEGIN + APART * u64::try_from(at).unwrap_or(0);
        writeln!(out, "commit refs/heads/{}\nmark :{}", commit.branch, at + 1)?;
        writeln!(out, "committer Nobody <nobody@example.com> {when} +0000")?;
        writeln!(out, "data {}\n{}", commit.message.len(), commit.message)?;
        for (place, parent) in commit.parents.iter().enumerate() {
            writeln!(out, "{} :{}", if place == 0 { "from" } else { "merge" }, parent + 1)?;
        }
        writeln!(out, "deleteall")?;
        for (path, bytes) in &commit.files {
            let mark = blobs.get(bytes.as_slice()).copied().unwrap_or(0);
            writeln!(out, "M 100644 :{mark} {path}")?;
        }
        for (path, mode, bytes) in &commit.others {
            let mark = blobs.get(bytes.as_slice()).copied().unwrap_or(0);
            match mode {
                Mode::Link => writeln!(out, "M 120000 :{mark} {path}")?,
                Mode::Submodule => writeln!(out, "M 160000 {} {path}", String::from_utf8_lossy(bytes))?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
