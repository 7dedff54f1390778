//! The options of a store on PostgreSQL: a URL as for `psql`, with additional parameters. The
//! environment provides no defaults here; the binary adds them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use loci_model::{Error, Result};
use tokio_postgres::Config;

/// The options of a store on PostgreSQL.
#[derive(Clone)]
pub struct PostgresOptions {
    /// The host, the database and the credentials, including the password.
    pub(crate) config: Config,
    /// The path of a file with root certificates for the database's certificate. `None` means those
    /// of the machine.
    pub(crate) root_certificates: Option<PathBuf>,
    /// The schema with the tables. Created if it does not exist.
    pub schema: String,
    /// True if the schema must exist already. Otherwise a missing one is created.
    pub existing_only: bool,
    /// The number of partitions of each large table, used when the schema is created. 0 creates no
    /// partitions, for databases that distribute tables themselves.
    pub partitions: u32,
    /// The number of connections for writes. Each has a thread of its own.
    pub writers: usize,
    /// The number of connections for reads. Each has a thread of its own.
    pub readers: usize,
    /// The number of connections for searches. Each has a thread of its own. Searches use the
    /// processor, so more threads than cores do not help.
    pub searchers: usize,
    /// The maximum duration of a statement, in milliseconds.
    pub statement_timeout_ms: u64,
    /// The maximum time to wait for a lock, in milliseconds. After it the transaction is retried.
    pub lock_timeout_ms: u64,
    /// The maximum time that a request waits for an unavailable database, in milliseconds. It hides
    /// a restart of the database from clients.
    pub patience_ms: u64,
    /// The maximum memory use of all in-process indexes together, in bytes. Above it, the index
    /// that was not used for the longest time is dropped.
    pub index_bytes_max: u64,
    /// The maximum number of passages of a memory that is searched with an in-process index. Larger
    /// memories are searched in the database. 0 searches all memories in the database.
    pub scan_passages_max: u64,
    /// The maximum number of passages in scope whose vectors the database compares one by one. For
    /// more passages a vector graph is searched.
    pub exact_passages_max: u64,
}

