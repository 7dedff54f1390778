//! Reflections over episodes: asking for one. What it finds are records of the kind `reflection`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which episodes to reflect on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reflect {
    /// The newest so many episodes, 1 to 200; 50 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Where the reflections go, and under which the episodes are. Needed where the strategy's `reflection_namespace` has
    /// variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// The reflection was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectAsked {
    /// The job that will do it.
    pub job: String,
}
