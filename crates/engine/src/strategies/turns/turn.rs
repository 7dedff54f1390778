//! Turns: the content of an event as strategies read it. Wrapped text is unwrapped, long text is
//! split at sentences, JSON becomes lines; the stored event stays unchanged.
//!
//! Other modules select the roles that a strategy reads, and the new events.

use loci_model::event::{Event, PayloadItem, Role, RunPlace};
use loci_model::record::provenance::{Position, Source};
use loci_model::{Timestamp, limits};
use loci_text::split::split_at_sentences;

use super::data_lines::data_parts;
use super::unwrapped_message::unwrap;
use crate::strategies::task_event::{self, TaskEvent, TaskMessage};

/// A message, or a piece of data.
#[derive(Clone, PartialEq)]
pub struct Turn {
    /// Event, message and part.
    pub source: Source,
    /// The speaker's role; `None` for data.
    pub role: Option<Role>,
    /// The message verbatim, or data as `key: value` lines. It fits into a record.
    pub text: String,
    /// The values of data without keys.
    pub values: Option<String>,
    /// The time.
    pub time: Timestamp,
    /// Position of its event in a client's run.
    pub run: Option<RunPlace>,
    /// Its role in the report of a coding agent's task, if any.
    pub task: Option<TaskEvent>,
}

impl Turn {
    /// Returns the indexed text.
    pub fn indexed(&self) -> &str {
        self.values.as_deref().unwrap_or(&self.text)
    }

    /// Returns its position in its session.
    pub fn position(&self) -> Position {
        Position {
            run: self.run.as_ref().map(|place| (place.run.clone(), place.first)),
            time: self.time,
            event: self.source.event.to_string(),
            message: self.source.message,
            part: (self.source.part, 0),
        }
    }
}

impl std::fmt::Debug for Turn {
    /// Content is sensitive, so only position and size are printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Turn({:?}, {:?}, {} bytes)", self.source, self.role, self.text.len())
    }
}

/// Returns the turns of the message at index `message` of an event; empty for blobs and empty
/// messages.
pub fn turns_of_message(event: &Event, message: usize) -> Vec<Turn> {
    let mut turns = Vec::new();
    let Some(item) = event.payload.get(message) else { return turns };
    let mut push = |role, text: String, values| {
        turns.push(Turn {
            source: Source {
                event: event.id.clone(),
                message: u32::try_from(message).unwrap_or(u32::MAX),
                part: u32::try_from(turns.len()).unwrap_or(u32::MAX),
            },
            role,
            text,
            values,
            time: event.time,
            run: event.run.clone(),
            task: None,
        });
    };
    let message = match item {
        PayloadItem::Conversational { role, text } => task_event::read(&event.metadata, *role, text),
        PayloadItem::Json(_) | PayloadItem::Blob(_) => None,
    };
    match item {
        PayloadItem::Conversational { role, text } => match (&message, unwrap(text)) {
            // Each statement is a separate turn, because a record is derived from one.
            (Some(TaskMessage::Learned(statements)), _) => {
                statements.iter().for_each(|statement| said(*role, statement, &mut push));
            }
            (Some(TaskMessage::Ended(_)), _) | (None, None) => said(*role, text, &mut push),
            (None, Some(pieces)) => {
                for piece in pieces {
                    said(piece.role.unwrap_or(*role), &piece.text, &mut push);
                }
            }
        },
        PayloadItem::Json(document) => {
            for part in data_parts(document) {
                push(None, part.text, Some(part.values));
            }
        }
        PayloadItem::Blob(_) => {}
    }
    if let Some(message) = message {
        let task = match message {
            TaskMessage::Ended(report) => TaskEvent::Ended(report),
            TaskMessage::Learned(_) => TaskEvent::Learned,
        };
        turns.iter_mut().for_each(|turn| turn.task = Some(task.clone()));
    }
    turns
}

