//! The OS file locks with which several processes share one folder. They are released when their
//! process ends.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use loci_model::{Error, Result};

use crate::errors::folder_error;
use crate::folder::{SCHEMA_LOCK, open_private};

/// The time for which a newer binary waits for older ones to exit before it gives up migrating.
const MIGRATION_PATIENCE: Duration = Duration::from_secs(5);

/// The locks that make writers of several processes take turns: `turn` keeps the queue fair, and
/// `write` is held for one commit.
pub(crate) struct Turnstile {
    turn: File,
    write: File,
}

/// The turn of this process to write. It ends when the value is dropped.
pub(crate) struct Turn<'a>(&'a File);

impl Turnstile {
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        Ok(Self { turn: open_private(&folder.join("turn"))?, write: open_private(&folder.join("write"))? })
    }

    /// Waits for this process's turn to write.
    pub(crate) fn enter(&self) -> Result<Turn<'_>> {
        let failed = |error| folder_error("locking the data folder", error);
        self.turn.lock().map_err(failed)?;
        // From here on the lock is held by a `Turn`, which releases it in any case.
        let entered = self.write.lock().map(|()| Turn(&self.write)).map_err(failed);
        self.turn.unlock().map_err(failed)?;
        entered
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::error!(%error, "the write lock of the data folder could not be released");
        }
    }
}

/// The lock of the one process that runs jobs and sweeps.
pub(crate) struct Host {
    path: PathBuf,
    held: Mutex<Option<File>>,
}

impl Host {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("host"), held: Mutex::new(None) }
    }

    /// Takes the lock if it is free, or keeps it if this process has it.
    pub(crate) fn try_take(&self) -> Result<bool> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(true);
        }
        let file = open_private(&self.path)?;
        match file.try_lock() {
            Ok(()) => {
                *held = Some(file);
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(folder_error("locking the data folder", error)),
        }
    }

    pub(crate) fn release(&self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// The lock on the schema: shared by all running processes, exclusive for migration and restore.
pub(crate) struct SchemaLock {
    file: File,
}

impl SchemaLock {
    pub(crate) fn shared(folder: &Path) -> Result<Self> {
        let file = open_private(&folder.join(SCHEMA_LOCK))?;
        file.lock_shared().map_err(|error| folder_error("locking the data folder", error))?;
        Ok(Self { file })
    }

    /// Takes the exclusive lock without waiting, or returns a conflict.
    pub(crate) fn try_exclusive(folder: &Path) -> Result<Self> {
        let file = open_private(&folder.join(SCHEMA_LOCK))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {
                Err(Error::conflict("another process uses the data folder: stop it and try again"))
            }
            Err(TryLockError::Error(error)) => Err(folder_error("locking the data folder", error)),
        }
    }

    /// Takes the exclusive lock after a time for running processes to exit.
    pub(crate) fn exclusive(folder: &Path) -> Result<Self> {
        let file = open_private(&folder.join(SCHEMA_LOCK))?;
        let (sender, receiver) = mpsc::sync_channel(0);
        // Locks have no timeout; a thread that gets one too late drops it.
        std::thread::spawn(move || {
            let outcome = file.lock().map(|()| file);
            let _ = sender.send(outcome);
        });
        match receiver.recv_timeout(MIGRATION_PATIENCE) {
            Ok(Ok(file)) => Ok(Self { file }),
            Ok(Err(error)) => Err(folder_error("locking the data folder", error)),
            Err(_) => Err(Error::unavailable(
                "the data folder must be migrated, but another process uses it: stop that one and try again",
            )),
        }
    }

    /// Records in the lock file that the folder has a database.
    pub(crate) fn note_filled(&self) -> Result<()> {
        if self.is_filled()? {
            return Ok(());
        }
        (&self.file)
            .write_all(b"in use\n")
            .map_err(|error| folder_error("writing into the data folder", error))
    }

    /// Returns true if the lock file records that the folder has a database.
    pub(crate) fn is_filled(&self) -> Result<bool> {
        let metadata = self.file.metadata();
        metadata.map(|file| file.len() > 0).map_err(|error| folder_error("reading the data folder", error))
    }

    /// Replaces the exclusive lock with a shared one.
    pub(crate) fn into_shared(self) -> Result<Self> {
        self.file.lock_shared().map_err(|error| folder_error("locking the data folder", error))?;
        Ok(self)
    }
}
