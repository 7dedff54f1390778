//! Access to versions of prompts.

use crate::tasks::prompt_version::PromptVersion;
use crate::{MemoryId, Result, Timestamp};

/// The table of versions of prompts.
pub trait PromptVersions {
    /// Returns a version by its name.
    fn get(&self, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>>;
    /// Returns versions of a template, or of all, after this one: the last that became current
    /// first, ties by name.
    fn list(
        &self,
        memory: &MemoryId,
        template_id: Option<&str>,
        after: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<PromptVersion>>;
    /// Writes a new or changed version.
    fn put(&mut self, prompt: &PromptVersion) -> Result<()>;
}
