//! Record streams: events about changes of records, for subscribers of a memory. The write that
//! changes a record stores its event as an outgoing delivery; the deliverer sends it.
//!
//! Followers learn of changes that a plain read would show: a record that becomes active, a new
//! version of an active one, and one that stops being active. They learn nothing of records that
//! were held from the start.

use std::collections::BTreeMap;

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::record::metadata::{MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT};
use loci_model::{DeliveryId, Document, Error, RecordId, Result, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;

use crate::deliveries::{self, NewDelivery, OrderKey};
use crate::records::changes::{RecordStateChange, StreamedChange};

/// The name of the strategy in events about records without a strategy.
const NO_STRATEGY: &str = "none";
/// The maximum number of events about one record with the same kind and millisecond; usually
/// there is only one.
const SAME_TIME_MAX: u32 = 1_000;

/// The members of AgentCore's `StreamDeliveryResources` that Loci uses.
#[derive(Deserialize)]
struct Configured {
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    kinesis: Option<Kinesis>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kinesis {
    data_stream_arn: String,
    #[serde(default)]
    content_configurations: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    level: Option<String>,
}

/// The target of a memory's stream, and true if events include the text of records.
struct Stream {
    target: String,
    with_text: bool,
}

/// The outer JSON object of a stream event.
#[derive(Serialize)]
struct Envelope<'a> {
    #[serde(rename = "memoryStreamEvent")]
    event: &'a StreamEvent<'a>,
}

/// AgentCore's `memoryStreamEvent`; times are ISO 8601 in UTC.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StreamEvent<'a> {
    event_type: &'static str,
    event_time: String,
    memory_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_record_id: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    record: Option<RecordMembers<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_record_text: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordMembers<'a> {
    memory_strategy_id: &'a str,
    namespaces: [&'a str; 1],
    created_at: String,
    timestamp: String,
    metadata: BTreeMap<String, ValueMember>,
}

/// AgentCore's `RecordMetadataValue`.
#[derive(Serialize)]
enum ValueMember {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "stringListValue")]
    Texts(Vec<String>),
    #[serde(rename = "numberValue")]
    Number(f64),
    #[serde(rename = "dateTimeValue")]
    Time(String),
}

/// Returns the configured stream of a memory; `None` if it has no stream.
fn stream_of(memory: &Memory) -> Option<Stream> {
    let configured = memory.stream.as_ref()?;
    let read: Configured = match serde_json::from_str(configured.as_str()) {
        Ok(read) => read,
        // The API rejects such a configuration; a record is not rejected because of it.
        Err(error) => {
            tracing::error!(memory = %memory.id, %error, "the stream of a memory cannot be read: nobody is told");
            return None;
        }
    };
    let kinesis = read.resources.into_iter().find_map(|resource| resource.kinesis)?;
    let level = kinesis.content_configurations.into_iter().find_map(|content| content.level);
    Some(Stream { target: kinesis.data_stream_arn, with_text: level.as_deref() == Some("FULL_CONTENT") })
}

/// Stores the stream event of a record's change as an outgoing delivery, if the memory has a
/// stream and its subscribers see the change.
pub(crate) fn enqueue(tx: &mut dyn Tx, memory: &Memory, change: &RecordStateChange<'_>) -> Result<()> {
    let Some(stream) = stream_of(memory) else { return Ok(()) };
    let Some(what) = StreamedChange::of(change.from, change.to) else { return Ok(()) };
    let record = change.record;
    let has_text = stream.with_text && what != StreamedChange::Deleted;
    let event = StreamEvent {
        event_type: event_type(what),
        event_time: change.at.to_rfc3339(),
        memory_id: memory.id.as_str(),
        memory_record_id: Some(record.id.as_str()),
        record: Some(members(record)),
        memory_record_text: has_text.then_some(record.text.as_str()),
    };
    put_of_record(tx, &stream, memory, &record.id, &event, change.at)
}

