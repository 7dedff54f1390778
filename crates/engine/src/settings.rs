//! The settings of an engine. They have defaults, which the server's configuration overrides.

use loci_model::job::JobState;
use loci_model::limits;
use loci_model::memory::settings::MemorySettings;
use loci_model::ports::search::ListLengths;

use crate::memories::profiles::Profile;
use crate::safety::{Patterns, RedactionMode};

/// A rule of the configuration that assigns a profile to the memory with a given name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMatch {
    /// The name of the memory.
    pub name: String,
    /// The name of the profile.
    pub profile: String,
}

/// Limits on concurrent jobs, and on the size of questions to models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineSettings {
    /// The number of jobs that run at the same time, 1 to 256. Most of them wait for a model.
    pub jobs_at_once: usize,
    /// The number of jobs that compute at the same time, that is, do not wait for a model.
    pub deterministic_at_once: usize,
    /// The maximum number of tokens in one question to a model, without its instructions.
    pub input_tokens_max: usize,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self { jobs_at_once: 64, deterministic_at_once: 4, input_tokens_max: 20_000 }
    }
}

/// A webhook that is called when jobs end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobWebhook {
    /// The name of the delivery target in the configuration.
    pub target: String,
    /// The final states of jobs that are reported: `Done`, `Failed`.
    pub on: Vec<JobState>,
    /// The name of the memory whose jobs are reported; `None` means all memories.
    pub memory: Option<String>,
}

/// Settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineSettings {
    /// The AWS region that ARNs contain.
    pub region: String,
    /// The AWS account that ARNs contain, twelve digits.
    pub account: String,
    /// The maximum number of memories on the server; `None` means no limit.
    pub memories_max: Option<u64>,
    /// The namespace template of semantic, preference and custom strategies that have no
    /// template.
    pub template_actor: String,
    /// The namespace template of summary and episodic strategies that have no template.
    pub template_session: String,
    /// The settings of a new memory, before its profile and tags change them.
    pub memory_defaults: MemorySettings,
    /// Rules that assign profiles to memories by name.
    pub memory_matches: Vec<MemoryMatch>,
    /// The profiles of the server's configuration. A profile with the name of a shipped one
    /// replaces it.
    pub profiles: Vec<Profile>,
    /// The profiles that products ship. The engine sets them when it is created.
    pub product_profiles: Vec<Profile>,
    /// The number of candidates in each list of a search; `None` means the default of the
    /// ranking.
    pub candidates: Option<ListLengths>,
    /// The time from the first unprocessed event until facts and preferences are extracted, in
    /// milliseconds.
    pub extraction_delay_ms: i64,
    /// The time from the last event until summaries and episodes are extracted, in milliseconds.
    pub summary_delay_ms: i64,
    /// The treatment of secrets in texts that are written.
    pub redaction: RedactionMode,
    /// Injection patterns in place of the shipped ones. They are read once for the whole process.
    pub patterns: Option<&'static Patterns>,
    /// Limits on concurrent jobs, and on the size of questions to models.
    pub pipeline: PipelineSettings,
    /// Webhooks that are called when jobs end.
    pub job_webhooks: Vec<JobWebhook>,
    /// True if clients may use URLs as delivery targets, not only the names of configured
    /// targets.
    pub client_targets: bool,
    /// The name of this process in leases. It must be unique among the processes of a store.
    pub host: String,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            region: "us-west-2".to_owned(),
            account: "000000000000".to_owned(),
            memories_max: None,
            template_actor: "/strategies/{memoryStrategyId}/actors/{actorId}/".to_owned(),
            template_session: "/strategies/{memoryStrategyId}/actors/{actorId}/sessions/{sessionId}/"
                .to_owned(),
            memory_defaults: MemorySettings::default(),
            memory_matches: Vec::new(),
            profiles: Vec::new(),
            product_profiles: Vec::new(),
            candidates: None,
            extraction_delay_ms: limits::EXTRACTION_DELAY_MS,
            summary_delay_ms: limits::SUMMARY_DELAY_MS,
            redaction: RedactionMode::default(),
            patterns: None,
            pipeline: PipelineSettings::default(),
            job_webhooks: Vec::new(),
            client_targets: false,
            host: "loci".to_owned(),
        }
    }
}
