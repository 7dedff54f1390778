//! Copies files from one backend to another. What is the same there already is not written, and a
//! file that is refused stops no other.

use serde::Serialize;

use super::file_backend::FileBackend;
use super::path_rules::clean_prefix;
use super::storage_error::StorageError;
use super::stored_file::{FilePrecondition, sha256_hex};

/// The outcome of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CopyReport {
    /// Files that were written.
    pub written: u64,
    /// Files with the same bytes on both sides.
    pub unchanged: u64,
    /// Files that were not copied, by path.
    pub refused: Vec<RefusedFile>,
}

/// A file that was not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedFile {
    /// Its path at the source.
    pub path: String,
    /// The code of the error.
    pub code: String,
    /// The sentence for people.
    pub message: String,
}

impl RefusedFile {
    fn new(path: String, error: &StorageError) -> Self {
        Self { path, code: error.kind.code().to_owned(), message: error.to_string() }
    }
}

/// Copies the files at and below `prefix` to the same paths. Files that are only at the destination
/// stay. Where the destination has `cas`, a file that somebody changes meanwhile is refused and not
/// overwritten.
///
/// # Errors
/// Errors that are not about one file: of the listing, and of a backend that is unavailable or
/// broken. What was copied before stays; the next copy goes on behind it.
pub async fn copy_files(
    from: &dyn FileBackend,
    to: &dyn FileBackend,
    prefix: &str,
) -> Result<CopyReport, StorageError> {
    let mut report = CopyReport::default();
    for entry in from.list(&clean_prefix(prefix)?).await? {
        match copied(from, to, &entry.path).await {
            Ok(true) => report.written += 1,
            Ok(false) => report.unchanged += 1,
            Err(error) if error.kind.is_of_one_file() => {
                report.refused.push(RefusedFile::new(entry.path, &error));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// Copies a file; false where the destination has it already.
async fn copied(from: &dyn FileBackend, to: &dyn FileBackend, path: &str) -> Result<bool, StorageError> {
    let Some(file) = from.read(path).await? else {
        let message = format!("{path} was removed while it was copied: copy again");
        return Err(StorageError::precondition_failed(message));
    };
    let there = to.read(path).await?;
    if there.as_ref().is_some_and(|there| there.bytes == file.bytes) {
        return Ok(false);
    }
    let only_if = match there {
        _ if !to.capabilities().cas => FilePrecondition::Any,
        None => FilePrecondition::Absent,
        Some(there) => FilePrecondition::Sha256(there.sha256),
    };
    let written = to.write(path, &file.bytes, &only_if).await?;
    let expected = sha256_hex(&file.bytes);
    if written.sha256 == expected {
        return Ok(true);
    }
    let message = format!("{path}: the destination stored other bytes (sha256 {}): check it", written.sha256);
    Err(StorageError::new(super::storage_error::StorageErrorKind::InvalidContent, message))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::backend::DirectoryBackend;

    #[test]
    fn files_are_written_once_and_refused_ones_stop_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| DirectoryBackend::open(&folder.path().join(name)).unwrap();
        let (from, to) = (open("from"), open("to"));
        let put = |backend: &DirectoryBackend, path: &str, text: &str| {
            block_on(backend.write(path, text.as_bytes(), &FilePrecondition::Any)).unwrap();
        };
        for path in ["a.md", "deep/b.md", "Case.md"] {
            put(&from, path, path);
        }
        put(&to, "a.md", "older");
        put(&to, "case.md", "in the way of Case.md");
        put(&to, "only-there.md", "stays");
        let copy = |prefix: &str| block_on(copy_files(&from, &to, prefix)).unwrap();
        let report = copy("");
        assert_eq!((report.written, report.unchanged), (2, 0));
        let refused: Vec<_> =
            report.refused.iter().map(|one| (one.path.as_str(), one.code.as_str())).collect();
        assert_eq!(refused, [("Case.md", "path_conflict")]);
        assert_eq!((copy("deep").written, copy("deep").unchanged), (0, 1));
        let paths: Vec<_> = block_on(to.list("")).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(paths, ["a.md", "case.md", "deep/b.md", "only-there.md"]);
        std::fs::remove_dir_all(folder.path().join("to")).unwrap();
        assert!(block_on(copy_files(&from, &to, "")).unwrap_err().is_retryable());
    }
}
