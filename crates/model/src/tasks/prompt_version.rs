//! Versions of the prompts that agents are given. How a version is named is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::{Document, MemoryId, Timestamp};

/// A prompt in one version: what it is made of, without what differs from task to task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptVersion {
    /// The memory.
    pub memory: MemoryId,
    /// Its name: the first digits of its digest.
    pub version: String,
    /// The digest of everything that makes it what it is: 64 hex digits.
    pub sha256: String,
    /// The template it is a version of.
    pub template_id: String,
    /// The digest of the template's text as it was given.
    pub template_sha256: String,
    /// The template's text.
    pub text: String,
    /// What is overridden in it, in its canonical form.
    pub overrides: Document,
    /// Names of the tools it offers, in order.
    pub tools: Vec<String>,
    /// Prompts by which what comes of it is read, in order.
    pub extraction_prompts: Vec<String>,
    /// The model it was first used with; no part of its name.
    pub model: Option<String>,
    /// When it last became its template's current version.
    pub current_since: Timestamp,
    /// When it was stored.
    pub created_at: Timestamp,
}
