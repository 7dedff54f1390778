//! Types of the optional methods: versions, changes, snapshots, differences and search hits.

use serde::{Deserialize, Serialize};

/// The request of a page of a file's versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionQuery {
    /// The maximum number of versions on the page, 1 to 100.
    pub limit: u32,
    /// The cursor that the previous page returned. `None` starts with the newest version.
    pub cursor: Option<String>,
}

/// The operation that made a version or a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    /// The file was created, or its bytes changed.
    Write,
    /// The file was removed.
    Delete,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// The name of the version within the backend.
    pub version: String,
    /// The operation that made the version.
    pub operation: FileOperation,
    /// The SHA-256 of the file's bytes, in hex digits. `None` after a deletion, and if the content
    /// was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The size of the file, in bytes. `None` if the backend does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The author of the version. `None` if the backend knows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The time of the version as RFC 3339, for display. The order of the page is authoritative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The reason that the author gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A page of versions of a file, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileVersions {
    /// The versions on the page.
    pub versions: Vec<FileVersion>,
    /// The cursor of the next page. `None` on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendChange {
    /// The position of the change in the order of all changes, for `changes_since`.
    pub cursor: String,
    /// The full path of the file.
    pub path: String,
    /// The operation that changed the file.
    pub operation: FileOperation,
    /// The SHA-256 of the file after the change, in hex digits. `None` after a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A page of changes, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendChanges {
    /// The changes on the page.
    pub changes: Vec<BackendChange>,
    /// The cursor to pass to the next call of `changes_since`.
    pub next: String,
    /// True if there may already be further changes, so that the next call need not wait.
    pub more: bool,
}

/// A reference to a snapshot: a state of all files with a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRef {
    /// The label of the snapshot: 1 to 100 letters, digits, `-`, `_` and `.`.
    pub label: String,
}

impl SnapshotRef {
    /// Returns the reference to a label.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into() }
    }
}

/// A file that differs between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDifference {
    /// The path of the file in the first snapshot. `None` if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// The path of the file in the second snapshot. `None` if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// The differing lines as a unified diff. `None` if the backend does not compare lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// The files that differ between two snapshots, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BackendDiff {
    /// The files that differ.
    pub files: Vec<FileDifference>,
    /// The number of files whose lines were not compared because of their size or of the time.
    #[serde(default)]
    pub left_out: u64,
}

/// The outcome of restoring a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Restored {
    /// The paths of the files that were written or removed, sorted.
    pub changed: Vec<String>,
    /// The files that differ from the snapshot and could not be restored, sorted by path.
    #[serde(default)]
    pub left_out: Vec<NotRestored>,
}

/// A file that a restore could not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRestored {
    /// The path of the file.
    pub path: String,
    /// The reason why the file could not be restored.
    pub reason: String,
}

/// A file that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The full path of the file.
    pub path: String,
    /// The relevance of the file to the query, 0 to 1. `None` if the backend has no calibrated
    /// relevance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// A part of the file's text, for display.
    #[serde(default)]
    pub text: String,
}
