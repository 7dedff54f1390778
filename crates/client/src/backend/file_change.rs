//! Types of the optional methods: versions, changes, snapshots, differences and search hits.

use serde::{Deserialize, Serialize};

/// A page of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionQuery {
    /// The maximum of versions, 1 to 100.
    pub limit: u32,
    /// The end of the previous page.
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
    /// The operation that made it.
    pub operation: FileOperation,
    /// SHA-256 of the bytes; absent after a deletion, and if the content was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The length in bytes, if the backend knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The author, if the backend knows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The time as RFC 3339, for display; the page defines the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The reason, if the author gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Versions of a file, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileVersions {
    /// The versions.
    pub versions: Vec<FileVersion>,
    /// The cursor of the next page; absent on the last one.
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
    /// The operation.
    pub operation: FileOperation,
    /// SHA-256 of the file after the change; absent after a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Changes in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendChanges {
    /// The changes.
    pub changes: Vec<BackendChange>,
    /// The cursor of the next call.
    pub next: String,
    /// True if there may be changes after `next` already: call again.
    pub more: bool,
}

/// A state of all files, by its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRef {
    /// The label: 1 to 100 letters, digits, `-`, `_` and `.`.
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
    /// The path in the first snapshot; absent if the file was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// The path in the second snapshot; absent if the file was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// The differing lines as a unified diff, if the backend compares lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// The files that differ, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BackendDiff {
    /// The files.
    pub files: Vec<FileDifference>,
    /// The number of files whose lines are omitted because of size or time.
    #[serde(default)]
    pub left_out: u64,
}

/// The outcome of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Restored {
    /// The paths that were written or removed, sorted.
    pub changed: Vec<String>,
    /// Files that differ from the snapshot and could not be restored, sorted by path.
    #[serde(default)]
    pub left_out: Vec<NotRestored>,
}

/// A file that a restore left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRestored {
    /// The path.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// A file that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The full path.
    pub path: String,
    /// The relevance, 0 to 1, if the backend calibrates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// A part of the text, for display.
    #[serde(default)]
    pub text: String,
}
