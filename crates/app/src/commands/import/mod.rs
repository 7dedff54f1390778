//! `loci import`: a transcript turn by turn, or the JSON lines of an export as they are.
//!
//! `lines`: an export; `transcript`: a conversation; `turn_event`: what becomes of its turns.

mod lines;
mod transcript;
mod turn_event;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_client::transcript::TranscriptFormat;

use self::transcript::Reading;
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
}

/// Read a transcript, or the JSON lines of an export
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file
    file: PathBuf,
    /// What it holds
    #[arg(long)]
    format: Format,
    /// The memory a transcript goes into, by name or id
    #[arg(long, required_if_eq("format", "transcript"))]
    memory: Option<String>,
    /// claude-code-jsonl, chatgpt-export, agentcore-events or speaker-text; recognised where it is absent
    #[arg(long, value_name = "FORMAT")]
    transcript_format: Option<TranscriptFormat>,
    /// Whose conversation a transcript is; your user name where it is absent
    #[arg(long)]
    actor: Option<String>,
}

impl Import {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        let outcome = match self.format {
            Format::Jsonl => lines::import(&mut session, &self.file).await,
            Format::Transcript => self.transcript(&mut session, environment).await,
        };
        // What was stored is worked on even where something else failed.
        session.end().await?;
        outcome
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
