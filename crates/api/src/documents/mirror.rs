//! Mirrors of trees: trees that are kept as files elsewhere, and the results of their syncs.

pub use loci_model::trees::mirror::MirrorRemark;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A mirror to be created. An absent member has the default of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorMake {
    /// Name of the mirror, unique in the memory.
    pub name: String,
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Layout of the files: `native`, `strands-flat` or `claude-memory`. Default: `native`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// Storage: `dir`, `git` or `s3`. Default: `dir`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Path of the mirror, below one of `mirror.roots`.
    pub path: String,
    /// Direction: `two-way`, `export` or `import`. Default: `two-way`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// Effect of deleted files: `enabled`, `log_only` or `disabled`. Default: `enabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<String>,
    /// Interval between syncs in milliseconds, 5,000 to 86,400,000. Default: 15,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// Interval in milliseconds, at most 60,000. Writes of one author that follow each other within
    /// it become one commit. Default: 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce_ms: Option<u64>,
    /// True to include the id of the record in each file. Default: false.
    pub render_ids: bool,
    /// True to allow the mirror to write documents that are loaded with every prompt. Default:
    /// false.
    pub system: bool,
    /// True to render conversations into the mirror. Default: false.
    pub sessions: bool,
    /// True to allow a mirror where files already exist. Default: false.
    pub adopt: bool,
}

/// A mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Mirror {
    /// Name of the mirror, unique in the memory.
    pub name: String,
    /// Namespace of the tree.
    pub namespace: String,
    /// Layout of the files.
    pub layout: String,
    /// Storage: `dir`, `git` or `s3`.
    pub kind: String,
    /// Path of the mirror.
    pub path: String,
    /// Direction: `two-way`, `export` or `import`.
    pub direction: String,
    /// Effect of deleted files: `enabled`, `log_only` or `disabled`.
    pub deletes: String,
    /// Interval between syncs in milliseconds.
    pub interval_ms: u64,
    /// Origin: `configured` or `added`.
    pub origin: String,
    /// Number of conflict files next to documents that no one has resolved yet.
    pub open_conflicts: u64,
    /// Report of the last sync; absent before the first sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<MirrorReport>,
}

/// The mirrors of a memory, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MirrorList {
    /// The mirrors.
    pub mirrors: Vec<Mirror>,
}

/// The report of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MirrorReport {
    /// Start time of the sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// End time of the sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// State of the mirror before the sync: `whole`, `gone` (the sync renders it again), `not_ours`
    /// or `not_empty` (the sync does nothing).
    pub finding: String,
    /// Number of files in the mirror.
    pub files: u64,
    /// Number of files written.
    pub written: u64,
    /// Number of files removed.
    pub removed: u64,
    /// Number of documents that were updated from a file.
    pub taken: u64,
    /// Number of documents that were created from a file.
    pub created: u64,
    /// Number of documents that were moved because their file was moved.
    pub moved: u64,
    /// Number of documents that were archived because their file was deleted.
    pub put_away: u64,
    /// Files whose text was kept in a conflict file next to the document, for a person to resolve.
    pub conflicts: Vec<MirrorRemark>,
    /// Files that were rejected.
    pub refused: Vec<MirrorRemark>,
    /// Other remarks.
    pub notes: Vec<MirrorRemark>,
    /// Number of deletions that wait for a later sync to confirm them, or for their turn.
    pub waiting_deletes: u64,
    /// Number of commits made.
    pub commits: u64,
    /// Id of the newest commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Error that aborted the sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A request to find the base of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorBaseAsk {
    /// Ids of the clone's commits, newest first.
    pub commits: Vec<String>,
}

/// The base of a clone: the commit at which it left the mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MirrorBase {
    /// First of the given commits that the mirror contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// The changes of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorPull {
    /// Id of the mirror's newest commit in the history of the clone.
    pub base: String,
    /// Files that differ from that commit.
    pub files: Vec<PulledFile>,
}

/// A file of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PulledFile {
    /// Path of the file.
    pub path: String,
    /// Content of the file; absent if the file was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// True if the file is executable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}
