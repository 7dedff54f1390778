//! `/v1/memory-tool`: commands of the memory tool that Anthropic's models know, and what the model reads of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Which documents lie at `/memories`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryToolQuery {
    /// A mount of the configuration; `default` where neither it nor a memory is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// In the place of a mount: a memory, by its id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The namespace of that memory; `/` without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A command as the model gave it: `command`, and what that one needs. What is not known is ignored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct MemoryToolCommand(pub Value);

/// What the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MemoryToolAnswer {
    /// The text.
    pub content: String,
    /// True where nothing was done, and the text says why.
    pub is_error: bool,
}
