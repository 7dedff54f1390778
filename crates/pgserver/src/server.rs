//! One PostgreSQL: its folder, its port, its settings, and the kinds of ends that a test may need.
//! The caller decides about the statements.

use std::io::{Error, Result};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::binaries::{Binaries, open_to_everyone};
use crate::guard::{End, Guard, as_server_user, give_to_server_user};

const USER: &str = "loci";
/// Ports below the ephemeral range of the system, so that a port stays free while its server
/// restarts.
const PORTS: std::ops::Range<u32> = 15_000..32_000;
const PORT_TRIES: u32 = 8;
const STEP: Duration = Duration::from_millis(10);
/// The maximum number of polling steps, enough for a recovery after a kill.
const STEPS_MAX: u32 = 6_000;
const LOG_LINES: usize = 40;

/// The settings of a server.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// True if a commit waits for the disk, with the timing of a real server. False loses data only
    /// if the machine fails, and not if the server's processes are killed.
    pub durable: bool,
    /// Further settings by name, as in `postgresql.conf`, which take precedence.
    pub further: Vec<(String, String)>,
}

/// A running server on loopback with one superuser without a password. Its folder is removed with
/// it.
#[derive(Debug)]
pub struct PostgresServer {
    binaries: Binaries,
    folder: PathBuf,
    port: u16,
    guard: Mutex<Guard>,
    databases: AtomicU32,
}

impl PostgresServer {
    /// Returns the one server of this process, started on first use. It does not wait for the disk.
    ///
    /// # Errors
    /// PostgreSQL is missing (the message contains the remedy) or does not start.
    pub fn shared() -> Result<&'static Self> {
        static SHARED: OnceLock<std::result::Result<PostgresServer, String>> = OnceLock::new();
        let started =
            SHARED.get_or_init(|| Self::start(&Settings::default()).map_err(|error| error.to_string()));
        started.as_ref().map_err(|said| Error::other(said.clone()))
    }

    /// Starts a separate server.
    ///
    /// # Errors
    /// See [`Self::shared`].
    pub fn start(settings: &Settings) -> Result<Self> {
        let mut last = Error::other("no free port");
        for _ in 0..PORT_TRIES {
            let (folder, other_user) = new_folder()?;
            match Self::start_in(&folder, other_user, settings) {
                Ok(server) => return Ok(server),
                Err(error) => last = error,
            }
            // If there was a guard, it has already removed the folder.
            let _ = std::fs::remove_dir_all(&folder);
            // Another process may have taken the port first. No other failure justifies a retry.
            if !last.to_string().contains("could not bind") {
                break;
            }
        }
        Err(last)
    }

    fn start_in(folder: &Path, other_user: bool, settings: &Settings) -> Result<Self> {
        let mut binaries = Binaries::find()?;
        if other_user {
            binaries = binaries.readable_by_everyone(folder)?;
        }
        make_cluster(&binaries, folder)?;
        let port = free_port()?;
        let guard = Guard::new(folder, &binaries.program("postgres"), &arguments(folder, port, settings))?;
        let server = Self {
            binaries,
            folder: folder.to_owned(),
            port,
            guard: Mutex::new(guard),
            databases: AtomicU32::new(0),
        };
        server.restart()?;
        Ok(server)
    }

    /// Creates an empty database. Returns its URL.
    ///
    /// # Errors
    /// The server does not run.
    pub fn fresh_database(&self) -> Result<String> {
        let name = self.next_name("fresh");
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        Ok(self.url(&name))
    }

    /// Creates a database as a copy of the template, to which nothing may be connected. Returns its
    /// URL.
    ///
    /// # Errors
    /// The server does not run, there is no such template, or a client stays connected to it.
    pub(crate) fn copy_of(&self, template: &str) -> Result<String> {
        let name = self.next_name("copy");
        // A copy of files, because a log of all their blocks takes longer and is not needed.
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"))?;
        Ok(self.url(&name))
    }

    /// Returns a unique database name.
    pub(crate) fn next_name(&self, kind: &str) -> String {
        format!("{kind}_{}", self.databases.fetch_add(1, Ordering::Relaxed))
    }

    /// Removes the database of this URL, and disconnects its clients. Each database has about
    /// twenty megabytes, and a test run creates hundreds.
    ///
    /// # Errors
    /// There is none, or the server does not run.
    pub fn drop_database(&self, url: &str) -> Result<()> {
        let name = database_of(url);
        self.sql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)")).map(drop)
    }

    /// Returns the URL of `database` for clients.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns its port on loopback, which stays the same after a restart.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Runs statements in `database` by `psql` and returns the rows: columns separated by `|`, one
    /// row per line.
    ///
    /// # Errors
    /// A statement fails. The message is the server's.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String> {
        let mut command = Command::new(self.binaries.program("psql"));
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1"]);
        said(command.arg("--dbname").arg(self.url(database)).arg("--command").arg(statements))
    }

    /// Ends the server as an operator does: clients are disconnected, and the log is complete.
    ///
    /// # Errors
    /// Its guard has ended.
    pub fn stop_fast(&self) -> Result<()> {
        self.guard().end(End::Fast)
    }

    /// Stops all processes of the server immediately. The next start recovers.
    ///
    /// # Errors
    /// Its guard has ended.
    pub fn kill(&self) -> Result<()> {
        self.guard().end(End::Immediate)
    }

    /// Restarts the server after [`Self::stop_fast`] or [`Self::kill`], and waits until it accepts
    /// connections.
    ///
    /// # Errors
    /// The server does not start. The message contains the end of its log.
    pub fn restart(&self) -> Result<()> {
        let mut guard = self.guard();
        let process = guard.start()?;
        for _ in 0..STEPS_MAX {
            if self.is_ready(process) {
                return Ok(());
            }
            if has_ended(process) {
                return Err(Error::other(format!(
                    "PostgreSQL stopped while it started:\n{}",
                    self.log_tail()
                )));
            }
            std::thread::sleep(STEP);
        }
        Err(Error::other(format!("PostgreSQL does not become ready:\n{}", self.log_tail())))
    }

    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it accepts connections, according to the last line of `postmaster.pid`, which
    /// `pg_ctl` reads too.
    fn is_ready(&self, process: u32) -> bool {
        let text = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        lines.first() == Some(&process.to_string().as_str()) && lines.get(7) == Some(&"ready")
    }

    /// Returns the server's log.
    pub fn log(&self) -> String {
        let text = std::fs::read(self.folder.join("log")).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the end of the server's log.
    pub fn log_tail(&self) -> String {
        let text = self.log();
        let lines: Vec<_> = text.lines().collect();
        lines.get(lines.len().saturating_sub(LOG_LINES)..).unwrap_or_default().join("\n")
    }
}

