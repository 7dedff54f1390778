//! `loci import`: imports a transcript turn by turn, the JSON lines of an export unchanged, or the
//! memory of another program.
//!
//! `lines` imports an export, `transcript` a conversation with `turn_event` for its turns, and
//! `agentcore` a memory behind AgentCore's wire. `foreign_memory` imports from other programs, with
//! `source` for their files, `claude_folder` for a coding agent's memory and `document_names` for
//! documents whose names are equal in a tree. `item_import` and `document_import` store items,
//! `stored_items` finds existing ones, and `mapping_report` contains the report.

mod agentcore;
#[cfg(feature = "documents")]
pub(super) mod claude_folder;
mod document_import;
mod document_names;
mod foreign_memory;
mod item_import;
mod lines;
pub(super) mod mapping_report;
mod source;
mod stored_items;
mod transcript;
mod turn_event;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_client::transcript::TranscriptFormat;

use self::item_import::Destination;
use self::transcript::ReadTranscript;
use super::agentcore_location::AgentCoreLocation;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::memory_argument::MemoryArgument;
use crate::session::Session;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A conversation: see the guide on importing
    Transcript,
    /// The JSON lines of `loci export`
    Jsonl,
    /// Memories of Mem0, as returned by its `get_all`
    Mem0,
    /// An agent file of Letta
    Letta,
    /// The list in the test store of Strands
    StrandsJson,
    /// A bundle in the Open Knowledge Format
    Okf,
    /// The memory folder of Claude Code
    #[cfg(feature = "documents")]
    ClaudeCode,
    /// AGENTS.md and CLAUDE.md of a project, which are only read
    AgentsMd,
    /// A memory of Amazon Bedrock AgentCore, or of any server that speaks its wire
    #[value(name = "agentcore")]
    AgentCore,
}

impl Format {
    /// Returns the name of a format of another program.
    fn foreign(self) -> Option<&'static str> {
        match self {
            Self::Transcript | Self::Jsonl => None,
            Self::Mem0 => Some("mem0"),
            Self::Letta => Some("letta"),
            Self::StrandsJson => Some("strands-json"),
            Self::Okf => Some("okf"),
            #[cfg(feature = "documents")]
            Self::ClaudeCode => Some(foreign_memory::CLAUDE_CODE),
            Self::AgentsMd => Some("agents-md"),
            Self::AgentCore => Some(loci_client::formats::agentcore::NAME),
        }
    }
}

/// Import a transcript, the JSON lines of an export, or the memory of another program
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file or the folder; for agentcore the memory's id or ARN there
    file: PathBuf,
    /// The format
    #[arg(long)]
    format: Format,
    /// The target memory, by name or id; an export names its own [default: LOCI_MEMORY, or the only
    /// one]
    #[arg(long)]
    memory: Option<String>,
    /// claude-code-jsonl, chatgpt-export, agentcore-events or speaker-text [default: detected]
    #[arg(long, value_name = "FORMAT")]
    transcript_format: Option<TranscriptFormat>,
    /// The actor of a transcript [default: your user name]
    #[arg(long)]
    actor: Option<String>,
    /// The target namespace for the memory of another program [default: /imported/FORMAT, for
    /// agentcore its own namespaces]
    #[arg(long)]
    namespace: Option<String>,
    /// Overwrite documents that were changed here, and restore data that was erased here
    #[arg(long)]
    force: bool,
    /// Only report the mapping
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: AgentCoreLocation,
}

impl Import {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if self.format.foreign().is_none() && (self.dry_run || self.namespace.is_some()) {
            let rule = "--dry-run and --namespace go with formats of other programs; leave them out";
            return Err(Usage(rule.to_owned()).into());
        }
        if self.format != Format::AgentCore {
            self.place.ensure_unused()?;
        }
        let mut session = Session::begin(globals, environment)?;
        session.client = session.client.clone().with_if_erased(self.force);
        let outcome = match (self.format, self.format.foreign()) {
            (Format::Jsonl, _) => lines::import(&mut session, &self.file).await,
            (_, Some(format)) => self.foreign(&mut session, format, globals, environment).await,
            (_, None) => self.transcript(&mut session, environment).await,
        };
        // Process the stored data even if another step failed.
        session.end().await?;
        outcome
    }

    async fn foreign(
        self,
        session: &mut Session,
        format: &'static str,
        globals: &Globals,
        environment: &Environment,
    ) -> Result<()> {
        let memory = MemoryArgument::of(self.memory, environment).id(session).await?;
        if !self.dry_run {
            session.wrote(&memory)?;
        }
        let is_wire = self.format == Format::AgentCore;
        let default = if is_wire { "/".to_owned() } else { format!("/imported/{format}") };
        // Slashes are normalized, so that a repeated import has the same namespace.
        let namespace = self.namespace.unwrap_or(default);
        let segments: Vec<&str> = namespace.split('/').filter(|segment| !segment.is_empty()).collect();
        let namespace = format!("/{}", segments.join("/"));
        let into = Destination {
            memory: &memory,
            format,
            namespace,
            with_beneath: is_wire,
            force: self.force,
            dry_run: self.dry_run,
        };
        if is_wire {
            let place = self.place.resolve(&self.file.to_string_lossy(), globals, environment)?;
            return agentcore::import(session, &place, &into).await;
        }
        foreign_memory::import(session, &self.file, &into).await
    }

    async fn transcript(self, session: &mut Session, environment: &Environment) -> Result<()> {
        let memory = MemoryArgument::of(self.memory, environment).id(session).await?;
        let actor = self.actor.unwrap_or_else(|| environment.os_user());
        session.wrote(&memory)?;
        let reading = ReadTranscript { file: self.file, format: self.transcript_format, actor };
        transcript::import(session, &memory, &reading).await
    }
}
