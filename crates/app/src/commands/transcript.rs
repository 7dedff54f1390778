//! A transcript into a memory: each turn becomes an event of its session, in the order of the file. Importing the same
//! file again within a day adds nothing: each turn has its own idempotency key.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context, Result};
use loci_api::event::{EventCreate, Extraction, Message, PayloadItem, Role};
use loci_client::transcript::{
    self, DETECT_BYTES, Role as TurnRole, TranscriptFormat, TranscriptOptions, TranscriptTurn, TurnContent,
};
use loci_model::Timestamp;
use serde_json::Value;

use crate::exit::{Difference, Usage};
use crate::output;
use crate::session::Session;

/// Errors that are shown one by one.
const ERRORS_SHOWN: usize = 20;

/// What to read, and whose it is.
pub(crate) struct Reading {
    pub(crate) file: PathBuf,
    pub(crate) format: Option<String>,
    pub(crate) actor: String,
}

/// What became of a transcript.
#[derive(Debug, Default, serde::Serialize)]
struct Report {
    format: &'static str,
    events: u64,
    sessions: usize,
    errors: u64,
    skipped: BTreeMap<&'static str, usize>,
}

/// Reads the file and stores its turns.
pub(crate) async fn import(session: &Session, memory: &str, reading: &Reading) -> Result<()> {
    let shown = reading.file.display();
    let mut file = File::open(&reading.file).with_context(|| format!("opening {shown}"))?;
    let format = format(&mut file, reading)?;
    let progress = output::progress(file.metadata().map_or(0, |metadata| metadata.len()), "importing");
    let options = TranscriptOptions { default_session: default_session(&reading.file) };
    let counted = Box::new(BufReader::new(progress.wrap_read(file)));
    let mut turns = transcript::read(format, counted, &options);
    let mut report = Report { format: format.name(), ..Report::default() };
    let mut times = BTreeMap::new();
    for turn in turns.by_ref() {
        match turn {
            Ok(turn) => {
                store(session, memory, reading, &turn, &mut times).await?;
                report.events += 1;
            }
            Err(error) => {
                report.errors += 1;
                if report.errors as usize <= ERRORS_SHOWN {
                    progress.suspend(|| output::note(format!("{shown}: {error}")));
                }
            }
        }
    }
    progress.finish_and_clear();
    report.sessions = times.len();
    report.skipped = turns.skipped().iter().map(|(reason, count)| (reason.as_str(), count.count)).collect();
    let skipped = turns.skipped().to_string();
    output::result(session.json, &report, |report| {
        output::line(format!(
            "read {} as {}: {} events in {} sessions, {} errors",
            shown, report.format, report.events, report.sessions, report.errors
        ));
        output::line(format!("skipped: {skipped}"));
    })?;
    if report.errors > 0 {
        return Err(Difference(format!("{} parts of the file could not be read", report.errors)).into());
    }
    Ok(())
}

fn format(file: &mut File, reading: &Reading) -> Result<TranscriptFormat> {
    if let Some(name) = &reading.format {
        return name.parse().map_err(|error| Usage(format!("{error}")).into());
    }
    let mut start = Vec::new();
    file.by_ref().take(DETECT_BYTES as u64).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    transcript::detect(&start).ok_or_else(|| {
        Usage("the format of the file is not recognised: say which it is with --transcript-format".to_owned())
            .into()
    })
}

/// The file's name as a session: turns that name none are of one session per file.
fn default_session(file: &std::path::Path) -> String {
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(word).take(100).collect();
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) { name } else { "transcript".to_owned() }
}

async fn store(
    session: &Session,
    memory: &str,
    reading: &Reading,
    turn: &TranscriptTurn,
    times: &mut BTreeMap<String, i64>,
) -> Result<()> {
    // A turn without a time has that of the turn before it; the order of the file stays.
    let last = times.get(&turn.session).copied();
    let time_ms = turn.time_ms.or(last);
    let new = event(reading, turn, time_ms)?;
    let client = session.client.clone().with_idempotency_key(&key(reading, turn, &new)?)?;
    let made = client.event_create(memory, &new).await.with_context(|| {
        format!("storing the turn at line {} of {}", turn.source_line, reading.file.display())
    })?;
    let stored = Timestamp::parse(&made.event.time)?.millis();
    times.insert(turn.session.clone(), time_ms.unwrap_or(stored));
    Ok(())
}

fn event(reading: &Reading, turn: &TranscriptTurn, time_ms: Option<i64>) -> Result<EventCreate> {
    let time = time_ms.map(|millis| Timestamp::from_millis(millis).map(Timestamp::to_rfc3339)).transpose()?;
    let payload = match &turn.content {
        TurnContent::Text(text) => {
            PayloadItem::Message(Message { role: role(turn.role), text: spoken(turn, text) })
        }
        TurnContent::Json(value) => PayloadItem::Json(serde_json::value::to_raw_value(value)?),
        TurnContent::Blob(value) => PayloadItem::Blob(serde_json::value::to_raw_value(value)?),
    };
    let skip = turn.carried.get("extractionMode").and_then(Value::as_str) == Some("SKIP");
    Ok(EventCreate {
        actor: turn.actor.clone().unwrap_or_else(|| reading.actor.clone()),
        session: Some(turn.session.clone()),
        time,
        payload: vec![payload],
        branch: None,
        metadata: metadata(turn),
        extraction: if skip { Extraction::Skip } else { Extraction::Extract },
        namespace_variables: BTreeMap::new(),
    })
}

/// A named person speaks as `Name: text`, the form in which retrieval knows speakers.
fn spoken(turn: &TranscriptTurn, text: &str) -> String {
    match &turn.speaker {
        Some(speaker) if turn.role == TurnRole::User => format!("{speaker}: {text}"),
        Some(_) | None => text.to_owned(),
    }
}

/// Free texts that AgentCore events carry.
fn metadata(turn: &TranscriptTurn) -> BTreeMap<String, String> {
    let Some(Value::Object(members)) = turn.carried.get("metadata") else { return BTreeMap::new() };
    let text = |value: &Value| value.get("stringValue").and_then(Value::as_str).map(str::to_owned);
    members.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

fn role(role: TurnRole) -> Role {
    match role {
        TurnRole::User => Role::User,
        TurnRole::Assistant => Role::Assistant,
        TurnRole::Tool => Role::Tool,
        TurnRole::Other => Role::Other,
    }
}

fn key(reading: &Reading, turn: &TranscriptTurn, new: &EventCreate) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    reading.file.file_name().hash(&mut hasher);
    serde_json::to_string(new)?.hash(&mut hasher);
    Ok(format!("import-{:016x}-{}-{}", hasher.finish(), turn.source_line, turn.part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_files_are_legal() {
        let check =
            |name: &str, expect: &str| assert_eq!(default_session(std::path::Path::new(name)), expect);
        check("a/My chat (2).txt", "My-chat--2-");
        check("_x.txt", "transcript");
        check("", "transcript");
    }
}
