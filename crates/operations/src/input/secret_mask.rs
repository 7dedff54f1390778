//! Masks secrets in JSON value by value, so that the stored text remains valid JSON.
//! [`loci_engine::safety`] detects the secrets. A value is checked together with the name of its
//! member, which indicates its meaning.

use loci_engine::safety::{RedactionMode, SecretKind, json_secrets, redact, secrets};
use serde_json::{Map, Value};

/// The members that name the value in a pair of name and value.
const NAMES: &[&str] = &["name", "key"];
const VALUE: &str = "value";

/// Masks secrets in the texts of a value. Returns the kinds of secrets found.
pub(crate) fn mask(value: &mut Value, mode: RedactionMode) -> Vec<SecretKind> {
    let mut kinds = Vec::new();
    walk(value, None, mode, &mut kinds);
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Returns the name in a pair of name and value, as environment variables are listed.
fn named(members: &Map<String, Value>) -> Option<String> {
    let name = NAMES.iter().find_map(|name| members.get(*name)?.as_str())?;
    members.contains_key(VALUE).then(|| name.to_owned())
}

fn walk(value: &mut Value, name: Option<&str>, mode: RedactionMode, kinds: &mut Vec<SecretKind>) {
    match value {
        Value::Object(members) => {
            let told = named(members);
            let mut clean = Map::new();
            for (name, mut value) in std::mem::take(members) {
                let about = if name == VALUE { told.as_deref().unwrap_or(&name) } else { &name };
                walk(&mut value, Some(about), mode, kinds);
                let (name, found) = redact(name, mode);
                kinds.extend(found);
                clean.insert(json_secrets::free_name(&clean, name), value);
            }
            *members = clean;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, name, mode, kinds)),
        Value::String(text) => {
            let (clean, found) = redact(std::mem::take(text), mode);
            kinds.extend(&found);
            *text = clean;
            if let Some(name) = name.filter(|_| found.is_empty()) {
                // Check the value with its name: `hunter2` alone does not look like a password.
                let (_, found) = redact(format!("{name} = \"{text}\""), mode);
                if !found.is_empty() {
                    secrets::MASK.clone_into(text);
                    kinds.extend(found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_masked_is_json_still() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let mut value = json!({
            "note": format!("the key is {key}"),
            "list": [format!("{key}"), "plain"],
            "plain": "restarts \"twice\" a day",
            format!("saw {key}"): 1,
            "env": [{"name": "DB_PASSWORD", "value": "kJ8vQ2zLw9-Xc5Rt1mN4"}, {"name": "MODE", "value": "fast"}],
        });
        let kinds = mask(&mut value, RedactionMode::Mask);
        assert!(!kinds.is_empty());
        assert!(!value.to_string().contains(&key), "{value}");
        assert_eq!(
            (&value["env"][0]["value"], &value["env"][1]["value"]),
            (&json!(loci_engine::safety::secrets::MASK), &json!("fast"))
        );
        assert_eq!(
            (&value["plain"], &value["list"][1]),
            (&json!("restarts \"twice\" a day"), &json!("plain"))
        );
        let mut left = json!({ "note": key });
        assert!(mask(&mut left, RedactionMode::Off).is_empty());
        assert_eq!(left["note"], json!(key));
    }
}
