//! Values of the optional methods: versions, changes, snapshots, differences and hits of a search.

use serde::{Deserialize, Serialize};

/// A page of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionQuery {
    /// At most so many versions, 1 to 100.
    pub limit: u32,
    /// The end of the page before.
    pub cursor: Option<String>,
}

/// The operation that made a version or a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    /// The file is there since, with other bytes or at all.
    Write,
    /// The file is absent since.
    Delete,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// Its name within the backend.
    pub version: String,
    /// The operation that made it.
    pub operation: FileOperation,
    /// SHA-256 of its bytes; absent after a deletion, and where the content was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its length in bytes, where the backend knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Its author, where the backend knows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Its time as RFC 3339, for people; order comes from the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its reason, where the author gave one.
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
    /// The place of the change in the order of all changes, for `changes_since`.
    pub cursor: String,
    /// The full path of the file.
    pub path: String,
    /// The operation.
    pub operation: FileOperation,
    /// SHA-256 of the file since; absent after a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Changes in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendChanges {
    /// The changes.
    pub changes: Vec<BackendChange>,
    /// The cursor of the next call.
    pub next: String,
    /// There may be changes behind `next` already: call again.
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
    /// Its path in the first snapshot; absent where it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Its path in the second snapshot; absent where it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// The lines that differ, as a unified diff, where the backend compares lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// The files that differ, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BackendDiff {
    /// The files.
    pub files: Vec<FileDifference>,
    /// The number of files whose lines are left out for size or time.
    #[serde(default)]
    pub left_out: u64,
}

/// The outcome of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Restored {
    /// Paths that were written or removed, sorted.
    pub changed: Vec<String>,
    /// Files that differ from the snapshot and could not be restored, sorted by path.
    #[serde(default)]
    pub left_out: Vec<NotRestored>,
}

/// A file that a restore left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRestored {
    /// Its path.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// A file that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// Its full path.
    pub path: String,
    /// Its relevance from 0 to 1, where the backend calibrates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// A part of its text, for people.
    #[serde(default)]
    pub text: String,
}
