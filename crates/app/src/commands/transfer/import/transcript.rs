//! Imports a transcript into a memory: each turn becomes an event of its session, in the order of
//! the file. A repeated import of the same turns adds nothing while the server remembers their
//! keys.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use loci_api::event::Branch;
use loci_client::ClientError;
use loci_client::transcript::{
    self, DETECT_BYTES, SkipReport, TranscriptFormat, TranscriptOptions, TranscriptTurn, UNIT_BYTES_MAX,
};
use loci_model::Timestamp;
use serde_json::Value;

use super::turn_event::{TurnKeys, continues, default_session, event, former_key};
use crate::exit::Usage;
use crate::input::regular_file;
use crate::output::{self, counted};
use crate::session::Session;

/// The maximum number of individually reported errors.
const ERRORS_SHOWN: u64 = 20;

/// A transcript that was read, and its actor.
pub(super) struct ReadTranscript {
    pub(super) file: PathBuf,
    pub(super) format: Option<TranscriptFormat>,
    pub(super) actor: String,
}

/// The result of importing a transcript.
#[derive(Debug, Default, serde::Serialize)]
struct TranscriptImportReport {
    format: &'static str,
    turns: u64,
    /// The number of events that were stored.
    events: u64,
    /// The number of events that an earlier import had stored.
    already_stored: u64,
    sessions: usize,
    errors: u64,
    /// The number of events that were erased on this server and are not stored again.
    erased: u64,
    /// The number of events of an actor who was erased on this server. Events from before that
    /// time, or without a time, are not stored.
    forgotten: u64,
    /// The day of the latest erasure behind `erased` and `forgotten`.
    #[serde(skip_serializing_if = "Option::is_none")]
    erased_on: Option<String>,
    /// The number of lone surrogates that were replaced with U+FFFD.
    repaired: usize,
    skipped: BTreeMap<&'static str, usize>,
}

/// A running import.
struct TranscriptImport<'a> {
    session: &'a Session,
    memory: &'a str,
    reading: &'a ReadTranscript,
    progress: ProgressBar,
    report: TranscriptImportReport,
    /// The latest time of each session. A turn without a time gets that of the turn before it.
    times: BTreeMap<String, i64>,
    /// Ids of the stored events by source id, for branches that start from one.
    events: BTreeMap<String, String>,
    keys: TurnKeys,
}

/// Reads the file and stores its turns.
pub(super) async fn import(session: &Session, memory: &str, reading: &ReadTranscript) -> Result<()> {
    let mut file = regular_file(&reading.file)?;
    let format = format(&mut file, reading)?;
    let progress = output::progress(file.metadata().map_or(0, |metadata| metadata.len()), "importing");
    let options = TranscriptOptions { default_session: default_session(&reading.file) };
    let input = Box::new(BufReader::new(progress.wrap_read(file)));
    let mut turns = transcript::read(format, input, &options);
    let report = TranscriptImportReport { format: format.name(), ..TranscriptImportReport::default() };
    let (times, events, keys) = (BTreeMap::new(), BTreeMap::new(), TurnKeys::default());
    let mut importing = TranscriptImport { session, memory, reading, progress, report, times, events, keys };
    let mut parts: Vec<TranscriptTurn> = Vec::new();
    for turn in turns.by_ref() {
        match turn {
            Ok(turn) => {
                if !continues(format, &parts, &turn) {
                    importing.store(&parts).await?;
                    parts.clear();
                }
                parts.push(turn);
            }
            Err(error) => importing.failed(&error),
        }
    }
    importing.store(&parts).await?;
    importing.report.repaired = turns.repaired();
    importing.end(turns.skipped())
}

/// Returns the notice about events that an earlier import stored.
fn already_stored(report: &TranscriptImportReport) -> String {
    match report.already_stored {
        0 => String::new(),
        count => format!(", {count} already stored"),
    }
}

/// Returns the notice about events that are not stored because of an erasure.
fn erased(report: &TranscriptImportReport) -> String {
    let on = report.erased_on.as_deref().unwrap_or("an earlier day");
    let were = match report.erased {
        0 => None,
        1 => Some("1 was erased".to_owned()),
        erased => Some(format!("{erased} were erased")),
    };
    let are = match report.forgotten {
        0 => None,
        1 => Some("1 is of an actor who was forgotten".to_owned()),
        forgotten => Some(format!("{forgotten} are of an actor who was forgotten")),
    };
    let told: Vec<String> = were.into_iter().chain(are).collect();
    if told.is_empty() {
        return " in".to_owned();
    }
    let restores = if report.forgotten == 0 { "restores" } else { "stores" };
    let them = if report.erased + report.forgotten == 1 { "it" } else { "them" };
    format!(": {} on {on} (--force {restores} {them});", told.join(", "))
}

