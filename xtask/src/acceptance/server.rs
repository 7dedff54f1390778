//! Starts the programs that a suite needs, on free ports and in a temporary folder: `loci serve`,
//! with the scripted model if requested, and the stub of Bedrock Runtime. They stop when their
//! handle is dropped. It knows nothing about the requests that they receive.

use super::{Model, Store, environment};
use anyhow::{Context, Result, bail};
use loci_pgserver::{PostgresServer, Settings};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const START_MAX: Duration = Duration::from_secs(30);
const LOG_LINES: usize = 60;

/// The settings of `loci serve` for a suite.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) loci: PathBuf,
    /// True to extract before CreateEvent answers.
    pub(super) sync: bool,
    /// The language model that reads conversations.
    pub(super) model: Model,
    /// The store of the server.
    pub(super) store: Store,
}

/// A running program that listens on loopback.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    log: PathBuf,
    pub(super) url: String,
    /// The scripted model that the program calls. It stops with the program.
    asks: Option<Box<Running>>,
    /// The database of the program, if its store is not a folder. It stops after the program.
    database: Option<Database>,
}

/// A PostgreSQL server of its own, and the name of the database in it.
#[derive(Debug)]
struct Database {
    server: PostgresServer,
    name: String,
}

/// Starts a fresh server whose data folder is `folder/data`.
pub(super) fn loci(options: &Options, folder: &Path) -> Result<Running> {
    let port_file = folder.join("loci.port");
    let mut command = Command::new(&options.loci);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(folder.join("data"));
    command.arg("--port-file").arg(&port_file);
    environment::without_own(&mut command);
    command.env("HOME", folder).env("XDG_CONFIG_HOME", folder).env("LOCI_LOG_LEVEL", "warn");
    if options.sync {
        command.env("LOCI_EXTRACTION_SYNC", "true");
    }
    let asks = match options.model {
        Model::None => None,
        Model::Scripted => {
            let model = scripted(&options.loci, folder)?;
            let configuration = folder.join("loci.toml");
            std::fs::write(&configuration, reading_with(&model.url))?;
            command.arg("--config").arg(&configuration).env("LOCI_LLM_MODE", "provider");
            Some(Box::new(model))
        }
    };
    let database = match options.store {
        Store::Folder => None,
        Store::Postgres => {
            // Durable: it waits for the disk, as a production server does.
            let server = PostgresServer::start(&Settings { durable: true, ..Settings::default() })?;
            let url = server.fresh_database()?;
            command.env("LOCI_STORE", &url);
            Some(Database { name: url.rsplit('/').next().unwrap_or_default().to_owned(), server })
        }
    };
    let mut running = start(command, &port_file, folder.join("loci.log"))?;
    (running.asks, running.database) = (asks, database);
    Ok(running)
}

/// Starts the scripted model. Its program lies next to `loci`.
fn scripted(loci: &Path, folder: &Path) -> Result<Running> {
    let port_file = folder.join("model.port");
    let mut command = Command::new(loci.with_file_name("loci-bench"));
    command.arg("scripted-model").arg("--port-file").arg(&port_file);
    start(command, &port_file, folder.join("model.log"))
}

/// Returns the configuration file that selects the scripted model.
fn reading_with(url: &str) -> String {
    format!(
        "[llm]\nmodel = \"scripted\"\n\n[[model]]\nname = \"scripted\"\nprotocol = \"openai\"\nbase_url = \
         \"{url}/v1\"\nmodel = \"scripted\"\n"
    )
}

/// Starts the echo stub of Bedrock Runtime.
pub(super) fn stub(python: &Path, script: &Path, folder: &Path) -> Result<Running> {
    let port_file = folder.join("stub.port");
    let mut command = Command::new(python);
    command.arg(script).arg("--port-file").arg(&port_file);
    start(command, &port_file, folder.join("stub.log"))
}

/// Starts the fixtures of the conformance suite of MCP, which cargo builds as an example.
pub(super) fn mcp_fixtures(binary: &Path, folder: &Path) -> Result<Running> {
    let port_file = folder.join("fixtures.port");
    let mut command = Command::new(binary);
    command.arg("--port-file").arg(&port_file);
    start(command, &port_file, folder.join("fixtures.log"))
}

fn start(mut command: Command, port_file: &Path, log: PathBuf) -> Result<Running> {
    let output = File::create(&log)?;
    let child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()
        .with_context(|| format!("starting {}", command.get_program().to_string_lossy()))?;
    let mut running = Running { child, log, url: String::new(), asks: None, database: None };
    let began = Instant::now();
    while began.elapsed() < START_MAX {
        if let Some(port) = read_port(port_file) {
            running.url = format!("http://127.0.0.1:{port}");
            return Ok(running);
        }
        if let Some(status) = running.child.try_wait()? {
            bail!("it stopped before it listened ({status}):\n{}", running.log_tail());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    bail!("it did not listen within {} s:\n{}", START_MAX.as_secs(), running.log_tail())
}

fn read_port(file: &Path) -> Option<u16> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok().filter(|port| *port != 0)
}

impl Running {
    /// Returns the end of the program's log, for error messages.
    pub(super) fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        lines.get(lines.len().saturating_sub(LOG_LINES)..).unwrap_or_default().join("\n")
    }

    /// Returns the number of requests to the language model, or `None` if the server has no model.
    pub(super) fn questions(&self) -> Option<usize> {
        let log = std::fs::read_to_string(&self.asks.as_ref()?.log).unwrap_or_default();
        Some(log.lines().filter(|line| line.starts_with("asked for ")).count())
    }

    /// Returns the number of rows written to the server's PostgreSQL, or `None` if its store is a
    /// folder.
    pub(super) fn rows_written(&self) -> Result<Option<u64>> {
        let Some(database) = &self.database else { return Ok(None) };
        // PostgreSQL counts the writes of a session when it has been idle for a moment, or at once
        // if the session requests it.
        let rows = "SELECT coalesce(sum(n_tup_ins), 0) FROM pg_stat_user_tables";
        Ok(Some(database.server.sql(&database.name, rows)?.trim().parse()?))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The program may have stopped already. The outcome of the test is decided by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_read_once_it_is_written_whole() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("port");
        assert_eq!(read_port(&file), None);
        for (text, port) in [("", None), ("0\n", None), ("8411\n", Some(8411)), ("x", None)] {
            std::fs::write(&file, text)?;
            assert_eq!(read_port(&file), port, "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_program_that_stops_at_once_is_an_error_with_its_log() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let outcome = start(Command::new("false"), &folder.path().join("port"), folder.path().join("log"));
        assert!(outcome.is_err_and(|e| e.to_string().contains("stopped before it listened")));
        Ok(())
    }
}
