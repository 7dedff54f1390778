//! A real `loci serve` as a child process: started, watched, killed. Its folder outlives it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

const START_MAX: Duration = Duration::from_secs(60);

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    /// The time from the start of the process until its port was known.
    pub(crate) started_in: Duration,
}

/// Returns the binary to measure: the given one, otherwise `loci` next to this program.
pub(crate) fn binary(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let own = std::env::current_exe()?;
    let beside = own.with_file_name("loci");
    if beside.exists() {
        Ok(beside)
    } else {
        bail!("no binary at {}: build it with the same profile, or name one with --binary", beside.display())
    }
}

impl Server {
    /// Starts a server on a folder and waits until it listens.
    pub(crate) fn start(binary: &Path, folder: &Path) -> Result<Self> {
        Self::start_with(binary, folder, &[])
    }

    /// Starts a server like `start`, with settings in the environment (`LOCI_<SECTION>_<KEY>`).
    pub(crate) fn start_with(binary: &Path, folder: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        let port_file = folder.with_extension("port");
        let _ = std::fs::remove_file(&port_file);
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.with_extension("log"))
            .context("opening the server's log")?;
        let began = Instant::now();
        let child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder)
            .arg("--port-file")
            .arg(&port_file)
            // This variable belongs to this program, which may start a database too.
            .env_remove(loci_pgserver::VARIABLE)
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .with_context(|| format!("starting {}", binary.display()))?;
        let mut server = Self { child, url: String::new(), started_in: Duration::ZERO };
        while began.elapsed() < START_MAX {
            let text = std::fs::read_to_string(&port_file).unwrap_or_default();
            if let Ok(port) = text.trim().parse::<u16>() {
                server.url = format!("http://127.0.0.1:{port}");
                server.started_in = began.elapsed();
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                bail!(
                    "the server stopped before it listened: {status}; see {}",
                    folder.with_extension("log").display()
                );
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        bail!("the server did not listen within {} s", START_MAX.as_secs())
    }

    /// Kills the server without a signal handler, as a power failure would.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill().context("killing the server")?;
        self.child.wait().context("waiting for the killed server")?;
        Ok(())
    }

    /// Requests the server to end and waits until it has ended.
    pub(crate) fn stop(mut self) -> Result<()> {
        self.ask_to_end()?;
        self.child.wait().context("waiting for the server to end")?;
        Ok(())
    }

    /// Requests the server to end, without waiting.
    pub(crate) fn ask_to_end(&self) -> Result<()> {
        let status = Command::new("kill").arg(self.child.id().to_string()).status()?;
        if !status.success() {
            bail!("the server could not be asked to end");
        }
        Ok(())
    }

    /// Returns the id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the resident memory of the process, in bytes.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().context("reading VmRSS")?;
        Ok(kib * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended already. The result does not depend on it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
