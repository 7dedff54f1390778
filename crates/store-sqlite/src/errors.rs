//! Translates errors of SQLite to those of the model: the event and the remedy. Messages contain no
//! SQL and no content.

use loci_model::{Error, ErrorKind, Result};
pub(crate) use loci_store_kit::codes::{damaged, stored};
use rusqlite::ErrorCode;

const DAMAGED: &str = "loci.db is damaged: stop the server and restore a backup (loci restore)";

/// Returns the error for a damaged database.
pub(crate) fn loci_db_damaged() -> Error {
    Error::unavailable(DAMAGED)
}

/// True for the error of a damaged database.
pub(crate) fn is_damage(error: &Error) -> bool {
    error.kind == ErrorKind::Unavailable && error.message == DAMAGED
}

/// Converts a result of SQLite to one of the model.
pub(crate) trait Sql<T> {
    /// Returns the converted result.
    fn sql(self) -> Result<T>;
}

impl<T> Sql<T> for rusqlite::Result<T> {
    fn sql(self) -> Result<T> {
        self.map_err(translate)
    }
}

fn translate(error: rusqlite::Error) -> Error {
    let Some(code) = error.sqlite_error_code() else {
        return Error::bug("the store could not read its own row").caused_by(error);
    };
    let (kind, message) = match code {
        ErrorCode::DiskFull => (
            ErrorKind::Unavailable,
            "the disk of the data folder is full: free space and try again; nothing was written",
        ),
        ErrorCode::ReadOnly => (
            ErrorKind::Unavailable,
            "the data folder is read-only: make it writable for this user; nothing was written",
        ),
        ErrorCode::PermissionDenied | ErrorCode::CannotOpen | ErrorCode::AuthorizationForStatementDenied => (
            ErrorKind::Unavailable,
            "the data folder cannot be opened: check that this user may read and write it",
        ),
        ErrorCode::SystemIoFailure => (
            ErrorKind::Unavailable,
            "the data folder's disk failed to read or write: check the disk and its free space; nothing was written",
        ),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            (ErrorKind::Unavailable, "the store is busy with another process: try again")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => (ErrorKind::Unavailable, DAMAGED),
        ErrorCode::ConstraintViolation => (ErrorKind::Conflict, "something of that name is there already"),
        ErrorCode::TooBig => (ErrorKind::TooLarge, "the value is larger than the store can hold"),
        ErrorCode::OutOfMemory => (ErrorKind::Unavailable, "the store ran out of memory: try again"),
        _ => (ErrorKind::Bug, "the store failed"),
    };
    Error::new(kind, message).caused_by(error)
}

/// Returns the error for a file system error in the data folder.
pub(crate) fn folder_error(what: &str, error: std::io::Error) -> Error {
    use std::io::ErrorKind as Io;
    let remedy = match error.kind() {
        Io::PermissionDenied | Io::ReadOnlyFilesystem => "make it readable and writable for this user",
        Io::StorageFull | Io::QuotaExceeded => "free space on its disk",
        Io::NotFound => "check its path",
        _ => "check the path and the disk",
    };
    Error::unavailable(format!("{what} failed: {error}; {remedy}")).caused_by(error)
}
