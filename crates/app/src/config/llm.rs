//! `[llm]`: who reads conversations where a memory says nothing of its own.

use anyhow::{Result, bail};
use loci_model::settings::ModelMode;
use serde::{Deserialize, Serialize};

/// `[llm]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmSection {
    /// `none`, `provider` or `pull`.
    pub mode: ModelMode,
    /// Name of the `[[model]]` that is asked by default.
    pub model: Option<String>,
}

impl LlmSection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if *self != Self::default() {
            bail!("this version asks no language model: llm.mode must be \"none\", and llm.model left out");
        }
        Ok(())
    }
}
