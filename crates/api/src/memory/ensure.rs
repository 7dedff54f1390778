//! Creation of a memory, or completion of the existing memory with the same name.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::memory::StrategyCreate;

/// The properties that the memory in the path must have after the request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsure {
    /// Purpose of the memory, used if the request creates it. Default: the description of the
    /// profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Name of a profile, whose settings and strategies the memory gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Strategies in addition to those of the profile. A strategy replaces the profile's strategy
    /// of the same name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyCreate>,
}

/// Query parameters of a request to ensure a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsureQuery {
    /// `1` or `true` to change the members of an existing memory that differ from the request.
    /// Otherwise these members stay unchanged, and `warnings` names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
}

/// The result of a request to ensure a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryEnsured {
    /// Id of the memory.
    pub memory_id: String,
    /// True if the request created the memory, false if it existed before.
    pub created: bool,
    /// Names of the strategies that were added to an existing memory.
    pub added: Vec<String>,
    /// All strategies of the memory.
    pub strategies: Vec<StrategyStanding>,
    /// Names of the members of an existing memory that differ from the request, or that the request
    /// changed.
    pub warnings: Vec<String>,
}

/// A strategy with its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StrategyStanding {
    /// Name of the strategy.
    pub name: String,
    /// Status: always `ACTIVE`.
    pub status: String,
}
