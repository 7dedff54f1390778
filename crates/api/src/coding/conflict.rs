//! Conflicts: contradicting records of a repository, and their resolution by a person.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// A request to list conflicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConflictListing {
    /// State of the conflicts to list: `open` (no person decided yet, both records stay active) or
    /// `resolved`. Default: `open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Maximum number of conflicts on a page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of conflicts of a repository, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConflictList {
    /// The conflicts on this page.
    pub conflicts: Vec<Conflict>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conflict {
    /// Id of the conflict.
    pub id: String,
    /// State: `open` or `resolved`.
    pub state: String,
    /// Explanation of the contradiction.
    pub reason: String,
    /// Time at which the server found the contradiction.
    pub found_at: String,
    /// The record that existed first; absent if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Record>,
    /// The newer record, which contradicts the one in `standing`; absent if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Record>,
    /// Id of the record that stays active after the decision, or `both`; absent if the conflict is
    /// open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Name of the person who resolved the conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// Time of the resolution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

/// The decision of a person about a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictResolve {
    /// Id of the record that stays active and replaces the other record, or `both` if the two
    /// records do not contradict each other.
    pub keep: String,
}
