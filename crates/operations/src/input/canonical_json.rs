//! Canonical JSON: sorted members, no white space. Equal values have equal texts, and thus equal
//! digests. Pure.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Returns the value with the members of all its objects sorted.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            let in_order =
                names.into_iter().filter_map(|name| Some((name.clone(), sorted(members.get(name)?))));
            Value::Object(in_order.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Returns the canonical text of a value.
pub(crate) fn text(value: &Value) -> String {
    sorted(value).to_string()
}

/// Returns the canonical text of an object.
pub(super) fn object_text(members: &Map<String, Value>) -> String {
    text(&Value::Object(members.clone()))
}

/// Returns a digest that identifies a value.
pub(crate) fn digest(value: &Value) -> String {
    hex::encode(Sha256::digest(text(value)))
}

/// Returns the searchable text of a value: names and values without JSON punctuation.
pub(crate) fn values_text(value: &Value) -> String {
    let mut out = Vec::new();
    collect(value, &mut out);
    out.join(" ")
}

fn collect(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                // The name of a member describes its value, and is searched too.
                out.push(name.replace('_', " "));
                collect(value, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        Value::String(text) => out.push(text.clone()),
        Value::Number(number) => out.push(number.to_string()),
        Value::Bool(truth) => out.push(truth.to_string()),
        Value::Null => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let one = json!({"b": {"d": 1, "c": [2, 1]}, "a": null});
        assert_eq!(text(&one), r#"{"a":null,"b":{"c":[2,1],"d":1}}"#);
        assert_eq!(digest(&one), digest(&json!({"a": null, "b": {"c": [2, 1], "d": 1}})));
        assert_ne!(digest(&one), digest(&json!({"a": null, "b": {"c": [1, 2], "d": 1}})));
        assert_eq!(
            values_text(&json!({"memory_usage": "400-500Mi", "n": [1, true]})),
            "memory usage 400-500Mi n 1 true"
        );
    }
}
