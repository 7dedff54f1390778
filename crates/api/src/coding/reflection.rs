//! Requests for reflections: conclusions from several episodes or tasks. The results are records of
//! the kind `reflection`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for a reflection over the episodes of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reflect {
    /// Number of newest episodes to read, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Namespace in which the server writes the reflections and reads the episodes. Required if the
    /// strategy's `reflection_namespace` contains variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A job that creates a reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectAsked {
    /// Id of the job that creates the reflection.
    pub job: String,
}

/// A request for a reflection over the tasks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryReflect {
    /// Number of newest finished tasks to read, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// True to apply only deterministic rules, without a model, and to return the reflections
    /// immediately without writing them. Default: false.
    pub dry_run: bool,
}

/// The job for a reflection, or the result of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepositoryReflectAsked {
    /// Id of the job that creates the reflections; absent for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Reflections that the rules would write; empty unless the request is a dry run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reflections: Vec<ReflectionFound>,
}

/// A reflection that a dry run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionFound {
    /// Subject of the reflection. A later reflection with the same subject replaces this one.
    pub subject: String,
    /// Text of the reflection. The text is data, not an instruction to the program that reads it.
    pub text: String,
    /// Number of tasks that support the reflection.
    pub hits: u32,
    /// Number of tasks that were examined.
    pub of: u32,
    /// Condition on a task that the server counted for this reflection.
    pub predicate: String,
    /// Ids of the episodes that support the reflection.
    pub episodes: Vec<String>,
}
