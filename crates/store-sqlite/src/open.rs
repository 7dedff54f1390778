//! Opens connections with the settings that durability and sharing depend on, and migrates the
//! schema.

use std::path::Path;
use std::time::Duration;

use loci_model::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::errors::Sql;
use crate::folder::DATABASE;
use crate::locks::{SchemaLock, Turnstile};
use crate::options::SqliteOptions;
use crate::{migrate, replacement};

/// The timeout for locks that SQLite takes itself, such as for checkpoints. Writers never meet,
/// because the turnstile serialises them.
pub(crate) const BUSY: Duration = Duration::from_secs(10);
/// The size of the statement cache: all statements of the accessors, with a margin.
const STATEMENTS: usize = 256;
/// The number of pages in the log at which the writer runs an automatic checkpoint; the host runs
/// one earlier.
const LOG_PAGES: u32 = 8_000;

/// The page cache of a connection, in KiB; the next constant is for readers. There are many
/// readers, in every process of a folder, and the operating system caches the file for all of them.
/// A reader caches little more than the upper pages of the trees.
const WRITER_CACHE_KIB: i32 = 8_000;
const READER_CACHE_KIB: i32 = 2_000;

/// Opens a connection for writing.
pub(crate) fn writing(folder: &Path, options: &SqliteOptions) -> Result<Connection> {
    let connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Erased content is overwritten, not only unlinked.
    connection.pragma_update(None, "secure_delete", true).sql()?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB).sql()?;
    connection.pragma_update(None, "synchronous", "FULL").sql()?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES).sql()?;
    if let Some(bytes) = options.file_bytes_max {
        let page: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).sql()?;
        connection
            .query_row(&format!("PRAGMA max_page_count = {}", bytes / u64::from(page.max(1))), [], |_| Ok(()))
            .sql()?;
    }
    Ok(connection)
}

/// Opens a connection for reading.
pub(crate) fn reading(folder: &Path) -> Result<Connection> {
    // Opened for writing because reading a log needs the shared memory file; the pragma forbids
    // changes.
    let connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true).sql()?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB).sql()?;
    Ok(connection)
}

fn connect(folder: &Path, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(folder.join(DATABASE), flags).sql()?;
    connection.busy_timeout(BUSY).sql()?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without it, a statement is compiled again whenever a bound value could affect its plan, which
    // is in every read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).sql()?;
    connection.pragma_update(None, "temp_store", "MEMORY").sql()?;
    Ok(connection)
}

/// Migrates the schema, and returns the lock that prevents migrations while this process runs.
pub(crate) fn schema(folder: &Path) -> Result<SchemaLock> {
    let shared = SchemaLock::shared(folder)?;
    replacement::settle(folder)?;
    let connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = migrate::version(&connection)?;
    migrate::check_known(version)?;
    if version == migrate::newest() {
        // Earlier versions left restored databases without a log.
        if !has_log(&connection)? {
            // SQLite rejects this at once if another process writes, or does the same.
            let turnstile = Turnstile::open(folder)?;
            let _turn = turnstile.enter()?;
            keep_log(&connection)?;
        }
        shared.note_filled()?;
        return Ok(shared);
    }
    if version == 0 && shared.is_filled()? {
        return Err(emptied(folder));
    }
    drop((connection, shared));
    let exclusive = SchemaLock::exclusive(folder)?;
    // Between the locks a restore may have replaced the database, or been killed.
    replacement::settle(folder)?;
    let mut connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    keep_log(&connection)?;
    migrate::migrate(&mut connection)?;
    exclusive.note_filled()?;
    exclusive.into_shared()
}

/// Enables the write-ahead log, with which readers and the writer do not block each other. The
/// setting is stored in the file, but not in a copy of it.
pub(crate) fn keep_log(connection: &Connection) -> Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).sql()
}

/// True if the database has a log.
fn has_log(connection: &Connection) -> Result<bool> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).sql()?;
    Ok(mode == "wal")
}

/// Returns the error for a folder that was in use and whose database is missing.
fn emptied(folder: &Path) -> Error {
    let folder = folder.display();
    Error::unavailable(format!(
        "{folder} was in use, but its loci.db is empty or gone: put it back, restore a backup (loci restore), \
         or, to begin anew, remove the file {folder}/schema"
    ))
}

#[cfg(test)]
mod tests {
    use loci_model::ErrorKind;
    use loci_model::ports::store::Store as _;

    use crate::{SqliteOptions, SqliteStore};

    #[test]
    fn a_folder_in_use_whose_database_is_gone_does_not_begin_anew_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let open = || SqliteStore::open(SqliteOptions::new(folder.path())).map(|store| store.close());
        let file = |name: &str| folder.path().join(name);
        open().unwrap();
        std::fs::write(file("loci.db"), "").unwrap();
        assert_eq!(open().unwrap_err().kind, ErrorKind::Unavailable);
        std::fs::remove_file(file("loci.db")).unwrap();
        assert_eq!(open().unwrap_err().kind, ErrorKind::Unavailable);
        std::fs::remove_file(file("schema")).unwrap();
        open().unwrap();
        // A folder of an earlier version is marked as in use at its next start.
        std::fs::write(file("schema"), "").unwrap();
        open().unwrap();
        std::fs::remove_file(file("loci.db")).unwrap();
        assert_eq!(open().unwrap_err().kind, ErrorKind::Unavailable);
    }
}
