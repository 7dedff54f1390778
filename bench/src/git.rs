//! The `git` executable as all measurements start it, without the configuration of the repository
//! or the machine. It uses no code of the product that reads repositories.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// Returns a `git` command that ignores any configuration of the repository or the machine that
/// runs, fetches or replaces something.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, value) in [
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command.arg("-C").arg(folder).stdin(Stdio::null());
    for setting in [
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.quotePath=false",
        "protocol.allow=never",
        "safe.directory=*",
        "diff.renameLimit=2000",
        "diff.noprefix=false",
        "diff.mnemonicPrefix=false",
        "diff.suppressBlankEmpty=false",
    ] {
        command.args(["-c", setting]);
    }
    command
}

/// Returns the output of `git`.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let done = command(folder).args(arguments).output().context("starting git")?;
    if !done.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(done.stdout)
}

/// Returns the output of `git` as text.
pub(crate) fn git_text(folder: &Path, arguments: &[&str]) -> Result<String> {
    Ok(String::from_utf8_lossy(&git(folder, arguments)?).into_owned())
}

/// The blobs of a repository, read through a running `git cat-file`.
pub(crate) struct Contents {
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Contents {
    /// Opens a clone, a bare repository or a worktree.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let mut process = command(folder)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting git")?;
        let ask = process.stdin.take().context("git takes no questions")?;
        let answers = BufReader::new(process.stdout.take().context("git gives no answers")?);
        Ok(Self { process, ask, answers })
    }

    /// Returns the bytes of a blob, or `None` if the object does not exist.
    pub(crate) fn read(&mut self, content: &str) -> Result<Option<Vec<u8>>> {
        writeln!(self.ask, "{content}")?;
        self.ask.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        if header.trim_end().ends_with(" missing") {
            return Ok(None);
        }
        let length = header.trim_end().rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
        let length = length.with_context(|| format!("git said {header:?}"))?;
        let mut bytes = vec![0; length + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
