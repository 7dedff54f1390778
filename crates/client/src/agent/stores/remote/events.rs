//! Conversion of messages to events of the native API, with roles, tool calls, other blocks, ids
//! and times, so that a record's provenance leads back to its messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_api::event::{EventCreate, Extraction, Message as Said, PayloadItem, Role};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::agent::batch::SequencedMessage;
use crate::agent::error::StoreError;
use crate::agent::limits::{
    EVENT_METADATA_KEYS_MAX, EVENT_METADATA_VALUE_CHARS_MAX, EVENT_PARTS_MAX, EVENT_SPAN_MS_MAX,
};
use crate::agent::message::{Block, Message};
use crate::agent::stores::event_metadata::{self, MetadataProvider};
use crate::agent::stores::range_token::range_token;
use crate::agent::stores::runs;
use crate::agent::time_text::instant_text;

/// The maximum length of an idempotency key on the server, in characters.
const TOKEN_CHARS_MAX: usize = 1024;
/// The metadata key of an event with the ids of its messages.
const MESSAGE_IDS: &str = "message_ids";

/// The metadata key of an event with the times of its messages.
const MESSAGE_TIMES: &str = "message_times";

/// The maximum size of a block that is not text, in bytes. Of a larger block, such as a picture,
/// only the size is stored.
const OTHER_BYTES_MAX: usize = 64 * 1024;

/// The events to send for a batch of messages.
#[derive(Debug, Default)]
pub(super) struct RemoteEventPlan {
    /// The events, in the order of the conversation.
    pub(super) events: Vec<PlannedEvent>,
    /// The sequence numbers of messages without content that precede the first event.
    pub(super) silent: Vec<u64>,
}

/// An event of a batch.
#[derive(Debug)]
pub(super) struct PlannedEvent {
    /// The sequence numbers of the event's messages.
    pub(super) numbers: Vec<u64>,
    /// The request that creates the event.
    pub(super) create: EventCreate,
}

/// A message, converted to the content and metadata of an event.
struct MessageForm<'a> {
    /// The sequence numbers of the message and of the messages without content that follow it. Thus
    /// a batch that is sent again has the same ranges.
    numbers: Vec<u64>,
    message: &'a Message,
    payload: Vec<PayloadItem>,
    metadata: BTreeMap<String, String>,
}

/// Returns the events for a batch. Adjacent messages with equal metadata share an event, at most
/// `turns_max` of them.
///
/// # Errors
/// A text with the sequence number of the message, the metadata key and the violated rule.
pub(super) fn plan(
    conversation: (&str, &str),
    messages: &[Arc<SequencedMessage>],
    turns_max: usize,
    provider: Option<&MetadataProvider>,
) -> Result<RemoteEventPlan, StoreError> {
    let mut plan = RemoteEventPlan::default();
    let mut forms: Vec<MessageForm<'_>> = Vec::new();
    for sequenced in messages {
        let (number, message) = (sequenced.sequence, &sequenced.message);
        let payload = payload(message);
        if payload.is_empty() {
            forms.last_mut().map_or(&mut plan.silent, |form| &mut form.numbers).push(number);
            continue;
        }
        check_limits(message, &payload)
            .map_err(|rule| StoreError::permanent(format!("RemoteStore: message {number}: {rule}")))?;
        let metadata = metadata(message, provider)
            .map_err(|rule| StoreError::permanent(format!("RemoteStore: message {number}: {rule}")))?;
        forms.push(MessageForm { numbers: vec![number], message, payload, metadata });
    }
    let runs = runs::runs(&forms, turns_max, |run, next| fits(run, next));
    let lengths: Vec<usize> = runs.into_iter().map(<[_]>::len).collect();
    let mut forms = forms.into_iter();
    for length in lengths {
        plan.events.extend(event(conversation, forms.by_ref().take(length).collect()));
    }
    Ok(plan)
}

