//! Settings of an engine: defaults in code, overridden by the binary's configuration.

use loci_model::job::JobState;
use loci_model::limits;
use loci_model::memory::settings::MemorySettings;
use loci_model::ports::search::ListLengths;

use crate::memories::profiles::Profile;
use crate::safety::{Patterns, RedactionMode};

/// A named rule by which a memory finds its profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMatch {
    /// The memory's name.
    pub name: String,
    /// Its profile.
    pub profile: String,
}

/// How much of the pipeline goes on side by side, and how much a model reads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineSettings {
    /// Jobs under way, 1 to 256; most of them wait for a model.
    pub jobs_at_once: usize,
    /// Jobs that compute: drafts, vectors, writes.
    pub deterministic_at_once: usize,
    /// Tokens of one question, without its instructions.
    pub input_tokens_max: usize,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self { jobs_at_once: 64, deterministic_at_once: 4, input_tokens_max: 20_000 }
    }
}

/// Who is told of the ends of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobWebhook {
    /// The target's name in the configuration.
    pub target: String,
    /// Only of jobs that ended so; `Done`, `Failed`.
    pub on: Vec<JobState>,
    /// Only of the memory of this name; `None`: of all.
    pub memory: Option<String>,
}

/// Settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineSettings {
    /// Region in ARNs.
    pub region: String,
    /// Twelve digits in ARNs.
    pub account: String,
    /// At most so many memories; `None`: any number.
    pub memories_max: Option<u64>,
    /// Template of semantic, preference and custom strategies that name none.
    pub template_actor: String,
    /// Template of summary and episodic strategies that name none.
    pub template_session: String,
    /// Settings a new memory starts with.
    pub memory_defaults: MemorySettings,
    /// Memories with a configured profile.
    pub memory_matches: Vec<MemoryMatch>,
    /// The server's own profiles; one of a shipped name takes its place.
    pub profiles: Vec<Profile>,
    /// Profiles that products ship; the engine sets them.
    pub product_profiles: Vec<Profile>,
    /// Candidates per list; `None`: the default of the ranking.
    pub candidates: Option<ListLengths>,
    /// Extraction is due this long after the first unprocessed event.
    pub extraction_delay_ms: i64,
    /// Summaries and episodes are due this long after the last event.
    pub summary_delay_ms: i64,
    /// What happens to secrets in texts that are written.
    pub redaction: RedactionMode,
    /// Patterns of instructions to the reader, in place of the shipped ones; read once for the whole process.
    pub patterns: Option<&'static Patterns>,
    /// How much goes on side by side.
    pub pipeline: PipelineSettings,
    /// Who is told of the ends of jobs.
    pub job_webhooks: Vec<JobWebhook>,
    /// Clients may name URLs as delivery targets.
    pub client_targets: bool,
    /// This process, in leases: unique among the processes of a folder.
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
