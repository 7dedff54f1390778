//! Configuration: defaults in code, then the file, then `LOCI_<SECTION>_<KEY>` of the environment,
//! then flags. Later sources take precedence.
//!
//! The file is the user's (`$XDG_CONFIG_HOME/loci/config.toml`) or the one named by `--config`. It
//! is never one of the working directory, which a cloned repository could contain. Unknown keys are
//! errors that name them.

mod body_budgets;
#[cfg(feature = "coding")]
pub mod coding;
mod default_paths;
#[cfg(feature = "documents")]
pub mod documents;
pub mod embedding;
pub mod environment;
mod file;
#[cfg(feature = "operations")]
pub mod hooks;
pub mod llm;
pub mod mcp;
pub mod models;
#[cfg(feature = "operations")]
pub mod operations;
pub mod outbound;
pub mod pipeline;
pub mod profiles;
pub mod rehearsal;
pub mod safety;
pub mod targets;
pub mod telemetry;
#[cfg(feature = "verified")]
pub mod verified;

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;

#[cfg(feature = "documents")]
use loci_documents::DocumentsSettings;
use loci_engine::EngineSettings;
use loci_engine::settings::MemoryMatch;
use loci_model::limits;
use loci_model::memory::settings::{
    EventLimits, MemorySettings, NamespaceReading, SafetySettings, TextDates,
};
use loci_products::LociSettings;
use loci_store_sqlite::SqliteOptions;
use serde::{Deserialize, Serialize};

pub use default_paths::{default_data_dir, user_file};
pub use file::load;

/// The complete configuration. `loci config print` shows it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Addresses and limits of the server.
    pub server: ServerSection,
    /// The data folder.
    pub store: StoreSection,
    /// Names in ARNs.
    pub aws: AwsSection,
    /// The interpretation of the AgentCore wire.
    pub compat: CompatSection,
    /// Defaults of new memories.
    pub memories: MemoriesSection,
    /// The schedule of extraction.
    pub extraction: ExtractionSection,
    /// The default language model.
    pub llm: llm::LlmSection,
    /// The embedder.
    pub embedding: embedding::EmbeddingSection,
    /// Concurrency of the pipeline.
    pub pipeline: pipeline::PipelineSection,
    /// Checks and masking of texts before they are stored.
    pub safety: safety::SafetySection,
    /// Further profiles.
    pub profiles: profiles::ProfilesSection,
    /// Facts that cite code.
    #[cfg(feature = "verified")]
    pub verified: verified::VerifiedSection,
    /// Memories in the prompts of coding agents.
    #[cfg(feature = "coding")]
    pub coding: coding::CodingSection,
    /// Consolidation of document trees.
    #[cfg(feature = "documents")]
    pub consolidation: documents::consolidation::ConsolidationSection,
    /// Outgoing calls of this server.
    pub outbound: outbound::OutboundSection,
    /// Trees mirrored as files.
    #[cfg(feature = "documents")]
    pub mirror: documents::mirror::MirrorSection,
    /// Tools, and MCP.
    pub mcp: mcp::McpSection,
    /// The memory tool, and its trees.
    #[cfg(feature = "documents")]
    pub memory_tool: documents::memory_tool::MemoryToolSection,
    /// Buckets for S3 clients.
    #[cfg(feature = "documents")]
    pub s3: documents::s3::S3Section,
    /// Traces for a collector.
    pub telemetry: telemetry::TelemetrySection,
    /// Log output.
    pub log: LogSection,
    /// A clock ahead of the machine's.
    pub rehearsal: rehearsal::RehearsalSection,
    /// Language models.
    #[serde(rename = "model")]
    pub models: Vec<models::ModelEntry>,
    /// Models for the model ids of the wire.
    #[serde(rename = "model_id")]
    pub model_ids: Vec<models::ModelIdEntry>,
    /// Embedders in addition to the built-in one.
    #[serde(rename = "embedder")]
    pub embedders: Vec<embedding::EmbedderEntry>,
    /// Targets of notifications.
    #[serde(rename = "target")]
    pub targets: Vec<targets::TargetEntry>,
    /// Webhooks for the ends of jobs.
    #[serde(rename = "webhook")]
    pub webhooks: Vec<targets::WebhookEntry>,
    /// Systems that may send alerts.
    #[cfg(feature = "operations")]
    #[serde(rename = "hook")]
    pub hooks: Vec<hooks::HookEntry>,
    /// Repositories that this server can read.
    #[cfg(feature = "verified")]
    #[serde(rename = "repo")]
    pub repositories: Vec<verified::RepositoryEntry>,
    /// Forges that this server may call.
    #[cfg(feature = "verified")]
    #[serde(rename = "forge")]
    pub forges: Vec<verified::ForgeEntry>,
    /// Memories with a configured profile.
    #[serde(rename = "memory")]
    pub memory_matches: Vec<MemoryEntry>,
    /// `LOCI_` variables without a known section, which have no effect.
    #[serde(skip)]
    pub variables_without_effect: Vec<String>,
    /// The fault of the file's permissions, if it names secret addresses and other users can read
    /// it.
    #[serde(skip)]
    pub secret_file_fault: Option<String>,
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSection {
    /// Address and port. Port 0 selects a free one.
    pub listen: SocketAddr,
    /// Certificate chain, PEM.
    pub tls_cert: Option<PathBuf>,
    /// Private key, PEM.
    pub tls_key: Option<PathBuf>,
    /// True if a proxy in front of this server terminates TLS.
    pub behind_proxy: bool,
    /// The maximum number of concurrent connections.
    pub connections_max: usize,
    /// The maximum number of bytes of a request body.
    pub body_bytes_max: usize,
    /// The maximum number of bytes of request bodies in memory.
    pub bodies_bytes_max: usize,
    /// The time limit in milliseconds after SIGTERM or SIGINT by which the process ends, regardless
    /// of running work.
    pub stop_ms_max: u64,
    /// A prefix that clients put before each path of the wire.
    pub base_path: String,
}

