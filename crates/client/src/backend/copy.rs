//! Copying of files from one backend to another. A file that already has equal bytes at the
//! destination is not written. A rejected file does not stop the others.

use serde::Serialize;

use super::file_backend::FileBackend;
use super::listing_part::RefusedFile;
use super::path_rules::clean_prefix;
use super::storage_error::StorageError;
use super::stored_file::{FilePrecondition, sha256_hex};

/// The outcome of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CopyReport {
    /// The number of files that were written.
    pub written: u64,
    /// The number of files that had the same bytes on both sides.
    pub unchanged: u64,
    /// The files that were not copied, sorted by path.
    pub refused: Vec<RefusedFile>,
}

/// Copies the files at and below `prefix` to the same paths, and counts them in `report`. Files
/// that exist only at the destination stay. If the destination has the capability `cas`, a file
/// that changes during the copy is rejected and not overwritten. A file that the source has and
/// cannot list is rejected, too.
///
/// # Errors
/// Errors of the listing, and of a backend that is unavailable or broken. The report then contains
/// the files that were already copied, and another copy continues after them.
pub async fn copy_files(
    from: &dyn FileBackend,
    to: &dyn FileBackend,
    prefix: &str,
    report: &mut CopyReport,
) -> Result<(), StorageError> {
    let part = from.list_part(&clean_prefix(prefix)?, None, usize::MAX).await?;
    report.refused.extend(part.skipped);
    for entry in part.files {
        match copied(from, to, &entry.path).await {
            Ok(true) => report.written += 1,
            Ok(false) => report.unchanged += 1,
            Err(error) if error.kind.is_of_one_file() => {
                report.refused.push(RefusedFile::new(entry.path, &error));
            }
            Err(error) => return Err(error),
        }
    }
    report.refused.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(())
}

/// Copies a file. Returns false if the destination already has it.
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
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;
    use crate::backend::{
        BackendCapabilities, BackendEntry, BackendFile, DirectoryBackend, FileWriteResult, StorageFuture,
    };

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
        let copy = |prefix: &str| {
            let mut report = CopyReport::default();
            block_on(copy_files(&from, &to, prefix, &mut report)).map(|()| report)
        };
        let report = copy("").unwrap();
        assert_eq!((report.written, report.unchanged), (2, 0));
        let refused: Vec<_> =
            report.refused.iter().map(|one| (one.path.as_str(), one.code.as_str())).collect();
        assert_eq!(refused, [("Case.md", "path_conflict")]);
        let again = copy("deep").unwrap();
        assert_eq!((again.written, again.unchanged), (0, 1));
        let paths: Vec<_> = block_on(to.list("")).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(paths, ["a.md", "case.md", "deep/b.md", "only-there.md"]);
        std::fs::remove_dir_all(folder.path().join("to")).unwrap();
        assert!(copy("").unwrap_err().is_retryable());
    }

    /// A directory that vanishes after its first write.
    struct Vanishing(DirectoryBackend, std::path::PathBuf);

    impl FileBackend for Vanishing {
        fn capabilities(&self) -> BackendCapabilities {
            self.0.capabilities()
        }

        fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
            self.0.read(path)
        }

        fn write<'a>(
            &'a self,
            path: &'a str,
            bytes: &'a [u8],
            only_if: &'a FilePrecondition,
        ) -> StorageFuture<'a, FileWriteResult> {
            async move {
                let done = self.0.write(path, bytes, only_if).await;
                std::fs::remove_dir_all(&self.1).unwrap();
                done
            }
            .boxed()
        }

        fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
            self.0.delete(path, only_if)
        }

        fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>> {
            self.0.list(prefix)
        }

        fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
            self.0.exists(path)
        }
    }

    #[test]
    fn a_copy_that_stops_reports_the_files_before() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("to");
        let from = DirectoryBackend::open(&folder.path().join("from")).unwrap();
        let to = Vanishing(DirectoryBackend::open(&place).unwrap(), place);
        for path in ["a.md", "b.md", "c.md"] {
            block_on(from.write(path, b"text", &FilePrecondition::Any)).unwrap();
        }
        std::fs::write(folder.path().join("from/bad:name"), "x").unwrap();
        let mut report = CopyReport::default();
        let error = block_on(copy_files(&from, &to, "", &mut report)).unwrap_err();
        assert!(error.is_retryable(), "{error}");
        assert_eq!((report.written, report.unchanged, report.refused.len()), (1, 0, 1));
    }
}
