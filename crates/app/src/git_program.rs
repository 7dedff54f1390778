//! Runs the git executable of this machine, only for sending objects and for the sample repository.
//! Code is read in process. To send, git runs in an empty temporary repository that borrows the
//! clone's objects, so that configuration, hooks and filters of the clone have no effect. The
//! user's own configuration (ssh, credentials) applies. If the other end is a repository of this
//! machine, git runs there too, and must run nothing from that repository or its configuration.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};
use loci_engine::safety::sanitise;

use crate::process::signal_guard::SignalGuard;

/// Environment variables by which a calling git sets the location or the format of a repository.
/// They are removed.
const LEADING_AWAY: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXTERNAL_DIFF",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_DEFAULT_HASH",
    "GIT_QUARANTINE_PATH",
];
/// The git settings of each call, regardless of the user's configuration: no hooks, no file
/// watchers, and only these transports.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.ssh.allow=always",
    "protocol.https.allow=always",
];
/// The git settings of each push into a local repository: git starts no program that the hooks or
/// settings of that repository name, checks the pushed objects, and collects no garbage.
const SETTINGS_THERE: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=true",
    "receive.fsckObjects=true",
    "receive.denyCurrentBranch=refuse",
    "receive.autogc=false",
    "gc.auto=0",
    "maintenance.auto=false",
];
/// The maximum number of characters of git's message that an error contains.
const SAID_CHARS_MAX: usize = 2_000;

/// An empty temporary repository that borrows the objects of a clone, in which git runs.
pub(crate) struct GitProgram {
    folder: tempfile::TempDir,
    _guard: SignalGuard,
    objects: std::path::PathBuf,
    /// True if no person can enter a password, so that git must not prompt for one.
    is_quiet: bool,
}

impl GitProgram {
    /// Creates a repository over the objects in a clone's shared directory. `id_digits` is 40, or
    /// 64 for SHA-256.
    pub(crate) fn over(common_dir: &Path, id_digits: usize, is_quiet: bool) -> Result<Self> {
        let make = || tempfile::tempdir().context("a folder for git's own files");
        let (folder, guard) = SignalGuard::around(make)?;
        let program = Self { folder, _guard: guard, objects: common_dir.join("objects"), is_quiet };
        program.make_bare(program.folder.path(), id_digits)?;
        Ok(program)
    }

    /// Creates an empty bare repository, without hooks.
    pub(crate) fn make_bare(&self, path: &Path, id_digits: usize) -> Result<()> {
        let format = if id_digits == 64 { "sha256" } else { "sha1" };
        let format = format!("--object-format={format}");
        let mut command = self.base(&["init", "--quiet", "--bare", "--template="]);
        command.args([format.as_str(), "--"]).arg(path);
        run(&mut command, "making a bare repository").map(drop)
    }

    /// Runs git over the clone's objects, and returns its standard output.
    pub(crate) fn output<S: AsRef<OsStr>>(&self, arguments: &[S], what: &str) -> Result<String> {
        let output = run(&mut self.over_objects(arguments), what)?;
        String::from_utf8(output.stdout).with_context(|| format!("{what}: git's answer is not UTF-8"))
    }

    /// Runs git over the clone's objects, and shows its messages on standard error. Returns the
    /// output even if git fails.
    pub(crate) fn output_with_progress<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        what: &str,
    ) -> Result<Output> {
        let mut command = self.over_objects(arguments);
        command.stderr(Stdio::inherit());
        start(&mut command, what)
    }

    /// Runs git over the clone's objects, and returns the output even if git fails.
    pub(crate) fn attempt<S: AsRef<OsStr>>(&self, arguments: &[S], what: &str) -> Result<Output> {
        start(&mut self.over_objects(arguments), what)
    }

    fn over_objects<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.base(arguments);
        command.env("GIT_DIR", self.folder.path()).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.objects);
        command
    }

    fn base<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = undirected();
        command.envs([
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
        ]);
        if self.is_quiet {
            command.env("GIT_TERMINAL_PROMPT", "0");
        }
        command.current_dir(self.folder.path());
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        command
    }
}

/// Returns the shell command that starts a git service in a local repository. Git appends the path.
/// The settings of the calling command do not reach the service, so this command contains them
/// again. The service fetches no missing objects.
pub(crate) fn service_there(service: &str) -> String {
    let settings: String = SETTINGS_THERE.iter().map(|setting| format!("-c {setting} ")).collect();
    format!("GIT_ALLOW_PROTOCOL= git {settings}{service}")
}

/// Returns git's error message, sanitised because its text may come from a server.
pub(crate) fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let clean = sanitise(text.trim()).into_owned();
    match clean.char_indices().nth(SAID_CHARS_MAX) {
        Some((end, _)) => format!("{}… (cut)", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Returns a git command without the environment variables by which a calling git sets another
/// repository.
pub(crate) fn undirected() -> Command {
    let mut command = Command::new("git");
    LEADING_AWAY.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.stdin(Stdio::null());
    command
}

/// Runs git and returns its output.
///
/// # Errors
/// Git cannot be started, or fails. `what` names the work in the message.
pub(crate) fn run(command: &mut Command, what: &str) -> Result<Output> {
    let output = start(command, what)?;
    if !output.status.success() {
        bail!("{what}: git failed: {}", said(&output));
    }
    Ok(output)
}

fn start(command: &mut Command, what: &str) -> Result<Output> {
    command.output().with_context(|| format!("{what}: the program git cannot be run: is it installed?"))
}
