//! Creation of a memory, or completion of the existing memory with the same name.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::memory::StrategyCreate;

/// The members that the memory named in the path must have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsure {
    /// Purpose of a new memory. Default: the description of the profile.
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

/// Query parameters of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsureQuery {
    /// `1` or `true` to change members that differ from the request. Otherwise they stay unchanged,
    /// and `warnings` names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
}

/// The memory after the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryEnsured {
    /// Id of the memory.
    pub memory_id: String,
    /// True if the memory did not exist before.
    pub created: bool,
    /// Names of the strategies that were added to an existing memory.
    pub added: Vec<String>,
    /// All strategies of the memory.
    pub strategies: Vec<StrategyStanding>,
    /// Members that differ from the request, or that were changed.
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
