//! Reads and writes the files of a directory. It blocks: the backend runs it on a thread for such
//! work.
//!
//! A writer holds the lock of the directory from checking the file until its new bytes are durable.
//! It writes the bytes to a hidden sibling, which takes the file's name atomically.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::FILE_BYTES_MAX;
use super::walk::{Walk, conflict, look};
use crate::backend::listing_part::ListingPart;
use crate::backend::path_rules::folded;
use crate::backend::storage_error::{StorageError, StorageErrorKind};
use crate::backend::stored_file::{FilePrecondition, FileWriteResult, sha256_hex};

/// The file whose lock writers hold.
const LOCK: &str = ".loci-lock";
/// The start of the name of a file that is being written.
const DRAFT: &str = ".loci-writing-";
/// The maximum of tries to take the lock: 30 s.
const LOCK_TRIES_MAX: u32 = 15_000;
/// The pause between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// A directory of files.
#[derive(Debug)]
pub(super) struct DirectoryRoot {
    root: PathBuf,
}

/// Returns the error of a disk failure.
pub(super) fn failed(error: std::io::Error) -> StorageError {
    let message =
        format!("the directory cannot be read or written ({error}): check its owner, mode and disk");
    let kind = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StorageErrorKind::Denied,
        _ => StorageErrorKind::Unavailable,
    };
    StorageError::new(kind, message).caused_by(error)
}

/// Returns the error of a file above the limit.
pub(super) fn too_large(path: &str) -> StorageError {
    let message = format!("{path}: a file has at most {FILE_BYTES_MAX} bytes: split it");
    StorageError::new(StorageErrorKind::TooLarge, message)
}

