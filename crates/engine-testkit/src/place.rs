//! A place where a store lives for the time of a test: a folder or a database of its own, opened as often as the test wants.
//! Nothing here is about what is in it.
#![expect(clippy::disallowed_methods, reason = "which store tests run on may be said from outside")]

use std::sync::{Arc, OnceLock};

use loci_model::ports::store::Store;
use loci_model::{Error, Result};
use loci_pgserver::PostgresServer;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_store_sqlite::{SqliteOptions, SqliteStore};

/// The environment variable that says which store the tests run on that run on any: `sqlite` (as without it) or `postgres`.
pub const VARIABLE: &str = "LOCI_TEST_STORE";

/// The database with tables of which those of tests are copies: to make the tables takes thrice as long as to copy them.
static TEMPLATE: OnceLock<Result<String, String>> = OnceLock::new();

/// Makes it; its URL.
fn template() -> Result<String> {
    let url = PostgresServer::shared().and_then(PostgresServer::fresh_database);
    let url = url.map_err(|error| Error::unavailable(error.to_string()))?;
    // Nobody may be connected to what is copied.
    PostgresStore::open(options(&url)?)?.close();
    Ok(url)
}

fn options(url: &str) -> Result<PostgresOptions> {
    let mut options = PostgresOptions::parse(url)?;
    // Tables are made often: few of them are made sooner, and work like many.
    options.partitions = 3;
    Ok(options)
}

enum Kind {
    Folder(tempfile::TempDir),
    Database { options: Box<PostgresOptions>, _database: Dropped },
}

/// The URL of a database that goes with this.
struct Dropped(String);

impl Drop for Dropped {
    fn drop(&mut self) {
        // What is left goes with its server at the latest.
        let _ = PostgresServer::shared().and_then(|server| server.drop_database(&self.0));
    }
}

/// See the file. It goes with this.
pub struct TestPlace(Kind);

impl TestPlace {
    /// Of the kind that [`VARIABLE`] says.
    ///
    /// # Errors
    /// For an unknown kind; as the others.
    pub fn new() -> Result<Self> {
        match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("" | "sqlite") => Self::sqlite(),
            Ok("postgres") => Self::postgres(),
            Ok(_) => Err(Error::invalid(VARIABLE, "LOCI_TEST_STORE must be sqlite or postgres")),
        }
    }

    /// A folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn sqlite() -> Result<Self> {
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|error| Error::unavailable("no test folder").caused_by(error))?;
        Ok(Self(Kind::Folder(folder)))
    }

    /// A database of the PostgreSQL of this process: a copy of one whose tables are there already.
    ///
    /// # Errors
    /// When there is no PostgreSQL; the message says what to do.
    pub fn postgres() -> Result<Self> {
        let template = TEMPLATE.get_or_init(|| template().map_err(|error| error.message));
        let template = template.as_ref().map_err(Error::unavailable)?;
        let url = PostgresServer::shared().and_then(|server| server.copy_of(template));
        let url = url.map_err(|error| Error::unavailable(error.to_string()))?;
        let options = options(&url)?;
        Ok(Self(Kind::Database { options: Box::new(options), _database: Dropped(url) }))
    }

    /// Opens the store of this place: empty the first time, then as it was left, or beside others that have it open.
    ///
    /// # Errors
    /// What the store says.
    pub fn open(&self) -> Result<Arc<dyn Store>> {
        match &self.0 {
            Kind::Folder(folder) => Ok(SqliteStore::open(SqliteOptions::new(folder.path().join("data")))?),
            Kind::Database { options, .. } => Ok(PostgresStore::open(PostgresOptions::clone(options))?),
        }
    }

    /// The folder, where it is one.
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.0 {
            Kind::Folder(folder) => Some(folder.path()),
            Kind::Database { .. } => None,
        }
    }
}