/// `[store]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSection {
    /// The data folder. Absent means the user's data folder.
    pub data_dir: Option<PathBuf>,
    /// The number of threads that read.
    pub readers: usize,
    /// The number of threads that search.
    pub searchers: usize,
    /// The maximum number of bytes of all indexes together.
    pub index_bytes_max: u64,
}

/// `[aws]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AwsSection {
    /// The region in ARNs.
    pub region: String,
    /// The account in ARNs, twelve digits.
    pub account: String,
}

/// `[compat]`: defaults of each new memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompatSection {
    /// `lenient` or `strict`.
    pub event_limits: EventLimits,
    /// `exact` or `segment_prefix`.
    pub namespace_match: NamespaceReading,
    /// `none` or `suffix`.
    pub text_dates: TextDates,
    /// True if searches include events that are not extracted yet.
    pub read_your_writes: bool,
    /// True if main-line events carry `branch: {name: main}`.
    pub main_branch_marker: bool,
    /// True if clients may name URLs as delivery targets.
    pub client_targets: bool,
}

/// `[memories]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoriesSection {
    /// The maximum number of memories. Absent means no limit.
    pub max: Option<u64>,
    /// The time in milliseconds after which deleted content is erased.
    pub erase_after_ms: u64,
    /// The retention of non-active versions in days.
    pub history_days: u32,
    /// Default template of semantic, preference and custom strategies.
    pub template_actor: String,
    /// Default template of summary and episodic strategies.
    pub template_session: String,
}

/// `[extraction]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionSection {
    /// True if CreateEvent answers after extraction, for tests of clients that cannot wait.
    pub sync: bool,
    /// The delay in milliseconds after the first unprocessed event.
    pub delay_ms: i64,
    /// The delay of summaries and episodes in milliseconds after the last event.
    pub summary_delay_ms: i64,
    /// The number of low-priority threads that embed. Absent means one per processor, at most
    /// eight.
    pub embed_threads: Option<NonZero<usize>>,
}

/// The format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSection {
    /// `text` or `json`.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or a filter like `info,loci_coding=debug`.
    pub level: String,
}

