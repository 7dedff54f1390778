//! Creates repositories for tests with the git executable, isolated from the configuration of this
//! machine, and queries the ports.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;

use futures::executor::block_on;
use loci_git::{GitOptions, GitSources};
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::ports::code::{CodePlace, CodeResult, CodeSource, CodeSources, DiscoveredRepository};

/// A folder with repositories, removed when dropped.
pub(crate) struct Sample {
    folder: tempfile::TempDir,
    sources: GitSources,
}

impl Sample {
    pub(crate) fn new() -> Self {
        Self::allowing(Vec::new())
    }

    /// Like [`Sample::new`], with permitted roots.
    pub(crate) fn allowing(roots: Vec<PathBuf>) -> Self {
        let sources = GitSources::start(GitOptions { threads: 2, roots }).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), sources }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Runs git in a directory of the folder, and returns the output without its last line end.
    pub(crate) fn git(&self, directory: &str, arguments: &[&str]) -> String {
        self.git_with(directory, arguments, &[])
    }

    pub(crate) fn git_with(&self, directory: &str, arguments: &[&str], settings: &[(&str, &str)]) -> String {
        let path = self.path(directory);
        std::fs::create_dir_all(&path).unwrap();
        let mut command = Command::new("git");
        command.current_dir(&path).args(arguments).envs(isolation());
        command.env("HOME", &path).envs(settings.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Writes a file under a directory of the folder.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Commits everything in a worktree.
    pub(crate) fn commit(&self, directory: &str, message: &str) -> ObjectId {
        self.git(directory, &["add", "--all"]);
        self.git(directory, &["commit", "--quiet", "--allow-empty", "--message", message]);
        self.id(directory, "HEAD")
    }

    pub(crate) fn id(&self, directory: &str, name: &str) -> ObjectId {
        ObjectId::parse(&self.git(directory, &["rev-parse", name])).unwrap()
    }

    /// Queries the repository at a directory of the folder.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        directory: &str,
        work: impl FnOnce(&dyn CodeSource) -> CodeResult<T> + Send + 'static,
    ) -> CodeResult<T> {
        self.ask_at(&self.path(directory), work)
    }

    pub(crate) fn ask_at<T: Send + 'static>(
        &self,
        path: &Path,
        work: impl FnOnce(&dyn CodeSource) -> CodeResult<T> + Send + 'static,
    ) -> CodeResult<T> {
        let (done, answer) = mpsc::channel();
        let place = CodePlace::Local(path.to_owned());
        block_on(self.sources.read(&place, Box::new(move |source| done.send(work(source)).unwrap())))?;
        answer.recv().expect("the work was done")
    }

    pub(crate) fn discover(&self, directory: &str) -> loci_model::Result<Option<DiscoveredRepository>> {
        block_on(self.sources.discover(&self.path(directory)))
    }

    /// Returns the paths of a revision.
    pub(crate) fn paths(&self, directory: &str, at: Revision) -> CodeResult<Vec<String>> {
        self.ask(directory, move |source| {
            Ok(source.files(&at)?.iter().map(|file| file.path.clone()).collect())
        })
    }

    /// Returns the content of a path; `None` if it does not exist.
    pub(crate) fn content(&self, directory: &str, at: Revision, path: &str) -> CodeResult<Option<String>> {
        let path = path.to_owned();
        self.ask(directory, move |source| {
            let Some(entry) = source.entry(&at, &path)? else { return Ok(None) };
            let content = source.read(&entry.id, 1 << 20)?;
            Ok(Some(String::from_utf8_lossy(&content).into_owned()))
        })
    }
}

/// Returns an environment that isolates git from the configuration of this machine.
pub(crate) fn isolation() -> [(&'static str, &'static str); 10] {
    [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"),
        ("GIT_COMMITTER_NAME", "C"),
        ("GIT_COMMITTER_EMAIL", "c@example.org"),
        ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"),
        ("GIT_DEFAULT_HASH", "sha1"),
    ]
}
