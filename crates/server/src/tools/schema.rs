//! The building blocks of tool schemas, and the listed form of a schema. They are the parts of JSON
//! Schema 2020-12 that every client understands, and [`super::check`] checks exactly these.

use serde_json::{Map, Value, json};

/// Marks a member that is listed in short: only its type, the type of its items, and its
/// description.
const BRIEF: &str = "$brief";
/// The rule of a pattern in words; not listed.
pub(super) const HINT: &str = "$hint";
/// Marks arguments that the tool checks itself.
pub(super) const BY_TOOL: &str = "$by_tool";
/// The member of a result that is its text for a model.
pub(super) const TEXT: &str = "$text";
/// Keywords that are checked but not listed.
const UNLISTED: [&str; 8] =
    ["pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "format"];

/// Returns a closed object: its members, and the required ones.
pub(super) fn closed<'a>(members: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let mut object = open(members, required);
    if let Some(object) = object.as_object_mut() {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    object
}

/// Returns an object that may gain members, for a result.
pub(super) fn open<'a>(members: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let properties: Map<_, _> = members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if let (false, Some(object)) = (required.is_empty(), object.as_object_mut()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

/// Returns a text with a minimum and a maximum number of characters.
pub(super) fn text(min: u32, max: u32) -> Value {
    if min == 0 {
        return json!({ "type": "string", "maxLength": max });
    }
    json!({ "type": "string", "minLength": min, "maxLength": max })
}

/// Returns any text, for a result.
pub(super) fn word() -> Value {
    json!({ "type": "string" })
}

/// Returns a time in RFC 3339.
pub(super) fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// Returns an id.
pub(super) fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

/// Returns a text with a pattern that both ECMAScript and RE2 accept.
pub(super) fn pattern(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

/// Returns the schema with its pattern's rule in words.
pub(super) fn hinted(schema: Value, hint: &str) -> Value {
    with(schema, HINT, Value::from(hint))
}

/// Returns one of a closed set of words.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Returns one of a closed list of the model.
pub(super) fn word_of<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Value {
    one_of(&all.iter().map(|one| word(*one)).collect::<Vec<_>>())
}

/// Returns a whole number.
pub(super) fn whole(min: i64, max: i64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

/// Returns a non-negative whole number, for a result.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Returns any number.
pub(super) fn number() -> Value {
    json!({ "type": "number" })
}

/// Returns a boolean.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// Returns a list with a minimum and a maximum number of items.
pub(super) fn list(items: Value, min: u32, max: u32) -> Value {
    if min == 0 {
        return json!({ "type": "array", "items": items, "maxItems": max });
    }
    json!({ "type": "array", "items": items, "minItems": min, "maxItems": max })
}

/// Returns any list, for a result.
pub(super) fn array(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// Returns any object, for a result.
pub(super) fn anything() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// Returns the schema or null, for results only.
pub(super) fn or_null(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// Returns the schema with a description.
pub(super) fn said(schema: Value, description: &str) -> Value {
    with(schema, "description", Value::from(description))
}

/// Returns the schema with a default.
pub(super) fn default(schema: Value, value: impl Into<Value>) -> Value {
    with(schema, "default", value.into())
}

/// Returns the schema in short listed form.
pub(super) fn brief(schema: Value) -> Value {
    with(schema, BRIEF, Value::Bool(true))
}

/// Returns arguments that the tool checks itself, with error messages that its callers know.
pub(super) fn checked_by_tool(schema: Value) -> Value {
    with(schema, BY_TOOL, Value::Bool(true))
}

/// Returns a result that a model reads as the text of one of its members.
pub(super) fn read_as(member: &str, schema: Value) -> Value {
    with(schema, TEXT, Value::from(member))
}

fn with(mut schema: Value, name: &str, value: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert(name.to_owned(), value);
    }
    schema
}

/// Returns the listed form of a schema of arguments or of a result. It states that the root is
/// closed; nested objects are only checked.
pub(super) fn listed(schema: &Value) -> Value {
    let mut out = inner(schema);
    if let (Some(closed), Some(out)) = (schema.get("additionalProperties"), out.as_object_mut()) {
        out.insert("additionalProperties".to_owned(), closed.clone());
    }
    out
}

fn inner(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    if object.contains_key(BRIEF) {
        return in_short(object);
    }
    let mut out = Map::new();
    for (key, value) in object {
        let value = match key.as_str() {
            "properties" => members(value),
            "items" => inner(value),
            "anyOf" => match value {
                Value::Array(forms) => forms.iter().map(inner).collect(),
                other => other.clone(),
            },
            "additionalProperties" => continue,
            key if UNLISTED.contains(&key) || key.starts_with('$') => continue,
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    Value::Object(out)
}

fn members(properties: &Value) -> Value {
    let Some(properties) = properties.as_object() else { return properties.clone() };
    properties.iter().map(|(name, schema)| (name.clone(), inner(schema))).collect()
}

/// Returns the listed form of a result's schema. Its root has no required members, because errors
/// have another form and some clients (the TypeScript SDK before 2.0) validate them against this
/// schema.
pub(super) fn listed_result(schema: &Value) -> Value {
    let mut out = listed(schema);
    if let Some(out) = out.as_object_mut() {
        out.shift_remove("required");
    }
    out
}

/// Returns the type, the type of the items, and the description.
fn in_short(object: &Map<String, Value>) -> Value {
    let mut out = Map::new();
    for key in ["type", "description"] {
        if let Some(value) = object.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(kind) = object.get("items").and_then(|items| items.get("type")) {
        out.insert("items".to_owned(), json!({ "type": kind }));
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_leaves_limits_out_and_shortens_what_is_brief() {
        let claims = brief(said(list(closed([("kind", one_of(&["a"]))], &["kind"]), 0, 20), "Statements"));
        let full = closed(
            [("q", said(text(1, 9), "Why")), ("n", default(whole(1, 5), 3)), ("claims", claims)],
            &["q"],
        );
        let expect = json!({
            "type": "object",
            "properties": {
                "q": { "type": "string", "description": "Why" },
                "n": { "type": "integer", "default": 3 },
                "claims": { "type": "array", "description": "Statements", "items": { "type": "object" } },
            },
            "required": ["q"],
            "additionalProperties": false,
        });
        assert_eq!(listed(&full), expect);
    }
}