/// Stores an event that tells subscribers that the memory now has a stream, or another one than
/// `before`.
pub(crate) fn enabled(
    tx: &mut dyn Tx,
    before: Option<&Memory>,
    memory: &Memory,
    at: Timestamp,
) -> Result<()> {
    let Some(stream) = stream_of(memory) else { return Ok(()) };
    if before.and_then(stream_of).is_some_and(|old| old.target == stream.target) {
        return Ok(());
    }
    let event = StreamEvent {
        event_type: "StreamingEnabled",
        event_time: at.to_rfc3339(),
        memory_id: memory.id.as_str(),
        memory_record_id: None,
        record: None,
        memory_record_text: None,
    };
    let key = OrderKey::Memory(&memory.id);
    put(tx, &stream, memory, key, &format!("se-{}-{}", memory.id, at.millis()), &event, at)
}

/// Removes the waiting events of erased records, and stores events that tell subscribers only the
/// ids of the deleted records. If `always` is false, only records with waiting events are
/// reported.
pub fn erased(
    tx: &mut dyn Tx,
    memory: &Memory,
    records: &[RecordId],
    always: bool,
    at: Timestamp,
) -> Result<()> {
    let stream = stream_of(memory);
    for id in records {
        let untold = tx.deliveries_mut().drop_key(&memory.id, &OrderKey::Record(id).to_string())?;
        let Some(stream) = stream.as_ref().filter(|_| always || untold > 0) else { continue };
        let event = StreamEvent {
            event_type: "MemoryRecordDeleted",
            event_time: at.to_rfc3339(),
            memory_id: memory.id.as_str(),
            memory_record_id: Some(id.as_str()),
            record: None,
            memory_record_text: None,
        };
        put_of_record(tx, stream, memory, id, &event, at)?;
    }
    Ok(())
}

/// Returns the AgentCore name of the event for a change.
fn event_type(what: StreamedChange) -> &'static str {
    match what {
        StreamedChange::Created => "MemoryRecordCreated",
        StreamedChange::Updated => "MemoryRecordUpdated",
        StreamedChange::Deleted => "MemoryRecordDeleted",
    }
}

fn members(record: &Record) -> RecordMembers<'_> {
    let system = [SYSTEM_CREATED_AT, SYSTEM_UPDATED_AT, SYSTEM_RECORD_TYPE];
    let keys = record.metadata.keys().map(String::as_str).chain(system);
    let value = |key: &str| record.metadata_value(key).map(|value| (key.to_owned(), shown(value)));
    RecordMembers {
        memory_strategy_id: record.strategy.as_ref().map_or(NO_STRATEGY, |strategy| strategy.as_str()),
        namespaces: [record.namespace.as_str()],
        created_at: record.created_at.to_rfc3339(),
        timestamp: record.timestamp.to_rfc3339(),
        metadata: keys.filter_map(value).collect(),
    }
}

fn shown(value: MetadataValue) -> ValueMember {
    match value {
        MetadataValue::String(text) => ValueMember::Text(text),
        MetadataValue::StringList(list) => ValueMember::Texts(list),
        MetadataValue::Number(number) => ValueMember::Number(number),
        MetadataValue::DateTime(time) => ValueMember::Time(time.to_rfc3339()),
    }
}

fn put_of_record(
    tx: &mut dyn Tx,
    stream: &Stream,
    memory: &Memory,
    record: &RecordId,
    event: &StreamEvent<'_>,
    at: Timestamp,
) -> Result<()> {
    let name = format!("{}-{record}-{}", event.event_type, at.millis());
    put(tx, stream, memory, OrderKey::Record(record), &name, event, at)
}

/// Stores an event as an outgoing delivery under a unique id, so that the same change at another
/// time is another event.
fn put(
    tx: &mut dyn Tx,
    stream: &Stream,
    memory: &Memory,
    key: OrderKey<'_>,
    name: &str,
    event: &StreamEvent<'_>,
    at: Timestamp,
) -> Result<()> {
    let written =
        |error: serde_json::Error| Error::bug("an event of a stream cannot be written").caused_by(error);
    let body = Document::from_raw(&to_raw_value(&Envelope { event }).map_err(written)?)?;
    for number in 1..=SAME_TIME_MAX {
        let id = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let (id, target) = (DeliveryId::parse(id)?, stream.target.as_str());
        let new = NewDelivery { memory: &memory.id, id, target, key, body: body.clone(), at };
        if deliveries::put(tx, new)? {
            return Ok(());
        }
    }
    Err(Error::unavailable("too many changes of one record at one time"))
}