/// `[[memory]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEntry {
    /// The memory's name.
    pub name: String,
    /// Its profile.
    pub profile: String,
    /// Its description, used when it is created.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// False disables operations memory.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// See `[memory.sre]`.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_capture_preferences: Option<bool>,
    /// See `[memory.sre]`.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_capture_infrastructure: Option<bool>,
    /// See `[memory.sre]`.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_generate_summaries: Option<bool>,
    /// Overrides of its types of operations memory.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategy: Vec<operations::strategy::StrategySection>,
    /// Its settings for operations agents.
    #[cfg(feature = "operations")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sre: Option<operations::memory::SreSection>,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8411)),
            tls_cert: None,
            tls_key: None,
            behind_proxy: false,
            connections_max: limits::CONNECTIONS_MAX_DEFAULT,
            body_bytes_max: limits::BODY_BYTES_MAX_DEFAULT,
            bodies_bytes_max: limits::BODIES_BYTES_MAX_DEFAULT,
            stop_ms_max: limits::STOP_MS_MAX_DEFAULT,
            base_path: String::new(),
        }
    }
}

impl ServerSection {
    fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.connections_max >= 2,
            "[server] connections_max must be at least 2: half of the connections may be slow"
        );
        Ok(())
    }
}

impl Default for StoreSection {
    fn default() -> Self {
        let defaults = SqliteOptions::new("");
        Self {
            data_dir: None,
            readers: defaults.readers,
            searchers: defaults.searchers,
            index_bytes_max: defaults.index_bytes_max,
        }
    }
}

impl Default for AwsSection {
    fn default() -> Self {
        let defaults = EngineSettings::default();
        Self { region: defaults.region, account: defaults.account }
    }
}

impl Default for CompatSection {
    fn default() -> Self {
        let defaults = MemorySettings::default();
        Self {
            event_limits: defaults.event_limits,
            namespace_match: defaults.namespace_match,
            text_dates: defaults.text_dates,
            read_your_writes: defaults.read_your_writes,
            main_branch_marker: defaults.main_branch_marker,
            client_targets: false,
        }
    }
}

impl Default for MemoriesSection {
    fn default() -> Self {
        let defaults = EngineSettings::default();
        Self {
            max: None,
            erase_after_ms: defaults.memory_defaults.erase_after_ms,
            history_days: defaults.memory_defaults.history_days,
            template_actor: defaults.template_actor,
            template_session: defaults.template_session,
        }
    }
}

impl Default for ExtractionSection {
    fn default() -> Self {
        let defaults = EngineSettings::default();
        Self {
            sync: false,
            delay_ms: defaults.extraction_delay_ms,
            summary_delay_ms: defaults.summary_delay_ms,
            embed_threads: None,
        }
    }
}

impl Default for LogSection {
    fn default() -> Self {
        Self { format: LogFormat::Text, level: "info".to_owned() }
    }
}

impl Config {
    /// Checks each section.
    fn check_sections(&self) -> anyhow::Result<()> {
        self.server.check()?;
        body_budgets::check(self)?;
        // This check precedes all checks whose messages may contain a variable's name.
        environment::variables::check(self)?;
        self.llm.check(&self.models)?;
        models::check(&self.models, &self.model_ids)?;
        embedding::check(&self.embedding, &self.embedders)?;
        self.pipeline.check()?;
        #[cfg(feature = "documents")]
        self.consolidation.check()?;
        self.safety.check()?;
        self.profiles.check()?;
        self.outbound.check()?;
        self.mcp.check()?;
        #[cfg(feature = "documents")]
        self.memory_tool.check()?;
        #[cfg(feature = "documents")]
        self.mirror.check()?;
        #[cfg(feature = "documents")]
        self.s3.check()?;
        self.telemetry.check()?;
        self.rehearsal.check()?;
        #[cfg(feature = "verified")]
        self.verified.check()?;
        #[cfg(feature = "coding")]
        self.coding.check()?;
        #[cfg(feature = "operations")]
        self.hooks.iter().try_for_each(hooks::HookEntry::check)?;
        #[cfg(feature = "operations")]
        operations::memory::settings(&self.memory_matches)?;
        #[cfg(feature = "verified")]
        self.repositories.iter().try_for_each(verified::RepositoryEntry::check)?;
        #[cfg(feature = "verified")]
        self.forges.iter().try_for_each(verified::ForgeEntry::check)?;
        targets::check(&self.targets, &self.webhooks, &self.outbound)
    }

