//! Conversion between records of the native API and entries.

use std::collections::BTreeMap;

use loci_api::record::{MetadataValue, Record, RecordCreate};
use loci_api::search::Hit;
use serde_json::{Number, Value};

use super::events::is_outside;
use crate::agent::entry::{Entry, Metadata, NewEntry, Trust};
use crate::agent::time_text::{instant_ms, instant_text};

/// The trust tiers of records from unverified sources.
const UNTRUSTED_TIERS: [&str; 2] = ["external", "flagged"];

pub(super) fn entry(store_name: &str, hit: Hit) -> Entry {
    let trust = trust(&hit.record);
    Entry {
        content: hit.record.text,
        store_name: store_name.to_owned(),
        also_in: Vec::new(),
        metadata: hit.record.metadata.into_iter().map(|(key, value)| (key, json(value))).collect(),
        score: Some(f64::from(hit.relevance)),
        created_at_ms: instant_ms(&hit.record.created_at),
        observed_at_ms: instant_ms(&hit.time).or_else(|| instant_ms(&hit.record.timestamp)),
        id: Some(hit.record.id),
        namespaces: vec![hit.record.namespace],
        trust,
    }
}

fn trust(record: &Record) -> Trust {
    let tier = record.tier.as_deref().is_some_and(|tier| UNTRUSTED_TIERS.contains(&tier));
    if tier || record.findings.is_some() || is_outside(record.provenance.role) {
        Trust::Untrusted
    } else {
        Trust::Trusted
    }
}

fn json(value: MetadataValue) -> Value {
    match value {
        MetadataValue::String(text) => Value::String(text),
        MetadataValue::StringList(texts) => texts.into_iter().map(Value::String).collect(),
        MetadataValue::Number(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
    }
}

pub(super) fn record(namespace: String, entry: &NewEntry) -> RecordCreate {
    RecordCreate {
        namespace,
        text: entry.content.clone(),
        timestamp: entry.observed_at_ms.and_then(instant_text),
        metadata: metadata(&entry.metadata),
        ..RecordCreate::default()
    }
}

/// Returns the metadata of an entry as that of a record. Values that records cannot represent
/// become JSON text.
fn metadata(values: &Metadata) -> BTreeMap<String, MetadataValue> {
    let read = |value: &Value| {
        MetadataValue::try_from(value.clone()).unwrap_or_else(|_| MetadataValue::String(value.to_string()))
    };
    values
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), read(value)))
        .collect()
}
