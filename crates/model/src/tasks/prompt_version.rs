//! Versions of the prompts of agents. The engine names the versions.

use serde::{Deserialize, Serialize};

use crate::{Document, MemoryId, Timestamp};

/// One version of a prompt: its parts, without the inputs that differ between tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptVersion {
    /// The memory.
    pub memory: MemoryId,
    /// Its name: the first digits of its digest.
    pub version: String,
    /// The digest of all parts that identify it: 64 hex digits.
    pub sha256: String,
    /// The id of its template.
    pub template_id: String,
    /// The digest of the template's text as the caller sent it.
    pub template_sha256: String,
    /// The template's text.
    pub text: String,
    /// The overrides of the template, in their canonical form.
    pub overrides: Document,
    /// Names of the tools it offers, in order.
    pub tools: Vec<String>,
    /// Names of the prompts that extract memories from its results, in order.
    pub extraction_prompts: Vec<String>,
    /// The model of its first use, which is not part of its name.
    pub model: Option<String>,
    /// The time at which it last became its template's current version.
    pub current_since: Timestamp,
    /// The time of its storing.
    pub created_at: Timestamp,
}
