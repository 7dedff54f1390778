//! The JSON list of the Strands test store: `id`, `content`, `createdAt`, `metadata`. Read only.

use std::collections::BTreeMap;

use loci_api::record::MetadataValue;
use serde_json::Value;

use super::item::{FormatProblem, ImportItem, ItemTarget, Mapping, record};
use super::json_items::{self, JsonItem};
use super::{SourceFile, mem0, times};

pub(super) fn read(files: &[SourceFile], namespace: &str, _: i64) -> Result<Mapping, FormatProblem> {
    json_items::read(files, &[], "entry", |item, mapping| entry(item, namespace, mapping).map(Some))
}

fn entry(mut item: JsonItem, namespace: &str, mapping: &mut Mapping) -> Result<ImportItem, FormatProblem> {
    let text = json_items::remembered(&mut item, "content")?;
    let id = json_items::text(&mut item, "id")?.unwrap_or_default();
    let said = item.members.get("createdAt").and_then(Value::as_str);
    let timestamp = said.and_then(|time| times::time(time, mapping));
    let mut metadata = BTreeMap::new();
    if !item.members.is_empty() {
        let rest = Value::Object(item.members).to_string();
        metadata.insert(mem0::REST.to_owned(), MetadataValue::String(rest));
    }
    let record = record(namespace, text, timestamp, metadata);
    Ok(ImportItem { id, place: item.place, becomes: ItemTarget::Record(record) })
}
