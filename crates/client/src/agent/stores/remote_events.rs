//! Messages as events of the native API: roles, tool traffic and other blocks, ids and times go along, so that records lead back to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_api::event::{EventCreate, Extraction, Message as Said, PayloadItem, Role};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::range_token::range_token;
use crate::agent::batch::SequencedMessage;
use crate::agent::message::{Block, Message};
use crate::agent::time_text::instant_text;

/// Characters that the server takes of a token.
const TOKEN_CHARS_MAX: usize = 1024;
/// The metadata under which ids of messages go.
const MESSAGE_IDS: &str = "message_ids";

/// The metadata under which times of messages go.
const MESSAGE_TIMES: &str = "message_times";

/// A picture is no memory: of a block over so many bytes only the size is kept.
const OTHER_BYTES_MAX: usize = 64 * 1024;

/// The event of messages that belong together; `None` where there is nothing to say.
pub(super) fn event(actor: &str, session: &str, messages: &[Arc<SequencedMessage>]) -> Option<EventCreate> {
    let payload: Vec<PayloadItem> = messages.iter().flat_map(|message| payload(&message.message)).collect();
    let first = messages.first().filter(|_| !payload.is_empty())?;
    let mut metadata: BTreeMap<String, String> = first
        .message
        .metadata
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    let ids: Vec<&str> = messages.iter().filter_map(|message| message.message.id.as_deref()).collect();
    if !ids.is_empty() {
        metadata.entry(MESSAGE_IDS.to_owned()).or_insert_with(|| ids.join(" "));
    }
    let times: Vec<String> =
        messages.iter().filter_map(|message| message.message.at_ms.and_then(instant_text)).collect();
    // An event has one time; where its messages have several, they stand beside it.
    if times.iter().any(|time| Some(time) != times.first()) {
        metadata.entry(MESSAGE_TIMES.to_owned()).or_insert_with(|| times.join(" "));
    }
    Some(EventCreate {
        actor: actor.to_owned(),
        session: Some(session.to_owned()),
        time: first.message.at_ms.and_then(instant_text),
        payload,
        branch: None,
        metadata,
        extraction: Extraction::Extract,
        namespace_variables: BTreeMap::new(),
    })
}

/// The token of a range. Where that cannot stand in a header, its digest, by which the server still knows a repetition.
pub(super) fn token(memory: &str, actor: &str, run_id: &str, messages: &[Arc<SequencedMessage>]) -> String {
    let number = |message: Option<&Arc<SequencedMessage>>| message.map_or(0, |message| message.sequence);
    let token = range_token(memory, actor, run_id, number(messages.first()), number(messages.last()));
    let fits = token.len() <= TOKEN_CHARS_MAX && token.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if fits { token } else { digest(&token) }
}

/// A digest as a token.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn payload(message: &Message) -> Vec<PayloadItem> {
    let mut items = Vec::new();
    let text = message.joined_text();
    if !text.is_empty() {
        items.push(PayloadItem::Message(Said { role: message.role, text }));
    }
    items.extend(message.content.iter().filter_map(evidence).map(PayloadItem::Blob));
    items
}

/// What is no text is evidence, and nothing for strategies: without a model each call of a tool would become a record.
fn evidence(block: &Block) -> Option<Box<RawValue>> {
    let value: Value = match block {
        Block::Text(_) => return None,
        Block::ToolUse { .. } | Block::ToolResult { .. } => serde_json::to_value(block).ok()?,
        Block::Other(other) => {
            let bytes = other.to_string().len();
            let is_small = bytes <= OTHER_BYTES_MAX;
            if is_small {
                serde_json::to_value(block).ok()?
            } else {
                json!({ "other_bytes_left_out": bytes })
            }
        }
    };
    to_raw_value(&value).ok()
}

/// The role under which a record's source is shown as coming from outside.
pub(super) fn is_outside(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_as_an_event() {
        let mut said =
            Message { id: Some("m-1".into()), at_ms: Some(0), ..Message::user(" I live in Seattle ") };
        said.metadata.insert("n".into(), json!(1));
        said.metadata.insert("s".into(), json!("x"));
        said.metadata.insert("none".into(), json!(null));
        let mut used = Message { id: Some("m-2".into()), ..Message::assistant("Looking.") };
        used.content.push(Block::ToolUse { id: "t".into(), name: "look".into(), input: json!({}) });
        let messages = [said, used].map(|message| Arc::new(SequencedMessage { sequence: 4, message }));
        let event = serde_json::to_value(event("alice", "s-1", &messages).unwrap()).unwrap();
        assert_eq!(
            event,
            json!({
                "actor": "alice", "session": "s-1", "time": "1970-01-01T00:00:00Z", "extraction": "extract",
                "metadata": {"message_ids": "m-1 m-2", "n": "1", "s": "x"},
                "payload": [
                    {"message": {"role": "user", "text": "I live in Seattle"}},
                    {"message": {"role": "assistant", "text": "Looking."}},
                    {"blob": {"tool_use": {"id": "t", "name": "look", "input": {}}}}
                ]
            })
        );
        let mut shown = Message { at_ms: Some(1_500), ..Message::user("Look:") };
        shown.content.extend([Block::Other(json!({"a": 1})), Block::Other(json!("x".repeat(100_000)))]);
        let later = [Message { at_ms: Some(0), ..Message::user("First.") }, shown];
        let later = later.map(|message| Arc::new(SequencedMessage { sequence: 4, message }));
        let event = serde_json::to_value(super::event("a", "s", &later).unwrap()).unwrap();
        assert_eq!(event["metadata"]["message_times"], "1970-01-01T00:00:00Z 1970-01-01T00:00:01.5Z");
        assert_eq!(event["payload"][2], json!({"blob": {"other": {"a": 1}}}));
        assert_eq!(event["payload"][3], json!({"blob": {"other_bytes_left_out": 100_002}}));
        let blank = [Arc::new(SequencedMessage { sequence: 0, message: Message::user(" ") })];
        assert!(super::event("a", "s", &blank).is_none());
    }

    #[test]
    fn tokens() {
        let messages =
            [3, 7].map(|sequence| Arc::new(SequencedMessage { sequence, message: Message::user("x") }));
        assert_eq!(token("mem-1", "team/alice", "run", &messages), "mem-1-team/alice-run-3-7");
        assert_eq!(token("mem-1", "älice", "run", &messages).len(), 64);
        assert_eq!(token("mem-1", &"a".repeat(2000), "run", &messages).len(), 64);
    }
}
