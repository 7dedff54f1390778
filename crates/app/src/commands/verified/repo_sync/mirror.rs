//! A mirror, accessed by git: its refs, the size of a push, and the push. Pushed data comes from a
//! stranger for the reader. A mirror created here checks each received object and rejects pushes
//! above its limit. A bare repository of this machine that someone else created is untrusted too:
//! nothing in it is run.

use std::path::Path;
use std::process::Output;

use anyhow::{Context, Result, bail};
use loci_model::{Error, ErrorKind};
use serde::Serialize;

use super::refs::MirroredCommit;
use super::target::MirrorTarget;
use crate::exit::Usage;
use crate::git_program::{GitProgram, said, service_there};
use crate::process::signal_guard::SignalGuard;

/// The maximum number of a mirror's refs to inspect. Objects behind others count as missing.
const REFS_MAX: usize = 1_000;

/// The effect of a push on a branch or tag of the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefChange {
    /// The mirror already has the commit.
    Unchanged,
    /// The mirror has no such ref.
    Created,
    /// The mirror has another commit.
    Updated,
}

/// A bare mirror repository, accessed by git.
pub(super) struct Mirror<'a> {
    git: &'a GitProgram,
    target: &'a MirrorTarget,
}

impl<'a> Mirror<'a> {
    pub(super) fn new(git: &'a GitProgram, target: &'a MirrorTarget) -> Self {
        Self { git, target }
    }

    /// Creates a local bare repository that accepts at most this many bytes per push, and only
    /// complete, well-formed objects.
    pub(super) fn make(&self, path: &Path, id_digits: usize, branch: &str, bytes_max: u64) -> Result<()> {
        let parent = path.parent().context("a mirror lies in a folder")?;
        std::fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        // The repository is created next to its place and moved when complete, so that an
        // interruption leaves no mirror without limits.
        let (workshop, guard) = SignalGuard::around(|| {
            let workshop = tempfile::Builder::new().prefix(".mirror-").tempdir_in(parent);
            workshop.with_context(|| format!("a folder in {}", parent.display()))
        })?;
        let made = workshop.path().join("bare.git");
        self.git.make_bare(&made, id_digits)?;
        self.limit(&made, branch, bytes_max)?;
        let moved = guard.finish(|| {
            let moved = std::fs::rename(&made, path);
            drop(workshop);
            moved
        });
        moved.with_context(|| format!("moving the mirror to {}", path.display()))
    }

