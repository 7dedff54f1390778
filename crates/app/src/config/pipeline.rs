//! `[pipeline]`: how much goes on side by side.

use anyhow::{Result, bail};
use loci_engine::settings::PipelineSettings;
use serde::{Deserialize, Serialize};

/// `[pipeline]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineSection {
    /// Jobs under way, 1 to 256.
    pub jobs_at_once: usize,
    /// Jobs that compute.
    pub deterministic_at_once: usize,
    /// Tokens of one question to a model.
    pub input_tokens_max: usize,
}

impl Default for PipelineSection {
    fn default() -> Self {
        let PipelineSettings { jobs_at_once, deterministic_at_once, input_tokens_max } =
            PipelineSettings::default();
        Self { jobs_at_once, deterministic_at_once, input_tokens_max }
    }
}

impl PipelineSection {
    /// The engine's part.
    pub fn engine(&self) -> PipelineSettings {
        let Self { jobs_at_once, deterministic_at_once, input_tokens_max } = *self;
        PipelineSettings { jobs_at_once, deterministic_at_once, input_tokens_max }
    }

    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if *self != Self::default() {
            bail!("this version runs four jobs side by side: leave [pipeline] as it is");
        }
        Ok(())
    }
}
