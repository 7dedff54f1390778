//! Converts a record of the wire format to an item, and a record of Loci to a part of a call.

use std::collections::BTreeMap;

use loci_api::record::{MetadataValue, Record, RecordCreate};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::item::{FormatProblem, ImportItem, ItemTarget, Mapping};
use super::super::mem0::REST;
use super::shapes::{WireContent, WireRecord, WireTime};
use super::strategies::{NONE, Strategies};
use super::{KIND, MARK, NAME, limits};

/// The prefix of metadata keys that the service sets itself.
const SYSTEM: &str = "x-amz-agentcore-memory-";
/// The local metadata keys that imports keep for a record.
const BOOKS: [&str; 5] = [REST, "import_format", "import_id", "import_digest", "import_content"];
/// The maximum of a record's metadata keys here, in addition to those of an import.
const KEYS_MAX: usize = 20 - BOOKS.len();

/// Converts a record of the wire format to an item.
pub(super) fn item(
    raw: &RawValue,
    below: &str,
    strategies: &Strategies,
    mapping: &mut Mapping,
) -> Result<ImportItem, FormatProblem> {
    let read: Result<WireRecord, _> = loci_json::from_str(raw.get());
    let record = read.map_err(|error| {
        let rule = format!("it is not read (column {})", error.column());
        FormatProblem::new("record", "", rule, "import with a newer Loci")
    })?;
    let place = format!("record {}", record.memory_record_id);
    let text = record.content.text;
    if text.trim().is_empty() || text.chars().count() > limits::RECORD_CHARS_MAX {
        let rule = format!("it must say something, in at most {} characters", limits::RECORD_CHARS_MAX);
        return Err(FormatProblem::new(&place, "content", rule, "export documents of a Loci as okf"));
    }
    let Some(own) = record.namespaces.first() else {
        return Err(FormatProblem::new(&place, "namespaces", "it lies nowhere", "give it a namespace there"));
    };
    let mut metadata = metadata_here(record.metadata, &place, mapping)?;
    let mut rest = Map::new();
    while metadata.len() > KEYS_MAX {
        let Some((key, value)) = metadata.pop_last() else { break };
        let kept = rest.entry("metadata").or_insert_with(|| json!({}));
        if let Some(kept) = kept.as_object_mut() {
            kept.insert(key, serde_json::to_value(value).unwrap_or_default());
        }
    }
    let there = record.memory_strategy_id.filter(|id| id != NONE);
    let strategy = there.as_deref().and_then(|id| strategies.here(id)).map(str::to_owned);
    let implied = strategies.kind_of_records(there.as_deref(), &text);
    if let Some(there) = there.filter(|_| strategy.is_none()) {
        mapping.loses(format!("records of {there} have no strategy here: import_rest keeps its id"));
        rest.insert("memoryStrategyId".to_owned(), there.into());
    }
    if let Some(created) = record.created_at.and_then(WireTime::to_rfc3339) {
        rest.insert("createdAt".to_owned(), created.into());
    }
    let said = metadata.remove(KIND);
    let kind = match said {
        Some(MetadataValue::String(kind)) => kind,
        Some(MetadataValue::StringList(_) | MetadataValue::Number(_)) | None => implied.to_owned(),
    };
    if !rest.is_empty() {
        metadata.insert(REST.to_owned(), MetadataValue::String(Value::Object(rest).to_string()));
    }
    let create = RecordCreate {
        namespace: joined(below, own),
        text,
        timestamp: record.timestamp.and_then(WireTime::to_rfc3339),
        strategy,
        metadata,
        kind: Some(kind),
        ..RecordCreate::default()
    };
    Ok(ImportItem { id: record.memory_record_id, place, becomes: ItemTarget::Record(create) })
}

/// Returns a namespace below another; below `/` it is unchanged.
fn joined(below: &str, own: &str) -> String {
    let below = below.trim_end_matches('/');
    if below.is_empty() { own.to_owned() } else { format!("{below}/{}", own.trim_start_matches('/')) }
}

fn metadata_here(
    said: BTreeMap<String, Value>,
    place: &str,
    mapping: &mut Mapping,
) -> Result<BTreeMap<String, MetadataValue>, FormatProblem> {
    let mut metadata = BTreeMap::new();
    for (key, value) in said {
        if key.starts_with(SYSTEM) || key == MARK {
            continue;
        }
        if BOOKS.contains(&key.as_str()) {
            mapping.loses(format!("the metadata {key} of records is the one of this import"));
            continue;
        }
        let one = value.as_object().and_then(|members| members.values().next()).cloned();
        let Some(read) = one.and_then(|value| MetadataValue::try_from(value).ok()) else {
            let rule = "a value must be a text, a list of texts or a number";
            return Err(FormatProblem::new(
                place,
                &format!("metadata.{key}"),
                rule,
                "import with a newer Loci",
            ));
        };
        metadata.insert(key, read);
    }
    Ok(metadata)
}

/// An item of `BatchCreateMemoryRecords` or `BatchUpdateMemoryRecords`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request_identifier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_record_id: Option<String>,
    pub(super) namespaces: Vec<String>,
    pub(super) content: WireContent,
    pub(super) timestamp: WireTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_strategy_id: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) metadata: BTreeMap<String, Value>,
}

