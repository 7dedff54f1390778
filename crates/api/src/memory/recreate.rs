//! Destruction and re-creation of a memory.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to recreate a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRecreate {
    /// Name of the memory, as a confirmation. The server then destroys all content of the memory.
    /// If absent, the server only reports the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes_destroy: Option<String>,
}

/// The content that was destroyed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryRecreated {
    /// Name of the memory.
    pub name: String,
    /// Id of the new memory; absent if nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
    /// Number of records of the old memory, in all states.
    pub records: u64,
    /// Number of events of the old memory.
    pub events: u64,
}
