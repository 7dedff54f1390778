//! `loci import`: a transcript turn by turn, or the JSON lines of an export as they are.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bytes::Bytes;
use clap::{Args, ValueEnum};
use futures::stream;

use super::transcript::{self, Reading};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// Bytes read at once.
const PIECE_BYTES: usize = 256 * 1024;

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
    #[arg(long)]
    memory: Option<String>,
    /// claude-code-jsonl, chatgpt-export, agentcore-events or speaker-text; recognised where it is absent
    #[arg(long, value_name = "FORMAT")]
    transcript_format: Option<String>,
    /// Whose conversation a transcript is; your user name where it is absent
    #[arg(long)]
    actor: Option<String>,
}

impl Import {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self.format {
            Format::Jsonl => lines(&session, &self.file).await?,
            Format::Transcript => {
                let Some(memory) = &self.memory else {
                    return Err(
                        Usage("a transcript needs --memory, the memory it goes into".to_owned()).into()
                    );
                };
                let memory = session.memory(memory).await?;
                let reading = Reading {
                    file: self.file.clone(),
                    format: self.transcript_format.clone(),
                    actor: self.actor.clone().unwrap_or_else(|| environment.os_user()),
                };
                session.wrote(&memory)?;
                transcript::import(&session, &memory, &reading).await?;
            }
        }
        session.end().await
    }
}

async fn lines(session: &Session, path: &Path) -> Result<()> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let progress = output::progress(file.metadata().map_or(0, |metadata| metadata.len()), "importing");
    let own = progress.clone();
    let pieces = stream::unfold(BufReader::new(file), move |mut file| {
        let progress = own.clone();
        async move {
            let mut piece = vec![0; PIECE_BYTES];
            match file.read(&mut piece) {
                Ok(0) => None,
                Ok(bytes) => {
                    piece.truncate(bytes);
                    progress.inc(bytes as u64);
                    Some((Ok(Bytes::from(piece)), file))
                }
                Err(error) => Some((Err(error), file)),
            }
        }
    });
    let report = session.client.import(pieces).await;
    progress.finish_and_clear();
    output::result(session.json, &report?, |report| {
        output::line(format!(
            "imported {} memories, {} events, {} record versions",
            report.memories, report.events, report.records
        ));
    })
}
