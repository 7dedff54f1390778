//! Fixed contents: a minimal picture and sound, texts, schemas. The suite checks the form, not the
//! content.

use serde_json::{Map, Value, json};

/// A picture of one pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of zero length.
pub(super) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Returns a tool result with this content.
pub(super) fn result(content: Value) -> Map<String, Value> {
    Map::from_iter([("content".to_owned(), content)])
}

/// Returns a tool result with one text.
pub(super) fn text(text: impl Into<String>) -> Map<String, Value> {
    result(json!([{ "type": "text", "text": text.into() }]))
}

/// Returns a picture as content.
pub(super) fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

/// Returns the result of a failed tool.
pub(super) fn failure(message: &str) -> Map<String, Value> {
    let mut result = text(message);
    result.insert("isError".to_owned(), Value::Bool(true));
    result
}

/// Returns a form with the five ways to request one of several words.
pub(super) fn enums() -> Value {
    let words = json!(["option1", "option2", "option3"]);
    let titled = |label: &str| {
        ["First", "Second", "Third"]
            .iter()
            .enumerate()
            .map(|(nth, word)| json!({ "const": format!("value{}", nth + 1), "title": format!("{word} {label}") }))
            .collect::<Vec<_>>()
    };
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": words },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": words } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
        "required": [],
    })
}

/// Returns a form with a value for every simple type.
pub(super) fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

/// Returns a form with one text.
pub(super) fn one(name: &str, kind: &str) -> Value {
    let mut properties = Map::new();
    properties.insert(name.to_owned(), json!({ "type": kind }));
    json!({ "type": "object", "properties": properties, "required": [name] })
}

/// Returns a schema with parts of JSON Schema 2020-12 that a server must pass on unchanged.
pub(super) fn wide() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