/// Creates a folder for the server's user. Returns its path, and true if that is another user.
fn new_folder() -> Result<(PathBuf, bool)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut parent = std::env::temp_dir();
    if !open_to_everyone(&parent)? {
        parent = PathBuf::from("/tmp");
    }
    let name = format!("loci-postgres-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = parent.join(name);
    if folder.exists() {
        // Left by a process with the same id whose guard was killed too.
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir(&folder)?;
    let other_user = give_to_server_user(&folder)?;
    Ok((folder, other_user))
}

/// Returns the name of the database in a URL.
pub(crate) fn database_of(url: &str) -> &str {
    url.split('?').next().and_then(|address| address.rsplit('/').next()).unwrap_or_default()
}

fn make_cluster(binaries: &Binaries, folder: &Path) -> Result<()> {
    let mut command = as_server_user(Command::new(binaries.program("initdb")), folder)?;
    command.args([
        "--username",
        USER,
        "--auth",
        "trust",
        "--encoding",
        "UTF8",
        "--no-sync",
        "--no-instructions",
    ]);
    // PostgreSQL 16 supports it, and it works on each machine.
    command.args(["--no-locale"]);
    said(command.arg("--pgdata").arg(folder.join("data"))).map(drop)
}

fn arguments(folder: &Path, port: u16, settings: &Settings) -> Vec<String> {
    let mut all: Vec<(String, String)> = [
        ("port", port.to_string().as_str()),
        ("listen_addresses", "127.0.0.1"),
        ("unix_socket_directories", ""),
        ("max_connections", "200"),
        ("shared_buffers", "128MB"),
        ("log_min_messages", "warning"),
        ("log_statement", "none"),
        ("log_min_duration_statement", "5000"),
        ("log_lock_waits", "on"),
        ("wal_level", "minimal"),
        ("max_wal_senders", "0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    if !settings.durable {
        let quick = [("fsync", "off"), ("full_page_writes", "off"), ("max_wal_size", "128MB")];
        all.extend(quick.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    all.extend(settings.further.iter().cloned());
    let mut words = vec!["-D".to_owned(), folder.join("data").display().to_string()];
    for (name, value) in all {
        words.extend(["-c".to_owned(), format!("{name}={value}")]);
    }
    words
}

/// Returns a port without a listener. Processes start at different ports.
fn free_port() -> Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let span = PORTS.end - PORTS.start;
    for _ in 0..span {
        let place = std::process::id().wrapping_mul(131).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let Ok(port) = u16::try_from(PORTS.start + place % span) else { continue };
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Error::other("no free port on loopback"))
}

/// True if a child of the guard has ended, if the system shows it. In other cases the bounded wait
/// applies.
fn has_ended(process: u32) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return false;
    }
    let Ok(line) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return true };
    line.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

fn said(command: &mut Command) -> Result<String> {
    let outcome = command.output()?;
    if outcome.status.success() {
        return Ok(String::from_utf8_lossy(&outcome.stdout).into_owned());
    }
    let program = Path::new(command.get_program()).display().to_string();
    let (out, err) = (String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    Err(Error::other(format!("{program}: {}\n{out}{err}", outcome.status)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    const COUNTED: &str = "SELECT count(*), max(embedding <-> '[1,2,3]') FROM kept";

    #[test]
    fn what_was_committed_survives_every_end_and_the_folder_goes() {
        let server = PostgresServer::start(&Settings { durable: true, ..Settings::default() }).unwrap();
        let url = server.fresh_database().unwrap();
        assert_eq!(url, server.url("fresh_0"));
        let make = "CREATE EXTENSION vector; CREATE TABLE kept (embedding vector(3)); INSERT INTO kept VALUES ('[1,2,3]')";
        server.sql("fresh_0", make).unwrap();
        for end in [PostgresServer::stop_fast, PostgresServer::kill] {
            end(&server).unwrap();
            assert!(server.sql("fresh_0", COUNTED).is_err(), "it is down");
            server.restart().unwrap();
            assert_eq!(server.sql("fresh_0", COUNTED).unwrap(), "1|0\n");
        }
        let settings = "SELECT current_setting('fsync'), current_setting('max_connections')";
        assert_eq!(server.sql("fresh_0", settings).unwrap(), "on|200\n");
        let folder = server.folder.clone();
        drop(server);
        assert!(!folder.exists(), "{} is left", folder.display());
    }

    #[test]
    fn databases_of_the_shared_server_are_apart() {
        let server = PostgresServer::shared().unwrap();
        let databases: Vec<_> =
            (0..2).map(|_| server.fresh_database().unwrap().rsplit_once('/').unwrap().1.to_owned()).collect();
        server.sql(&databases[0], "CREATE TABLE only_here ()").unwrap();
        let said = server.sql(&databases[1], "SELECT * FROM only_here").unwrap_err().to_string();
        assert!(said.contains("does not exist"), "{said}");
        server.drop_database(&(server.url(&databases[0]) + "?partitions=2")).unwrap();
        let said = server.sql(&databases[0], "SELECT 1").unwrap_err().to_string();
        assert!(said.contains("does not exist"), "{said}");
        assert!(server.drop_database(&server.url(&databases[0])).is_err(), "it is gone");
    }

    #[test]
    fn a_setting_the_server_refuses_is_an_error_with_its_log() {
        let further = vec![("no_such_setting".to_owned(), "1".to_owned())];
        let said = PostgresServer::start(&Settings { durable: false, further }).unwrap_err().to_string();
        assert!(said.contains("no_such_setting"), "{said}");
    }

    /// Not a separate test: the process that the next one kills.
    #[test]
    #[ignore = "a part of `a_server_ends_with_a_process_that_is_killed`"]
    fn holds_a_server() {
        let server = PostgresServer::shared().unwrap();
        println!("\nholding {}", server.folder.display());
        std::io::stdin().read_line(&mut String::new()).unwrap();
    }

    #[test]
    fn a_server_ends_with_a_process_that_is_killed() {
        let mut holder = Command::new(std::env::current_exe().unwrap());
        holder.args(["--ignored", "--nocapture", "--exact", "server::tests::holds_a_server"]);
        let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        let folder = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("holding ").map(PathBuf::from))
            .unwrap();
        let process = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap();
        let process = process.lines().next().unwrap().parse().unwrap();
        holder.kill().unwrap();
        holder.wait().unwrap();
        let gone = (0..STEPS_MAX).any(|_| {
            std::thread::sleep(STEP);
            !folder.exists()
        });
        assert!(gone && has_ended(process), "{process} in {}", folder.display());
    }
}
