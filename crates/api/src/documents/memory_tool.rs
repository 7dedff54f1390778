//! `/v1/memory-tool`: commands of the memory tool that Anthropic's models know, and what the model reads of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::documents::tree::OmittedDocument;

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

/// The documents that a session begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptDocumentsQuery {
    /// A mount of the configuration; `default` where neither it nor a memory is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// In the place of a mount: a memory, by its id or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The namespace of that memory; `/` without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// At most so many tokens of text; 2,500 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
}

/// A mount as a model reads it when a session begins, the same bytes until a document changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptDocuments {
    /// The documents of `knowledge/system/` in full, then a listing of the others with their
    /// descriptions; empty where there are none.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Tokens of the text (estimate).
    pub tokens: u32,
    /// Paths of the documents that are in it in full.
    pub paths: Vec<String>,
    /// Documents of `knowledge/system/` for which the budget had no room; the listing names them.
    pub omitted: Vec<OmittedDocument>,
    /// Documents of all trees.
    pub files_total: u64,
}
