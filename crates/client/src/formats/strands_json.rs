//! The list in JSON that the test store of Strands keeps: `id`, `content`, `createdAt`, `metadata`. Read only.

use std::collections::BTreeMap;

use loci_api::record::{MetadataValue, RecordCreate};
use serde_json::Value;

use super::item::{Becomes, FormatProblem, ImportItem, Mapping};
use super::json_items::{self, JsonItem};
use super::{SourceFile, mem0, times};

pub(super) fn read(files: &[SourceFile], namespace: &str) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        let (items, _) = json_items::list(&file.text, &[])?;
        for item in json_items::objects(&file.text, &items) {
            match item.and_then(|item| entry(item, namespace, &mut mapping)) {
                Ok(item) => mapping.take("entry", item),
                Err(problem) => mapping.problems.push(problem),
            }
        }
    }
    Ok(mapping)
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
    let record = RecordCreate {
        namespace: namespace.to_owned(),
        text,
        timestamp,
        strategy: None,
        metadata,
        kind: None,
        subtype: None,
        title: None,
        path: None,
        description: None,
        scope: None,
    };
    Ok(ImportItem { id, place: item.place, becomes: Becomes::Record(record) })
}