/// Converts a record of Loci to an item of a call, without its mark. Parts that do not fit are
/// reported.
pub(super) fn call(
    record: &Record,
    strategies: &Strategies,
    mapping: &mut Mapping,
) -> Result<RecordCall, FormatProblem> {
    let place = format!("record {}", record.id);
    let remedy = "it stays here alone: export the memory as jsonl to keep it";
    if record.text.is_empty() || record.text.chars().count() > limits::RECORD_CHARS_MAX {
        let rule = format!("it must say something, in at most {} characters", limits::RECORD_CHARS_MAX);
        return Err(FormatProblem::new(&place, "text", rule, remedy));
    }
    let timestamp = WireTime::parse(&record.timestamp)
        .ok_or_else(|| FormatProblem::new(&place, "timestamp", "it must be a time of RFC 3339", remedy))?;
    let strategy = record.strategy.as_deref().and_then(|id| strategies.there(id)).map(str::to_owned);
    if let Some(id) = record.strategy.as_deref().filter(|_| strategy.is_none()) {
        let name = strategies.name_here(id).unwrap_or(id);
        mapping.loses(format!("records of {name} have no strategy there: it has none of that name and kind"));
    }
    let mut metadata = BTreeMap::new();
    if record.kind != strategies.kind_of_records(strategy.as_deref(), &record.text) {
        metadata.insert(KIND.to_owned(), json!({ "stringValue": record.kind }));
    }
    metadata_there(record, &mut metadata, mapping);
    what_stays(record, mapping);
    Ok(RecordCall {
        request_identifier: Some(record.id.clone()),
        memory_record_id: None,
        namespaces: vec![record.namespace.clone()],
        content: WireContent { text: record.text.clone() },
        timestamp,
        memory_strategy_id: strategy,
        metadata,
    })
}

fn metadata_there(record: &Record, there: &mut BTreeMap<String, Value>, mapping: &mut Mapping) {
    let ours =
        matches!(record.metadata.get("import_format"), Some(MetadataValue::String(name)) if name == NAME);
    let mut own = record.metadata.clone();
    if let (true, Some(MetadataValue::String(rest))) = (ours, record.metadata.get(REST)) {
        own.extend(kept(rest));
    }
    for (key, value) in own {
        if key == MARK || key == KIND {
            continue;
        }
        if BOOKS.contains(&key.as_str()) {
            if !ours {
                mapping.loses("metadata of imports from other formats (import_…) stays here");
            }
            continue;
        }
        let named = format!("metadata {key} of a record");
        // One key is reserved for the mark.
        if there.len() == limits::RECORD_KEYS_MAX - 1 {
            mapping.skip(&named, "a record may have 20 keys there, one of which says where it comes from");
            continue;
        }
        match value_there(&value).filter(|_| limits::is_key(&key)) {
            Some(value) => drop(there.insert(key, value)),
            None => mapping.skip(&named, "its characters, or how many, are not taken there"),
        }
    }
}

/// Returns the metadata that an import could not keep as keys.
fn kept(rest: &str) -> BTreeMap<String, MetadataValue> {
    let rest: Map<String, Value> = serde_json::from_str(rest).unwrap_or_default();
    let kept = rest.get("metadata").cloned().unwrap_or_default();
    serde_json::from_value(kept).unwrap_or_default()
}

fn value_there(value: &MetadataValue) -> Option<Value> {
    match value {
        MetadataValue::String(text)
            if !text.is_empty() && limits::is_value(text, limits::VALUE_CHARS_MAX) =>
        {
            Some(json!({ "stringValue": text }))
        }
        MetadataValue::StringList(list) => {
            let fits = |text: &String| !text.is_empty() && limits::is_value(text, limits::LIST_CHARS_MAX);
            let fit = (1..=limits::LIST_ITEMS_MAX).contains(&list.len()) && list.iter().all(fits);
            fit.then(|| json!({ "stringListValue": list }))
        }
        MetadataValue::Number(number) => Some(json!({ "numberValue": number })),
        MetadataValue::String(_) => None,
    }
}

/// Reports the parts of a record that the wire format cannot represent.
fn what_stays(record: &Record, mapping: &mut Mapping) {
    let parts = [
        (record.version > 1, "earlier versions"),
        (!record.provenance.sources.is_empty(), "the messages that records were made from"),
        (record.making.is_some(), "how the pipeline made records"),
        (!record.derived_from.is_empty(), "the records that others draw on"),
        (!record.supersedes.is_empty(), "the records whose place others took"),
        (record.valid_to.is_some(), "until when records hold"),
        (record.expires_at.is_some(), "when records vanish"),
        (
            record.tier.is_some() || record.findings.is_some(),
            "how far records are trusted, and what safety found",
        ),
        (record.title.is_some() || record.description.is_some(), "titles and descriptions"),
        (
            record.path.is_some() || record.scope.is_some() || record.subtype.is_some(),
            "paths, scopes, subtypes",
        ),
    ];
    for (_, part) in parts.iter().filter(|(is_there, _)| *is_there) {
        mapping.loses(format!("{part} stay here: the wire has no place for them"));
    }
}

/// Returns the contents of a mark: the item's key, and a digest of the written content.
pub(super) fn marked(record: &WireRecord) -> Option<(&str, &str)> {
    record.metadata.get(MARK)?.get("stringValue")?.as_str()?.split_once(':')
}
