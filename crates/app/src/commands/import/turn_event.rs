//! What becomes of a turn of a transcript: an event, and the key under which it is stored once.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use loci_api::event::{Branch, EventCreate, Extraction, Message, PayloadItem, Role};
use loci_client::transcript::{Role as TurnRole, TranscriptFormat, TranscriptTurn, TurnContent};
use loci_model::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Texts of the source that stand beside a turn and are kept with it, where metadata may hold them.
const KEPT: [&str; 3] = ["cwd", "gitBranch", "title"];
/// Characters that a value of metadata has at most.
const METADATA_CHARS_MAX: usize = 256;
/// Characters of a session's name.
const SESSION_CHARS_MAX: usize = 100;

/// True when a turn is a further part of the same event. Only AgentCore's events have parts that belong together.
pub(super) fn continues(format: TranscriptFormat, event: &[TranscriptTurn], turn: &TranscriptTurn) -> bool {
    let same_line = event.first().is_some_and(|first| first.source_line == turn.source_line);
    match format {
        TranscriptFormat::AgentcoreEvents => same_line,
        TranscriptFormat::ClaudeCodeJsonl
        | TranscriptFormat::ChatgptExport
        | TranscriptFormat::SpeakerText => false,
    }
}

/// The event of a turn, or of the parts of one.
pub(super) fn event(
    first: &TranscriptTurn,
    parts: &[TranscriptTurn],
    actor: &str,
    time_ms: Option<i64>,
    branch: Option<Branch>,
) -> Result<EventCreate> {
    let carried = |name: &str| first.carried.get(name);
    let skip = carried("extractionMode").and_then(Value::as_str) == Some("SKIP");
    let variables = carried("extractionConfig").and_then(|config| config.get("namespaceVariables"));
    Ok(EventCreate {
        actor: first.actor.clone().unwrap_or_else(|| actor.to_owned()),
        session: Some(first.session.clone()),
        time: time_ms.map(|millis| Timestamp::from_millis(millis).map(Timestamp::to_rfc3339)).transpose()?,
        payload: parts.iter().map(item).collect::<Result<_>>()?,
        branch,
        metadata: metadata(first),
        extraction: if skip { Extraction::Skip } else { Extraction::Extract },
        namespace_variables: texts(variables, |value| value.as_str()),
    })
}

/// The same for the same turn of the same file, whenever it is imported; another for every other turn.
pub(super) fn key(first: &TranscriptTurn, event: &EventCreate) -> Result<String> {
    let mut digest = Sha256::new();
    // What the file says; the time may be that of the first import.
    let said = (&event.actor, &first.session, first.time_ms, &event.payload, &event.metadata);
    digest.update(serde_json::to_vec(&said)?);
    digest.update(format!("{} {}", first.source_line, first.part));
    Ok(format!("import-{}", hex::encode(digest.finalize())))
}

/// The file's name as a session: turns that name none are of one session per file.
pub(super) fn default_session(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(word).take(SESSION_CHARS_MAX).collect();
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) { name } else { "transcript".to_owned() }
}

fn item(turn: &TranscriptTurn) -> Result<PayloadItem> {
    Ok(match &turn.content {
        TurnContent::Text(text) => {
            PayloadItem::Message(Message { role: role(turn.role), text: spoken(turn, text) })
        }
        TurnContent::Json(value) => PayloadItem::Json(serde_json::value::to_raw_value(value)?),
        TurnContent::Blob(value) => PayloadItem::Blob(serde_json::value::to_raw_value(value)?),
    })
}

/// A named person speaks as `Name: text`, the form in which retrieval knows speakers.
fn spoken(turn: &TranscriptTurn, text: &str) -> String {
    match &turn.speaker {
        Some(speaker) if turn.role == TurnRole::User => format!("{speaker}: {text}"),
        Some(_) | None => text.to_owned(),
    }
}

fn role(role: TurnRole) -> Role {
    match role {
        TurnRole::User => Role::User,
        TurnRole::Assistant => Role::Assistant,
        TurnRole::Tool => Role::Tool,
        TurnRole::Other => Role::Other,
    }
}

/// Free texts of AgentCore events, and what else stands beside a turn as far as metadata may hold it.
fn metadata(turn: &TranscriptTurn) -> BTreeMap<String, String> {
    let mut metadata = texts(turn.carried.get("metadata"), |value| value.get("stringValue")?.as_str());
    let kept = KEPT.iter().filter_map(|key| Some((*key, turn.carried.get(*key)?.as_str()?)));
    metadata.extend(kept.filter(|(_, text)| is_metadata(text)).map(|(key, text)| (key.into(), text.into())));
    metadata
}

fn texts(members: Option<&Value>, text: fn(&Value) -> Option<&str>) -> BTreeMap<String, String> {
    let members = members.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(key, value)| Some((key.clone(), text(value)?.to_owned()))).collect()
}

fn is_metadata(text: &str) -> bool {
    text.chars().count() <= METADATA_CHARS_MAX
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c.is_whitespace() || "._:/=+@-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_files_are_legal() {
        let check = |name: &str, expect: &str| assert_eq!(default_session(Path::new(name)), expect);
        check("a/My chat (2).txt", "My-chat--2-");
        check("_x.txt", "transcript");
        check("", "transcript");
    }

    fn turn(line: usize, text: &str) -> TranscriptTurn {
        TranscriptTurn {
            session: "s".into(),
            actor: None,
            time_ms: None,
            role: TurnRole::User,
            speaker: Some("Ben".into()),
            content: TurnContent::Text(text.into()),
            source_line: line,
            part: 0,
            carried: serde_json::Map::new(),
        }
    }

    #[test]
    fn keys_tell_turns_apart_and_not_the_time_of_import() {
        let made = |turn: &TranscriptTurn, time| {
            let event = event(turn, std::slice::from_ref(turn), "a", time, None).unwrap();
            key(turn, &event).unwrap()
        };
        let first = turn(1, "yes");
        assert_eq!(made(&first, Some(1000)), made(&first, None));
        assert_ne!(made(&first, None), made(&turn(2, "yes"), None));
        assert_ne!(made(&first, None), made(&turn(1, "no"), None));
    }

    #[test]
    fn what_stands_beside_a_turn_is_kept_where_it_may_be() {
        let mut turn = turn(1, "x");
        turn.carried.insert("cwd".into(), "/home/b".into());
        turn.carried.insert("title".into(), "why?".into());
        turn.carried.insert("metadata".into(), serde_json::json!({"k": {"stringValue": "v"}}));
        let event = event(&turn, std::slice::from_ref(&turn), "a", None, None).unwrap();
        let expect = [("cwd", "/home/b"), ("k", "v")].map(|(key, text)| (key.to_owned(), text.to_owned()));
        assert_eq!(event.metadata, BTreeMap::from(expect));
        let PayloadItem::Message(message) = &event.payload[0] else { panic!("no message") };
        assert_eq!(message.text, "Ben: x");
    }
}
