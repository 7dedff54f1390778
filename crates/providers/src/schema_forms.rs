//! Converts schemas to the forms of the vendors. The engine writes plain JSON Schema. OpenAI's
//! strict form requires every member and forbids others; Gemini uses an older form with its own
//! keywords.

use serde_json::{Map, Value, json};

/// Keywords that OpenAI's strict form does not support. Dropping them only makes the schema more
/// permissive.
const NOT_STRICT: &[&str] = &[
    "$schema",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "default",
    "examples",
    "title",
];
/// Keywords that Gemini's schemas support, in addition to `type`, `properties` and `items`.
const GEMINI: &[&str] = &[
    "description",
    "enum",
    "format",
    "required",
    "nullable",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "propertyOrdering",
];

/// Converts a schema to OpenAI's strict form: optional members become required and nullable.
/// Returns `None` for an object with arbitrary members, which the form does not support.
pub(crate) fn strict(schema: &Value) -> Option<Value> {
    let Value::Object(members) = schema else { return Some(schema.clone()) };
    let mut out: Map<String, Value> = Map::new();
    for (name, value) in members.iter().filter(|(name, _)| !NOT_STRICT.contains(&name.as_str())) {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                strict_properties(properties, schema.get("required").and_then(Value::as_array))?
            }
            ("items", value) => strict(value)?,
            ("anyOf", Value::Array(forms)) => forms.iter().map(strict).collect::<Option<Vec<_>>>()?.into(),
            (_, value) => value.clone(),
        };
        out.insert(name.clone(), value);
    }
    if is_object(schema) {
        let properties = schema.get("properties").and_then(Value::as_object)?;
        if !matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false))) {
            return None;
        }
        out.insert("required".to_owned(), properties.keys().cloned().collect::<Vec<_>>().into());
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Some(out.into())
}

fn strict_properties(properties: &Map<String, Value>, required: Option<&Vec<Value>>) -> Option<Value> {
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let mut out = Map::new();
    for (name, property) in properties {
        let property = strict(property)?;
        out.insert(name.clone(), if is_required(name) { property } else { nullable(property) });
    }
    Some(out.into())
}

/// Returns a schema that also accepts null.
fn nullable(mut schema: Value) -> Value {
    let plain = schema.get("enum").is_none().then(|| schema.get("type").and_then(Value::as_str)).flatten();
    match plain.map(str::to_owned) {
        Some(plain) => {
            if let Some(members) = schema.as_object_mut() {
                members.insert("type".to_owned(), json!([plain, "null"]));
            }
            schema
        }
        None => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

fn is_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}

/// Converts an answer in strict form to that of the original schema, by removing null members.
pub(crate) fn without_nulls(answer: Value) -> Value {
    match answer {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect::<Vec<_>>().into(),
        other => other,
    }
}

/// Converts a schema to Gemini's form. Unsupported keywords are dropped, which only makes it more
/// permissive. Returns `None` for an object with arbitrary members, which the form does not
/// support.
pub(crate) fn gemini(schema: &Value) -> Option<Value> {
    let members = schema.as_object()?;
    let mut out = Map::new();
    let kinds: Vec<&str> = match members.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let kind = kinds.iter().find(|kind| **kind != "null")?;
    out.insert("type".to_owned(), kind.to_ascii_uppercase().into());
    if kinds.contains(&"null") {
        out.insert("nullable".to_owned(), true.into());
    }
    for (name, value) in members {
        match name.as_str() {
            "properties" => {
                let mut properties = Map::new();
                for (name, property) in value.as_object()? {
                    properties.insert(name.clone(), gemini(property)?);
                }
                out.insert(name.clone(), properties.into());
            }
            "items" => {
                out.insert(name.clone(), gemini(value)?);
            }
            known if GEMINI.contains(&known) => {
                out.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
    let has_members = out.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    (*kind != "object" || has_members).then(|| out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": false, "required": ["items"], "properties": {"items": {
            "type": "array", "maxItems": 64, "items": {"type": "object", "required": ["fact"], "properties": {
                "fact": {"type": "string", "minLength": 1, "description": "one sentence"},
                "sources": {"type": "array", "items": {"type": "integer"}},
                "kind": {"enum": ["a", "b"], "type": "string"}}}}}})
    }

    #[test]
    fn strict_form() {
        let item = json!({"type": "object", "required": ["fact", "sources", "kind"], "additionalProperties": false,
            "properties": {
                "fact": {"type": "string", "description": "one sentence"},
                "sources": {"type": ["array", "null"], "items": {"type": "integer"}},
                "kind": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]}}});
        let expect = json!({"type": "object", "additionalProperties": false, "required": ["items"],
            "properties": {"items": {"type": "array", "maxItems": 64, "items": item}}});
        assert_eq!(strict(&schema()), Some(expect));
        for free in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}}),
        ] {
            assert_eq!(strict(&free), None, "{free}");
        }
        let answer = json!({"items": [{"fact": "x", "sources": null, "kind": "a"}, null]});
        assert_eq!(without_nulls(answer), json!({"items": [{"fact": "x", "kind": "a"}, null]}));
    }

    #[test]
    fn gemini_form() {
        let item = json!({"type": "OBJECT", "required": ["fact"], "properties": {
            "fact": {"type": "STRING", "description": "one sentence"},
            "sources": {"type": "ARRAY", "items": {"type": "INTEGER"}},
            "kind": {"enum": ["a", "b"], "type": "STRING"}}});
        let expect = json!({"type": "OBJECT", "required": ["items"],
            "properties": {"items": {"type": "ARRAY", "maxItems": 64, "items": item}}});
        assert_eq!(gemini(&schema()), Some(expect));
        assert_eq!(
            gemini(&json!({"type": ["string", "null"]})),
            Some(json!({"type": "STRING", "nullable": true}))
        );
        assert_eq!(gemini(&json!({"type": "object"})), None);
        assert_eq!(gemini(&json!({"anyOf": []})), None);
    }
}
