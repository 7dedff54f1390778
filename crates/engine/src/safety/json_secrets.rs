//! Secrets in JSON: the texts of a value and the names of its members are masked, and no member is
//! lost.

use loci_model::{Document, Result};
use serde_json::{Map, Value};

use super::{RedactionMode, redact};

/// Returns a document without the secrets in its texts and in names of its members; the same bytes
/// where there are none.
///
/// # Errors
/// `Invalid` where values lie too deep in one another to be read.
pub(crate) fn redact_document(document: &Document, mode: RedactionMode) -> Result<Document> {
    let value = document.value()?;
    let clean = redact_all(value.clone(), mode);
    if clean == value { Ok(document.clone()) } else { Document::from_value(&clean) }
}

/// Returns the value without the secrets in its texts and in names of its members.
pub fn redact_all(value: Value, mode: RedactionMode) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text, mode).0),
        Value::Array(items) => items.into_iter().map(|item| redact_all(item, mode)).collect(),
        Value::Object(members) => {
            let mut clean = Map::new();
            for (name, value) in members {
                let name = free_name(&clean, redact(name, mode).0);
                clean.insert(name, redact_all(value, mode));
            }
            Value::Object(clean)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Returns the name, with a number where another member has it: names that differ may be the same
/// when their secrets are masked, and no member is lost. The number is that of the members, so that
/// names which were made to be in the way are in the way of one member each.
pub(crate) fn free_name(members: &Map<String, Value>, name: String) -> String {
    let (mut free, number) = (name, members.len() + 1);
    while members.contains_key(&free) {
        free = format!("{free} {number}");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_way_of_masked_names_is_in_the_way_of_one() {
        let mut members = Map::new();
        for (name, expect) in [
            ("key", "key"),
            ("key", "key 2"),
            // Made to be in the way of what comes.
            ("key 4", "key 4"),
            ("key", "key 4 4"),
            ("key", "key 5"),
        ] {
            let free = free_name(&members, name.to_owned());
            assert_eq!(free, expect);
            members.insert(free, Value::Null);
        }
    }
}
