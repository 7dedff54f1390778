//! The data for the client of a self-managed strategy: an object with the messages, and a
//! notification with its location.
//!
//! Both wait in the outbox as one row, so that a handover is one write. The object is stored when
//! the row is sent, under the same key at every try.

use loci_model::event::{Event, PayloadItem};
use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::ports::objects::ObjectStoreResult;
use loci_model::{ActorId, Document, Error, Result, SessionId, Timestamp, limits};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::Engine;

/// The number of bytes of a delivery that are reserved for data other than messages.
const MARGIN_BYTES: usize = 64 * 1024;

/// The data that is sent to the client of a self-managed strategy.
pub(crate) struct HandoverData<'a> {
    /// The id of this sending, which AgentCore calls `jobId`.
    pub(crate) id: &'a str,
    pub(crate) account: &'a str,
    pub(crate) memory: &'a Memory,
    pub(crate) strategy: &'a Strategy,
    pub(crate) bucket: &'a str,
    pub(crate) actor: &'a ActorId,
    pub(crate) session: &'a SessionId,
    /// The new events, in order of arrival; never empty.
    pub(crate) events: &'a [Event],
    /// The events before the new ones, in order of arrival.
    pub(crate) before: &'a [Event],
    /// The number of messages of earlier events to include as history.
    pub(crate) history_messages: usize,
}

/// The row of the outbox.
#[derive(Serialize)]
struct OutboxRow<'a> {
    bucket: &'a str,
    key: String,
    notification: HandoverNotification<'a>,
    payload: Payload<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    request_id: &'a str,
    account_id: &'a str,
    memory_id: &'a str,
    actor_id: &'a str,
    session_id: &'a str,
    strategy_id: &'a str,
    /// The start time in seconds since the Unix epoch.
    starting_timestamp: f64,
    ending_timestamp: f64,
    current_context: Vec<Message<'a>>,
    historical_context: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// The fields of the notification other than the location of the object.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandoverNotification<'a> {
    job_id: &'a str,
    memory_id: &'a str,
    strategy_id: &'a str,
}

/// The parsed row.
#[derive(Deserialize)]
struct ParsedOutboxRow<'a> {
    bucket: String,
    key: String,
    #[serde(borrow)]
    notification: HandoverNotification<'a>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification<'a> {
    job_id: &'a str,
    s3_payload_location: &'a str,
    memory_id: &'a str,
    strategy_id: &'a str,
}

/// Returns the outbox row of a handover.
pub(crate) fn row(hand_over: &HandoverData<'_>) -> Result<Document> {
    let HandoverData { id, memory, strategy, actor, session, events, .. } = hand_over;
    let times = || events.iter().map(|event| event.time);
    let current: Vec<Message<'_>> = events.iter().flat_map(messages).collect();
    let said: usize = current.iter().map(Message::bytes).sum();
    let row = OutboxRow {
        bucket: hand_over.bucket,
        key: object_key(hand_over),
        notification: HandoverNotification {
            job_id: id,
            memory_id: memory.id.as_str(),
            strategy_id: strategy.id.as_str(),
        },
        payload: Payload {
            request_id: id,
            account_id: hand_over.account,
            memory_id: memory.id.as_str(),
            actor_id: actor.as_str(),
            session_id: session.as_str(),
            strategy_id: strategy.id.as_str(),
            starting_timestamp: seconds(times().min()),
            ending_timestamp: seconds(times().max()),
            current_context: current,
            historical_context: history(hand_over, said),
        },
    };
    let written = |error: serde_json::Error| Error::bug("a hand-over cannot be written").caused_by(error);
    Document::from_raw(&to_raw_value(&row).map_err(written)?)
}

