//! `[llm]`: the default model for memories without one of their own.

use anyhow::{Result, bail};
use loci_model::memory::settings::ModelMode;
use serde::{Deserialize, Serialize};

use super::models::ModelEntry;

/// `[llm]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmSection {
    /// `none`, `provider` or `pull`.
    pub mode: ModelMode,
    /// The name of the default `[[model]]`.
    pub model: Option<String>,
}

impl LlmSection {
    /// Checks the section against these models.
    pub(super) fn check(&self, models: &[ModelEntry]) -> Result<()> {
        if self.mode == ModelMode::Provider && models.is_empty() {
            bail!(
                "llm.mode is provider: there is no [[model]] to ask; name one, or use \"pull\" or \"none\""
            );
        }
        if self.mode == ModelMode::Provider && self.model.is_none() && models.len() > 1 {
            bail!("llm.mode is provider, and there are several [[model]]: name the one to use in llm.model");
        }
        if let Some(name) = &self.model
            && !models.iter().any(|model| model.name == *name)
        {
            bail!("llm.model is {name}: there is no [[model]] of that name");
        }
        Ok(())
    }
}
