//! `loci sre export`: writes operations memory as JSON lines, one record each. `loci sre import`
//! reads them. `loci export` copies a whole memory with its events and its history.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use loci_api::operations::transfer as shape;
use loci_model::services::knowledge::SreType;
use serde::Serialize;

use super::memory_selection::OperationsMemory;
use crate::exit::Usage;
use crate::output::{self, counted};
use crate::session::Session;
use crate::staged_output::{self, StagedFile};

/// The records, and the target
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// preferences, infrastructure or investigations [default: all of them]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only this user or agent
    #[arg(long)]
    actor: Option<String>,
    /// The file, which gets its name when it is complete [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The result of an export of operations memory.
#[derive(Debug, Default, Serialize)]
struct ExportResult {
    records: u64,
    /// The records that were not exported, because they do not have the expected form. `loci ops
    /// doctor` reports them.
    skipped: Vec<loci_api::operations::knowledge::SreSkipped>,
}

impl Export {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let kinds = match &self.kind {
            None => SreType::ALL.to_vec(),
            Some(word) => vec![SreType::parse_input(word).ok_or_else(|| {
                Usage(format!("--type must be preferences, infrastructure or investigations, not {word}"))
            })?],
        };
        let Some(path) = self.out.as_deref().filter(|path| !staged_output::is_standard_output(path)) else {
            let mut out = std::io::stdout().lock();
            let written = self.write(session, (&memory, &kinds), &mut out).await?;
            told(&written);
            return Ok(());
        };
        let mut work = StagedFile::at(path)?;
        let written = self.write(session, (&memory, &kinds), work.out()).await?;
        work.publish()?;
        output::result(session.json, &written, |written| {
            output::line(format!("wrote {}: {}", path.display(), counted(written.records, "record")));
            told(written);
        })
    }

    async fn write(
        &self,
        session: &Session,
        (memory, kinds): (&str, &[SreType]),
        out: &mut impl Write,
    ) -> Result<ExportResult> {
        let progress = output::spinner("exporting");
        let mut written = ExportResult::default();
        for kind in kinds {
            let mut asked = shape::SreExportAsk {
                memory_type: kind.as_str().to_owned(),
                actor: self.actor.clone(),
                cursor: None,
            };
            // A contradicting record follows the others, so that an import finds the record that it
            // contradicts.
            let mut behind = Vec::new();
            loop {
                let page = session.client.sre_export(memory, &asked).await?;
                for record in page.records {
                    if record.contradicts.is_some() {
                        behind.push(record);
                    } else {
                        written.line(&record, out, &progress)?;
                    }
                }
                written.skipped.extend(page.skipped);
                asked.cursor = page.next_cursor;
                if asked.cursor.is_none() {
                    break;
                }
            }
            for record in behind {
                written.line(&record, out, &progress)?;
            }
        }
        out.flush().context("writing the records")?;
        progress.finish_and_clear();
        Ok(written)
    }
}

impl ExportResult {
    fn line(
        &mut self,
        record: &shape::SreRecordLine,
        out: &mut impl Write,
        progress: &indicatif::ProgressBar,
    ) -> Result<()> {
        let line = serde_json::to_vec(record)?;
        progress.inc(line.len() as u64);
        self.records += 1;
        out.write_all(&line).and_then(|()| out.write_all(b"\n")).context("writing the records")
    }
}

fn told(written: &ExportResult) {
    for one in &written.skipped {
        output::note(format!("{} is not written: {}", one.record_id, one.reason));
    }
}
