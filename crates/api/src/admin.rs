//! Administration: forgetting an actor, export and import, backup, and what `doctor` looks at.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whom to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// The actor.
    pub actor: String,
    /// Only count what would be erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The actor once more: needed unless it is a dry run, because nothing brings back what is erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
}

/// A kind that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgottenKind {
    /// The kind, in a word or two.
    pub kind: String,
    /// The number of items that were erased, or would be.
    pub count: u64,
}

/// Proof of what was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReceipt {
    /// The memory.
    pub memory: String,
    /// The actor.
    pub actor: String,
    /// Nothing was changed: the counts say what would be erased.
    #[serde(default)]
    pub dry_run: bool,
    /// Events erased.
    pub events: u64,
    /// Records erased, documents and preferences among them, all versions.
    pub records: u64,
    /// Jobs removed.
    pub jobs: u64,
    /// Tasks of coding agents erased.
    #[serde(default)]
    pub tasks: u64,
    /// What they were shown, erased.
    #[serde(default)]
    pub exposures: u64,
    /// Every kind that was looked at, also where nothing of it was there.
    #[serde(default)]
    pub kinds: Vec<ForgottenKind>,
    /// Mirrors that were brought up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<String>,
    /// Places that cannot be reached from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<String>,
    /// When.
    pub at: String,
}

/// What an import wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImportReport {
    /// Memories made.
    pub memories: u64,
    /// Events written.
    pub events: u64,
    /// Record versions written.
    pub records: u64,
    /// Events left out, because they were erased here.
    #[serde(default)]
    pub erased_events: u64,
    /// Record versions left out, because their records were erased here.
    #[serde(default)]
    pub erased_records: u64,
    /// The time of the last erasure among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<String>,
    /// How much of each kind was left out, because it was erased here; `mentions` counts lines of others that
    /// name a forgotten person no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub erased_kinds: Vec<ForgottenKind>,
}

/// Where to write a backup, on the machine of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// An absolute path of a file that does not exist.
    pub path: String,
}

/// What a backup wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupReport {
    /// The file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// What `doctor` may be asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorAsk {
    /// Compare each memory's index with one built afresh: takes as long as loading them.
    pub rebuild: bool,
    /// Call nobody: models and embedders are then not proved.
    pub offline: bool,
    /// Compare what happened to facts with what they say, and nothing else (T1 to T7): every fact and row is read.
    pub telemetry: bool,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// What, in a word or two.
    pub name: String,
    /// It is as it should be.
    pub ok: bool,
    /// What was found, and what to do where it is not ok.
    pub detail: String,
    /// What it is about: records and rows, the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
}

/// What `doctor` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Version of the program.
    pub version: String,
    /// Nothing is wrong.
    pub ok: bool,
    /// What was looked at.
    pub findings: Vec<Finding>,
}

/// Which part of a memory is exported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportAsk {
    /// Records in this namespace and beneath it, with the repository, the tasks and what else belongs to its actor; absent: everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The memory's data about this actor, by the walk that `forget` goes; not with a namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}
