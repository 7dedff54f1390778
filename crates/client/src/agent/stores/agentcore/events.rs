//! The events for a batch of messages. Everything is checked and decided before the first call.
//! AgentCore's events store only text of the user and the agent.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_bedrockagentcore::error::BuildError;
use aws_sdk_bedrockagentcore::types::{
    Content, Conversational, MetadataValue, PayloadType, Role as SpokenBy,
};

use super::limits::{EVENT_BYTES_MAX, EVENT_ITEMS_MAX, EVENT_TEXT_CHARS_MAX};
use super::text_cut;
use crate::agent::batch::MessageBatch;
use crate::agent::entry::Metadata;
use crate::agent::error::StoreError;
use crate::agent::message::{Message, Role};
use crate::agent::stores::event_metadata;
use crate::agent::stores::range_token::range_token;
use crate::agent::stores::runs;

/// The events to send for a batch of messages.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AgentCoreEventPlan {
    pub(super) events: Vec<Event>,
    /// The sequence numbers of messages without any text to send.
    pub(super) silent: Vec<u64>,
}

/// An event to send to AgentCore.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// The sequence numbers of the event's messages.
    pub(super) numbers: Vec<u64>,
    /// The index of this part, if one message is too large for one event and is divided.
    pub(super) part: usize,
    /// The time of the event's first message, in milliseconds since 1970.
    pub(super) at_ms: Option<i64>,
    pub(super) turns: Vec<(Role, String)>,
    pub(super) metadata: BTreeMap<String, String>,
}

impl Event {
    /// Returns the client token of the event. The first part of a divided message has the token
    /// that the whole message would have.
    pub(super) fn token(&self, memory: &str, actor: &str, run_id: &str) -> String {
        let number = |number: Option<&u64>| number.copied().unwrap_or(0);
        let range =
            range_token(memory, actor, run_id, number(self.numbers.first()), number(self.numbers.last()));
        if self.part == 0 { range } else { format!("{range}-part{}", self.part + 1) }
    }

    fn of(first: &OutgoingMessage, part: usize) -> Self {
        let metadata = first.metadata.clone();
        Self { numbers: Vec::new(), part, at_ms: first.at_ms, turns: Vec::new(), metadata }
    }

    fn takes(&self, pieces: &[&str]) -> bool {
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        self.turns.len() + pieces.len() <= EVENT_ITEMS_MAX && self.bytes() + bytes <= EVENT_BYTES_MAX
    }

    fn add(&mut self, said: &OutgoingMessage, pieces: &[&str]) {
        if self.numbers.last() != Some(&said.number) {
            self.numbers.push(said.number);
        }
        self.turns.extend(pieces.iter().map(|piece| (said.role, (*piece).to_owned())));
    }

    fn bytes(&self) -> usize {
        self.turns.iter().map(|(_, text)| text.len()).sum()
    }

    /// Returns the messages in the form of the AgentCore API.
    pub(super) fn payload(&self) -> Result<Vec<PayloadType>, BuildError> {
        let item = |(role, text): &(Role, String)| {
            let role = if *role == Role::Assistant { SpokenBy::Assistant } else { SpokenBy::User };
            let said = Conversational::builder().role(role).content(Content::Text(text.clone()));
            said.build().map(PayloadType::Conversational)
        };
        self.turns.iter().map(item).collect()
    }

    /// Returns the metadata in the form of the AgentCore API. `None` if there is none.
    pub(super) fn wire_metadata(&self) -> Option<HashMap<String, MetadataValue>> {
        let wrapped =
            |(key, value): (&String, &String)| (key.clone(), MetadataValue::StringValue(value.clone()));
        (!self.metadata.is_empty()).then(|| self.metadata.iter().map(wrapped).collect())
    }
}

/// A message to send, with its text.
struct OutgoingMessage {
    number: u64,
    at_ms: Option<i64>,
    role: Role,
    text: String,
    metadata: BTreeMap<String, String>,
}

/// Returns the events for a batch. Adjacent messages with equal metadata share an event, as many as
/// fit.
///
/// # Errors
/// If the metadata of a message breaks a rule. Then no event of the batch is sent.
pub(super) fn plan(
    batch: &MessageBatch,
    turns_max: usize,
    metadata: impl Fn(&Message) -> Metadata,
) -> Result<AgentCoreEventPlan, StoreError> {
    let mut plan = AgentCoreEventPlan::default();
    let mut said = Vec::new();
    for sequenced in &batch.messages {
        let message = &sequenced.message;
        let text = message.joined_text();
        if text.is_empty() || !matches!(message.role, Role::User | Role::Assistant) {
            plan.silent.push(sequenced.sequence);
            continue;
        }
        let metadata = event_metadata::checked(&metadata(message)).map_err(|rule| {
            StoreError::permanent(format!("AgentCoreMemoryStore: message {}: {rule}", sequenced.sequence))
        })?;
        let (number, at_ms, role) = (sequenced.sequence, message.at_ms, message.role);
        said.push(OutgoingMessage { number, at_ms, role, text, metadata });
    }
    let fits =
        |run: &[OutgoingMessage], next: &OutgoingMessage| run.iter().all(|one| one.metadata == next.metadata);
    for group in runs::runs(&said, turns_max, fits) {
        fill(group, &mut plan.events);
    }
    Ok(plan)
}

/// Adds messages that may share events to the fewest events that can hold them.
fn fill(group: &[OutgoingMessage], events: &mut Vec<Event>) {
    let mut open: Option<Event> = None;
    for said in group {
        let pieces = text_cut::pieces(&said.text, EVENT_TEXT_CHARS_MAX);
        if let Some(event) = &mut open
            && event.takes(&pieces)
        {
            event.add(said, &pieces);
            continue;
        }
        events.extend(open.take());
        let mut parts = parts(said, &pieces);
        // A message that fills several events shares none of them, because their tokens name only
        // that message.
        open = if parts.len() == 1 { parts.pop() } else { None };
        events.append(&mut parts);
    }
    events.extend(open);
}

