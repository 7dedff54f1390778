//! `[pipeline]`: concurrency of background jobs.

use anyhow::{Result, bail};
use loci_engine::settings::PipelineSettings;
use loci_model::limits;
use serde::{Deserialize, Serialize};

/// The minimum input budget in tokens. A smaller one would split messages into many parts.
const INPUT_TOKENS_MIN: usize = 500;

/// `[pipeline]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineSection {
    /// The maximum number of concurrent jobs, 1 to 256.
    pub jobs_at_once: usize,
    /// The maximum number of concurrent computing steps of jobs: drafts, vectors, writes.
    pub deterministic_at_once: usize,
    /// The maximum number of input tokens of one model request.
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
    /// Returns the settings of the engine.
    pub fn engine(&self) -> PipelineSettings {
        let Self { jobs_at_once, deterministic_at_once, input_tokens_max } = *self;
        PipelineSettings { jobs_at_once, deterministic_at_once, input_tokens_max }
    }

    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        let Self { jobs_at_once, deterministic_at_once, input_tokens_max } = *self;
        if !(1..=limits::JOBS_AT_ONCE_MAX).contains(&jobs_at_once) {
            bail!("pipeline.jobs_at_once must be 1 to {}", limits::JOBS_AT_ONCE_MAX);
        }
        if !(1..=jobs_at_once).contains(&deterministic_at_once) {
            bail!("pipeline.deterministic_at_once must be 1 to pipeline.jobs_at_once, {jobs_at_once}");
        }
        let tokens_max = limits::WINDOW_TOKENS_MAX as usize;
        if !(INPUT_TOKENS_MIN..=tokens_max).contains(&input_tokens_max) {
            bail!("pipeline.input_tokens_max must be {INPUT_TOKENS_MIN} to {tokens_max}");
        }
        Ok(())
    }
}