/// Stores the object of a row, and returns the notification; `None` if the configuration does not
/// map the bucket.
pub(crate) async fn store(engine: &Engine, row: &Document) -> Result<Option<Document>> {
    let unreadable = |error: serde_json::Error| Error::bug("a hand-over cannot be read").caused_by(error);
    let waiting: ParsedOutboxRow<'_> = serde_json::from_str(row.as_str()).map_err(unreadable)?;
    let Some(objects) = &engine.objects else { return Ok(None) };
    let bytes = waiting.payload.get().as_bytes().to_vec();
    let location = match objects.put(&waiting.bucket, &waiting.key, bytes).await? {
        ObjectStoreResult::At(location) => location,
        ObjectStoreResult::NoMapping => return Ok(None),
    };
    let HandoverNotification { job_id, memory_id, strategy_id } = waiting.notification;
    let notification = Notification { job_id, s3_payload_location: &location, memory_id, strategy_id };
    let raw = to_raw_value(&notification).map_err(unreadable)?;
    Document::from_raw(&raw).map(Some)
}

/// Returns true for an event with a message that no earlier event of its run contains.
pub(crate) fn brings_anything(event: &Event) -> bool {
    messages(event).next().is_some()
}

/// Returns the bytes of an item that the strategies can read.
pub(crate) fn item_bytes(item: &PayloadItem) -> usize {
    match item {
        PayloadItem::Conversational { text, .. } => text.len(),
        PayloadItem::Json(document) => document.as_str().len(),
        PayloadItem::Blob(_) => 0,
    }
}

/// Returns the key of the object, the same at every try. Actors may contain slashes and colons.
fn object_key(hand_over: &HandoverData<'_>) -> String {
    let HandoverData { id, memory, strategy, actor, session, .. } = hand_over;
    let mut spelled = String::new();
    for byte in actor.as_str().bytes() {
        match byte {
            b'/' | b':' => spelled.push_str(&format!("%{byte:02X}")),
            // The other characters of an actor are valid in paths.
            _ => spelled.push(char::from(byte)),
        }
    }
    format!("memory/{}/strategy/{}/actor/{spelled}/session/{session}/{id}.json", memory.id, strategy.id)
}

fn seconds(time: Option<Timestamp>) -> f64 {
    // Milliseconds up to the year 9999 are exact in 53 bits.
    time.map_or(0.0, |time| time.millis() as f64 / 1000.0)
}

/// Returns the messages of an event, without those that an earlier event of its run contains.
fn messages(event: &Event) -> impl DoubleEndedIterator<Item = Message<'_>> {
    let items = event.payload.iter().enumerate();
    let fresh = items
        .filter(|(at, _)| !event.notes.repeated.iter().any(|repeated| usize::try_from(*repeated) == Ok(*at)));
    fresh.map(|(_, item)| match item {
        PayloadItem::Conversational { role, text } => Message::of(role.as_str(), Some(text)),
        PayloadItem::Json(document) => Message::of("OTHER", Some(document.as_str())),
        PayloadItem::Blob(_) => Message::of("OTHER", None),
    })
}

/// Returns the last messages before the new ones, oldest first, up to the requested number and the
/// available size.
fn history<'a>(hand_over: &HandoverData<'a>, said: usize) -> Vec<Message<'a>> {
    let mut room = limits::DELIVERY_BODY_BYTES_MAX.saturating_sub(MARGIN_BYTES).saturating_sub(said);
    let mut found = Vec::new();
    for message in hand_over.before.iter().rev().flat_map(|event| messages(event).rev()) {
        if found.len() == hand_over.history_messages {
            break;
        }
        let Some(left) = room.checked_sub(message.bytes()) else {
            tracing::warn!(memory = %hand_over.memory.id, "a hand-over has no room for its whole history");
            break;
        };
        room = left;
        found.push(message);
    }
    found.reverse();
    found
}

impl<'a> Message<'a> {
    fn of(role: &'static str, text: Option<&'a str>) -> Self {
        Self { role, content: Content { text } }
    }

    fn bytes(&self) -> usize {
        self.content.text.map_or(0, str::len)
    }
}
