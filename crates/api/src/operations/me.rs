//! The records of operations memory that belong to the calling user: list, correction and deletion.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::operations::knowledge::SreSkipped;

/// A request to list the caller's own records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeRecordsAsk {
    /// Id or name of the memory. Default: the only memory in the grants of the key; if there are
    /// several, `sre_agent_memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Type of the records: `preferences`, `infrastructure` or `investigations`, or the singular
    /// form. Default: all types, one after another.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A correction of one of the caller's own records. It follows the rules of a save request:
/// contacts are not active until a person confirms them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeRecordCorrect {
    /// Id or name of the memory. Default: as in the request that lists the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the record to correct.
    pub record_id: String,
    /// Complete new content of the record. It follows the rules of the record's type, as in a
    /// `save` request.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// A request to delete some of the caller's own records (`ids`), or all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeRecordsDelete {
    /// Id or name of the memory. Default: as in the request that lists the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Ids of the records to delete, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Name of the memory, as a confirmation that the server deletes all of the caller's own
    /// records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yes_destroy: Option<String>,
    /// `next_cursor` of the previous response, to continue the deletion of all records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The result of deleting the caller's own records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeRecordsDeleted {
    /// Number of deleted records.
    pub deleted: u64,
    /// Records that were not deleted, with the reason: they do not belong to the caller, they are
    /// shared with others, or they no longer exist.
    pub failed: Vec<SreSkipped>,
    /// Number of records that stay when all records are deleted: knowledge of services that
    /// investigations of others confirmed.
    pub shared: u64,
    /// Cursor to continue the deletion; absent if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