fn format(file: &mut File, reading: &ReadTranscript) -> Result<TranscriptFormat> {
    if let Some(format) = reading.format {
        return Ok(format);
    }
    let (mut start, mut bytes) = (Vec::new(), DETECT_BYTES);
    // A first line may contain long pasted text, so more is read until the end of the file.
    let found = loop {
        file.by_ref().take(bytes.saturating_sub(start.len()) as u64).read_to_end(&mut start)?;
        let found = transcript::detect(&start);
        if found.is_some() || start.len() < bytes || bytes >= UNIT_BYTES_MAX {
            break found;
        }
        bytes = bytes.saturating_mul(8).min(UNIT_BYTES_MAX);
    };
    file.seek(SeekFrom::Start(0))?;
    let unknown = "the format of the file is not recognised: give it with --transcript-format";
    found.ok_or_else(|| Usage(unknown.to_owned()).into())
}

impl TranscriptImport<'_> {
    /// Stores the parts of one event. A rejection skips this event. An unreachable server ends the
    /// import.
    async fn store(&mut self, parts: &[TranscriptTurn]) -> Result<()> {
        let Some(first) = parts.first() else { return Ok(()) };
        let time_ms = first.time_ms.or(self.times.get(&first.session).copied());
        let new = event(first, parts, &self.reading.actor, time_ms, self.branch(first))?;
        let client = self.session.client.clone().with_idempotency_key(&self.keys.key(first, &new)?)?;
        let client = client.with_former_key(&former_key(first, &new)?)?;
        match client.event_create_once(self.memory, &new).await {
            Ok((made, is_replayed)) => {
                let stored = Timestamp::parse(&made.event.time)?.millis();
                self.times.insert(first.session.clone(), time_ms.unwrap_or(stored));
                if let Some(id) = first.carried.get("eventId").and_then(Value::as_str) {
                    self.events.insert(id.to_owned(), made.event.id);
                }
                self.report.turns += parts.len() as u64;
                self.report.events += u64::from(!is_replayed);
                self.report.already_stored += u64::from(is_replayed);
            }
            Err(error) if error.is_source_erased() => {
                self.report.turns += parts.len() as u64;
                if error.is_actor_erased() {
                    self.report.forgotten += 1;
                } else {
                    self.report.erased += 1;
                }
                self.report.erased_on = self.report.erased_on.take().max(error.erased_on());
            }
            Err(ClientError::Refused { status: 400 | 413 | 422, problem }) => {
                self.failed(&format_args!("line {}: {}", first.source_line, problem.message));
            }
            Err(error) => {
                self.progress.finish_and_clear();
                let (file, line) = (self.reading.file.display(), first.source_line);
                let rule = format!(
                    "stopped at line {line} of {file}, {} events are stored; the same import goes on from there",
                    self.report.events + self.report.already_stored
                );
                return Err(anyhow::Error::from(error).context(rule));
            }
        }
        Ok(())
    }

    /// Returns the branch of an AgentCore event, starting from the stored event of its root.
    fn branch(&self, turn: &TranscriptTurn) -> Option<Branch> {
        let branch = turn.carried.get("branch")?;
        let name = branch.get("name")?.as_str().filter(|name| *name != "main")?;
        let root = branch.get("rootEventId").and_then(Value::as_str);
        let root = root.map(|id| self.events.get(id).cloned().unwrap_or_else(|| id.to_owned()));
        Some(Branch { name: name.to_owned(), root })
    }

    fn failed(&mut self, error: &dyn std::fmt::Display) {
        self.report.errors += 1;
        if self.report.errors <= ERRORS_SHOWN {
            let file = self.reading.file.display();
            self.progress.suspend(|| output::note(format!("{file}: {error}")));
        }
    }

    fn end(mut self, skipped: &SkipReport) -> Result<()> {
        self.progress.finish_and_clear();
        self.report.sessions = self.times.len();
        self.report.skipped = skipped.iter().map(|(reason, count)| (reason.as_str(), count.count)).collect();
        let file = self.reading.file.display();
        output::result(self.session.json, &self.report, |report| {
            output::line(format!(
                "read {file} as {}: {}, {}{}{} {}, {}",
                report.format,
                counted(report.turns, "turn"),
                counted(report.events, "event"),
                already_stored(report),
                erased(report),
                counted(report.sessions, "session"),
                counted(report.errors, "error")
            ));
            output::line(format!("skipped: {skipped}"));
            if report.repaired > 0 {
                let rule = "halves of letters (lone surrogates) in it are the sign U+FFFD";
                output::line(format!("warning: {} {rule}", report.repaired));
            }
        })?;
        match self.report.errors {
            0 => Ok(()),
            errors => bail!("{errors} parts of the file were not imported"),
        }
    }
}
