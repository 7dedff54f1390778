//! Versions of the prompts that agents are given.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A prompt to be stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptAdd {
    /// The template it is a version of.
    pub template_id: String,
    /// The template's text.
    pub text: String,
    /// What is overridden in it; absent, null and `{}` are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub overrides: Option<Value>,
    /// Names of the tools it offers, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Prompts by which what comes of it is read, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extraction_prompts: Vec<String>,
    /// The model it is used with; it does not change the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Digests of a prompt's parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptComponents {
    /// Of the template's text.
    pub template: String,
    /// Of what is overridden.
    pub overrides: String,
    /// Of the tools.
    pub tools: String,
    /// The model, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A version that is its template's current one now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptAdded {
    /// Its name.
    pub prompt_version: String,
    /// The digest it is named by.
    pub sha256: String,
    /// Digests of its parts.
    pub components: PromptComponents,
    /// The template's current version before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Where the two are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_url: Option<String>,
    /// What to know.
    pub warnings: Vec<String>,
}

/// A version of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Prompt {
    /// Its name.
    pub prompt_version: String,
    /// The digest it is named by.
    pub sha256: String,
    /// The template it is a version of.
    pub template_id: String,
    /// The digest of the template's text.
    pub template_sha256: String,
    /// The template's text.
    pub text: String,
    /// What is overridden in it.
    #[schema(value_type = Object)]
    pub overrides: Value,
    /// Names of the tools it offers.
    pub tools: Vec<String>,
    /// Prompts by which what comes of it is read.
    pub extraction_prompts: Vec<String>,
    /// The model it was first used with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When it last became its template's current version.
    pub current_since: String,
    /// When it was stored.
    pub created_at: String,
}

/// Which versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptListing {
    /// Of this template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Versions: who became current last first, so that of each template the first is the current one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptList {
    /// The versions.
    pub prompts: Vec<Prompt>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What differs between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptDiff {
    /// The parts that differ: `text`, `overrides`, `tools`, `extraction_prompts`, `model`.
    pub changed: Vec<String>,
    /// All lines of both, each with ` `, `-` or `+` before it.
    pub diff: String,
}

/// Which version becomes a template's current one again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptRollback {
    /// The version.
    pub to: String,
}

/// A version that is current again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptRolledBack {
    /// The template's current version.
    pub prompt_version: String,
    /// The one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}
