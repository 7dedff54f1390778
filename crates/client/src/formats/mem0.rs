//! Memories of Mem0: the response of `get_all`, or a list of such objects, in both directions. Ids,
//! times and every member without a counterpart here are kept in the record's metadata, so that an
//! export restores the import.

use std::collections::BTreeMap;

use loci_api::record::{MetadataValue, Record};
use serde_json::{Map, Value, json};

use super::item::{FormatProblem, ImportItem, ItemTarget, Mapping, record};
use super::json_items::{self, JsonItem};
use super::{SourceFile, times};

/// The metadata key of source members without a counterpart, as JSON.
pub const REST: &str = "import_rest";
/// The metadata key of the record's id in its source.
pub const ID: &str = "import_id";
/// The member with the expiry of a memory.
const EXPIRES: &str = "expiration_date";
/// The members that name the owner of a memory: kept as searchable metadata.
const OWNERS: [&str; 4] = ["user_id", "agent_id", "app_id", "run_id"];

/// Reads a file.
///
/// # Errors
/// If the file as a whole is not in this format.
pub fn read(files: &[SourceFile], namespace: &str, now_ms: i64) -> Result<Mapping, FormatProblem> {
    json_items::read(files, &["results", "memories"], "memory", |item, mapping| {
        if is_expired(&item, now_ms, mapping)? {
            mapping.skip("memory", "its expiration_date is past: it was no longer valid in its source");
            return Ok(None);
        }
        memory(item, namespace, mapping).map(Some)
    })
}

/// True if a memory has expired in its source. A day is valid until its end.
fn is_expired(item: &JsonItem, now_ms: i64, mapping: &mut Mapping) -> Result<bool, FormatProblem> {
    let said = match item.members.get(EXPIRES) {
        None | Some(Value::Null) => return Ok(false),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(false),
        Some(said) => said.as_str().and_then(|text| times::end_ms(text.trim())),
    };
    let Some(end_ms) = said else {
        let rule = "it must be a date (2026-01-02) or a time in RFC 3339";
        return Err(FormatProblem::new(&item.place, EXPIRES, rule, "correct it, or remove it"));
    };
    if end_ms > now_ms {
        mapping.loses("expiration dates to come are kept in the metadata, and end nothing here");
    }
    Ok(end_ms <= now_ms)
}

fn memory(mut item: JsonItem, namespace: &str, mapping: &mut Mapping) -> Result<ImportItem, FormatProblem> {
    let text = json_items::remembered(&mut item, "memory")?;
    let id = json_items::text(&mut item, "id")?.unwrap_or_default();
    let said = item.members.get("created_at").and_then(Value::as_str);
    let timestamp = said.and_then(|time| times::time(time, mapping));
    let mut metadata = BTreeMap::new();
    for owner in OWNERS {
        if let Some(name) = json_items::text(&mut item, owner)? {
            metadata.insert(owner.to_owned(), MetadataValue::String(name));
        }
    }
    if !item.members.is_empty() {
        let rest = Value::Object(item.members).to_string();
        metadata.insert(REST.to_owned(), MetadataValue::String(rest));
    }
    let record = record(namespace, text, timestamp, metadata);
    Ok(ImportItem { id, place: item.place, becomes: ItemTarget::Record(record) })
}

/// Writes records, sorted by id, and returns their number. Equal records give equal bytes. A record
/// has the id of its source if no other record has it: two imports may have brought equal ids.
#[must_use]
pub fn write(records: &[Record]) -> (String, usize) {
    let by_id: BTreeMap<&str, &Record> = records.iter().map(|record| (record.id.as_str(), record)).collect();
    let mut claims: BTreeMap<&str, usize> = BTreeMap::new();
    for (own, record) in &by_id {
        *claims.entry(own).or_default() += 1;
        if let Some(id) = text(record, ID).filter(|id| id != own) {
            *claims.entry(id).or_default() += 1;
        }
    }
    let mut memories: BTreeMap<&str, Value> = BTreeMap::new();
    for (own, record) in &by_id {
        let id = text(record, ID).filter(|id| claims.get(id) == Some(&1)).unwrap_or(own);
        memories.insert(id, written(record, id));
    }
    let results: Vec<Value> = memories.into_values().collect();
    let count = results.len();
    let mut file = serde_json::to_string_pretty(&json!({ "results": results })).unwrap_or_default();
    file.push('\n');
    (file, count)
}

fn written(record: &Record, id: &str) -> Value {
    let mut members = Map::new();
    members.insert("id".to_owned(), id.into());
    members.insert("memory".to_owned(), record.text.as_str().into());
    for owner in OWNERS {
        if let Some(name) = text(record, owner) {
            members.insert(owner.to_owned(), name.into());
        }
    }
    let rest = text(record, REST).and_then(|rest| serde_json::from_str::<Map<String, Value>>(rest).ok());
    match rest {
        Some(rest) => {
            for (key, value) in rest {
                members.entry(key).or_insert(value);
            }
        }
        None if text(record, ID).is_none() => {
            members.insert("created_at".to_owned(), record.timestamp.as_str().into());
            members.insert("updated_at".to_owned(), record.updated_at.as_str().into());
            members.insert("metadata".to_owned(), own(record));
        }
        None => {}
    }
    Value::Object(members)
}

/// Returns the parts of a record of Loci's own, in addition to its text.
fn own(record: &Record) -> Value {
    let mut own = Map::new();
    own.insert("loci_namespace".to_owned(), record.namespace.as_str().into());
    own.insert("loci_kind".to_owned(), record.kind.as_str().into());
    for (key, value) in &record.metadata {
        if !OWNERS.contains(&key.as_str()) {
            own.insert(key.clone(), serde_json::to_value(value).unwrap_or_default());
        }
    }
    Value::Object(own)
}

fn text<'a>(record: &'a Record, key: &str) -> Option<&'a str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text),
        Some(MetadataValue::StringList(_) | MetadataValue::Number(_)) | None => None,
    }
}
