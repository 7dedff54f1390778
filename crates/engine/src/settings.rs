//! Settings of an engine: defaults in code, overridden by the binary's configuration.

use loci_model::job::JobState;
use loci_model::limits;
use loci_model::memory::settings::MemorySettings;
use loci_model::ports::search::ListLengths;

use crate::memories::profiles::Profile;
use crate::safety::{Patterns, RedactionMode};

/// A rule that assigns a profile to a memory by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMatch {
    /// The memory's name.
    pub name: String,
    /// Its profile.
    pub profile: String,
}

/// Concurrency of the pipeline, and the size of a model's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineSettings {
    /// Concurrent jobs, 1 to 256; most of them wait for a model.
    pub jobs_at_once: usize,
    /// Concurrent jobs that compute: drafts, vectors, writes.
    pub deterministic_at_once: usize,
    /// Maximum tokens of one question, without its instructions.
    pub input_tokens_max: usize,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self { jobs_at_once: 64, deterministic_at_once: 4, input_tokens_max: 20_000 }
    }
}

/// A webhook for the ends of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobWebhook {
    /// The target's name in the configuration.
    pub target: String,
    /// The reported final states: `Done`, `Failed`.
    pub on: Vec<JobState>,
    /// Name of the reported memory; `None` means all.
    pub memory: Option<String>,
}

/// Settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineSettings {
    /// Region in ARNs.
    pub region: String,
    /// Account in ARNs, twelve digits.
    pub account: String,
    /// Maximum number of memories; `None` means no limit.
    pub memories_max: Option<u64>,
    /// Template of semantic, preference and custom strategies without one.
    pub template_actor: String,
    /// Template of summary and episodic strategies without one.
    pub template_session: String,
    /// Initial settings of a new memory.
    pub memory_defaults: MemorySettings,
    /// Memories with a configured profile.
    pub memory_matches: Vec<MemoryMatch>,
    /// The server's own profiles; one with a shipped name replaces the shipped one.
    pub profiles: Vec<Profile>,
    /// Profiles that products ship; the engine sets them.
    pub product_profiles: Vec<Profile>,
    /// Candidates per list; `None` means the default of the ranking.
    pub candidates: Option<ListLengths>,
    /// Milliseconds from the first unprocessed event until extraction is due.
    pub extraction_delay_ms: i64,
    /// Milliseconds from the last event until summaries and episodes are due.
    pub summary_delay_ms: i64,
    /// Mode for secrets in texts that are written.
    pub redaction: RedactionMode,
    /// Injection patterns instead of the shipped ones; read once for the whole process.
    pub patterns: Option<&'static Patterns>,
    /// Concurrency of the pipeline.
    pub pipeline: PipelineSettings,
    /// Webhooks for the ends of jobs.
    pub job_webhooks: Vec<JobWebhook>,
    /// True if clients may name URLs as delivery targets.
    pub client_targets: bool,
    /// Name of this process in leases, unique among the processes of a store.
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
