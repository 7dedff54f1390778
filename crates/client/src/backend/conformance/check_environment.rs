//! The environment of one check: a backend, a prefix of its own, and calls that fail the check if
//! they do not succeed.

use std::sync::Arc;

use crate::backend::file_backend::{BackendCapabilities, FileBackend};
use crate::backend::path_rules::is_within;
use crate::backend::storage_error::{StorageError, StorageErrorKind};
use crate::backend::stored_file::{BackendEntry, FilePrecondition, FileWriteResult};

/// Characters of a file that a report shows.
const SHOWN_MAX: usize = 60;

/// A promise that a backend does not hold.
#[derive(Debug)]
pub(super) struct BackendFault {
    pub(super) expected: String,
    pub(super) found: String,
}

/// The outcome of a check.
pub(super) type CheckVerdict = Result<(), BackendFault>;

pub(super) fn fault(expected: impl Into<String>, found: impl Into<String>) -> BackendFault {
    BackendFault { expected: expected.into(), found: found.into() }
}

/// Fails the check unless both are equal.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(subject: &str, found: &T, expected: &T) -> CheckVerdict {
    if found == expected {
        return Ok(());
    }
    Err(fault(format!("{subject}: {expected:?}"), format!("{found:?}")))
}

/// Fails the check unless the call failed with this kind of error.
pub(super) fn refused<T: std::fmt::Debug>(
    subject: &str,
    done: Result<T, StorageError>,
    kind: StorageErrorKind,
) -> CheckVerdict {
    let expected = || format!("{subject} is refused with {}", kind.code());
    match done {
        Err(error) if error.kind == kind => Ok(()),
        Err(error) => Err(fault(expected(), in_words(&error))),
        Ok(answer) => Err(fault(expected(), format!("success: {answer:?}"))),
    }
}

pub(super) fn in_words(error: &StorageError) -> String {
    format!("{}: {error}", error.kind.code())
}

/// Returns the first characters of bytes, for a report.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().take(SHOWN_MAX).collect();
    format!("{} bytes {text:?}", bytes.len())
}

pub(super) struct CheckEnvironment {
    pub(super) backend: Arc<dyn FileBackend>,
    pub(super) prefix: String,
    /// The prefix of the labels of snapshots.
    pub(super) label: String,
}

impl CheckEnvironment {
    pub(super) fn new(backend: Arc<dyn FileBackend>, prefix: String, label: String) -> Self {
        Self { backend, prefix, label }
    }

    pub(super) fn can(&self) -> BackendCapabilities {
        self.backend.capabilities()
    }

    /// Returns the full path of a name.
    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.prefix)
    }

    pub(super) async fn write_if(
        &self,
        name: &str,
        bytes: &[u8],
        only_if: &FilePrecondition,
    ) -> Result<FileWriteResult, StorageError> {
        self.backend.write(&self.at(name), bytes, only_if).await
    }

    /// Writes a file and fails the check on an error.
    pub(super) async fn write(&self, name: &str, bytes: &[u8]) -> Result<FileWriteResult, BackendFault> {
        let done = self.write_if(name, bytes, &FilePrecondition::Any).await;
        done.map_err(|error| fault(format!("write {name:?} succeeds"), in_words(&error)))
    }

    /// Reads a file and fails the check on an error.
    pub(super) async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, BackendFault> {
        let read = self.backend.read(&self.at(name)).await;
        let read = read.map_err(|error| fault(format!("read {name:?} succeeds"), in_words(&error)))?;
        Ok(read.map(|file| file.bytes))
    }

    /// Fails the check unless the file has these bytes.
    pub(super) async fn holds(&self, name: &str, expected: Option<&[u8]>) -> CheckVerdict {
        let found = self.read(name).await?;
        if found.as_deref() == expected {
            return Ok(());
        }
        let words = |bytes: Option<&[u8]>| bytes.map_or("no file".to_owned(), shown);
        Err(fault(format!("{name:?} has {}", words(expected)), words(found.as_deref())))
    }

    pub(super) async fn exists(&self, name: &str) -> Result<bool, BackendFault> {
        let found = self.backend.exists(&self.at(name)).await;
        found.map_err(|error| fault(format!("exists {name:?} succeeds"), in_words(&error)))
    }

    /// Lists the files at or below a name. The empty name is the whole prefix.
    pub(super) async fn list(&self, name: &str) -> Result<Vec<BackendEntry>, BackendFault> {
        let prefix = if name.is_empty() { self.prefix.clone() } else { self.at(name) };
        let listed = self.backend.list(&prefix).await;
        listed.map_err(|error| fault(format!("list {name:?} succeeds"), in_words(&error)))
    }

    /// Returns the full paths below a name, in the backend's order.
    pub(super) async fn paths(&self, name: &str) -> Result<Vec<String>, BackendFault> {
        Ok(self.list(name).await?.into_iter().map(|entry| entry.path).collect())
    }

    pub(super) async fn delete(&self, name: &str) -> Result<bool, BackendFault> {
        let done = self.backend.delete(&self.at(name), &FilePrecondition::Any).await;
        done.map_err(|error| fault(format!("delete {name:?} succeeds"), in_words(&error)))
    }

    /// Removes every file below the prefix and checks that each is gone. A listing that names other
    /// files fails the check, and those files are left alone.
    pub(super) async fn clean_up(&self) -> CheckVerdict {
        for path in self.paths("").await?.into_iter().filter(|path| is_within(path, &self.prefix)) {
            let done = self.backend.delete(&path, &FilePrecondition::Any).await;
            done.map_err(|error| fault(format!("delete {path:?} succeeds"), in_words(&error)))?;
        }
        same("files that are left below the prefix of the run", &self.paths("").await?, &Vec::new())
    }
}
