//! `loci import`: a transcript turn by turn, the JSON lines of an export as they are, or the memory of another program.
//!
//! `lines`: an export; `transcript`: a conversation; `turn_event`: what becomes of its turns;
//! `foreign`: other programs, with `source` for their files, `claude_folder` for a coding agent's
//! memory and `document_names` for documents whose names are equal in a tree; `agentcore`: a memory
//! behind AgentCore's wire; `storing` and `storing_documents`: items into a memory, `stored` for
//! items that are there already and `mapping_report` for the report.

mod agentcore;
#[cfg(feature = "documents")]
pub(super) mod claude_folder;
mod document_names;
mod foreign;
mod lines;
pub(super) mod mapping_report;
mod source;
mod stored;
mod storing;
mod storing_documents;
mod transcript;
mod turn_event;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_client::transcript::TranscriptFormat;

use self::storing::Destination;
use self::transcript::Reading;
use super::agentcore_place::AgentCorePlace;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::session::Session;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A conversation: see the guide on importing
    Transcript,
    /// The JSON lines of `loci export`
    Jsonl,
    /// Memories of Mem0, as its `get_all` answers them
    Mem0,
    /// An agent file of Letta
    Letta,
    /// The list that the test store of Strands keeps
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
    /// The name of a format of other programs.
    fn foreign(self) -> Option<&'static str> {
        match self {
            Self::Transcript | Self::Jsonl => None,
            Self::Mem0 => Some("mem0"),
            Self::Letta => Some("letta"),
            Self::StrandsJson => Some("strands-json"),
            Self::Okf => Some("okf"),
            #[cfg(feature = "documents")]
            Self::ClaudeCode => Some(foreign::CLAUDE_CODE),
            Self::AgentsMd => Some("agents-md"),
            Self::AgentCore => Some(loci_client::formats::agentcore::NAME),
        }
    }
}

/// Read a transcript, the JSON lines of an export, or the memory of another program
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file or the folder; of agentcore the memory's id or ARN there
    file: PathBuf,
    /// What it holds
    #[arg(long)]
    format: Format,
    /// The memory it goes into, by name or id; an export says itself
    #[arg(long, required_if_eq("format", "transcript"))]
    memory: Option<String>,
    /// claude-code-jsonl, chatgpt-export, agentcore-events or speaker-text; recognised where it is absent
    #[arg(long, value_name = "FORMAT")]
    transcript_format: Option<TranscriptFormat>,
    /// Whose conversation a transcript is; your user name where it is absent
    #[arg(long)]
    actor: Option<String>,
    /// Where the memory of another program goes; /imported/FORMAT where it is absent, of agentcore its own namespaces
    #[arg(long)]
    namespace: Option<String>,
    /// Take the source's documents also where somebody changed them here, and restore what was erased here
    #[arg(long)]
    force: bool,
    /// Only tell what would become of what
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: AgentCorePlace,
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
        // What was stored is worked on even where something else failed.
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
        let rule = format!("{format} needs --memory, the memory it goes into");
        let memory = session.memory(&self.memory.ok_or(Usage(rule))?).await?;
        if !self.dry_run {
            session.wrote(&memory)?;
        }
        let is_wire = self.format == Format::AgentCore;
        let default = if is_wire { "/".to_owned() } else { format!("/imported/{format}") };
        // Its slashes are written in one way, or the same import would look like another.
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
        foreign::import(session, &self.file, &into).await
    }

    async fn transcript(self, session: &mut Session, environment: &Environment) -> Result<()> {
        let rule = "a transcript needs --memory, the memory it goes into";
        let name = self.memory.ok_or_else(|| Usage(rule.to_owned()))?;
        let memory = session.memory(&name).await?;
        let actor = self.actor.unwrap_or_else(|| environment.os_user());
        session.wrote(&memory)?;
        let reading = Reading { file: self.file, format: self.transcript_format, actor };
        transcript::import(session, &memory, &reading).await
    }
}
