//! Requests for reflections over episodes. The results are records of the kind `reflection`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for a reflection over episodes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reflect {
    /// Number of newest episodes to read, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Namespace of the reflections, which also contains the episodes. Required if the strategy's
    /// `reflection_namespace` contains variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A requested reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectAsked {
    /// Id of the job that creates it.
    pub job: String,
}

/// A request for a reflection over the tasks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryReflect {
    /// Number of newest finished tasks to read, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// True to apply only the rules, immediately, and to return the results without writing
    /// anything. Default: false.
    pub dry_run: bool,
}

/// A requested reflection, or the result of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepositoryReflectAsked {
    /// Id of the job that creates the reflections; absent for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Reflections that a dry run would write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reflections: Vec<ReflectionFound>,
}

/// A reflection over several tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionFound {
    /// Subject. A later reflection with the same subject replaces this one.
    pub subject: String,
    /// Text of the reflection. It is data and contains no instructions.
    pub text: String,
    /// Number of tasks that support the reflection.
    pub hits: u32,
    /// Number of tasks that were examined.
    pub of: u32,
    /// Predicate that was counted.
    pub predicate: String,
    /// Ids of the episodes that support the reflection.
    pub episodes: Vec<String>,
}
