//! A clone, read with the `git` command: commits, trees, contents. Read only.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// Files that a commit of use touches at most.
const TOUCHED_MAX: usize = 10;
/// A longer content is not text that people wrote.
const BYTES_MAX: usize = 512 * 1024;

/// One commit.
pub(super) struct Commit {
    pub(super) parent: String,
    /// Subject and body.
    pub(super) message: String,
    /// Paths of files that it changes or removes.
    pub(super) touched: Vec<String>,
}

/// A clone, and a `git cat-file` that answers.
pub(super) struct Repository {
    folder: PathBuf,
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Repository {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let mut process = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting git")?;
        let ask = process.stdin.take().context("git takes no questions")?;
        let answers = BufReader::new(process.stdout.take().context("git gives no answers")?);
        Ok(Self { folder: folder.to_owned(), process, ask, answers })
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        let done = Command::new("git").arg("-C").arg(&self.folder).args(arguments).output()?;
        if !done.status.success() {
            bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    /// The newest commits of use, oldest first.
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

    /// Paths and contents' names of a tree: regular files only.
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

    /// The text of a content; `None` where it is none.
    pub(super) fn text(&mut self, content: &str) -> Result<Option<String>> {
        writeln!(self.ask, "{content}")?;
        self.ask.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let length = header.trim_end().rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
        let length = length.with_context(|| format!("git said {header:?}"))?;
        let mut bytes = vec![0; length + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        let is_text = bytes.len() <= BYTES_MAX && !bytes.contains(&0);
        Ok(if is_text { String::from_utf8(bytes).ok() } else { None })
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
