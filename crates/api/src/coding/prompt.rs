//! Versions of the prompts that agents receive.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt to be stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptAdd {
    /// Id of the template.
    pub template_id: String,
    /// Text of the template.
    pub text: String,
    /// Overrides of the template. Absent, null and `{}` are equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub overrides: Option<Value>,
    /// Names of the tools that the prompt offers, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Extraction prompts that read the results, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extraction_prompts: Vec<String>,
    /// Name of the model. It does not affect the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Digests of a prompt's parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptComponents {
    /// Digest of the template's text.
    pub template: String,
    /// Digest of the overrides.
    pub overrides: String,
    /// Digest of the tools.
    pub tools: String,
    /// Name of the model, as specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A stored version, which is now the current version of its template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptAdded {
    /// Name of the version.
    pub prompt_version: String,
    /// SHA-256 digest that the name is derived from.
    pub sha256: String,
    /// Digests of the parts.
    pub components: PromptComponents,
    /// Previous current version of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// URL of the comparison of the two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_url: Option<String>,
    /// Warnings about the prompt.
    pub warnings: Vec<String>,
}

/// A version of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Prompt {
    /// Name of the version.
    pub prompt_version: String,
    /// SHA-256 digest that the name is derived from.
    pub sha256: String,
    /// Id of the template.
    pub template_id: String,
    /// SHA-256 digest of the template's text.
    pub template_sha256: String,
    /// Text of the template.
    pub text: String,
    /// Overrides of the template.
    #[schema(value_type = Object)]
    pub overrides: Value,
    /// Names of the tools that the prompt offers.
    pub tools: Vec<String>,
    /// Extraction prompts that read the results.
    pub extraction_prompts: Vec<String>,
    /// Name of the model that the version was first used with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Time at which the version last became current.
    pub current_since: String,
    /// Time at which the version was stored.
    pub created_at: String,
}

/// A request to list versions of prompts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptListing {
    /// Id of the template. Default: all templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    /// Maximum number of versions per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of versions, most recently current first. The first version of each template is its
/// current one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptList {
    /// The versions.
    pub prompts: Vec<Prompt>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The difference between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptDiff {
    /// Parts that differ: `text`, `overrides`, `tools`, `extraction_prompts`, `model`.
    pub changed: Vec<String>,
    /// All lines of both versions, each prefixed with ` `, `-` or `+`.
    pub diff: String,
}

/// A request to make a version current again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptRollback {
    /// Name of the version.
    pub to: String,
}

/// A version that is current again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptRolledBack {
    /// Current version of the template.
    pub prompt_version: String,
    /// Previous version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}
