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
    /// Text of a search. The request selects the relevant records among the 100 best hits of this
    /// search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Regular expression that the text or title of a record must match; letter case is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Id of the task that wrote the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Login of a reviewer from whose comments the records were learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Earliest creation time, inclusive, RFC 3339. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest creation time, exclusive, RFC 3339. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Reason for the quarantine or the release, 1 to 500 characters.
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
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of records that wait for a person, newest first. Rules are in another list, `RuleList`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HeldList {
    /// The records on this page.
    pub records: Vec<Record>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The decision of a person to accept or reject a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldDecide {
    /// Reason for the decision, 1 to 500 characters; stored with the record.
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

/// Snapshots of a repository's memory, newest first. A rollback can return the memory to each of
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SnapshotList {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
}

/// A snapshot: a state of a repository's memory that a rollback can return to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// Name of the snapshot.
    pub id: String,
    /// Id of the task at whose creation the snapshot was taken; absent for the snapshot of a
    /// rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Present if this snapshot was taken by a rollback, before it changed the memory: the name of
    /// the snapshot to which that rollback returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_rollback_to: Option<String>,
    /// Time of the snapshot.
    pub at: String,
}

/// A request to return a repository's memory to a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackAsk {
    /// Name of the snapshot to return to.
    pub to: String,
    /// Reason for the rollback, 1 to 500 characters.
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
    /// Name of the snapshot that was taken before the rollback. A rollback to this snapshot undoes
    /// the rollback. Absent for a dry run, and if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// True if the rollback was applied.
    pub applied: bool,
    /// Ids of the records that were written after the snapshot and now have the state
    /// `rolled_back`.
    pub rolled_back: Vec<String>,
    /// Ids of the records that are active again.
    pub restored: Vec<String>,
    /// Ids of the records whose text, or state other than `active`, was restored.
    pub changed: Vec<String>,
    /// Records that could not be restored.
    pub not_undone: Vec<NotUndone>,
}

/// A record that a rollback could not restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotUndone {
    /// Id of the record.
    pub id: String,
    /// Reason that the record could not be restored: `erased`, `past_its_time` (it expired),
    /// `replaced_by_unknown` or `too_many_versions`.
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
    /// Kind of the records: `knowledge`, `self_feedback`, `fact`, `episode`, `rule`, `reflection`
    /// or `preference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Namespace of the records, with everything beneath it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Login of a reviewer from whose comments the records were learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Login, or number at the forge, of the person whose tasks wrote the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Id of the task that wrote the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Earliest creation time, inclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest creation time, exclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the text or title of a record must contain; letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Regular expression that the text or title of a record must match; letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A request to erase records of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PurgeAsk {
    /// Conditions that select the records.
    pub filter: PurgeFilter,
    /// Reason for the erasure, 1 to 500 characters.
    pub reason: String,
    /// True to return the matching records without erasing them. Default: true.
    #[serde(default = "dry")]
    pub dry_run: bool,
    /// Number of matching records, as a dry run returned it. Required if `dry_run` is false, so
    /// that nothing else is erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u64>,
}

/// The result of a purge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Purged {
    /// Number of records that matched the filter.
    pub matched: u64,
    /// Ids of the first 1,000 matching records, newest first.
    pub ids: Vec<String>,
    /// True if the records were erased.
    pub applied: bool,
    /// Number of session events that were erased with the records. Events are erased only if the
    /// filter has no other condition than `task` or `user`.
    pub session_items: u64,
    /// Number of reviews whose text was erased with the records, for a filter by `content` or
    /// `pattern`. The server does not learn from these reviews again.
    pub reviews: u64,
}
