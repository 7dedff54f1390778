//! The binary under test, in its own home: commands that end, and servers that are stopped on drop.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_loci");
const START_MAX: Duration = Duration::from_secs(60);

/// A home with a data folder.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(arguments).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.folder.path()).env("USER", "tester").env("LOCI_DATA_DIR", self.path("data"));
        command.current_dir(self.folder.path());
        command
    }

    /// Runs a command and returns its output, regardless of success.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command with `--json` that must succeed, and returns its answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.ok(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Runs a command that must fail with this code, and returns its standard error.
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        said
    }

    /// Starts a server and waits until it listens.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        self.serve_with(arguments, &[])
    }

    /// Starts a server with these variables and waits until it listens.
    #[expect(clippy::disallowed_methods, reason = "a process is waited for in the machine's time")]
    pub(crate) fn serve_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Server {
        let port_file = self.path("port");
        let _ = std::fs::remove_file(&port_file);
        let log = std::fs::File::create(self.path("log")).unwrap();
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command
            .envs(variables.iter().copied())
            .arg("--port-file")
            .arg(&port_file)
            .args(arguments)
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        loop {
            if let Ok(port) = std::fs::read_to_string(&port_file) {
                return Server { child, url: format!("http://127.0.0.1:{}", port.trim()) };
            }
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none() && began.elapsed() < START_MAX, "no server: {ended:?}: {}", self.log());
            std::thread::yield_now();
        }
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

impl Server {
    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it immediately.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().map(drop).unwrap();
    }

    /// Stops it and waits for its end. Returns true if it ended without an error.
    pub(crate) fn stop(self) -> bool {
        self.stopped() == Some(0)
    }

    /// Stops it, and returns the exit code.
    pub(crate) fn stopped(mut self) -> Option<i32> {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already. The result of the test is decided by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