/// Checks that a single message fits into an event.
///
/// # Errors
/// A text with the violated rule, and what the caller can do.
fn check_limits(message: &Message, payload: &[PayloadItem]) -> Result<(), String> {
    if payload.len() > EVENT_PARTS_MAX {
        let parts = payload.len();
        return Err(format!(
            "it has {parts} parts, and an event at most {EVENT_PARTS_MAX}: make several messages of it"
        ));
    }
    let id_chars = message.id.as_deref().map_or(0, |id| id.chars().count());
    if id_chars > EVENT_METADATA_VALUE_CHARS_MAX {
        return Err(format!(
            "its id has {id_chars} characters, and metadata at most {EVENT_METADATA_VALUE_CHARS_MAX}: shorten it"
        ));
    }
    Ok(())
}

/// Returns the metadata for the event of a message, from the provider. Without a provider the
/// message's own metadata is used, within the limits of the memory.
fn metadata(
    message: &Message,
    provider: Option<&MetadataProvider>,
) -> Result<BTreeMap<String, String>, String> {
    if let Some(provider) = provider {
        return event_metadata::checked(&provider(message));
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let kept = message.metadata.iter().filter(|(_, value)| !value.is_null());
    Ok(kept.map(|(key, value)| (key.clone(), text(value))).collect())
}

/// Returns true if the next message may join an event with these messages. An event has one time
/// and one metadata map. It keeps the ids and times of its messages as metadata values, whose
/// length is limited.
fn fits(run: &[MessageForm<'_>], next: &MessageForm<'_>) -> bool {
    let Some(first) = run.first() else { return true };
    let is_late = match (first.message.at_ms, next.message.at_ms) {
        (Some(first), Some(next)) => next.saturating_sub(first) > EVENT_SPAN_MS_MAX || next < first,
        _ => false,
    };
    let parts: usize = run.iter().map(|form| form.payload.len()).sum();
    let all = || run.iter().chain([next]);
    let is_short = |text: &str| text.chars().count() <= EVENT_METADATA_VALUE_CHARS_MAX;
    first.metadata == next.metadata
        && !is_late
        && parts + next.payload.len() <= EVENT_PARTS_MAX
        && is_short(&ids(all()))
        && is_short(&times(all()))
}

fn event((actor, session): (&str, &str), forms: Vec<MessageForm<'_>>) -> Option<PlannedEvent> {
    let first = forms.first()?;
    let mut metadata = first.metadata.clone();
    for (key, value) in [(MESSAGE_IDS, ids(forms.iter())), (MESSAGE_TIMES, times(forms.iter()))] {
        if value.is_empty() {
            continue;
        }
        if metadata.len() < EVENT_METADATA_KEYS_MAX {
            metadata.entry(key.to_owned()).or_insert(value);
        } else {
            tracing::debug!(
                "key=<{key}> | the metadata of an event has no room for this key, which is left out"
            );
        }
    }
    let time = first.message.at_ms.and_then(instant_text);
    let numbers = forms.iter().flat_map(|form| form.numbers.iter().copied()).collect();
    let create = EventCreate {
        actor: actor.to_owned(),
        session: Some(session.to_owned()),
        time,
        payload: forms.into_iter().flat_map(|form| form.payload).collect(),
        branch: None,
        metadata,
        extraction: Extraction::Extract,
        namespace_variables: BTreeMap::new(),
    };
    Some(PlannedEvent { numbers, create })
}

/// Returns the ids of the messages that have one.
fn ids<'a>(forms: impl Iterator<Item = &'a MessageForm<'a>>) -> String {
    forms.filter_map(|form| form.message.id.as_deref()).collect::<Vec<_>>().join(" ")
}

/// Returns the times of messages; empty if all have the event's time.
fn times<'a>(forms: impl Iterator<Item = &'a MessageForm<'a>>) -> String {
    let times: Vec<String> = forms.filter_map(|form| form.message.at_ms.and_then(instant_text)).collect();
    let is_one = times.iter().all(|time| Some(time) == times.first());
    if is_one { String::new() } else { times.join(" ") }
}

