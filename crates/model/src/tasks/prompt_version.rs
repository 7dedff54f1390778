//! Versions of the prompts of agents. The engine names the versions.

use serde::{Deserialize, Serialize};

use crate::{Document, MemoryId, Timestamp};

/// One version of a prompt: its parts, without the inputs that differ between tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptVersion {
    /// The memory that the prompt version belongs to.
    pub memory: MemoryId,
    /// The name of the version: the first digits of `sha256`.
    pub version: String,
    /// The SHA-256 digest of all parts of the prompt that identify the version: 64 hex digits.
    pub sha256: String,
    /// The id of the prompt's template.
    pub template_id: String,
    /// The SHA-256 digest of the template's text as the caller sent it.
    pub template_sha256: String,
    /// The template's text.
    pub text: String,
    /// The overrides of the template, in their canonical form.
    pub overrides: Document,
    /// Names of the tools that the prompt offers, sorted.
    pub tools: Vec<String>,
    /// Names of the extraction prompts that read the results of the prompt, sorted.
    pub extraction_prompts: Vec<String>,
    /// The model with which the version was first used. It does not affect the version's name.
    pub model: Option<String>,
    /// The time at which the version last became the current version of its template.
    pub current_since: Timestamp,
    /// The time at which the version was stored.
    pub created_at: Timestamp,
}
