//! What keeps a repository's memory safe: holding back, deciding about what waits, going back, erasing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// Records of a repository to hold back, or to let go. Every condition that is given must hold; at least one must be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryQuarantine {
    /// These; at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// What answers this question well; of the 100 that answer it best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whose text or title this regular expression matches, whatever the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// That this task wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// That this reviewer's comments left, by login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Made at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Made before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Why; 1 to 500 characters.
    pub reason: String,
    /// Only say which would be; so it is where the member is absent.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

fn dry() -> bool {
    true
}

/// Which records that wait for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeldListing {
    /// `candidate` (absent: this) or `quarantined`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Records that wait for a person, the newest first. Rules wait in their own list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HeldList {
    /// The records.
    pub records: Vec<Record>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Why a record is accepted or rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldDecide {
    /// 1 to 500 characters; kept with the record.
    pub reason: String,
}

/// How many snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotListing {
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// States of a repository's memory that one can go back to, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SnapshotList {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
}

/// A state that one can go back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// Its name.
    pub id: String,
    /// The task that was taken in then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The snapshot that was gone back to then: this is the state before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_rollback_to: Option<String>,
    /// When.
    pub at: String,
}

/// Where to go back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackAsk {
    /// The name of a snapshot.
    pub to: String,
    /// Why; 1 to 500 characters.
    pub reason: String,
    /// Only say what would change; so it is where the member is absent.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

/// What a rollback changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RolledBack {
    /// The snapshot that was gone back to.
    pub to: String,
    /// The snapshot of the state before: go back to that, and the rollback is undone. Absent for a dry run, and where nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// It was changed.
    pub applied: bool,
    /// Records that came later: rolled back.
    pub rolled_back: Vec<String>,
    /// Records that are in force again.
    pub restored: Vec<String>,
    /// Records whose text, or state otherwise, is as it was.
    pub changed: Vec<String>,
    /// Records that could not be put back.
    pub not_undone: Vec<NotUndone>,
}

/// A record that could not be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotUndone {
    /// The record.
    pub id: String,
    /// `erased`, `past_its_time`, `replaced_by_unknown` or `too_many_versions`.
    pub reason: String,
}

/// Records to erase. Every condition that is given must hold; at least one must be given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PurgeFilter {
    /// These; at most 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// `knowledge`, `self_feedback`, or a kind of records: `fact`, `episode`, `rule`, `reflection`, `preference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// In this namespace, or beneath it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// That this reviewer's comments left, by login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// That tasks of this person wrote, by login or by the forge's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// That this task wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Made at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Made before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whose text or title holds this, whatever the case of its letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whose text or title this regular expression matches, whatever the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// What to erase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PurgeAsk {
    /// Which records.
    pub filter: PurgeFilter,
    /// Why; 1 to 500 characters.
    pub reason: String,
    /// Only say which would be; so it is where the member is absent.
    #[serde(default = "dry")]
    pub dry_run: bool,
    /// How many records are meant, as a dry run said; needed to erase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u64>,
}

/// What was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Purged {
    /// How many records are meant.
    pub matched: u64,
    /// The first 1,000 of them, the newest first.
    pub ids: Vec<String>,
    /// They were erased.
    pub applied: bool,
    /// What was said in sessions and was erased with them, where a task or a person was named and nothing else.
    pub session_items: u64,
    /// Reviews whose words were erased with them, where `content` or `pattern` is what was named: nothing is learned from them any more.
    pub reviews: u64,
}
