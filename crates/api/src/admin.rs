//! Administration: forgetting an actor, export and import, backup, and what `doctor` looks at.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whom to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// The actor.
    pub actor: String,
}

/// Proof of what was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReceipt {
    /// The memory.
    pub memory: String,
    /// The actor.
    pub actor: String,
    /// Events erased.
    pub events: u64,
    /// Records erased, all versions.
    pub records: u64,
    /// Jobs removed.
    pub jobs: u64,
    /// Tasks of coding agents erased.
    #[serde(default)]
    pub tasks: u64,
    /// What they were shown, erased.
    #[serde(default)]
    pub exposures: u64,
    /// When.
    pub at: String,
}

/// What an import wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImportReport {
    /// Memories made.
    pub memories: u64,
    /// Events written.
    pub events: u64,
    /// Record versions written.
    pub records: u64,
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
}
