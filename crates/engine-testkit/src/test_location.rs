//! A folder or a database in which the store of a test is kept. The store in it can be opened any
//! number of times.
#![expect(clippy::disallowed_methods, reason = "which store tests run on may be said from outside")]

use std::sync::{Arc, OnceLock};

use loci_model::ports::store::Store;
use loci_model::{Error, Result};
use loci_pgserver::{Copies, PostgresServer};
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_store_sqlite::{SqliteOptions, SqliteStore};

/// Environment variable that selects the store for tests that run on any store: `sqlite` (the
/// default) or `postgres`.
pub const VARIABLE: &str = "LOCI_TEST_STORE";

/// The database with empty tables from which databases for tests are copied. A copy takes a third
/// of the time that creating the tables takes.
static COPIES: OnceLock<Result<Copies, String>> = OnceLock::new();

/// Creates the database from which databases for tests are copied.
fn copies() -> Result<Copies> {
    let failed = |error: std::io::Error| Error::unavailable(error.to_string());
    let server = PostgresServer::shared().map_err(failed)?;
    let url = server.fresh_database().map_err(failed)?;
    // The template of a copy must have no connections.
    PostgresStore::open(options(&url)?)?.close();
    Copies::of(server, &url).map_err(failed)
}

fn options(url: &str) -> Result<PostgresOptions> {
    let mut options = PostgresOptions::parse(url)?;
    // Tables are created often: fewer partitions are faster to create and behave alike.
    options.partitions = 3;
    Ok(options)
}

enum StoreKind {
    Folder(tempfile::TempDir),
    Database { options: Box<PostgresOptions>, _database: DatabaseCopy },
}

/// A copied database that is given back when this value is dropped.
struct DatabaseCopy {
    copies: &'static Copies,
    url: String,
}

impl Drop for DatabaseCopy {
    fn drop(&mut self) {
        self.copies.give_back(&self.url);
    }
}

/// The folder or database of a test's store. It is removed when this value is dropped.
pub struct TestLocation(StoreKind);

impl TestLocation {
    /// Creates a folder or a database, as the environment variable [`VARIABLE`] selects.
    ///
    /// # Errors
    /// For an unknown kind; errors of the other constructors.
    pub fn new() -> Result<Self> {
        match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("" | "sqlite") => Self::sqlite(),
            Ok("postgres") => Self::postgres(),
            Ok(_) => Err(Error::invalid(VARIABLE, "LOCI_TEST_STORE must be sqlite or postgres")),
        }
    }

    /// Creates a folder for an SQLite store.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn sqlite() -> Result<Self> {
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|error| Error::unavailable("no test folder").caused_by(error))?;
        Ok(Self(StoreKind::Folder(folder)))
    }

    /// Creates a database in the PostgreSQL server of this process, as a copy of a database with
    /// empty tables.
    ///
    /// # Errors
    /// If there is no PostgreSQL server; the message contains the remedy.
    pub fn postgres() -> Result<Self> {
        let copies = COPIES.get_or_init(|| copies().map_err(|error| error.message));
        let copies = copies.as_ref().map_err(Error::unavailable)?;
        let url = copies.take().map_err(|error| Error::unavailable(error.to_string()))?;
        let options = options(&url)?;
        Ok(Self(StoreKind::Database { options: Box::new(options), _database: DatabaseCopy { copies, url } }))
    }

    /// Opens the store in this folder or database. It is empty at first, and it may be opened
    /// several times at once.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn open(&self) -> Result<Arc<dyn Store>> {
        match &self.0 {
            StoreKind::Folder(folder) => {
                Ok(SqliteStore::open(SqliteOptions::new(folder.path().join("data")))?)
            }
            StoreKind::Database { options, .. } => Ok(PostgresStore::open(PostgresOptions::clone(options))?),
        }
    }

    /// Returns the folder of an SQLite store; `None` for PostgreSQL.
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.0 {
            StoreKind::Folder(folder) => Some(folder.path()),
            StoreKind::Database { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_with_the_tables_of_the_store_is_used_again() {
        let (server, copies) = (PostgresServer::shared().unwrap(), copies().unwrap());
        let taken = || {
            let url = copies.take().unwrap();
            let name = url.rsplit_once('/').unwrap().1.to_owned();
            let number = "SELECT oid FROM pg_database WHERE datname = current_database()";
            let number = server.sql(&name, number).unwrap();
            PostgresStore::open(options(&url).unwrap()).unwrap().close();
            (url, number)
        };
        let (url, first) = taken();
        copies.give_back(&url);
        let (next_url, next) = taken();
        assert_eq!((next, next_url == url), (first, false));
    }
}
