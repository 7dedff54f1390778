//! Git's own program, run where a person or an agent runs it: with their environment and configuration, for a hook is part of
//! their commit. Nothing waits for it longer than is said. Code is read elsewhere, in process (`local_code`); objects are sent
//! elsewhere, cut off from all configuration (`git_program`).

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use loci_engine::safety::sanitise;
use loci_model::ports::clock::Clock as _;

use crate::adapters::SystemClock;

/// How often an end is looked for.
const LOOK_MS: u64 = 2;
/// Bytes of an answer.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of a change of which a patch id is made; of a greater one none is.
const PATCH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Settings of every call: what is printed is read by a program.
const SETTINGS: &[&str] = &["-c", "log.showSignature=false", "-c", "core.quotePath=false"];

/// Git in a directory.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    directory: PathBuf,
    limit_ms: u64,
}

/// Where a working tree is, and its clone.
#[derive(Debug, Clone)]
pub(crate) struct WorkingTree {
    /// The directory of this working tree's own state.
    pub(crate) own: PathBuf,
    /// What all working trees of the clone have together.
    pub(crate) common: PathBuf,
    /// The root of the working tree.
    pub(crate) top: PathBuf,
    /// Where git looks for hooks.
    pub(crate) hooks: PathBuf,
}

impl Git {
    /// In a directory; no call takes longer than this.
    pub(crate) fn at(directory: &Path, limit: Duration) -> Self {
        let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Self { directory: directory.to_owned(), limit_ms }
    }

    /// The same, where no call may take longer than this.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        Self::at(&self.directory, limit)
    }

    /// The working tree that it stands in.
    ///
    /// # Errors
    /// Outside of one.
    pub(crate) async fn working_tree(&self) -> Result<WorkingTree> {
        let asked = ["rev-parse", "--git-dir", "--git-common-dir", "--show-toplevel", "--git-path", "hooks"];
        let said = self.output(&asked).await.context("finding the git working tree")?;
        let mut lines = said.lines().map(|line| self.directory.join(line));
        let mut next = || lines.next().context("git names too few directories");
        Ok(WorkingTree { own: next()?, common: next()?, top: next()?, hooks: next()? })
    }

    /// What a call prints, without the last line's end.
    ///
    /// # Errors
    /// It fails, takes too long, or prints too much or no text.
    pub(crate) async fn output<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<String> {
        let (text, ok) = self.attempt(arguments, None).await?;
        if !ok {
            let what = arguments.first().map(|first| first.as_ref().to_string_lossy().into_owned());
            bail!("git {} failed", what.unwrap_or_default());
        }
        Ok(text)
    }

    /// The same where a failure is an answer: `None`.
    ///
    /// # Errors
    /// It takes too long, or prints too much or no text.
    pub(crate) async fn answer<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Option<String>> {
        let (text, ok) = self.attempt(arguments, None).await?;
        Ok(ok.then_some(text))
    }

    /// The stable id of what a commit changes; `None` for a merge, a commit that changes nothing and one that changes very much.
    ///
    /// # Errors
    /// Git fails or takes too long.
    pub(crate) async fn patch_id(&self, commit: &str) -> Result<Option<String>> {
        let file = tempfile::tempfile().context("a file for a change")?;
        let change =
            ["diff-tree", "-p", "--root", "--no-renames", "--full-index", "--end-of-options", commit];
        let mut command = self.command(&change);
        command.stdout(file.try_clone()?).stderr(Stdio::null());
        if !self.wait(command.spawn().context("git cannot be run")?).await? {
            bail!("git diff-tree failed");
        }
        if file.metadata()?.len() > PATCH_BYTES_MAX {
            return Ok(None);
        }
        (&file).rewind()?;
        let (text, _) = self.attempt(&["patch-id", "--stable"], Some(file)).await?;
        Ok(text.split_whitespace().next().map(str::to_owned))
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.directory).args(SETTINGS).args(arguments).stdin(Stdio::null());
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
        command
    }

    async fn attempt<S: AsRef<OsStr>>(&self, arguments: &[S], input: Option<File>) -> Result<(String, bool)> {
        let file = tempfile::tempfile().context("a file for git's answer")?;
        let mut command = self.command(arguments);
        if let Some(input) = input {
            command.stdin(input);
        }
        // What it says of a failure is kept from the person who commits; the caller says what failed.
        command.stdout(file.try_clone()?).stderr(Stdio::null());
        let ok =
            self.wait(command.spawn().context("the program git cannot be run: is it installed?")?).await?;
        (&file).rewind()?;
        let mut text = String::new();
        let read =
            file.take(ANSWER_BYTES_MAX + 1).read_to_string(&mut text).context("git's answer is not UTF-8")?;
        if read as u64 > ANSWER_BYTES_MAX {
            bail!("git's answer is longer than {ANSWER_BYTES_MAX} bytes");
        }
        let end = text.trim_end_matches('\n').len();
        text.truncate(end);
        Ok((text, ok))
    }

    /// True where it ended well. One that takes too long is ended.
    async fn wait(&self, mut child: Child) -> Result<bool> {
        let clock = SystemClock::new();
        let began_us = clock.monotonic_us();
        loop {
            if let Some(status) = child.try_wait().context("waiting for git")? {
                return Ok(status.success());
            }
            if clock.monotonic_us().saturating_sub(began_us) > self.limit_ms.saturating_mul(1_000) {
                let _ = child.kill(); // it may have ended by itself
                let _ = child.wait();
                bail!("git took longer than {} ms", self.limit_ms);
            }
            clock.sleep(LOOK_MS).await;
        }
    }
}

/// A text of a commit as it is shown: without control characters.
pub(crate) fn shown(text: &str) -> String {
    sanitise(text).replace(['\n', '\r', '\t'], " ")
}
