//! Versions of the prompt templates that agents receive.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt to be stored as a version of its template.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptAdd {
    /// Id of the template that the prompt is a version of.
    pub template_id: String,
    /// Text of the template.
    pub text: String,
    /// Values that override parts of the template, as a JSON object. Absent, null and `{}` are
    /// equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub overrides: Option<Value>,
    /// Names of the tools that the prompt offers, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Names of the extraction prompts with which the agent's results are read, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extraction_prompts: Vec<String>,
    /// Name of the model that the prompt is for. It does not affect the version's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Digests of a prompt's parts, which show the part in which two versions differ.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptComponents {
    /// Digest of the template's text.
    pub template: String,
    /// Digest of the overrides.
    pub overrides: String,
    /// Digest of the names of the tools.
    pub tools: String,
    /// Name of the model, as in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The stored version of a prompt, which is now the current version of its template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptAdded {
    /// Name of the version, derived from its digest.
    pub prompt_version: String,
    /// SHA-256 digest of the prompt's parts, from which the name is derived.
    pub sha256: String,
    /// Digests of the parts of the prompt.
    pub components: PromptComponents,
    /// Name of the version that was current before; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// URL that compares the new version with the previous one; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_url: Option<String>,
    /// Warnings about the stored prompt.
    pub warnings: Vec<String>,
}

/// A version of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Prompt {
    /// Name of the version, derived from its digest.
    pub prompt_version: String,
    /// SHA-256 digest of the prompt's parts, from which the name is derived.
    pub sha256: String,
    /// Id of the template.
    pub template_id: String,
    /// SHA-256 digest of the template's text.
    pub template_sha256: String,
    /// Text of the template.
    pub text: String,
    /// Values that override parts of the template, as a JSON object.
    #[schema(value_type = Object)]
    pub overrides: Value,
    /// Names of the tools that the prompt offers.
    pub tools: Vec<String>,
    /// Names of the extraction prompts with which the agent's results are read.
    pub extraction_prompts: Vec<String>,
    /// Name of the model that the version was first used with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Time at which the version last became the current version of its template.
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
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of versions of prompts. The version that became current last is first, and the first
/// version of each template is its current one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptList {
    /// The versions of prompts on this page.
    pub prompts: Vec<Prompt>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The difference between two versions of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptDiff {
    /// Names of the parts in which the versions differ: `text`, `overrides`, `tools`,
    /// `extraction_prompts`, `model`.
    pub changed: Vec<String>,
    /// All lines of both texts, each after ` ` (in both), `-` (only in the first) or `+` (only in
    /// the second).
    pub diff: String,
}

/// A request to make an earlier version of a prompt the current one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptRollback {
    /// Name of the version that becomes current.
    pub to: String,
}

/// The version of a prompt that is current after a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptRolledBack {
    /// Name of the version that is current now.
    pub prompt_version: String,
    /// Name of the version that was current before; absent if it did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}