/// Splits a message into parts that a record can hold. Text over the service's limit, which the
/// lenient mode stores, is read up to the limit.
fn said(role: Role, text: &str, push: &mut impl FnMut(Option<Role>, String, Option<String>)) {
    if text.trim().is_empty() {
        return;
    }
    let text = match text.char_indices().nth(limits::MESSAGE_CHARS_MAX) {
        None => text,
        Some((end, _)) => {
            tracing::warn!(bytes = text.len(), "a message over the limit is extracted up to it");
            text.get(..end).unwrap_or(text)
        }
    };
    if text.len() <= limits::RECORD_TEXT_CHARS_MAX {
        push(Some(role), text.to_owned(), None);
        return;
    }
    for part in split_at_sentences(text, limits::RECORD_TEXT_CHARS_MAX) {
        push(Some(role), part, None);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use loci_model::event::{Branch, EventNotes, ExtractionMode};
    use loci_model::{ActorId, BranchName, Document, EventId, MemoryId, SessionId};

    /// Returns an event of one session, `place` milliseconds after the epoch.
    pub(crate) fn event(place: u32, payload: Vec<PayloadItem>) -> Event {
        Event {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            actor: ActorId::parse("alice").unwrap(),
            session: SessionId::parse("s1").unwrap(),
            id: EventId::compose(i64::from(place), place),
            time: Timestamp::clamped(i64::from(place)),
            arrived: Timestamp::clamped(i64::from(place)),
            arrival: u64::from(place),
            payload,
            branch: Branch { name: BranchName::parse("main").unwrap(), root: None },
            metadata: Default::default(),
            extraction: ExtractionMode::Extract,
            namespace_variables: Default::default(),
            run: None,
            hidden: false,
            expires: Timestamp::LATEST,
            notes: EventNotes::default(),
            load: loci_model::event::EventLoad::default(),
        }
    }

    /// Returns consecutive turns, one event each.
    pub(crate) fn talk(said: &[(Role, &str)]) -> Vec<Turn> {
        let mut turns = Vec::new();
        for (place, (role, text)) in (1..).zip(said) {
            let item = PayloadItem::Conversational { role: *role, text: (*text).to_owned() };
            turns.extend(turns_of_message(&event(place, vec![item]), 0));
        }
        turns
    }

    #[test]
    fn a_wrapped_message_becomes_its_pieces() {
        let text = r#"{"message":{"role":"user","content":[{"toolResult":{"content":[{"text":"42"}]}},{"text":"Thanks, go on"}]},"message_id":3}"#;
        let turns = talk(&[(Role::Assistant, text)]);
        let seen: Vec<_> =
            turns.iter().map(|turn| (turn.role, turn.text.as_str(), turn.source.part)).collect();
        assert_eq!(seen, [(Some(Role::Tool), "42", 0), (Some(Role::User), "Thanks, go on", 1)]);
    }

    #[test]
    fn long_text_is_cut_at_sentences_and_loses_nothing() {
        let text = "This is a sentence of a long story. ".repeat(1000);
        let turns = talk(&[(Role::User, &text)]);
        assert_eq!(turns.len(), 3);
        assert!(
            turns.iter().all(|turn| turn.text.chars().count() <= loci_model::limits::RECORD_TEXT_CHARS_MAX)
        );
        assert_eq!(turns.iter().map(|turn| turn.text.as_str()).collect::<String>(), text);
        assert!(turns.iter().zip(0..).all(|(turn, part)| turn.source.part == part));
        let over = "word ".repeat(30_000);
        let kept: usize = talk(&[(Role::User, &over)]).iter().map(|turn| turn.text.chars().count()).sum();
        assert_eq!(kept, loci_model::limits::MESSAGE_CHARS_MAX);
    }

    #[test]
    fn data_and_blobs() {
        let json = Document::parse(r#"{"city":"Bern"}"#).unwrap();
        let event = event(1, vec![PayloadItem::Blob(json.clone()), PayloadItem::Json(json)]);
        assert_eq!(turns_of_message(&event, 0), []);
        let data = turns_of_message(&event, 1);
        assert_eq!((data[0].text.as_str(), data[0].indexed(), data[0].role), ("city: Bern", "Bern", None));
        assert_eq!(data[0].source.message, 1);
        assert_eq!(turns_of_message(&event, 2), []);
    }
}
