//! A user's own records in the memory of operations agents.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::operations::knowledge::SreSkipped;

/// Which of the caller's own records are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeRecordsAsk {
    /// Id or name of the memory; absent: the only one of the key's grants, else `sre_agent_memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// `preferences`, `infrastructure` or `investigations`, or their singulars; absent: all of them, one after another.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What is right, of a record of the caller's own. It counts as a save does: contacts wait for a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeRecordCorrect {
    /// Id or name of the memory; absent: as for the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The record.
    pub record_id: String,
    /// All that it shall say, by the rules of its type, as `save` takes it.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// Which of the caller's own records are deleted: `ids`, or all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeRecordsDelete {
    /// Id or name of the memory; absent: as for the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// At most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// All of them: the name of the memory, to say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yes_destroy: Option<String>,
    /// Where to go on with all of them: `next_cursor` of the answer before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeRecordsDeleted {
    /// How many records.
    pub deleted: u64,
    /// Those that were not, and why: they are not the caller's, not the caller's alone, or gone.
    pub failed: Vec<SreSkipped>,
    /// Of all of them: knowledge of services that investigations of others confirmed, which stays.
    pub shared: u64,
    /// There is more: where to go on. Absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