impl DirectoryRoot {
    pub(super) fn open(directory: &Path) -> Result<Self, StorageError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                let message = format!("{} is no directory: give another place", directory.display());
                StorageError::new(StorageErrorKind::PathConflict, message).caused_by(error)
            }
            _ => failed(error),
        })?;
        // The caller may pass a link; from here on none is followed.
        Ok(Self { root: directory.canonicalize().map_err(failed)? })
    }

    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let Some((place, about)) = self.file(path)? else { return Ok(None) };
        let file = match File::open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let opened = file.metadata().map_err(failed)?;
        // A writer has replaced the file since. The open file is complete, unless a link was put
        // there.
        if (opened.dev(), opened.ino()) != (about.dev(), about.ino()) {
            look(&self.root, path)?;
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > FILE_BYTES_MAX { Err(too_large(path)) } else { Ok(Some(bytes)) }
    }

    pub(super) fn exists(&self, path: &str) -> Result<bool, StorageError> {
        Ok(self.file(path)?.is_some())
    }

    /// Returns the first `limit` files of the listing after a path.
    pub(super) fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<ListingPart, StorageError> {
        self.needed()?;
        let mut walk = Walk::new(after, limit);
        if prefix.split('/').any(super::walk::is_invisible) {
            return Ok(walk.end());
        }
        match look(&self.root, prefix) {
            Ok(Some((place, about))) if about.is_dir() => walk.directory(&place, prefix)?,
            Ok(Some((_, about))) if about.is_file() => walk.file(prefix, about.len()),
            Ok(Some(_) | None) => {}
            // All files behind a link are omitted.
            Err(error) if error.kind == StorageErrorKind::PathConflict => walk.skip(prefix, &error),
            Err(error) => return Err(error),
        }
        Ok(walk.end())
    }

    pub(super) fn write(
        &self,
        path: &str,
        bytes: Vec<u8>,
        only_if: &FilePrecondition,
    ) -> Result<FileWriteResult, StorageError> {
        let _lock = self.lock()?;
        self.check(path, only_if)?;
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = self.root.clone();
        for parent in parents.split('/').filter(|parent| !parent.is_empty()) {
            self.check_spelling(&folder, parent)?;
            let above = folder.clone();
            folder.push(parent);
            if !folder.is_dir() {
                let made = DirBuilder::new().mode(0o700).create(&folder);
                made.map_err(|error| match error.kind() {
                    ErrorKind::AlreadyExists => conflict(&self.root, &folder, "is no directory"),
                    _ => failed(error),
                })?;
                synced(&above)?;
            }
        }
        self.check_spelling(&folder, name)?;
        replace(&folder, name, &bytes)?;
        Ok(FileWriteResult { sha256: sha256_hex(&bytes) })
    }

    pub(super) fn delete(&self, path: &str, only_if: &FilePrecondition) -> Result<bool, StorageError> {
        let _lock = self.lock()?;
        let Some((place, _)) = self.file(path)? else { return Ok(false) };
        self.check(path, only_if)?;
        fs::remove_file(&place).map_err(failed)?;
        let mut folder = place.parent().unwrap_or(&self.root).to_owned();
        synced(&folder)?;
        // The file is gone, even if a directory cannot be removed.
        while folder != self.root && fs::remove_dir(&folder).is_ok() {
            folder.pop();
        }
        Ok(true)
    }

    /// Returns the regular file at a path.
    fn file(&self, path: &str) -> Result<Option<(PathBuf, fs::Metadata)>, StorageError> {
        self.needed()?;
        match look(&self.root, path)? {
            Some((place, about)) if about.is_file() => Ok(Some((place, about))),
            // A directory, pipe or device is no file of the backend.
            Some(_) | None => Ok(None),
        }
    }

    /// Checks the directories of a path, its file, and the condition. The caller holds the lock.
    fn check(&self, path: &str, only_if: &FilePrecondition) -> Result<(), StorageError> {
        if let Some((place, about)) = look(&self.root, path)?
            && !about.is_file()
        {
            return Err(conflict(&self.root, &place, "is not a regular file"));
        }
        let present = match only_if {
            FilePrecondition::Any => return Ok(()),
            FilePrecondition::Absent | FilePrecondition::Sha256(_) => self.read(path)?,
        };
        only_if.check(path, present.map(|bytes| sha256_hex(&bytes)).as_deref())
    }

    /// Checks that no other name of the folder differs only in case. An existing name was checked
    /// when it was created, so the folder is read for new names only.
    fn check_spelling(&self, folder: &Path, name: &str) -> Result<(), StorageError> {
        let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
        let (upper, lower) = (name.to_uppercase(), name.to_lowercase());
        // A case-insensitive disk finds every spelling.
        if is_there(name) && [upper, lower].iter().all(|other| other == name || !is_there(other)) {
            return Ok(());
        }
        let wanted = folded(name);
        for entry in fs::read_dir(folder).map_err(failed)? {
            let other = entry.map_err(failed)?.file_name();
            let Some(other) = other.to_str().filter(|other| *other != name) else { continue };
            if folded(other) == wanted {
                let lies = format!("differs from {name} in case alone");
                return Err(conflict(&self.root, &folder.join(other), &lies));
            }
        }
        Ok(())
    }

    /// Checks that the root exists: a directory that vanished is not an empty one.
    fn needed(&self) -> Result<(), StorageError> {
        let about = fs::symlink_metadata(&self.root).map_err(failed)?;
        if about.is_dir() {
            Ok(())
        } else {
            Err(conflict(&self.root, &self.root, "is no directory any more"))
        }
    }

    /// Takes the lock of all writers. The lock ends with the file handle, also when the process
    /// ends.
    fn lock(&self) -> Result<File, StorageError> {
        self.needed()?;
        let place = self.root.join(LOCK);
        if fs::symlink_metadata(&place).is_ok_and(|about| !about.is_file()) {
            return Err(conflict(&self.root, &place, "is not a regular file"));
        }
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(place).map_err(failed)?;
        locked(&lock)?;
        Ok(lock)
    }
}

/// Waits for a lock up to a limit: a writer that hangs must not block all others.
#[expect(clippy::disallowed_methods, reason = "another process gives the lock back, in the machine's time")]
fn locked(lock: &File) -> Result<(), StorageError> {
    for _ in 0..LOCK_TRIES_MAX {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    let message = "another writer holds the lock of the directory for 30 s: end it, or try again later";
    Err(StorageError::new(StorageErrorKind::Unavailable, message))
}

/// Writes bytes to a sibling and renames it once they are durable.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), StorageError> {
    let number = getrandom::u64().map_err(|error| failed(std::io::Error::other(error)))?;
    let draft = folder.join(format!("{DRAFT}{number:016x}"));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).map_err(failed)?;
    let done = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, folder.join(name)))
        .map_err(failed);
    if done.is_err() {
        // The returned error reports the failure. A remaining draft is hidden and readable by its
        // owner only.
        let _ = fs::remove_file(&draft);
    }
    done.and_then(|()| synced(folder))
}

/// Makes the names of a folder durable.
fn synced(folder: &Path) -> Result<(), StorageError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}
