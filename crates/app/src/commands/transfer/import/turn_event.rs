//! The event of a transcript's turn, and its key, which is independent of the line and the file.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::Result;
use loci_api::event::{Branch, EventCreate, Extraction, Message, PayloadItem, Role};
use loci_client::transcript::{Role as TurnRole, TranscriptFormat, TranscriptTurn, TurnContent};
use loci_model::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Source fields next to a turn that are stored with it, if metadata can contain them.
const KEPT: [&str; 3] = ["cwd", "gitBranch", "title"];
/// The maximum number of characters of a metadata value.
const METADATA_CHARS_MAX: usize = 256;
/// The maximum number of characters of a session's name.
const SESSION_CHARS_MAX: usize = 100;

/// True if a turn is a further part of the same event. Only AgentCore's events have several parts.
pub(super) fn continues(format: TranscriptFormat, event: &[TranscriptTurn], turn: &TranscriptTurn) -> bool {
    let same_line = event.first().is_some_and(|first| first.source_line == turn.source_line);
    match format {
        TranscriptFormat::AgentcoreEvents => same_line,
        TranscriptFormat::ClaudeCodeJsonl
        | TranscriptFormat::ChatgptExport
        | TranscriptFormat::SpeakerText => false,
    }
}

/// Returns the event of a turn, or of the parts of one.
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

/// The keys of the turns of one file, computed in the order of the file.
#[derive(Debug, Default)]
pub(super) struct TurnKeys {
    /// The number of equal turns without an id so far, by a digest.
    equal: HashMap<String, u64>,
    /// A digest of the last turn of each conversation, by actor and session.
    last: HashMap<(String, String), String>,
}

