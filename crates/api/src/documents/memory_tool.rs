//! `/v1/memory-tool`: commands of the memory tool that Anthropic's models know, and the results
//! that the model reads.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::documents::tree::OmittedDocument;

/// Query parameters that select the documents which the model sees at `/memories`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryToolQuery {
    /// Name of a mount in the configuration of the server. Default, if neither `mount` nor `memory`
    /// is present: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// Id or name of a memory, whose documents are used in place of a mount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Namespace of the memory in `memory`. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A command of the memory tool as the model sends it: `command` and its arguments. The server
/// ignores unknown members.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct MemoryToolCommand(pub Value);

/// The result of a memory tool command, which the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MemoryToolAnswer {
    /// Text of the result.
    pub content: String,
    /// True if the command failed. The text then states the reason.
    pub is_error: bool,
}

/// Query parameters of a request for the text that a model receives at the start of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptDocumentsQuery {
    /// Name of a mount in the configuration of the server. Default, if neither `mount` nor `memory`
    /// is present: `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mount: Option<String>,
    /// Id or name of a memory, whose documents are used in place of a mount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Namespace of the memory in `memory`. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Maximum number of tokens of the text. Default: 2,500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
}

/// The documents of a mount as a text for the start of a session. The bytes of the text stay the
/// same until a document changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptDocuments {
    /// The documents of `knowledge/system/` in full, followed by a listing of the others with their
    /// descriptions. Empty if there are none.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Estimated number of tokens of the text.
    pub tokens: u32,
    /// Paths of the documents that the text contains in full.
    pub paths: Vec<String>,
    /// Documents of `knowledge/system/` that the text does not contain in full, because they exceed
    /// the budget. The listing in the text names them.
    pub omitted: Vec<OmittedDocument>,
    /// Number of documents in all trees of the mount.
    pub files_total: u64,
}
