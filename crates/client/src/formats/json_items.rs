//! Objects of a JSON list, each with the line where it begins, so that an error in one affects only
//! that one.

use std::borrow::Cow;

use loci_json::without_mark;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::item::{FormatProblem, ImportItem, Mapping};
use super::{HALVES_OF_LETTERS, SourceFile};

/// An object of a list.
pub(super) struct JsonItem {
    /// The position of the object in the file, such as `line 7`.
    pub(super) place: String,
    /// The members of the object that no reader has taken yet.
    pub(super) members: Map<String, Value>,
}

/// Reads the list of each file, object by object. An error in one object affects only that one.
pub(super) fn read(
    files: &[SourceFile],
    under: &[&str],
    what: &'static str,
    of: impl Fn(JsonItem, &mut Mapping) -> Result<Option<ImportItem>, FormatProblem>,
) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        let text = &*repaired(&file.text, &mut mapping);
        let (items, others) = list(text, under)?;
        for other in others {
            mapping.skip(&other, "a member beside the list: it is of the answer, not of what was asked for");
        }
        for item in objects(text, &items) {
            match item.and_then(|item| of(item, &mut mapping)) {
                Ok(Some(item)) => mapping.take(what, item),
                // The callback has reported the reason.
                Ok(None) => {}
                Err(problem) => mapping.problems.push(problem),
            }
        }
    }
    Ok(mapping)
}

/// Returns JSON text in which lone surrogates became U+FFFD; the mapping reports it.
pub(super) fn repaired<'t>(text: &'t str, mapping: &mut Mapping) -> Cow<'t, str> {
    let repaired = loci_json::repaired_text(text);
    if matches!(repaired, Cow::Owned(_)) {
        mapping.loses(HALVES_OF_LETTERS);
    }
    repaired
}

/// Returns the list in a file, alone or under one of these members, and the names of the file's
/// other members.
fn list<'a>(text: &'a str, under: &[&str]) -> Result<(Vec<&'a RawValue>, Vec<String>), FormatProblem> {
    let broken = |error: &serde_json::Error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        FormatProblem::new(
            &place,
            "",
            "this is not the JSON that the format asks for",
            "export the file again",
        )
    };
    let text = without_mark(text);
    if text.trim_start().starts_with('[') {
        let items = serde_json::from_str(text).map_err(|error| broken(&error))?;
        return Ok((items, Vec::new()));
    }
    let members: std::collections::BTreeMap<String, &RawValue> =
        serde_json::from_str(text).map_err(|error| broken(&error))?;
    for name in under {
        if let Some(raw) = members.get(*name) {
            let items = serde_json::from_str(raw.get()).map_err(|_| {
                FormatProblem::new(&place(text, raw), name, "it must be a list", "export the file again")
            })?;
            return Ok((items, members.into_keys().filter(|other| other != name).collect()));
        }
    }
    let rule = format!("the file must be a list, or an object with a list {}", under.join(" or "));
    Err(FormatProblem::new("line 1", "", rule, "say another --format, or export the file again"))
}

/// Parses the objects of a list, each separately.
pub(super) fn objects(text: &str, items: &[&RawValue]) -> Vec<Result<JsonItem, FormatProblem>> {
    let text = without_mark(text);
    let (mut line, mut at) = (1, 0);
    let mut objects = Vec::with_capacity(items.len());
    for raw in items {
        // Each raw value is a slice of the text: its offset gives the line.
        let begins = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        line += newlines(text.get(at..begins).unwrap_or_default());
        at = begins.max(at);
        let place = format!("line {line}");
        objects.push(match serde_json::from_str(raw.get()) {
            Ok(members) => Ok(JsonItem { place, members }),
            Err(_) => {
                Err(FormatProblem::new(&place, "", "an item must be an object", "remove it, or correct it"))
            }
        });
    }
    objects
}

/// Takes a member out of the item. The others keep their order, if objects have one.
pub(super) fn taken(item: &mut JsonItem, field: &str) -> Option<Value> {
    let value = item.members.get_mut(field).map(Value::take)?;
    item.members.retain(|name, _| name != field);
    Some(value)
}

/// Takes a text member out of the item; null counts as absent.
pub(super) fn text(item: &mut JsonItem, field: &str) -> Result<Option<String>, FormatProblem> {
    match item.members.get(field) {
        None => Ok(None),
        Some(Value::String(_)) => match taken(item, field) {
            Some(Value::String(text)) => Ok(Some(text)),
            _ => Ok(None),
        },
        Some(Value::Null) => Ok(None),
        Some(_) => Err(FormatProblem::new(&item.place, field, "it must be a text", "put it in quotes")),
    }
}

/// Takes the text to remember out of the item: not blank, and short enough for a record.
pub(super) fn remembered(item: &mut JsonItem, field: &str) -> Result<String, FormatProblem> {
    let found = text(item, field)?.filter(|text| !text.trim().is_empty());
    let rule = "it must be there, and say something";
    let text = found
        .ok_or_else(|| FormatProblem::new(&item.place, field, rule, "remove the item, or fill it in"))?;
    if text.chars().count() > RECORD_CHARS_MAX {
        let rule = format!("it must have at most {RECORD_CHARS_MAX} characters");
        return Err(FormatProblem::new(&item.place, field, rule, "part it, or write it as a document"));
    }
    Ok(text)
}

/// The server's maximum of characters of a record's text.
const RECORD_CHARS_MAX: usize = 16_000;

fn place(text: &str, raw: &RawValue) -> String {
    let begins = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    format!("line {}", 1 + newlines(text.get(..begins).unwrap_or_default()))
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
