//! Records of a repository that contradict each other, and what a person decides.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// Which conflicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConflictListing {
    /// `open` (absent: this): nobody decided, and both records stand; or `resolved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Conflicts of a repository, the newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConflictList {
    /// The conflicts.
    pub conflicts: Vec<Conflict>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conflict {
    /// Its id.
    pub id: String,
    /// `open` or `resolved`.
    pub state: String,
    /// How they contradict each other.
    pub reason: String,
    /// When that was found.
    pub found_at: String,
    /// The record that was there; absent where it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Record>,
    /// The one that says otherwise; absent where it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Record>,
    /// The record that stays, or `both`, where somebody decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

/// Which record stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictResolve {
    /// The id of one of the two, whose place the other gives up; or `both`, where they do not contradict each other.
    pub keep: String,
}
