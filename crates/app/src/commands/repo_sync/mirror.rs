//! A mirror as git sees it: what it has, how much must be sent, and sending it. What is pushed is data from a stranger to whoever
//! reads it: a mirror that is made here checks every object it is given and refuses more than its limit.

use std::path::Path;
use std::process::Output;

use anyhow::{Context, Result, bail};
use loci_model::{Error, ErrorKind};
use serde::Serialize;

use super::refs::Sent;
use super::target::Target;
use crate::exit::Usage;
use crate::git_program::{GitProgram, said};

/// Refs of a mirror that are looked at; what lies behind others is counted as if it had to be sent.
const REFS_MAX: usize = 1_000;

/// What becomes of a ref of the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    /// It is there already.
    Unchanged,
    /// The mirror has no such ref.
    Created,
    /// It is another commit there.
    Updated,
}

/// A mirror, over git.
pub(super) struct Mirror<'a> {
    git: &'a GitProgram,
    target: &'a Target,
}

impl<'a> Mirror<'a> {
    pub(super) fn new(git: &'a GitProgram, target: &'a Target) -> Self {
        Self { git, target }
    }

    /// Makes a bare repository on this machine that accepts at most so many bytes at once, and only whole, well-formed objects.
    pub(super) fn make(&self, path: &Path, id_digits: usize, branch: &str, bytes_max: u64) -> Result<()> {
        let parent = path.parent().context("a mirror lies in a folder")?;
        std::fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        self.git.make_bare(path, id_digits)?;
        let place = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        let directory = format!("--git-dir={place}");
        let bytes = bytes_max.to_string();
        for (name, value) in [
            ("receive.fsckObjects", "true"),
            ("transfer.fsckObjects", "true"),
            ("receive.maxInputSize", bytes.as_str()),
            ("receive.denyDeletes", "true"),
            ("receive.denyCurrentBranch", "ignore"),
        ] {
            self.git.output(&[directory.as_str(), "config", name, value], "setting up the mirror")?;
        }
        self.git
            .output(&[directory.as_str(), "symbolic-ref", "HEAD", branch], "setting up the mirror")
            .map(drop)
    }

    /// What the mirror has: id and name.
    pub(super) fn refs(&self) -> Result<Vec<(String, String)>> {
        let place = self.place()?;
        let text = self.git.output(&["ls-remote", "--refs", "--", place], "asking the mirror")?;
        let is_id = |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let pairs = text.lines().filter_map(|line| line.split_once('\t')).filter(|(id, _)| is_id(id));
        Ok(pairs.take(REFS_MAX).map(|(id, name)| (id.to_owned(), name.to_owned())).collect())
    }

    /// Bytes of the objects that the mirror lacks, as they lie in the clone.
    ///
    /// # Errors
    /// Where the clone lacks objects itself; `TooLarge` above the limit.
    pub(super) fn bytes(&self, sent: &[&Sent], there: &[(String, String)], bytes_max: u64) -> Result<u64> {
        let mut arguments = vec!["rev-list", "--objects", "--disk-usage", "--ignore-missing"]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        arguments.extend(sent.iter().map(|one| one.commit.to_string()));
        arguments.push("--not".to_owned());
        arguments.extend(there.iter().map(|(id, _)| id.clone()));
        let remedy = "a clone that holds not all (partial, damaged) cannot be mirrored: fetch what it lacks";
        let text = self.git.output(&arguments, "counting what the mirror lacks").context(remedy)?;
        let bytes = text.trim().parse::<u64>().context("git's count of bytes")?;
        if bytes > bytes_max {
            let rule =
                format!("{bytes} bytes would be sent, more than {bytes_max}: allow it with --max-bytes");
            return Err(Error::new(ErrorKind::TooLarge, rule).into());
        }
        Ok(bytes)
    }

    /// Sends commits under their names. A branch that was rewritten is rewritten there.
    pub(super) fn push(&self, sent: &[&Sent], with_progress: bool) -> Result<()> {
        let mut arguments = vec!["push", "--porcelain", "--no-verify"];
        if with_progress {
            arguments.push("--progress");
        }
        arguments.extend(["--", self.place()?]);
        let specs: Vec<String> = sent.iter().map(|one| format!("+{}:{}", one.commit, one.name)).collect();
        arguments.extend(specs.iter().map(String::as_str));
        let output = match with_progress {
            true => self.git.output_with_progress(&arguments, "pushing")?,
            false => self.git.attempt(&arguments, "pushing")?,
        };
        if !output.status.success() {
            bail!("the mirror did not take it: {}", refused(&output));
        }
        Ok(())
    }

    fn place(&self) -> Result<&str> {
        match self.target {
            Target::Remote(url) => Ok(url),
            Target::Local(path) => {
                Ok(path.to_str().ok_or_else(|| Usage(format!("{} is not UTF-8", path.display())))?)
            }
        }
    }
}

/// What becomes of each ref.
pub(super) fn changes(sent: &[Sent], there: &[(String, String)]) -> Vec<Change> {
    let change = |one: &Sent| match there.iter().find(|(_, name)| *name == one.name) {
        None => Change::Created,
        Some((id, _)) if *id == one.commit.to_string() => Change::Unchanged,
        Some(_) => Change::Updated,
    };
    sent.iter().map(change).collect()
}

/// The refs that were refused, and what git said.
fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("!\t")).collect();
    let lines = loci_engine::safety::sanitise(&lines.join("; ")).into_owned();
    let said = said(output);
    [lines, said].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}
