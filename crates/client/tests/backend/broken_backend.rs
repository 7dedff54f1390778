//! A backend with one fault at a time: the checks that name the fault fail, and no others.

use std::sync::Arc;

use futures::FutureExt;
use loci_client::backend::{
    BackendCapabilities, BackendEntry, BackendFile, DirectoryBackend, FileBackend, FilePrecondition,
    FileWriteResult, StorageFuture, sha256_hex,
};

use crate::{report, runtime};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    LosesCarriageReturns,
    IgnoresPreconditions,
    Unsorted,
    PrefixesAreTexts,
    IgnoresPrefixes,
    TakesEveryPath,
    DeleteOfNothingSucceeds,
    AnnouncesVersions,
    KeepsFiles,
}

struct Broken {
    backend: DirectoryBackend,
    fault: Fault,
}

impl Broken {
    /// Returns a path that the directory accepts in place of one that breaks a rule.
    fn path(&self, path: &str) -> String {
        if self.fault != Fault::TakesEveryPath || loci_client::backend::clean_path(path).is_ok() {
            return path.to_owned();
        }
        let (prefix, _) = path.split_at(path.find("path-rules").unwrap_or_default());
        format!("{prefix}path-rules/taken-{}", sha256_hex(path.as_bytes()))
    }
}

impl FileBackend for Broken {
    fn capabilities(&self) -> BackendCapabilities {
        let versioning = self.fault == Fault::AnnouncesVersions;
        BackendCapabilities { versioning, ..self.backend.capabilities() }
    }

    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
        async move { self.backend.read(&self.path(path)).await }.boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult> {
        async move {
            let text = String::from_utf8_lossy(bytes).replace('\r', "");
            let lossy = self.fault == Fault::LosesCarriageReturns && bytes.contains(&b'\r');
            let bytes = if lossy { text.as_bytes() } else { bytes };
            let ignores = self.fault == Fault::IgnoresPreconditions;
            let only_if = if ignores { &FilePrecondition::Any } else { only_if };
            self.backend.write(&self.path(path), bytes, only_if).await
        }
        .boxed()
    }

    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
        async move {
            if self.fault == Fault::KeepsFiles && path.contains("list-many") {
                return Ok(true);
            }
            let ignores = self.fault == Fault::IgnoresPreconditions;
            let only_if = if ignores { &FilePrecondition::Any } else { only_if };
            let done = self.backend.delete(&self.path(path), only_if).await?;
            Ok(done || self.fault == Fault::DeleteOfNothingSucceeds)
        }
        .boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>> {
        async move {
            if self.fault == Fault::IgnoresPrefixes {
                return self.backend.list("").await;
            }
            if self.fault != Fault::PrefixesAreTexts {
                let mut found = self.backend.list(prefix).await?;
                if self.fault == Fault::Unsorted {
                    found.reverse();
                }
                return Ok(found);
            }
            let prefix = loci_client::backend::clean_prefix(prefix)?;
            let all = self.backend.list("").await?;
            Ok(all.into_iter().filter(|entry| entry.path.starts_with(&prefix)).collect())
        }
        .boxed()
    }

    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
        async move { self.backend.exists(&self.path(path)).await }.boxed()
    }
}

#[test]
fn the_checks_that_name_a_fault_fail() {
    let check = |fault: Fault, expect: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let backend = DirectoryBackend::open(folder.path()).unwrap();
        let report = runtime().block_on(report(Arc::new(Broken { backend, fault }), "below"));
        assert_eq!(report.failed(), expect, "{fault:?}");
    };
    check(Fault::None, &[]);
    check(Fault::LosesCarriageReturns, &["bytes-round-trip"]);
    check(
        Fault::IgnoresPreconditions,
        &[
            "precondition-absent",
            "precondition-sha256",
            "precondition-delete",
            "concurrent-absent",
            "concurrent-sha256",
        ],
    );
    let sorted = ["list-sorted", "list-prefix", "list-many", "namespace-view", "path-names"];
    check(Fault::Unsorted, &[&sorted[..], &["refused-file-harms-no-other"]].concat());
    check(Fault::PrefixesAreTexts, &["list-prefix"]);
    check(Fault::TakesEveryPath, &["path-rules", "refused-file-harms-no-other"]);
    check(Fault::DeleteOfNothingSucceeds, &["delete", "precondition-delete"]);
    check(Fault::AnnouncesVersions, &["history", "changes", "diff", "snapshot-label", "restore"]);
    check(Fault::KeepsFiles, &["clean-up"]);
}

#[test]
fn files_that_are_not_of_the_run_stay() {
    let folder = tempfile::tempdir().unwrap();
    let backend = DirectoryBackend::open(folder.path()).unwrap();
    let text = b"not of the run";
    runtime().block_on(backend.write("mine/notes.md", text, &FilePrecondition::Any)).unwrap();
    let broken = Broken { backend, fault: Fault::IgnoresPrefixes };
    let report = runtime().block_on(report(Arc::new(broken), "below"));
    assert!(report.failed().contains(&"list-prefix") && report.failed().contains(&"clean-up"));
    assert_eq!(std::fs::read(folder.path().join("mine/notes.md")).unwrap(), text);
    let left = std::fs::read_dir(folder.path().join("below")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "files of the run are removed");
}
