//! Destruction of a memory with all its content, and creation of an empty memory with the same
//! name, settings and strategies.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to destroy a memory and to create an empty one with the same name, settings and
/// strategies, but a new id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRecreate {
    /// Name of the memory, as a confirmation to destroy all its content. If absent, the server only
    /// returns the numbers of records and events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes_destroy: Option<String>,
}

/// The numbers of records and events that the request destroyed, or would destroy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryRecreated {
    /// Name of the memory.
    pub name: String,
    /// Id of the new memory; absent if the request did not confirm the destruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
    /// Number of records of the old memory, in all states.
    pub records: u64,
    /// Number of events of the old memory.
    pub events: u64,
}
