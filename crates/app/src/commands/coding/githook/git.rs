//! Runs the git program in the environment and with the configuration of the caller, because a hook
//! is part of the caller's commit. Each call has a time limit. `local_code` reads code in process,
//! and `git_program` sends objects without any user configuration.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use loci_engine::safety::sanitise;
use loci_model::ports::clock::Clock as _;

use crate::adapters::SystemClock;

/// The interval in milliseconds between checks for the end of a call.
const LOOK_MS: u64 = 2;
/// The maximum number of bytes of an answer.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The maximum number of bytes of a change for which a patch id is computed.
const PATCH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Settings of each call, so that a program can parse the output, in one encoding.
const SETTINGS: [&str; 6] =
    ["-c", "log.showSignature=false", "-c", "core.quotePath=false", "-c", "i18n.logOutputEncoding=UTF-8"];

/// The git program in a directory.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    directory: PathBuf,
    limit_ms: u64,
}

/// The directories of a working tree and of its clone.
#[derive(Debug, Clone)]
pub(crate) struct WorkingTree {
    /// The directory with the state of this working tree.
    pub(crate) own: PathBuf,
    /// The directory that all working trees of the clone share.
    pub(crate) common: PathBuf,
    /// The root of the working tree.
    pub(crate) top: PathBuf,
}

impl WorkingTree {
    /// Returns the directories of all working trees of the clone, sorted.
    pub(crate) fn all_of_clone(&self) -> Vec<PathBuf> {
        let others = std::fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = others.map(|other| other.path()).chain([self.common.clone()]).collect();
        all.sort();
        all
    }
}

impl Git {
    /// Returns git in a directory, with a time limit per call.
    pub(crate) fn at(directory: &Path, limit: Duration) -> Self {
        let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Self { directory: directory.to_owned(), limit_ms }
    }

    /// Returns git in the same directory with another time limit per call.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        Self::at(&self.directory, limit)
    }

    /// Returns the working tree that contains the directory.
    ///
    /// # Errors
    /// The directory is not in a working tree.
    pub(crate) async fn working_tree(&self) -> Result<WorkingTree> {
        let (own, common) = (self.directory("--git-dir").await?, self.directory("--git-common-dir").await?);
        Ok(WorkingTree { own, common, top: self.directory("--show-toplevel").await? })
    }

    /// Returns the canonical path of a directory. Its name need not be UTF-8.
    async fn directory(&self, which: &str) -> Result<PathBuf> {
        let said = self.answer_bytes(&["rev-parse", which]).await?.context("finding the git working tree")?;
        let said = said.strip_suffix(b"\n").unwrap_or(&said).to_vec();
        let path = self.directory.join(OsString::from_vec(said));
        std::fs::canonicalize(&path).with_context(|| format!("the folder {}", path.display()))
    }

    /// Returns the output of a call without the trailing newline. Invalid UTF-8 is replaced,
    /// because a commit may contain any bytes.
    ///
    /// # Errors
    /// The call fails, takes too long, or prints too much.
    pub(crate) async fn output<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<String> {
        self.output_for(arguments, None).await
    }

    /// Returns the output of a call, or `None` if the call fails.
    ///
    /// # Errors
    /// The call takes too long, or prints too much.
    pub(crate) async fn answer<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Option<String>> {
        Ok(self.answer_bytes(arguments).await?.map(|bytes| text(&bytes)))
    }

    /// Returns the output of a call as bytes, or `None` if the call fails.
    ///
    /// # Errors
    /// The call takes too long, or prints too much.
    pub(crate) async fn answer_bytes<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Option<Vec<u8>>> {
        let (bytes, ok) = self.attempt(arguments, None).await?;
        Ok(ok.then_some(bytes))
    }

    /// Returns the output of a call that reads these lines on its standard input.
    ///
    /// # Errors
    /// See `output`.
    pub(crate) async fn output_of<S: AsRef<OsStr>>(&self, arguments: &[S], lines: &str) -> Result<String> {
        let mut input = tempfile::tempfile().context("a file for what git reads")?;
        input.write_all(lines.as_bytes()).context("writing what git reads")?;
        input.rewind()?;
        self.output_for(arguments, Some(input)).await
    }

    async fn output_for<S: AsRef<OsStr>>(&self, arguments: &[S], input: Option<File>) -> Result<String> {
        let (bytes, ok) = self.attempt(arguments, input).await?;
        if !ok {
            let what = arguments.first().map(|first| first.as_ref().to_string_lossy().into_owned());
            bail!("git {} failed", what.unwrap_or_default());
        }
        Ok(text(&bytes))
    }

    /// Returns the stable patch id of a commit. Returns `None` for a merge, for an empty commit and
    /// for a change above the size limit.
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
        let (said, _) = self.attempt(&["patch-id", "--stable"], Some(file)).await?;
        Ok(text(&said).split_whitespace().next().map(str::to_owned))
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.directory).args(SETTINGS).args(arguments).stdin(Stdio::null());
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
        command
    }

    async fn attempt<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: Option<File>,
    ) -> Result<(Vec<u8>, bool)> {
        let file = tempfile::tempfile().context("a file for git's answer")?;
        let mut command = self.command(arguments);
        if let Some(input) = input {
            command.stdin(input);
        }
        // The person who commits does not see git's error output. The caller reports the failure.
        command.stdout(file.try_clone()?).stderr(Stdio::null());
        let ok =
            self.wait(command.spawn().context("the program git cannot be run: is it installed?")?).await?;
        (&file).rewind()?;
        let mut bytes = Vec::new();
        let read = file.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut bytes).context("reading git's answer")?;
        if read as u64 > ANSWER_BYTES_MAX {
            bail!("git's answer is longer than {ANSWER_BYTES_MAX} bytes");
        }
        Ok((bytes, ok))
    }

    /// Waits for the end and returns true on success. Kills a call that takes too long.
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

/// Returns the text without the trailing newline.
fn text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Returns the text of a commit for display, without control characters.
pub(crate) fn shown(text: &str) -> String {
    sanitise(text).replace(['\n', '\r', '\t'], " ")
}
