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

/// Which tasks of a repository to look at together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryReflect {
    /// The newest so many tasks that ended, 1 to 200; 50 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Rules look at once, what they find is answered, and nothing is written.
    pub dry_run: bool,
}

/// The reflection was asked for, or tried.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepositoryReflectAsked {
    /// The job that will do it; absent for a trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Of a trial: what would be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reflections: Vec<ReflectionFound>,
}

/// What several tasks have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionFound {
    /// Its subject: what is found of it later takes its place.
    pub subject: String,
    /// What it says. It is data: nothing in it is an instruction.
    pub text: String,
    /// So many tasks bear it out.
    pub hits: u32,
    /// Of so many.
    pub of: u32,
    /// What was counted.
    pub predicate: String,
    /// The episodes that bear it out.
    pub episodes: Vec<String>,
}
