//! Mirrors of trees: what is kept as files elsewhere, and what their syncs did.

pub use loci_model::trees::mirror::MirrorRemark;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A mirror to be made. What is absent is as the configuration's default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorMake {
    /// Its name in the memory.
    pub name: String,
    /// The namespace whose tree it shows; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How its files are laid; `native` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// `dir` (absent: this), `git` or `s3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where it lies, below one of `mirror.roots`.
    pub path: String,
    /// `two-way` (absent: this), `export` or `import`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// What deletions of files do: `enabled` (absent: this), `log_only` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<String>,
    /// How often it is looked at; 15 seconds where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// Writes of one author that follow each other within so long are one commit; 2 seconds where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce_ms: Option<u64>,
    /// Files say which record they are.
    pub render_ids: bool,
    /// It may write what is loaded with every prompt.
    pub system: bool,
    /// Conversations are rendered into it.
    pub sessions: bool,
    /// It may begin where files lie already.
    pub adopt: bool,
}

/// A mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Mirror {
    /// Its name in the memory.
    pub name: String,
    /// The namespace whose tree it shows.
    pub namespace: String,
    /// How its files are laid.
    pub layout: String,
    /// `dir`, `git` or `s3`.
    pub kind: String,
    /// Where it lies.
    pub path: String,
    /// `two-way`, `export` or `import`.
    pub direction: String,
    /// `enabled`, `log_only` or `disabled`.
    pub deletes: String,
    /// How often it is looked at.
    pub interval_ms: u64,
    /// `configured` or `added`.
    pub origin: String,
    /// Files kept beside documents, of which nobody decided yet.
    pub open_conflicts: u64,
    /// What its last sync did; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<MirrorReport>,
}

/// Mirrors of a memory, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MirrorList {
    /// The mirrors.
    pub mirrors: Vec<Mirror>,
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MirrorReport {
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How the mirror was found: `whole`, `gone` (it is rendered anew), `not_ours` or `not_empty` (nothing is done).
    pub finding: String,
    /// Files that lie there.
    pub files: u64,
    /// Files that were written.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Documents that took what a file said.
    pub taken: u64,
    /// Documents that were made of files.
    pub created: u64,
    /// Documents that were moved because their file was.
    pub moved: u64,
    /// Documents that were put away because their file was deleted.
    pub put_away: u64,
    /// Files whose text is kept beside the document, for a person to decide.
    pub conflicts: Vec<MirrorRemark>,
    /// Files that were not taken.
    pub refused: Vec<MirrorRemark>,
    /// What else is to be known.
    pub notes: Vec<MirrorRemark>,
    /// Deletions that wait for another look, or for their turn.
    pub waiting_deletes: u64,
    /// Commits that were made.
    pub commits: u64,
    /// The newest commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why it broke off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Commits of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorBaseAsk {
    /// The newest first.
    pub commits: Vec<String>,
}

/// Where a clone left the mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MirrorBase {
    /// The first of the commits that the mirror has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// What a clone brings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorPull {
    /// The newest commit of the mirror that the clone's history has.
    pub base: String,
    /// The files that differ from it.
    pub files: Vec<PulledFile>,
}

/// A file of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PulledFile {
    /// Where.
    pub path: String,
    /// What it holds; absent: it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// It may be run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}
