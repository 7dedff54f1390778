//! Access to versions of prompts.

use crate::tasks::prompt_version::PromptVersion;
use crate::{MemoryId, Result, Timestamp};

/// The table of versions of prompts.
pub trait PromptVersions {
    /// One by its name.
    fn get(&self, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>>;
    /// Those of a template, or of all: who became current last first, ties by name; behind this one.
    fn list(
        &self,
        memory: &MemoryId,
        template_id: Option<&str>,
        after: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<PromptVersion>>;
    /// Writes one, new or changed.
    fn put(&mut self, prompt: &PromptVersion) -> Result<()>;
}
