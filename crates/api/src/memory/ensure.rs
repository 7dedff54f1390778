//! A memory that is there when the answer is: made, or found by its name and completed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::memory::StrategyCreate;

/// What is to be there under the name in the path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsure {
    /// What a new one is for; absent: what the profile says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A profile, by name: its settings and strategies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Strategies beside the profile's; one of the same name stands for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyCreate>,
}

/// How.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryEnsureQuery {
    /// `1` or `true`: what is otherwise than asked is changed. Else it stays, and `warnings` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryEnsured {
    /// The memory's id.
    pub memory_id: String,
    /// It was not there.
    pub created: bool,
    /// Names of strategies that were added to one that was.
    pub added: Vec<String>,
    /// All its strategies.
    pub strategies: Vec<StrategyStanding>,
    /// What is otherwise than asked, or was changed.
    pub warnings: Vec<String>,
}

/// A strategy, and whether it is at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StrategyStanding {
    /// Its name.
    pub name: String,
    /// `ACTIVE`.
    pub status: String,
}
