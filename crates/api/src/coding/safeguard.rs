//! Safeguards for the memory of a repository: quarantine, review of held records, rollback, purge.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// A request to quarantine or release records of a repository. A record must meet all conditions
/// that are present; at least one is required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryQuarantine {
    /// Ids of the records, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Query. It selects the relevant records among its 100 best hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Regular expression that the text or title must match. Letter case is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Id of the task that wrote the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Login of a reviewer whose comments led to the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Start of the creation time, inclusive, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time, exclusive, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Reason, 1 to 500 characters.
    pub reason: String,
    /// True to return the matching records without changing them. Default: true.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

fn dry() -> bool {
    true
}

/// A request to list records that wait for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeldListing {
    /// State of the records: `candidate` or `quarantined`. Default: `candidate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Maximum number of records per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of records that wait for a person, newest first. Rules have a list of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HeldList {
    /// The records.
    pub records: Vec<Record>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request to accept or reject a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldDecide {
    /// Reason, 1 to 500 characters; stored with the record.
    pub reason: String,
}

/// A request to list snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotListing {
    /// Maximum number of snapshots, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Snapshots of a repository's memory, newest first. A rollback can return to each of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SnapshotList {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
}

/// A state of the memory that a rollback can return to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// Name of the snapshot.
    pub id: String,
    /// Id of the task that was created at this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Name of the snapshot of a rollback, if this is the state before that rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_rollback_to: Option<String>,
    /// Time of the snapshot.
    pub at: String,
}

/// A request for a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackAsk {
    /// Name of the snapshot to return to.
    pub to: String,
    /// Reason, 1 to 500 characters.
    pub reason: String,
    /// True to return the changes without applying them. Default: true.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

/// The result of a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RolledBack {
    /// Name of the snapshot to which the memory returned.
    pub to: String,
    /// Name of the snapshot of the state before. A rollback to it undoes this rollback. Absent for
    /// a dry run, and if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// True if the rollback was applied.
    pub applied: bool,
    /// Ids of the later records, which were rolled back.
    pub rolled_back: Vec<String>,
    /// Ids of the records that are active again.
    pub restored: Vec<String>,
    /// Ids of the records whose text or other state was restored.
    pub changed: Vec<String>,
    /// Records that could not be restored.
    pub not_undone: Vec<NotUndone>,
}

/// A record that could not be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotUndone {
    /// Id of the record.
    pub id: String,
    /// Reason: `erased`, `past_its_time`, `replaced_by_unknown` or `too_many_versions`.
    pub reason: String,
}

/// Conditions that select records to erase. A record must meet all conditions that are present; at
/// least one is required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PurgeFilter {
    /// Ids of the records, at most 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// `knowledge`, `self_feedback`, or a kind of records: `fact`, `episode`, `rule`, `reflection`
    /// or `preference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Namespace of the records, with everything beneath it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Login of a reviewer whose comments led to the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Login, or number at the forge, of the person whose tasks wrote the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Id of the task that wrote the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Start of the creation time, inclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time, exclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the text or title must contain. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Regular expression that the text or title must match. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A request to erase records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PurgeAsk {
    /// Conditions that select the records.
    pub filter: PurgeFilter,
    /// Reason, 1 to 500 characters.
    pub reason: String,
    /// True to return the matching records without erasing them. Default: true.
    #[serde(default = "dry")]
    pub dry_run: bool,
    /// Number of matching records, as returned by a dry run. Required to erase them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u64>,
}

/// The result of a purge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Purged {
    /// Number of records that matched.
    pub matched: u64,
    /// Ids of the first 1,000 matching records, newest first.
    pub ids: Vec<String>,
    /// True if the records were erased.
    pub applied: bool,
    /// Number of session events that were erased with the records. Only a filter with nothing but a
    /// task or a person erases them.
    pub session_items: u64,
    /// Number of reviews whose text was erased with the records, for a filter by `content` or
    /// `pattern`. The server learns nothing from them any more.
    pub reviews: u64,
}
