//! A memory destroyed and made anew.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// That it is meant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRecreate {
    /// The memory's name: all that it holds is destroyed. Absent: what it holds is told, and nothing is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes_destroy: Option<String>,
}

/// What was destroyed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryRecreated {
    /// The memory's name.
    pub name: String,
    /// The id of the new one; absent where nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
    /// Records of the old one, whatever their state.
    pub records: u64,
    /// Events of the old one.
    pub events: u64,
}
