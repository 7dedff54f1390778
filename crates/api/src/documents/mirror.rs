//! Mirrors of trees: directories, git repositories and buckets that contain the same documents as a
//! tree, and the reports of their syncs.

pub use loci_model::trees::mirror::MirrorRemark;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A mirror to be created. An absent member has the default from the configuration of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorMake {
    /// Name of the mirror, unique in the memory.
    pub name: String,
    /// Namespace of the tree that the mirror contains. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Layout of the files in the mirror: `native`, `strands-flat` or `claude-memory`. Default:
    /// `native`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// Storage of the mirror: `dir` (a directory), `git` or `s3`. Default: `dir`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Path of the mirror, below one of the directories or buckets in the configuration
    /// `mirror.roots`.
    pub path: String,
    /// Direction of the sync: `two-way`, `export` (tree to files only) or `import` (files to tree
    /// only). Default: `two-way`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// Effect of a file that someone deleted in the mirror: `enabled` archives its document,
    /// `log_only` only reports it, `disabled` writes the file again. Default: `enabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<String>,
    /// Time between two syncs in milliseconds, 5,000 to 86,400,000. Default: 15,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// Time in milliseconds, at most 60,000, within which successive writes of one author become a
    /// single commit. Default: 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce_ms: Option<u64>,
    /// True to include the id of the record in each file. Default: false.
    pub render_ids: bool,
    /// True to let files of the mirror change the documents below `knowledge/system/`, which are
    /// loaded with every prompt. Default: false.
    pub system: bool,
    /// True to write the conversations of sessions into the mirror, too. Default: false.
    pub sessions: bool,
    /// True to allow a path that already contains files. Default: false.
    pub adopt: bool,
}

/// A mirror of a tree, with the report of its last sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Mirror {
    /// Name of the mirror, unique in the memory.
    pub name: String,
    /// Namespace of the tree that the mirror contains.
    pub namespace: String,
    /// Layout of the files: `native`, `strands-flat` or `claude-memory`.
    pub layout: String,
    /// Storage: `dir`, `git` or `s3`.
    pub kind: String,
    /// Path of the mirror.
    pub path: String,
    /// Direction of the sync: `two-way`, `export` (tree to files only) or `import` (files to tree
    /// only).
    pub direction: String,
    /// Effect of files that someone deleted in the mirror: `enabled`, `log_only` or `disabled`.
    pub deletes: String,
    /// Time between two syncs in milliseconds.
    pub interval_ms: u64,
    /// Origin of the mirror: `configured` in the configuration of the server, or `added` by a
    /// request.
    pub origin: String,
    /// Number of conflict files next to documents that no person has resolved yet.
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

/// The report of a sync between a tree and its mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MirrorReport {
    /// Time at which the sync began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// Time at which the sync ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// State in which the sync found the mirror: `whole`, `gone` (the sync wrote all files again),
    /// `not_ours` (the files do not have this mirror's marker) or `not_empty` (other files are at
    /// the path of a new mirror). In the last two states the sync changes nothing.
    pub finding: String,
    /// Number of files in the mirror after the sync.
    pub files: u64,
    /// Number of files that the sync wrote.
    pub written: u64,
    /// Number of files that the sync removed.
    pub removed: u64,
    /// Number of documents that the sync updated from an edited file.
    pub taken: u64,
    /// Number of documents that the sync created from a new file.
    pub created: u64,
    /// Number of documents that were moved because their file was moved.
    pub moved: u64,
    /// Number of documents that were archived because their file was deleted.
    pub put_away: u64,
    /// Files that were edited at the same time as their documents. The sync kept their text in a
    /// conflict file next to the document, for a person to resolve.
    pub conflicts: Vec<MirrorRemark>,
    /// Files that the sync did not accept, with the reasons.
    pub refused: Vec<MirrorRemark>,
    /// Other remarks about files.
    pub notes: Vec<MirrorRemark>,
    /// Number of deleted files whose documents a later sync archives, after it has confirmed the
    /// deletion.
    pub waiting_deletes: u64,
    /// Number of commits that the sync made in a git mirror.
    pub commits: u64,
    /// Id of the newest commit of a git mirror.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Error that aborted the sync; absent if the sync completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A request for the newest commit that a clone and its mirror have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorBaseAsk {
    /// Ids of the clone's commits, newest first.
    pub commits: Vec<String>,
}

/// The base of a clone: the newest commit that the clone and the mirror have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MirrorBase {
    /// Id of the first commit in the request that the mirror contains; absent if it contains none
    /// of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// Changes in a clone of a git mirror, to be applied to the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorPull {
    /// Id of the base: the newest commit of the mirror that the clone contains.
    pub base: String,
    /// Files that differ from their content at the base.
    pub files: Vec<PulledFile>,
}

/// A changed file of a clone.
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
