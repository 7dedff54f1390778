//! Secrets in JSON. The module masks the texts of a value and the names of its members, and keeps
//! every member.

use loci_model::json::tree::JsonTree;
use loci_model::{Document, Result};
use serde_json::{Map, Value};

use super::{RedactionMode, redact};

/// Returns a JSON document with the secrets in its texts and member names masked. If it has none,
/// the bytes stay the same.
///
/// # Errors
/// `Invalid` if values are nested too deeply to be read.
pub fn redact_document(document: &Document, mode: RedactionMode) -> Result<Document> {
    let tree = document.tree()?;
    let clean = redact_tree(tree.clone(), mode);
    if clean == tree { Ok(document.clone()) } else { Document::from_tree(&clean) }
}

/// Returns a JSON value with the secrets in its texts and member names masked. Members with the
/// same name all stay.
fn redact_tree(tree: JsonTree, mode: RedactionMode) -> JsonTree {
    match tree {
        JsonTree::Text(text) => JsonTree::Text(redact(text, mode).0),
        JsonTree::List(items) => {
            JsonTree::List(items.into_iter().map(|item| redact_tree(item, mode)).collect())
        }
        JsonTree::Object(members) => JsonTree::Object(redact_members(members, mode)),
        JsonTree::Null | JsonTree::Bool(_) | JsonTree::Number(_) => tree,
    }
}

fn redact_members(members: Vec<(String, JsonTree)>, mode: RedactionMode) -> Vec<(String, JsonTree)> {
    let clean_names: Vec<String> = members.iter().map(|(name, _)| redact(name.clone(), mode).0).collect();
    let kept = members.iter().zip(&clean_names).filter(|((name, _), clean)| name == *clean);
    let mut names: Map<String, Value> = kept.map(|((name, _), _)| (name.clone(), Value::Null)).collect();
    let mut redacted = Vec::with_capacity(members.len());
    for ((name, value), clean) in members.into_iter().zip(clean_names) {
        let name = if name == clean { name } else { free_name(&names, clean) };
        names.insert(name.clone(), Value::Null);
        redacted.push((name, redact_tree(value, mode)));
    }
    redacted
}

/// Returns a JSON value with the secrets in its texts and member names masked.
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

/// Returns the name, with a number appended if the object already has a member with that name.
/// Masking may make different names equal, and no member may be lost. The number is the count of
/// members, so a name can collide with at most one member.
pub fn free_name(members: &Map<String, Value>, name: String) -> String {
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
    fn members_of_one_name_lose_their_secrets() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let mask = "[REDACTED:aws_access_key]";
        let check = |before: String, after: String| {
            let document = Document::parse(&before).unwrap();
            let clean = redact_document(&document, RedactionMode::Mask).unwrap();
            assert_eq!(clean.as_str(), after, "{before}");
        };
        check(format!(r#"{{"a":"{key}","a":1.50}}"#), format!(r#"{{"a":"{mask}","a":1.50}}"#));
        check(format!(r#"{{"a":[{{"b":"{key}"}}],"a":1}}"#), format!(r#"{{"a":[{{"b":"{mask}"}}],"a":1}}"#));
        check(
            format!(r#"{{"{key}":1,"{key}":2,"{mask}":3}}"#),
            format!(r#"{{"{mask} 2":1,"{mask} 3":2,"{mask}":3}}"#),
        );
        let plain = r#"{"a": "b", "a": 1}"#.to_owned();
        check(plain.clone(), plain);
    }

    #[test]
    fn a_name_in_the_way_of_masked_names_is_in_the_way_of_one() {
        let mut members = Map::new();
        for (name, expect) in [
            ("key", "key"),
            ("key", "key 2"),
            // A name that collides with a later one.
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
