//! Administration: erasure of an actor's data, export and import, backups, and the checks of
//! `doctor`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to erase the data of an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// Id of the actor whose data to erase.
    pub actor: String,
    /// True to count the data without erasing it. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Id of the actor again, as a confirmation. Required unless `dry_run` is true, because erased
    /// data cannot be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
}

/// A kind of data that an erasure examined, and the number of items that it erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgottenKind {
    /// Name of the kind of data, in a word or two, such as `events` or `records`.
    pub kind: String,
    /// Number of items of this kind that were erased; for a dry run, the number that would be
    /// erased.
    pub count: u64,
}

/// The receipt for an erasure of an actor's data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReceipt {
    /// Id of the memory that contained the data.
    pub memory: String,
    /// Id of the actor whose data was erased.
    pub actor: String,
    /// True if nothing was changed. The counts then state how much would be erased.
    #[serde(default)]
    pub dry_run: bool,
    /// Number of erased events.
    pub events: u64,
    /// Number of erased records in all versions, including documents and preferences.
    pub records: u64,
    /// Number of removed jobs.
    pub jobs: u64,
    /// Number of erased tasks of coding agents.
    #[serde(default)]
    pub tasks: u64,
    /// Number of erased exposures: lists of the records that the erased tasks were shown.
    #[serde(default)]
    pub exposures: u64,
    /// All kinds of data that were examined, including those without any item.
    #[serde(default)]
    pub kinds: Vec<ForgottenKind>,
    /// Names of the mirrors from which the erased documents were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<String>,
    /// Locations of copies of the data that the server cannot reach, such as backups. They are not
    /// erased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<String>,
    /// Time of the erasure.
    pub at: String,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImportReport {
    /// Number of memories created.
    pub memories: u64,
    /// Number of events written.
    pub events: u64,
    /// Number of record versions written.
    pub records: u64,
    /// Number of events that were skipped because they were erased on this server.
    #[serde(default)]
    pub erased_events: u64,
    /// Number of record versions that were skipped because their records were erased on this
    /// server.
    #[serde(default)]
    pub erased_records: u64,
    /// Time of the latest erasure among those that caused `erased_events` and `erased_records`;
    /// absent if nothing was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<String>,
    /// Number of items by kind that the import skipped, because they were erased on this server.
    /// The kind `mentions` counts the imported lines about other actors from which the import
    /// removed the name of an erased person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub erased_kinds: Vec<ForgottenKind>,
}

/// A request to write a backup on the server's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// Absolute path of the backup file on the server's machine. The file must not exist yet.
    pub path: String,
}

/// A backup that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupReport {
    /// Absolute path of the backup file on the server's machine.
    pub path: String,
    /// Size of the backup file in bytes.
    pub bytes: u64,
}

/// Options of `doctor`, the check of a store for damage and inconsistencies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorAsk {
    /// True to compare the index of each memory with a rebuilt one, which takes as long as loading
    /// the memories. Default: false.
    pub rebuild: bool,
    /// True to call no external service. The check then omits configured models and embedders.
    /// Default: false.
    pub offline: bool,
    /// True to check only the telemetry of facts (rules T1 to T7): the check compares recorded
    /// changes with the current content. The server reads every fact and every telemetry row.
    /// Default: false.
    pub telemetry: bool,
}

/// The result of one check of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// Name of the check, in a word or two.
    pub name: String,
    /// True if the check found no problem.
    pub ok: bool,
    /// Explanation of the result, with a remedy if `ok` is false.
    pub detail: String,
    /// Ids of the affected records and rows, at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
}

/// The results of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Version of Loci that ran the checks.
    pub version: String,
    /// True if every check found no problem.
    pub ok: bool,
    /// Results of the checks, one for each check.
    pub findings: Vec<Finding>,
}

/// A request to export a memory, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportAsk {
    /// Namespace to export, with everything beneath it. The export contains its records, and the
    /// repository, the tasks and other data of its actor. If absent, the export contains the whole
    /// memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Actor whose data to export: the same data that `forget` erases. Cannot be combined with
    /// `namespace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}