    fn limit(&self, path: &Path, branch: &str, bytes_max: u64) -> Result<()> {
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

    /// Returns the refs of the mirror: id and name.
    ///
    /// # Errors
    /// A usage error for a local mirror whose settings run programs that cannot be disabled.
    pub(super) fn refs(&self) -> Result<Vec<(String, String)>> {
        self.check_settings()?;
        let place = self.place()?;
        let service = self.service("--upload-pack", "upload-pack");
        let mut arguments = vec!["ls-remote", "--refs"];
        arguments.extend(service.as_deref());
        arguments.extend(["--", place]);
        let text = self.git.output(&arguments, "asking the mirror")?;
        let is_id = |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let pairs = text.lines().filter_map(|line| line.split_once('\t')).filter(|(id, _)| is_id(id));
        Ok(pairs.take(REFS_MAX).map(|(id, name)| (id.to_owned(), name.to_owned())).collect())
    }

    /// Returns the bytes of the objects that the mirror lacks, as stored in the clone.
    ///
    /// # Errors
    /// The clone itself lacks objects; `TooLarge` above the limit.
    pub(super) fn bytes(
        &self,
        sent: &[&MirroredCommit],
        there: &[(String, String)],
        bytes_max: u64,
    ) -> Result<u64> {
        let mut arguments = vec!["rev-list", "--objects", "--disk-usage", "--ignore-missing"]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        arguments.extend(sent.iter().map(|one| one.commit.to_string()));
        arguments.push("--not".to_owned());
        arguments.extend(there.iter().map(|(id, _)| id.clone()));
        let remedy = "an incomplete clone (partial or damaged) cannot be mirrored: fetch its missing objects";
        let text = self.git.output(&arguments, "counting what the mirror lacks").context(remedy)?;
        let bytes = text.trim().parse::<u64>().context("git's count of bytes")?;
        if bytes > bytes_max {
            let rule =
                format!("{bytes} bytes would be sent, more than {bytes_max}: allow it with --max-bytes");
            return Err(Error::new(ErrorKind::TooLarge, rule).into());
        }
        Ok(bytes)
    }

    /// Pushes commits under their names. A rewritten branch is overwritten there.
    pub(super) fn push(&self, sent: &[&MirroredCommit], with_progress: bool) -> Result<()> {
        let service = self.service("--receive-pack", "receive-pack");
        // A push signature would make the other end run its signature checker.
        let mut arguments = vec!["push", "--porcelain", "--no-verify", "--no-signed"];
        if with_progress {
            arguments.push("--progress");
        }
        arguments.extend(service.as_deref());
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

    /// Hooks in settings run regardless of the command line, so a repository with such hooks is
    /// rejected.
    fn check_settings(&self) -> Result<()> {
        let MirrorTarget::Local(path) = self.target else { return Ok(()) };
        let directory = format!("--git-dir={}", self.place()?);
        let listing = ["--show-scope", "--includes", "--name-only", "-z"];
        let arguments = [&[directory.as_str(), "config", "--list"], &listing[..]].concat();
        let text = self.git.output(&arguments, "reading the mirror's settings")?;
        let mut words = text.split('\0');
        while let (Some(scope), Some(name)) = (words.next(), words.next()) {
            if ["local", "worktree"].contains(&scope) && name.starts_with("hook.") {
                let (path, name) = (path.display(), loci_engine::safety::sanitise(name));
                let remedy = "remove it, or name another place";
                return Err(Usage(format!("{path} runs a program by its setting {name}: {remedy}")).into());
            }
        }
        Ok(())
    }

    /// Returns the argument with the git service command for a local mirror.
    fn service(&self, option: &str, name: &str) -> Option<String> {
        matches!(self.target, MirrorTarget::Local(_)).then(|| format!("{option}={}", service_there(name)))
    }

    fn place(&self) -> Result<&str> {
        match self.target {
            MirrorTarget::Remote(url) => Ok(url),
            MirrorTarget::Local(path) => {
                Ok(path.to_str().ok_or_else(|| Usage(format!("{} is not UTF-8", path.display())))?)
            }
        }
    }
}

/// Returns the effect of the push on each ref.
pub(super) fn changes(sent: &[MirroredCommit], there: &[(String, String)]) -> Vec<RefChange> {
    let change = |one: &MirroredCommit| match there.iter().find(|(_, name)| *name == one.name) {
        None => RefChange::Created,
        Some((id, _)) if *id == one.commit.to_string() => RefChange::Unchanged,
        Some(_) => RefChange::Updated,
    };
    sent.iter().map(change).collect()
}

/// Returns the rejected refs, and git's message.
fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("!\t")).collect();
    let lines = loci_engine::safety::sanitise(&lines.join("; ")).into_owned();
    let said = said(output);
    [lines, said].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let git = GitProgram::over(folder.path(), 40, true).unwrap();
        let path = folder.path().join("acme/shop.git");
        let target = MirrorTarget::Local(path.clone());
        let mirror = Mirror::new(&git, &target);
        let entries = || std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        // The last setup step fails, as an earlier interruption would.
        mirror.make(&path, 40, "no branch", 10).unwrap_err();
        assert_eq!((path.exists(), entries()), (false, 0));
        mirror.make(&path, 40, "refs/heads/main", 10).unwrap();
        let config = std::fs::read_to_string(path.join("config")).unwrap();
        assert!(config.contains("maxInputSize = 10") && config.contains("fsckObjects = true"), "{config}");
        assert_eq!(entries(), 1);
        // The mode equals that of other folders, because a server of another user reads it.
        let mode = |path: &Path| std::os::unix::fs::MetadataExt::mode(&path.metadata().unwrap());
        assert_eq!(mode(&path), mode(path.parent().unwrap()));
        // Files that another process has created meanwhile are not overwritten.
        std::fs::write(path.join("letter"), "mine").unwrap();
        mirror.make(&path, 40, "refs/heads/main", 10).unwrap_err();
        assert!(path.join("letter").exists() && entries() == 1);
    }
}
