//! Opening: connections with the settings that durability and sharing rest on, and the schema brought up to date.

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

/// Waits for locks that SQLite takes itself (checkpoints); writers do not meet, the turnstile keeps them apart.
pub(crate) const BUSY: Duration = Duration::from_secs(10);
/// Every statement of the accessors, with room.
const STATEMENTS: usize = 256;
/// Pages of the log at which the writer checkpoints by itself; the host does it before.
const LOG_PAGES: u32 = 8_000;

/// KiB of pages that a connection keeps to itself. Those that read are many, in every process of a folder, and the system
/// keeps the file's pages for all of them: a reader holds little more than the upper pages of the trees.
const WRITER_CACHE_KIB: i32 = 8_000;
const READER_CACHE_KIB: i32 = 2_000;

/// A connection that writes.
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

/// A connection that only reads.
pub(crate) fn reading(folder: &Path) -> Result<Connection> {
    // Opened for writing because reading a log needs the shared memory file; the pragma forbids changes.
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
    // Without it a statement is compiled again whenever a value is bound that its plan might hang on: in every read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).sql()?;
    connection.pragma_update(None, "temp_store", "MEMORY").sql()?;
    Ok(connection)
}

/// Brings the schema up to date and returns the lock that keeps it as it is while this process works.
pub(crate) fn schema(folder: &Path) -> Result<SchemaLock> {
    let shared = SchemaLock::shared(folder)?;
    replacement::settle(folder)?;
    let connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = migrate::version(&connection)?;
    migrate::check_known(version)?;
    if version == migrate::newest() {
        // Earlier versions left the databases that they restored without one.
        if !has_log(&connection)? {
            // SQLite refuses this at once where another process writes, or does the same.
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
    // Between the locks a restore may have put another database there, or have been killed.
    replacement::settle(folder)?;
    let mut connection = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    keep_log(&connection)?;
    migrate::migrate(&mut connection)?;
    exclusive.note_filled()?;
    exclusive.into_shared()
}

/// Makes the database one with a log, in which readers and the writer do not hold each other up.
/// The file remembers it; a copy of it does not.
pub(crate) fn keep_log(connection: &Connection) -> Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).sql()
}

/// True where the database keeps a log.
fn has_log(connection: &Connection) -> Result<bool> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).sql()?;
    Ok(mode == "wal")
}

/// The error of a folder that was in use and whose database is gone.
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
        // A folder of a version before this one is known to be in use from its next start.
        std::fs::write(file("schema"), "").unwrap();
        open().unwrap();
        std::fs::remove_file(file("loci.db")).unwrap();
        assert_eq!(open().unwrap_err().kind, ErrorKind::Unavailable);
    }
}
