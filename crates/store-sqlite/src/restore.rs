//! Putting a backup in the place of a data folder's database: checked first, then swapped in one rename.

use std::path::Path;

use loci_model::{Error, ErrorKind, Result};
use rusqlite::{Connection, OpenFlags};

use crate::errors::{Sql, folder_error};
use crate::folder::{self, DATABASE, named, open_private, sync_folder};
use crate::locks::SchemaLock;
use crate::{index_files, migrate};

/// Replaces the database in `folder` by the backup `from`. Needs the folder to itself: a conflict while a process uses
/// it, and without `force` where it holds data. The backup is checked before anything is touched. True where
/// the backup has
/// access keys, whose secrets are sealed under the master key of its folder.
pub fn restore(from: &Path, folder: &Path, force: bool) -> Result<bool> {
    check(from)?;
    let folder = folder::prepare(folder)?;
    let _exclusive = SchemaLock::try_exclusive(&folder)?;
    let database = folder.join(DATABASE);
    if !force && holds_data(&database)? {
        return Err(Error::conflict(format!(
            "{} holds data: restore into an empty folder, or with --force to replace what is there",
            folder.display()
        )));
    }
    let partial = folder.join("loci.db.restore");
    let has_keys = copy(from, &partial).inspect_err(|_| {
        // Best effort: the error at hand says more than one about the leftover.
        let _ = std::fs::remove_file(&partial);
    })?;
    // Snapshots of the old database's indexes must never be read as ones of the new.
    index_files::clear(&folder)?;
    // A log of the old database must never be read as one of the new.
    for name in ["loci.db-wal", "loci.db-shm"] {
        match std::fs::remove_file(folder.join(name)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(folder_error(&named("removing", &folder.join(name)), error)),
        }
    }
    std::fs::rename(&partial, &database)
        .map_err(|error| folder_error(&named("replacing", &database), error))?;
    sync_folder(&folder)?;
    Ok(has_keys)
}

/// An error unless the file is a whole database that this binary can read.
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

/// The file may have a log beside it: SQLite copies what both say. True where it has access keys.
fn copy(from: &Path, partial: &Path) -> Result<bool> {
    let file = open_private(partial)?;
    file.set_len(0).map_err(|error| folder_error(&named("writing", partial), error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(from, flags).sql()?;
    let Some(target) = partial.to_str() else {
        return Err(Error::invalid("folder", "the data folder's path must be valid UTF-8"));
    };
    connection.execute("VACUUM INTO ?1", [target]).sql()?;
    // Sequences go back: what other files say of the database's later states is of another one.
    let copied = Connection::open(partial).sql()?;
    if migrate::version(&copied)? > 1 {
        copied.execute("UPDATE identity SET store = lower(hex(randomblob(16)))", []).sql()?;
    }
    let has_keys =
        copied.query_row("SELECT EXISTS (SELECT 1 FROM access_keys)", [], |row| row.get(0)).sql()?;
    copied.close().map_err(|(_, error)| error).sql()?;
    file.sync_all().map_err(|error| folder_error(&named("syncing", partial), error))?;
    Ok(has_keys)
}

fn holds_data(database: &Path) -> Result<bool> {
    let connection = Connection::open(database).sql()?;
    if migrate::version(&connection)? == 0 {
        return Ok(false);
    }
    connection.query_row("SELECT EXISTS (SELECT 1 FROM memories)", [], |row| row.get(0)).sql()
}
