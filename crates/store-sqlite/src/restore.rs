//! Replaces the database of a data folder with a backup: checked and copied first, then swapped.

use std::path::Path;

use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::vault::{RESTORED_UNSEALED, WITNESS_LEASE};
use loci_model::trees::mirror::MirrorState;
use loci_model::{Error, ErrorKind, Result, Timestamp};
use rusqlite::{Connection, OpenFlags, params};

use crate::errors::{Sql, folder_error};
use crate::folder::{self, DATABASE, named, open_private};
use crate::locks::SchemaLock;
use crate::{index_files, migrate, open, replacement};

/// The schema version that introduced leases.
const LEASES_SINCE: u32 = 4;
/// The schema version that introduced the ledger.
const LEDGER_SINCE: u32 = 14;

/// The contents of a backup that can be used only with the master key of its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupSecrets {
    /// The backup has no such contents.
    None,
    /// The backup has tombstones. Without the key, imports can bring erased data back.
    Tombstones,
    /// The backup has access keys or redactions. Without the key, a server does not start.
    Sealed,
}

/// Replaces the database in `folder` with the backup `from`. Needs exclusive use of the folder:
/// returns a conflict while a process uses it, and without `force` also if it contains data. The
/// backup is checked before any change. Returns the contents that need the master key of its
/// folder.
pub fn restore(from: &Path, folder: &Path, force: bool) -> Result<BackupSecrets> {
    check(from)?;
    let folder = folder::prepare(folder)?;
    let _exclusive = SchemaLock::try_exclusive(&folder)?;
    // The remains of a restore whose process was interrupted.
    replacement::settle(&folder)?;
    if !force && holds_data(&folder.join(DATABASE))? {
        return Err(in_use(&folder));
    }
    let secrets = copy(from, &replacement::unfinished(&folder)).inspect_err(|_| {
        // Best effort: the original error is more useful than one about the remains.
        let _ = replacement::discard(&folder);
    })?;
    // Snapshots of the old database's indexes must never be used for the new one.
    index_files::clear(&folder)?;
    replacement::replace(&folder)?;
    Ok(secrets)
}

/// Checks a backup and the folder for it, and changes nothing.
///
/// # Errors
/// Those of [`restore`], except for a folder that a process uses.
pub fn check_restore(from: &Path, folder: &Path, force: bool) -> Result<()> {
    check(from)?;
    let database = folder.join(DATABASE);
    if !force && database.exists() && holds_data(&database)? { Err(in_use(folder)) } else { Ok(()) }
}

fn in_use(folder: &Path) -> Error {
    Error::conflict(format!(
        "{} holds data: restore into an empty folder, or with --force to replace what is there",
        folder.display()
    ))
}

/// Returns an error unless the file is a complete database that this binary can read.
fn check(from: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if !from.is_file() {
        return Err(Error::not_found(format!("{} is not a file: name a backup", from.display())));
    }
    let not_ours = || Error::new(ErrorKind::Invalid, format!("{} is not a backup of loci", from.display()));
    let connection = Connection::open_with_flags(from, flags).sql()?;
    let version = migrate::version(&connection).map_err(|error| not_ours().caused_by(error))?;
    migrate::check_known(version)?;
    let tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('memories', 'events', 'records')";
    let known: i64 = connection.query_row(tables, [], |row| row.get(0)).sql()?;
    if version == 0 || known != 3 {
        return Err(not_ours());
    }
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).sql()?;
    if verdict != "ok" {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("{} is damaged: restore another backup", from.display()),
        ));
    }
    Ok(())
}

/// Copies the database. The file may have a log next to it: SQLite copies both.
fn copy(from: &Path, partial: &Path) -> Result<BackupSecrets> {
    let file = open_private(partial)?;
    file.set_len(0).map_err(|error| folder_error(&named("writing", partial), error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(from, flags).sql()?;
    let Some(target) = partial.to_str() else {
        return Err(Error::invalid("folder", "the data folder's path must be valid UTF-8"));
    };
    connection.execute("VACUUM INTO ?1", [target]).sql()?;
    // Sequences go back: other files that refer to later states of the database then belong to a
    // different one.
    let copied = Connection::open(partial).sql()?;
    if migrate::version(&copied)? > 1 {
        copied.execute("UPDATE identity SET store = lower(hex(randomblob(16)))", []).sql()?;
    }
    part_from_mirrors(&copied)?;
    let secrets = secrets(&copied)?;
    open::keep_log(&copied)?;
    copied.close().map_err(|(_, error)| error).sql()?;
    file.sync_all().map_err(|error| folder_error(&named("syncing", partial), error))?;
    Ok(secrets)
}

/// Makes the states of mirrors belong to another store. They already name the store that wrote
/// them; states of an earlier version have no name, and get one that no store has.
fn part_from_mirrors(copied: &Connection) -> Result<()> {
    if migrate::version(copied)? < LEDGER_SINCE {
        return Ok(());
    }
    let sql = "UPDATE ledger SET body = json_set(body, '$.body.store', '') WHERE shelf = ?1 AND \
               CASE WHEN json_valid(body) THEN json_extract(body, '$.body.store') IS NULL ELSE false END";
    copied.execute(sql, [MirrorState::SHELF.as_str()]).sql()?;
    Ok(())
}

fn secrets(copied: &Connection) -> Result<BackupSecrets> {
    // Tables of later versions are missing in a backup.
    let has = |table: &str, condition: &str| -> Result<bool> {
        let known = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE {condition})");
        Ok(copied.query_row(known, [table], |row| row.get(0)).sql()?
            && copied.query_row(&sql, [], |row| row.get(0)).sql()?)
    };
    let redacted = format!("shelf = '{}'", Shelf::REDACTED_CONTENT.as_str());
    let witness = format!("name = '{WITNESS_LEASE}' AND host <> '{RESTORED_UNSEALED}'");
    if has("access_keys", "true")? || has("ledger", &redacted)? {
        return Ok(BackupSecrets::Sealed);
    }
    if has("leases", &witness)? {
        return Ok(BackupSecrets::Tombstones);
    }
    // A master key in the folder belongs to the previous contents.
    if migrate::version(copied)? >= LEASES_SINCE {
        let mark = "INSERT INTO leases (name, host, until) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let until = Timestamp::LATEST.millis();
        copied.execute(mark, params![WITNESS_LEASE, RESTORED_UNSEALED, until]).sql()?;
    }
    Ok(BackupSecrets::None)
}

fn holds_data(database: &Path) -> Result<bool> {
    let connection = Connection::open(database).sql()?;
    if migrate::version(&connection)? == 0 {
        return Ok(false);
    }
    connection.query_row("SELECT EXISTS (SELECT 1 FROM memories)", [], |row| row.get(0)).sql()
}