    /// Returns a warning for each `LOCI_` variable without effect, and for a file with secrets that
    /// other users can read.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |name: &String| {
            format!(
                "{name} has no effect: variables are LOCI_<SECTION>_<KEY>, and no section of the configuration \
                 is called so; unset it, or see the sections in `loci config print`"
            )
        };
        let open_file = self
            .secret_file_fault
            .iter()
            .map(|fault| format!("the address of a [[target]] has a query, which may be a key, and {fault}"));
        self.variables_without_effect.iter().map(warning).chain(open_file).collect()
    }

    /// True if an address has a query, which may be a key and is therefore never displayed.
    fn names_secret_addresses(&self) -> bool {
        self.targets.iter().any(|target| target.place().ends_with("?…"))
    }

    /// Returns the displayable configuration, without the queries of addresses, which may be keys.
    /// It never contains keys themselves.
    #[must_use]
    pub fn shown(mut self) -> Self {
        for target in &mut self.targets {
            target.url = target.place();
        }
        self
    }

    /// Returns the settings of the engine.
    ///
    /// # Errors
    /// A file that the configuration names is invalid.
    pub fn engine(&self) -> anyhow::Result<EngineSettings> {
        let defaults = EngineSettings::default();
        Ok(EngineSettings {
            region: self.aws.region.clone(),
            account: self.aws.account.clone(),
            memories_max: self.memories.max,
            template_actor: self.memories.template_actor.clone(),
            template_session: self.memories.template_session.clone(),
            memory_defaults: MemorySettings {
                namespace_match: self.compat.namespace_match,
                event_limits: self.compat.event_limits,
                text_dates: self.compat.text_dates,
                read_your_writes: self.compat.read_your_writes,
                main_branch_marker: self.compat.main_branch_marker,
                erase_after_ms: self.memories.erase_after_ms,
                history_days: self.memories.history_days,
                safety: SafetySettings { injection: self.safety.injection, ..SafetySettings::default() },
                ..MemorySettings::default()
            },
            memory_matches: self
                .memory_matches
                .iter()
                .map(|entry| MemoryMatch { name: entry.name.clone(), profile: entry.profile.clone() })
                .collect(),
            profiles: self.profiles.read()?,
            extraction_delay_ms: self.extraction.delay_ms,
            summary_delay_ms: self.extraction.summary_delay_ms,
            redaction: self.safety.secrets,
            patterns: self.safety.patterns()?,
            pipeline: self.pipeline.engine(),
            job_webhooks: self.webhooks.iter().map(targets::WebhookEntry::engine).collect(),
            client_targets: self.compat.client_targets,
            ..defaults
        })
    }

    /// Returns the settings of the engine and of its products.
    ///
    /// # Errors
    /// See [`Self::engine`].
    pub fn loci(&self) -> anyhow::Result<LociSettings> {
        Ok(LociSettings {
            engine: self.engine()?,
            #[cfg(feature = "verified")]
            verified: self.verified.settings(),
            #[cfg(feature = "coding")]
            coding: self.coding.settings(),
            #[cfg(feature = "documents")]
            documents: DocumentsSettings {
                memory_tool: self.memory_tool.settings()?,
                upkeep: self.consolidation.settings(),
                mirrors: self.mirror.settings()?,
            },
            #[cfg(feature = "operations")]
            operations: operations::memory::settings(&self.memory_matches)?,
        })
    }

    /// Returns the options of the store, for a folder.
    pub fn store(&self, folder: PathBuf) -> SqliteOptions {
        SqliteOptions {
            readers: self.store.readers.max(1),
            searchers: self.store.searchers.max(1),
            index_bytes_max: self.store.index_bytes_max,
            ..SqliteOptions::new(folder)
        }
    }
}