/// Divides a message that is too large into the fewest events that can hold it.
fn parts(said: &OutgoingMessage, pieces: &[&str]) -> Vec<Event> {
    let mut parts: Vec<Event> = Vec::new();
    for piece in pieces {
        match parts.last_mut() {
            Some(last) if last.takes(&[piece]) => last.add(said, &[piece]),
            _ => {
                let mut next = Event::of(said, parts.len());
                next.add(said, &[piece]);
                parts.push(next);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::agent::batch::SequencedMessage;

    fn batch(messages: Vec<Message>) -> MessageBatch {
        let sequenced = |(at, message)| Arc::new(SequencedMessage { sequence: at as u64, message });
        MessageBatch {
            run_id: "run".into(),
            messages: messages.into_iter().enumerate().map(sequenced).collect(),
        }
    }

    fn kinds(of: &[&str]) -> MessageBatch {
        let said = |kind: &&str| {
            let mut message = Message::user("x");
            message.metadata.insert("kind".into(), json!(kind));
            message
        };
        batch(of.iter().map(said).collect())
    }

    fn own(message: &Message) -> Metadata {
        message.metadata.clone()
    }

    #[test]
    fn neighbours_with_equal_metadata_share_an_event() {
        let check = |batch: &MessageBatch, expect: &[&[u64]]| {
            let plan = plan(batch, 50, own).unwrap();
            let got: Vec<_> = plan.events.iter().map(|event| event.numbers.clone()).collect();
            assert_eq!(got, expect);
        };
        check(&kinds(&[]), &[]);
        check(&kinds(&["A", "A", "B", "C", "B"]), &[&[0, 1], &[2], &[3], &[4]]);
        check(&kinds(&["A"; 4]), &[&[0, 1, 2, 3]]);
        let all: Vec<u64> = (0..51).collect();
        check(&kinds(&["A"; 51]), &[&all[..50], &all[50..]]);
    }

    #[test]
    fn only_text_of_the_user_and_the_agent_is_sent() {
        let mut tool = Message::text(Role::Tool, "an answer");
        // A message that is not sent is not checked.
        tool.metadata.insert("k".into(), json!(null));
        let of = [Message::user(" a "), Message::user(" \n"), tool, Message::assistant("b")];
        let plan = plan(&batch(of.to_vec()), 50, own).unwrap();
        assert_eq!(plan.silent, [1, 2]);
        let turns = [(Role::User, "a".to_owned()), (Role::Assistant, "b".to_owned())];
        assert_eq!((plan.events[0].turns.as_slice(), plan.events.len()), (&turns[..], 1));
        assert_eq!(plan.events[0].token("mem-1", "team/alice", "run"), "mem-1-team/alice-run-0-3");
    }

    #[test]
    fn a_key_that_breaks_a_rule_stops_everything() {
        let mut wrong = Message::user("x");
        wrong.metadata.insert("k".into(), json!(null));
        let error = plan(&batch(vec![Message::user("x"), wrong]), 50, own).unwrap_err();
        assert!(error.message.starts_with("AgentCoreMemoryStore: message 1: metadata 'k' must not be null"));
        assert_eq!(error.class, crate::agent::error::ErrorClass::Permanent);
    }

    #[test]
    fn long_texts_are_several_items() {
        let long = "x".repeat(EVENT_TEXT_CHARS_MAX);
        let messages = vec![Message::user(format!("{long}yz")), Message::assistant("b")];
        let plan = plan(&batch(messages), 50, own).unwrap();
        let lengths: Vec<_> = plan.events[0].turns.iter().map(|(role, text)| (*role, text.len())).collect();
        let expect = [(Role::User, EVENT_TEXT_CHARS_MAX), (Role::User, 2), (Role::Assistant, 1)];
        assert_eq!((lengths.as_slice(), plan.events.len()), (&expect[..], 1));
    }

    #[test]
    fn what_is_too_large_for_an_event_is_several() {
        let check = |texts: &[String], expect: &[(&[u64], usize)]| {
            let plan = plan(&batch(texts.iter().map(Message::user).collect()), 50, own).unwrap();
            let got: Vec<_> = plan.events.iter().map(|event| (&event.numbers[..], event.part)).collect();
            assert_eq!(got, expect);
            assert!(plan.events.iter().all(|event| event.turns.len() <= EVENT_ITEMS_MAX));
            let sent: usize = plan.events.iter().map(Event::bytes).sum();
            assert_eq!(sent, texts.iter().map(String::len).sum::<usize>());
            let tokens: std::collections::BTreeSet<_> =
                plan.events.iter().map(|event| event.token("m", "a", "r")).collect();
            assert_eq!(tokens.len(), plan.events.len());
        };
        // The limit counts bytes: an é has two.
        let half = "é".repeat(EVENT_BYTES_MAX / 4);
        check(&[half.clone(), half.clone()], &[(&[0, 1], 0)]);
        check(&[half.clone(), half.clone(), "x".into()], &[(&[0, 1], 0), (&[2], 0)]);
        check(
            &["x".into(), "x".repeat(EVENT_BYTES_MAX + 1), "x".into()],
            &[(&[0], 0), (&[1], 0), (&[1], 1), (&[2], 0)],
        );
        // 135 items, with fewer bytes than two events may have.
        let items = "x".repeat(45 * EVENT_TEXT_CHARS_MAX);
        check(&[items.clone(), items.clone(), items], &[(&[0, 1], 0), (&[2], 0)]);
    }
}
