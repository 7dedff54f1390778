//! A place where a store lives for the time of a test: a folder or a database of its own, opened as often as the test wants.
//! Nothing here is about what is in it.
#![expect(clippy::disallowed_methods, reason = "which store tests run on may be said from outside")]

use std::sync::{Arc, OnceLock};

use loci_model::ports::store::Store;
use loci_model::{Error, Result};
use loci_pgserver::{Copies, PostgresServer};
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_store_sqlite::{SqliteOptions, SqliteStore};

/// The environment variable that says which store the tests run on that run on any: `sqlite` (as without it) or `postgres`.
pub const VARIABLE: &str = "LOCI_TEST_STORE";

/// Copies of a database with tables: to make the tables takes thrice as long as to copy them.
static COPIES: OnceLock<Result<Copies, String>> = OnceLock::new();

/// Makes the database whose copies tests begin with.
fn copies() -> Result<Copies> {
    let failed = |error: std::io::Error| Error::unavailable(error.to_string());
    let server = PostgresServer::shared().map_err(failed)?;
    let url = server.fresh_database().map_err(failed)?;
    // Nothing may be connected to what is copied.
    PostgresStore::open(options(&url)?)?.close();
    Copies::of(server, &url).map_err(failed)
}

fn options(url: &str) -> Result<PostgresOptions> {
    let mut options = PostgresOptions::parse(url)?;
    // Tables are made often: few of them are made sooner, and work like many.
    options.partitions = 3;
    Ok(options)
}

enum Kind {
    Folder(tempfile::TempDir),
    Database { options: Box<PostgresOptions>, _database: Taken },
}

/// A copy that is given back with this.
struct Taken {
    copies: &'static Copies,
    url: String,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.copies.give_back(&self.url);
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
        let copies = COPIES.get_or_init(|| copies().map_err(|error| error.message));
        let copies = copies.as_ref().map_err(Error::unavailable)?;
        let url = copies.take().map_err(|error| Error::unavailable(error.to_string()))?;
        let options = options(&url)?;
        Ok(Self(Kind::Database { options: Box::new(options), _database: Taken { copies, url } }))
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