/// Returns the idempotency key for a range of messages. If a header cannot contain it, the key is a
/// digest, by which the server still recognises a retry.
pub(super) fn token(memory: &str, actor: &str, run_id: &str, numbers: &[u64]) -> String {
    let number = |number: Option<&u64>| number.copied().unwrap_or(0);
    let token = range_token(memory, actor, run_id, number(numbers.first()), number(numbers.last()));
    let fits = token.len() <= TOKEN_CHARS_MAX && token.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if fits { token } else { digest(&token) }
}

/// Returns the digest of a text, for an idempotency key.
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

/// Returns a block that is not text as JSON to store with the event. Strategies ignore it, because
/// otherwise each tool call would become a record.
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

/// Returns true for a role whose messages come from external sources.
pub(super) fn is_outside(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(
        messages: impl IntoIterator<Item = Message>,
        provider: Option<MetadataProvider>,
    ) -> Result<RemoteEventPlan, StoreError> {
        let messages: Vec<_> = (4..)
            .zip(messages)
            .map(|(sequence, message)| Arc::new(SequencedMessage { sequence, message }))
            .collect();
        plan(("alice", "s-1"), &messages, 50, provider.as_ref())
    }

    fn only_event(messages: impl IntoIterator<Item = Message>) -> Value {
        let plan = planned(messages, None).unwrap();
        assert_eq!(plan.events.len(), 1);
        serde_json::to_value(&plan.events[0].create).unwrap()
    }

    #[test]
    fn messages_as_an_event() {
        let mut said =
            Message { id: Some("m-1".into()), at_ms: Some(0), ..Message::user(" I live in Seattle ") };
        said.metadata.insert("n".into(), json!(1));
        said.metadata.insert("s".into(), json!("x"));
        said.metadata.insert("none".into(), json!(null));
        let mut used = Message { id: Some("m-2".into()), ..Message::assistant("Looking.") };
        used.metadata.clone_from(&said.metadata);
        used.content.push(Block::ToolUse { id: "t".into(), name: "look".into(), input: json!({}) });
        assert_eq!(
            only_event([said, used]),
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
        let event = only_event([Message { at_ms: Some(0), ..Message::user("First.") }, shown]);
        assert_eq!(event["metadata"]["message_times"], "1970-01-01T00:00:00Z 1970-01-01T00:00:01.5Z");
        assert_eq!(event["payload"][2], json!({"blob": {"other": {"a": 1}}}));
        assert_eq!(event["payload"][3], json!({"blob": {"other_bytes_left_out": 100_002}}));
    }

    #[test]
    fn a_message_that_fits_no_event_is_refused_by_its_number() {
        let block = Block::Other(json!({"a": 1}));
        let parts = |count: usize| Message { content: vec![block.clone(); count], ..Message::user("x") };
        let named = |chars: usize| Message { id: Some("i".repeat(chars)), ..Message::user("x") };
        for (message, expect) in [
            (parts(EVENT_PARTS_MAX), None),
            (parts(EVENT_PARTS_MAX + 1), Some("message 5: it has 101 parts")),
            (named(256), None),
            (named(257), Some("message 5: its id has 257 characters")),
        ] {
            let refused =
                planned([Message::user("before"), message], None).err().map(|error| error.to_string());
            let is_right = match (expect, &refused) {
                (None, None) => true,
                (Some(part), Some(said)) => said.contains(part),
                _ => false,
            };
            assert!(is_right, "{expect:?}: {refused:?}");
        }
    }

    #[test]
    fn neighbours_that_fit_share_an_event() {
        let check = |messages: Vec<Message>, expect: &[&[u64]], silent: &[u64]| {
            let plan = planned(messages, None).unwrap();
            let got: Vec<_> = plan.events.iter().map(|event| event.numbers.clone()).collect();
            assert_eq!(
                (got.as_slice(), plan.silent.as_slice()),
                (expect.iter().map(|numbers| numbers.to_vec()).collect::<Vec<_>>().as_slice(), silent)
            );
            for event in plan.events {
                assert!(event.create.payload.len() <= EVENT_PARTS_MAX);
                let values = event.create.metadata.values();
                assert!(values.into_iter().all(|value| value.len() <= EVENT_METADATA_VALUE_CHARS_MAX));
            }
        };
        let of = |kind: &str, at_ms: i64| {
            let mut message = Message { at_ms: Some(at_ms), ..Message::user("x") };
            message.metadata.insert("kind".into(), json!(kind));
            message
        };
        check(vec![], &[], &[]);
        check(
            vec![of("A", 0), of("A", 0), of("B", 0), of("C", 0), of("B", 0)],
            &[&[4, 5], &[6], &[7], &[8]],
            &[],
        );
        check(vec![of("A", 0), of("A", 60_000), of("A", 60_001), of("A", 70_000)], &[&[4, 5], &[6, 7]], &[]);
        check(vec![of("A", 5), of("A", 4)], &[&[4], &[5]], &[]);
        // A message without content does not separate neighbours, and belongs to the event before
        // it.
        let blank = || Message::user(" ");
        check(vec![of("A", 0), blank(), of("A", 0), blank(), of("B", 0)], &[&[4, 5, 6, 7], &[8]], &[]);
        check(vec![blank(), blank(), of("A", 0)], &[&[6]], &[4, 5]);
        check(vec![blank()], &[], &[4]);
        let many: Vec<u64> = (4..55).collect();
        check(vec![Message::user("x"); 51], &[&many[..50], &many[50..]], &[]);
        let mut with_tools = Message::assistant("Looking.");
        with_tools.content.extend(vec![Block::Other(json!(1)); 39]);
        check(vec![with_tools; 5], &[&[4, 5], &[6, 7], &[8]], &[]);
        let id = |at: u32| Message { id: Some(format!("{at:0>36}")), ..Message::user("x") };
        check((0..9).map(id).collect(), &[&[4, 5, 6, 7, 8, 9], &[10, 11, 12]], &[]);
        let at = |second: i64| Message { at_ms: Some(second * 1000), ..Message::user("x") };
        check((0..13).map(at).collect(), &[&many[..12], &many[12..13]], &[]);
    }

    #[test]
    fn metadata_of_a_provider() {
        let provider =
            |answer: Value| -> MetadataProvider { Arc::new(move |_| answer.as_object().unwrap().clone()) };
        let mut message = Message { id: Some("m-1".into()), ..Message::user("x") };
        message.metadata.insert("own".into(), json!("é"));
        let metadata = |answer: Value| {
            let plan = planned([message.clone()], Some(provider(answer)));
            plan.map(|plan| serde_json::to_value(&plan.events[0].create.metadata).unwrap())
                .map_err(|error| error.message)
        };
        assert_eq!(metadata(json!({"n": 1})), Ok(json!({"n": "1", "message_ids": "m-1"})));
        let wrong = "RemoteStore: message 4: the value of metadata 'k' must hold only letters, digits, \
                     white space and . _ : / = + @ -";
        assert_eq!(metadata(json!({"k": "a,b"})), Err(wrong.to_owned()));
        let full: Value = (0..15).map(|at| (format!("k{at:0>2}"), json!("v"))).collect();
        assert_eq!(metadata(full.clone()), Ok(full), "ids of messages have no room");
    }

    #[test]
    fn tokens() {
        assert_eq!(token("mem-1", "team/alice", "run", &[3, 5, 7]), "mem-1-team/alice-run-3-7");
        assert_eq!(token("mem-1", "älice", "run", &[3]).len(), 64);
        assert_eq!(token("mem-1", &"a".repeat(2000), "run", &[3]).len(), 64);
    }
}
