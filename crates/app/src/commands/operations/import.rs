//! `loci sre import`: imports JSON lines of `loci sre export` into a memory. The server checks the
//! rules. An invalid line is reported by its number, and the others are written.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use loci_api::operations::transfer as shape;
use loci_model::limits;
use serde::Serialize;

use super::memory_selection::OperationsMemory;
use crate::exit::CommandOutcome;
use crate::input::file_of_lines;
use crate::output;
use crate::session::Session;

/// The maximum number of bytes of lines per request.
const REQUEST_BYTES_MAX: usize = 1024 * 1024;
/// The result for a line that breaks a rule, or must not be written.
const INVALID: &str = "invalid";
const REJECTED: &str = "rejected";
/// The result for a line whose record was erased on this server.
const ERASED: &str = "erased";

/// The lines to import
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// JSON lines of `loci sre export`
    file: PathBuf,
    /// Only report errors
    #[arg(long)]
    dry_run: bool,
    /// Keep the source of each line, including contacts and approvals; you vouch for the file
    /// [default: the source is the import, which has the lowest precedence]
    #[arg(long)]
    keep_sources: bool,
    /// Restore records that were erased here
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The result of an import of operations memory.
#[derive(Debug, Default, Serialize)]
struct OperationsImportReport {
    dry_run: bool,
    lines: u64,
    /// The number of lines by result.
    actions: BTreeMap<String, u64>,
    /// The lines that were not written, or that wait for a decision.
    told: Vec<ImportLineReport>,
}

/// The result for one line of the file.
#[derive(Debug, Serialize)]
struct ImportLineReport {
    line: u64,
    action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The lines that one request sends.
#[derive(Default)]
struct Batch {
    numbers: Vec<u64>,
    records: Vec<shape::SreRecordLine>,
    bytes: usize,
}

impl Import {
    /// Imports the lines and prints the report.
    ///
    /// # Errors
    /// [`Outcome`] with code 1 if a line was not, or would not be, written.
    pub(super) async fn run(&self, session: &mut Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        session.client = session.client.clone().with_if_erased(self.force);
        if !self.dry_run {
            session.wrote(&memory)?;
        }
        let mut report =
            OperationsImportReport { dry_run: self.dry_run, ..OperationsImportReport::default() };
        let read = self.read(session, &memory, &mut report).await;
        report.told.sort_by_key(|one| one.line);
        if read.is_err() && report.lines == 0 {
            return read;
        }
        // If the import ends early, the report of the previous lines is printed too.
        output::result(session.json, &report, shown)?;
        read?;
        let of = |action: &str| report.actions.get(action).copied().unwrap_or_default();
        let left = of(INVALID) + of(REJECTED);
        if left == 0 {
            return Ok(());
        }
        let what = if self.dry_run { "would not be imported" } else { "were not imported" };
        Err(CommandOutcome { code: 1, text: format!("{left} of {} lines {what}", report.lines) }.into())
    }

    async fn read(&self, session: &Session, memory: &str, report: &mut OperationsImportReport) -> Result<()> {
        let file = file_of_lines(&self.file)?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let progress = output::progress(bytes, "importing");
        let mut lines = BufReader::new(progress.wrap_read(file));
        let (mut batch, mut text, mut number) = (Batch::default(), Vec::new(), 0);
        loop {
            text.clear();
            let read = lines.read_until(b'\n', &mut text);
            let read = read.with_context(|| format!("reading {}", self.file.display()))?;
            let is_over = batch.records.len() >= limits::SRE_BATCH_ITEMS_MAX
                || batch.bytes + text.len() > REQUEST_BYTES_MAX;
            if !batch.records.is_empty() && (is_over || read == 0) {
                self.send(session, memory, std::mem::take(&mut batch), report).await?;
            }
            if read == 0 {
                break;
            }
            number += 1;
            let line = text.trim_ascii();
            if line.is_empty() {
                continue;
            }
            report.lines += 1;
            match loci_json::from_slice(line) {
                Ok(record) => {
                    batch.numbers.push(number);
                    batch.records.push(record);
                    batch.bytes += line.len();
                }
                Err(error) => report.take(number, unreadable(&error)),
            }
        }
        progress.finish_and_clear();
        Ok(())
    }

    async fn send(
        &self,
        session: &Session,
        memory: &str,
        batch: Batch,
        report: &mut OperationsImportReport,
    ) -> Result<()> {
        let import = shape::SreImport {
            records: batch.records,
            keep_sources: self.keep_sources,
            dry_run: self.dry_run,
        };
        let (first, last) = (batch.numbers.first().copied(), batch.numbers.last().copied());
        let done = session.client.sre_import(memory, &import).await.with_context(|| {
            format!("importing lines {} to {}", first.unwrap_or_default(), last.unwrap_or_default())
        })?;
        for (number, result) in batch.numbers.into_iter().zip(done.results) {
            report.take(number, result);
        }
        Ok(())
    }
}

/// Returns the error for a line that is not valid JSON. The parser's message names members, but no
/// contents.
fn unreadable(error: &serde_json::Error) -> shape::SreImportedLine {
    let words = error.to_string();
    let member = words.strip_prefix("unknown field `").or_else(|| words.strip_prefix("missing field `"));
    let field = member.and_then(|rest| rest.split_once('`')).map(|(name, _)| name.to_owned());
    let reason = match error.classify() {
        serde_json::error::Category::Data if field.is_some() => words,
        serde_json::error::Category::Data => "a member is not of its kind: text, number or list".to_owned(),
        _ => "it is not a JSON object on one line".to_owned(),
    };
    shape::SreImportedLine { action: INVALID.to_owned(), record_id: None, field, reason: Some(reason) }
}

impl OperationsImportReport {
    fn take(&mut self, line: u64, result: shape::SreImportedLine) {
        *self.actions.entry(result.action.clone()).or_default() += 1;
        if matches!(result.action.as_str(), INVALID | REJECTED | ERASED | "pending_confirmation") {
            let shape::SreImportedLine { action, field, reason, .. } = result;
            self.told.push(ImportLineReport { line, action, field, reason });
        }
    }
}

fn shown(report: &OperationsImportReport) {
    for one in &report.told {
        let field = one.field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default();
        let reason = one.reason.as_deref().unwrap_or_default();
        output::line(format!("line {}: {}: {field}{reason}", one.line, one.action));
    }
    for (action, count) in &report.actions {
        output::line(format!("{action}: {count}"));
    }
    if report.dry_run {
        output::note("nothing was written");
    }
}