impl PostgresOptions {
    /// Parses `postgres://user:password@host:port/database?…`. In addition to the parameters of
    /// `psql`, the URL may have `schema`, `partitions`, `writers`, `readers`, `searchers`,
    /// `statement_timeout_ms`, `lock_timeout_ms`, `patience_ms`, `index_bytes_max`,
    /// `scan_passages_max`, `exact_passages_max` and `sslrootcert`.
    ///
    /// # Errors
    /// `Invalid`, naming the wrong parameter and never the password.
    pub fn parse(url: &str) -> Result<Self> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut options = Self::plain();
        let mut theirs: Vec<String> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !options.take(name, value)? {
                theirs.push(translated(name, value));
            }
        }
        let rest = if theirs.is_empty() { base.to_owned() } else { format!("{base}?{}", theirs.join("&")) };
        options.config = rest.parse().map_err(|error: tokio_postgres::Error| {
            // The error of the parser names a member, never its value.
            let said =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            Error::invalid(
                "store",
                format!(
                    "this is no address of a database ({said}): write postgres://user:password@host/database"
                ),
            )
        })?;
        if options.config.get_application_name().is_none() {
            options.config.application_name("loci");
        }
        options.notices_silence();
        Ok(options)
    }

    /// Sets the timeouts that detect a database that does not respond, unless the URL sets them.
    /// The defaults of operating systems are hours.
    fn notices_silence(&mut self) {
        let config = &mut self.config;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
            config.keepalives_idle(KEEPALIVES_IDLE);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(KEEPALIVES_INTERVAL);
        }
        if config.get_keepalives_retries().is_none() {
            config.keepalives_retries(KEEPALIVES_RETRIES);
        }
    }

    fn plain() -> Self {
        Self {
            config: Config::new(),
            root_certificates: None,
            schema: "loci".to_owned(),
            existing_only: false,
            partitions: 16,
            writers: 8,
            readers: 4,
            searchers: 4,
            statement_timeout_ms: 30_000,
            lock_timeout_ms: 10_000,
            patience_ms: 10_000,
            // A million passages of conversation with vectors need about half of this.
            index_bytes_max: 2 * 1024 * 1024 * 1024,
            scan_passages_max: 200_000,
            exact_passages_max: 20_000,
        }
    }

    /// Sets a parameter that is specific to Loci. Returns false for other parameters.
    fn take(&mut self, name: &str, value: &str) -> Result<bool> {
        match name {
            "schema" => self.schema = schema_name(value)?,
            "partitions" => self.partitions = number(name, value, 0, 1_024)?,
            "writers" => self.writers = number(name, value, 1, 1_000)?,
            "readers" => self.readers = number(name, value, 1, 1_000)?,
            "searchers" => self.searchers = number(name, value, 1, 1_000)?,
            "statement_timeout_ms" => self.statement_timeout_ms = number(name, value, 100, 3_600_000)?,
            "lock_timeout_ms" => self.lock_timeout_ms = number(name, value, 10, 3_600_000)?,
            "patience_ms" => self.patience_ms = number(name, value, 0, 600_000)?,
            "index_bytes_max" => self.index_bytes_max = number(name, value, 0, u64::MAX)?,
            "scan_passages_max" => self.scan_passages_max = number(name, value, 0, u64::MAX)?,
            "exact_passages_max" => self.exact_passages_max = number(name, value, 0, 10_000_000)?,
            "sslrootcert" => self.root_certificates = Some(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the maximum number of connections of a server: those of its threads, one that
    /// updates large memories, and one that creates vector graphs.
    pub(crate) fn connections(&self) -> usize {
        self.writers + self.readers + self.searchers + 2
    }

    /// Returns the host, port, database and schema as a URL, without credentials.
    pub fn location(&self) -> String {
        let hosts: Vec<String> = self
            .config
            .get_hosts()
            .iter()
            .map(|host| match host {
                tokio_postgres::config::Host::Tcp(name) => name.clone(),
                tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
            })
            .collect();
        let ports: Vec<String> = self.config.get_ports().iter().map(u16::to_string).collect();
        let port = if ports.is_empty() { String::new() } else { format!(":{}", ports.join(",")) };
        let database = self.config.get_dbname().unwrap_or("");
        format!("postgres://{}{port}/{database}?schema={}", hosts.join(","), self.schema)
    }
}

/// The default timeout for connecting to a server that does not respond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum time until the other machine acknowledges sent data; the connection then counts as
/// lost.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(15);
/// The idle time after which keepalive probes start; the next constants are their interval and
/// number.
const KEEPALIVES_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVES_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVES_RETRIES: u32 = 3;

impl fmt::Debug for PostgresOptions {
    /// Formats without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions").field("location", &self.location()).finish_non_exhaustive()
    }
}

/// Translates spellings of `psql` that the client library does not know: with TLS, certificates are
/// always verified.
fn translated(name: &str, value: &str) -> String {
    match (name, value) {
        ("sslmode", "verify-full" | "verify-ca") => "sslmode=require".to_owned(),
        ("sslmode", "allow") => "sslmode=prefer".to_owned(),
        _ => format!("{name}={value}"),
    }
}

fn number<T>(name: &str, value: &str, least: T, most: T) -> Result<T>
where
    T: std::str::FromStr + PartialOrd + fmt::Display,
{
    match value.parse::<T>() {
        Ok(number) if number >= least && number <= most => Ok(number),
        Ok(_) | Err(_) => Err(Error::invalid(
            "store",
            format!("`{name}` in the address of the store is a number from {least} to {most}"),
        )),
    }
}

/// Checks the name of a schema, which statements contain literally: lower-case letters, digits and
/// `_`.
pub(crate) fn schema_name(value: &str) -> Result<String> {
    let is_name = !value.is_empty()
        && value.len() <= 63
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !value.starts_with(|first: char| first.is_ascii_digit());
    if is_name {
        return Ok(value.to_owned());
    }
    Err(Error::invalid(
        "store",
        "`schema` in the address of the store is a name of small letters, digits and `_`, of at most 63",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let options = PostgresOptions::parse(
            "postgres://ann:secret@db:5433/agents?schema=mem_1&sslmode=verify-full&readers=7",
        )
        .unwrap();
        assert_eq!((options.schema.as_str(), options.readers), ("mem_1", 7));
        assert_eq!(options.location(), "postgres://db:5433/agents?schema=mem_1");
        assert_eq!(options.config.get_ssl_mode(), tokio_postgres::config::SslMode::Require);
        assert!(!format!("{options:?}").contains("secret"));
    }

    #[test]
    fn bad_members_are_named_and_nothing_secret_is() {
        let check = |url: &str, expect: &str| {
            let error = PostgresOptions::parse(url).unwrap_err();
            assert!(error.message.contains(expect), "{url}: {}", error.message);
            assert!(!error.message.contains("secret"), "{}", error.message);
        };
        check("postgres://ann:secret@db/agents?schema=Mem", "`schema`");
        check("postgres://ann:secret@db/agents?writers=0", "`writers`");
        check("postgres://ann:secret@db/agents?writers=many", "`writers`");
        check("postgres://ann:secret@db/agents?colour=red", "colour");
        check("mysql://ann:secret@db/agents", "postgres://");
    }
}