impl TurnKeys {
    /// Returns the key of the next turn. It derives from the actor, the turn's id in its source and
    /// its text, so that a copy in another file or session has the same key.
    ///
    /// The key of a turn without an id derives from the actor, the session, the time in the file,
    /// the text, and the number of equal turns before it. If the file has no time, the previous
    /// turn is part of the key, because a session may be only the name of a file that restarts each
    /// day. Only one previous turn is used, so that all turns after a new one keep their keys.
    pub(super) fn key(&mut self, first: &TranscriptTurn, event: &EventCreate) -> Result<String> {
        let (actor, payload) = (&event.actor, &event.payload);
        let said = digest(&serde_json::to_vec(&(actor, &first.session, first.time_ms, payload))?);
        let last = self.last.insert((actor.clone(), first.session.clone()), said.clone());
        if let Some(id) = &first.source_id {
            return Ok(format!("import-{}", digest(&serde_json::to_vec(&(actor, id, payload))?)));
        }
        let said = match last.filter(|_| first.time_ms.is_none()) {
            Some(last) => digest(format!("{said} {last}").as_bytes()),
            None => said,
        };
        let equal = self.equal.entry(said.clone()).or_default();
        let key = format!("import-{}", digest(format!("{said} {equal}").as_bytes()));
        *equal += 1;
        Ok(key)
    }
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Returns the key that earlier versions derived from the line. No event is stored under it any
/// more. It finds events of those versions while the turn stays in its line.
pub(super) fn former_key(first: &TranscriptTurn, event: &EventCreate) -> Result<String> {
    let mut digest = Sha256::new();
    // Only content of the file: the event's time may be that of the first import.
    let said = (&event.actor, &first.session, first.time_ms, &event.payload, &event.metadata);
    digest.update(serde_json::to_vec(&said)?);
    digest.update(format!("{} {}", first.source_line, first.part));
    Ok(format!("import-{}", hex::encode(digest.finalize())))
}

/// Returns the file's name as a session, for turns that name none.
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

/// Returns the text of a named person as `Name: text`, the form in which retrieval recognizes
/// speakers.
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

/// Returns free text of AgentCore events and other fields next to a turn, as far as metadata can
/// contain them.
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
            source_id: None,
            time_ms: None,
            role: TurnRole::User,
            speaker: Some("Ben".into()),
            content: TurnContent::Text(text.into()),
            source_line: line,
            part: 0,
            carried: serde_json::Map::new(),
        }
    }

    /// Returns the keys of the turns of one file of this actor.
    fn keys(actor: &str, turns: &[TranscriptTurn]) -> Vec<String> {
        let mut keys = TurnKeys::default();
        let mut key = |turn: &TranscriptTurn| {
            let event = event(turn, std::slice::from_ref(turn), actor, Some(1000), None).unwrap();
            keys.key(turn, &event).unwrap()
        };
        turns.iter().map(&mut key).collect()
    }

    #[test]
    fn turns_without_an_id_are_known_by_their_words_and_number() {
        let twice = keys("a", &[turn(1, "yes"), turn(2, "yes")]);
        assert_ne!(twice[0], twice[1]);
        assert_eq!(keys("a", &[turn(1, "yes"), turn(2, "yes"), turn(3, "no")])[..2], twice[..]);
        let other = |change: fn(&mut TranscriptTurn)| {
            let mut turn = turn(1, "yes");
            change(&mut turn);
            keys("a", &[turn]).remove(0)
        };
        assert_eq!(other(|_| {}), twice[0]);
        let others = [
            other(|turn| turn.session = "t".into()),
            other(|turn| turn.time_ms = Some(1)),
            other(|turn| turn.role = TurnRole::Assistant),
            other(|turn| turn.speaker = None),
            other(|turn| turn.source_id = Some("u".into())),
            keys("b", &[turn(1, "yes")]).remove(0),
        ];
        for other in others {
            assert!(!twice.contains(&other));
        }
    }

    #[test]
    fn a_turn_without_id_and_time_is_known_beside_the_one_before_it() {
        let said = |words: &[&str]| {
            let turns: Vec<_> = words.iter().map(|text| turn(1, text)).collect();
            keys("a", &turns)
        };
        let today = said(&["hello", "yes", "bye"]);
        // The next day under the name of the same file.
        let tomorrow = said(&["bye", "yes", "hello"]);
        assert!(tomorrow.iter().all(|key| !today.contains(key)));
        // A new first turn changes only the key of the previous first one.
        assert_eq!(said(&["so", "hello", "yes", "bye"])[2..], today[1..]);
        // With a time, the previous turn does not matter.
        let timed = |turn: TranscriptTurn| TranscriptTurn { time_ms: Some(1), ..turn };
        let alone = keys("a", &[timed(turn(1, "yes"))]);
        assert_eq!(keys("a", &[turn(1, "no"), timed(turn(2, "yes"))])[1..], alone[..]);
        // Each session has its own previous turn.
        let other = TranscriptTurn { session: "t".into(), ..turn(2, "no") };
        assert_eq!(keys("a", &[turn(1, "hello"), other, turn(3, "yes")])[2], today[1]);
    }

    #[test]
    fn turns_with_an_id_are_known_by_it_and_their_words() {
        let of = |line, session: &str, id: &str, text: &str| TranscriptTurn {
            session: session.into(),
            source_id: Some(id.into()),
            ..turn(line, text)
        };
        let turns = [of(1, "s", "u1", "yes"), of(2, "s", "u2", "yes"), of(3, "t", "u1", "yes")];
        let made = keys("a", &turns);
        assert_eq!(made[0], made[2], "a session that was resumed");
        assert_ne!(made[0], made[1]);
        assert_ne!(made[0], keys("a", &[of(1, "s", "u1", "no")])[0]);
        assert_ne!(made[0], keys("b", &turns)[0]);
    }

    #[test]
    fn the_key_of_earlier_versions_stays_what_it_was() {
        let turn = turn(1, "yes");
        let made = |time| {
            let event = event(&turn, std::slice::from_ref(&turn), "a", time, None).unwrap();
            former_key(&turn, &event).unwrap()
        };
        let expect = "import-38e0ce0525c201b2e9c845d4c35a0af6e61e5280f401bd67dbfd5933f95d1c46";
        assert_eq!([made(None), made(Some(1000))], [expect, expect]);
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
