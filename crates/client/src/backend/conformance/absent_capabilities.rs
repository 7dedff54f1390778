//! Checks of absent capabilities: the call fails with `unsupported` and never returns an
//! approximation.

use super::check_environment::{CheckEnvironment, CheckVerdict, refused};
use crate::backend::file_change::{SnapshotRef, VersionQuery};
use crate::backend::storage_error::StorageErrorKind::Unsupported;
use crate::backend::stored_file::{FilePrecondition, sha256_hex};

pub(super) async fn cas(it: &CheckEnvironment) -> CheckVerdict {
    let done = it.write_if("a.md", b"text\n", &FilePrecondition::Absent).await;
    refused("a write under Absent", done, Unsupported)?;
    it.holds("a.md", None).await?;
    it.write("a.md", b"first\n").await?;
    let only_if = FilePrecondition::Sha256(sha256_hex(b"first\n"));
    refused("a write under Sha256", it.write_if("a.md", b"second\n", &only_if).await, Unsupported)?;
    let done = it.backend.delete(&it.at("a.md"), &only_if).await;
    refused("a delete under Sha256", done, Unsupported)?;
    it.holds("a.md", Some(b"first\n")).await
}

pub(super) async fn versioning(it: &CheckEnvironment) -> CheckVerdict {
    it.write("a.md", b"text\n").await?;
    let (path, label) = (it.at("a.md"), SnapshotRef::new(&it.label));
    let page = VersionQuery { limit: 10, cursor: None };
    refused("history", it.backend.history(&path, &page).await, Unsupported)?;
    refused("changes_since", it.backend.changes_since(None, 10).await, Unsupported)?;
    refused("diff", it.backend.diff(&label, &label, None).await, Unsupported)?;
    refused("snapshot", it.backend.snapshot(&it.label).await, Unsupported)?;
    refused("restore", it.backend.restore(&label, &[path]).await, Unsupported)?;
    it.holds("a.md", Some(b"text\n")).await
}

pub(super) async fn search(it: &CheckEnvironment) -> CheckVerdict {
    it.write("a.md", b"text\n").await?;
    refused("search", it.backend.search(&it.prefix, "text", 10).await, Unsupported)
}
