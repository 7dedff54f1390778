//! The environment of a workflow: a home, a repository with history, git and `loci`, isolated from
//! this machine's configuration. It knows no workflow.

use crate::process;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Commits of the history before the first task.
const HISTORY: usize = 20;
/// An editor that writes a subject on the first line.
const TYPES: &str =
    "f() { { echo \"Typed by a person\"; cat \"$1\"; } > \"$1.typed\"; mv \"$1.typed\" \"$1\"; }; f";

/// The maximum time until a server has started.
const START_MAX: Duration = Duration::from_secs(60);

/// A server that runs until this handle is dropped.
pub(super) struct RunningServer {
    child: Child,
    /// The base URL of the server.
    pub(super) url: String,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // The server may have ended already. The walk is over either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The environment of a workflow.
pub(super) struct Stage {
    home: tempfile::TempDir,
    loci: PathBuf,
    /// The clone that agents work in.
    pub(super) shop: PathBuf,
}

impl Stage {
    /// Creates an environment with an empty folder in place of the clone.
    pub(super) fn empty(loci: &Path) -> Result<Self> {
        let home = tempfile::tempdir().context("a folder for the walk")?;
        let shop = home.path().join("shop");
        std::fs::create_dir_all(&shop)?;
        Ok(Self { shop, loci: loci.to_owned(), home })
    }

    /// Creates an environment with a repository of some history.
    pub(super) fn new(loci: &Path) -> Result<Self> {
        let stage = Self::empty(loci)?;
        stage.git(&["init", "--quiet", "--initial-branch=main"])?;
        stage.git(&["remote", "add", "origin", "https://github.com/acme/shop.git"])?;
        for number in 0..HISTORY {
            stage.write(&format!("src/part_{number}.rs"), &format!("pub const PART: usize = {number};\n"))?;
            stage.git(&["add", "--all"])?;
            stage.git(&["commit", "--quiet", "-m", &format!("Add part {number}")])?;
        }
        Ok(stage)
    }

    /// Returns the path of a file or folder next to the clone.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file of the clone.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.shop.join(path);
        std::fs::create_dir_all(path.parent().context("a file in a folder")?)?;
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    /// Runs git in the clone.
    pub(super) fn git(&self, arguments: &[&str]) -> Result<String> {
        self.git_at(&self.shop, arguments)
    }

    /// Runs git in a directory.
    pub(super) fn git_at(&self, directory: &Path, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        command.args(arguments);
        succeeded(self.prepared(&mut command, directory))
    }

    /// Runs git as a person or a forge does, in a clone without our hooks.
    pub(super) fn git_elsewhere(&self, arguments: &[&str]) -> Result<String> {
        self.git(&[&["-c", "core.hooksPath=/dev/null"], arguments].concat())
    }

    /// Runs `loci` in the clone and returns its output as JSON.
    pub(super) fn loci(&self, arguments: &[&str]) -> Result<Value> {
        self.loci_at(&self.shop, arguments)
    }

    /// Runs `loci` in a directory and returns its output as JSON.
    pub(super) fn loci_at(&self, directory: &Path, arguments: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.loci);
        command.args(arguments).arg("--json");
        let text = succeeded(self.prepared(&mut command, directory))?;
        // A command may print progress before its output.
        serde_json::from_str(&text).with_context(|| format!("the answer of loci {arguments:?}: {text}"))
    }

    /// Returns the result of a tool of `loci mcp`, called in the clone by an agent that was started
    /// for a task.
    pub(super) fn tool(&self, task: &str, name: &str, arguments: &Value) -> Result<Value> {
        let mut command = Command::new(&self.loci);
        command.args(["mcp", "--profile", "coding"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = self.prepared(&mut command, &self.shop).env("LOCI_TASK_ID", task).spawn()?;
        let mut input = child.stdin.take().context("its input")?;
        let output = child.stdout.take().context("its output")?;
        let params = json!({ "name": name, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(input, "{call}")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        drop(input);
        let status = child.wait()?;
        ensure!(status.success(), "`loci mcp` ended with {status}");
        let answer: Value = serde_json::from_str(&line).with_context(|| format!("the answer {line:?}"))?;
        let result = &answer["result"];
        ensure!(result["isError"] != true && result["structuredContent"].is_object(), "{name}: {answer}");
        Ok(result["structuredContent"].clone())
    }

    /// Starts a server of the walk's memory, with this configuration and these variables.
    pub(super) fn serve(&self, config: &str, variables: &[(&str, &str)]) -> Result<RunningServer> {
        let (config_file, port_file) = (self.beside("config.toml"), self.beside("port"));
        std::fs::write(&config_file, config)?;
        if port_file.exists() {
            std::fs::remove_file(&port_file)?; // of a server before this one
        }
        let log = std::fs::File::create(self.beside("log"))?;
        let mut command = Command::new(&self.loci);
        command.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&config_file);
        command.arg("--port-file").arg(&port_file).stdout(log.try_clone()?).stderr(log);
        let mut child =
            self.prepared(&mut command, self.home.path()).envs(variables.iter().copied()).spawn()?;
        let began = Instant::now();
        loop {
            if let Ok(port) = std::fs::read_to_string(&port_file) {
                return Ok(RunningServer { child, url: format!("http://127.0.0.1:{}", port.trim()) });
            }
            let said = || std::fs::read_to_string(self.beside("log")).unwrap_or_default();
            ensure!(child.try_wait()?.is_none() && began.elapsed() < START_MAX, "no server: {}", said());
            std::thread::yield_now();
        }
    }

    /// Prepares a command of the walk in a directory, without this machine's configuration.
    pub(super) fn prepared<'c>(&self, command: &'c mut Command, directory: &Path) -> &'c mut Command {
        let home = self.home.path();
        command.current_dir(directory).env_clear().env("HOME", home).env("USER", "walker");
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LOCI_DATA_DIR", home.join("data"));
        command
            .env("GIT_EDITOR", TYPES)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_AUTHOR_NAME", "A").env("GIT_AUTHOR_EMAIL", "a@example.org");
        command.env("GIT_COMMITTER_NAME", "C").env("GIT_COMMITTER_EMAIL", "c@example.org")
    }
}

fn succeeded(command: &mut Command) -> Result<String> {
    let line = process::line(command);
    let Output { status, stdout, stderr } = command.output().with_context(|| format!("starting `{line}`"))?;
    let said = String::from_utf8_lossy(&stderr);
    ensure!(status.success(), "`{line}` failed ({status}): {said}");
    Ok(String::from_utf8(stdout).context("an answer that is no text")?.trim_end().to_owned())
}
