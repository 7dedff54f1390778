//! The words of which schemas of tools are made, and the listed form of a schema. JSON Schema
//! 2020-12, of which these are the parts that every client understands; [`super::check`] knows the
//! same parts.

use serde_json::{Map, Value, json};

/// A member that is not listed in full: only that it is an object, or a list of them.
const BRIEF: &str = "$brief";
/// What a text of a pattern must be, in words; not listed.
pub(super) const HINT: &str = "$hint";
/// The tool itself says what is wrong with its arguments.
pub(super) const BY_TOOL: &str = "$by_tool";
/// The member of a result that is its text, where a model reads it.
pub(super) const TEXT: &str = "$text";
/// What is checked but not listed.
const UNLISTED: [&str; 8] =
    ["pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "format"];

/// A closed object: members, and which of them must be there.
pub(super) fn closed<'a>(members: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let mut object = open(members, required);
    if let Some(object) = object.as_object_mut() {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    object
}

/// An object that may gain members: a result.
pub(super) fn open<'a>(members: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let properties: Map<_, _> = members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if let (false, Some(object)) = (required.is_empty(), object.as_object_mut()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

/// A text of at least and at most so many characters.
pub(super) fn text(min: u32, max: u32) -> Value {
    if min == 0 {
        return json!({ "type": "string", "maxLength": max });
    }
    json!({ "type": "string", "minLength": min, "maxLength": max })
}

/// Any text: of a result.
pub(super) fn word() -> Value {
    json!({ "type": "string" })
}

/// A time: RFC 3339.
pub(super) fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// An id.
pub(super) fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

/// A text of a pattern that both ECMAScript and RE2 read.
pub(super) fn pattern(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

/// The same, with what it must be in words.
pub(super) fn hinted(schema: Value, hint: &str) -> Value {
    with(schema, HINT, Value::from(hint))
}

/// One of a closed set of words.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// A word of a closed list of the model.
pub(super) fn word_of<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Value {
    one_of(&all.iter().map(|one| word(*one)).collect::<Vec<_>>())
}

/// A whole number.
pub(super) fn whole(min: i64, max: i64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

/// A whole number of a result, not negative.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Any number.
pub(super) fn number() -> Value {
    json!({ "type": "number" })
}

/// True or false.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// A list of at least and at most so many.
pub(super) fn list(items: Value, min: u32, max: u32) -> Value {
    if min == 0 {
        return json!({ "type": "array", "items": items, "maxItems": max });
    }
    json!({ "type": "array", "items": items, "minItems": min, "maxItems": max })
}

/// Any list: of a result.
pub(super) fn array(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// Any object: of a result.
pub(super) fn anything() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// The form, or null: only for results.
pub(super) fn or_null(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// The same with a sentence.
pub(super) fn said(schema: Value, description: &str) -> Value {
    with(schema, "description", Value::from(description))
}

/// The same with what holds where it is absent.
pub(super) fn default(schema: Value, value: impl Into<Value>) -> Value {
    with(schema, "default", value.into())
}

/// The same, listed in short.
pub(super) fn brief(schema: Value) -> Value {
    with(schema, BRIEF, Value::Bool(true))
}

/// Arguments of which the tool itself says what is wrong, in words that its callers know.
pub(super) fn checked_by_tool(schema: Value) -> Value {
    with(schema, BY_TOOL, Value::Bool(true))
}

/// A result that a model reads as the text of one of its members.
pub(super) fn read_as(member: &str, schema: Value) -> Value {
    with(schema, TEXT, Value::from(member))
}

fn with(mut schema: Value, name: &str, value: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert(name.to_owned(), value);
    }
    schema
}

/// A schema as it is listed, of arguments or of a result. That its root is closed is said; of what is inside, it is checked.
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

/// A schema of a result as it is listed. At its root nothing is required: errors have a form of their own, and clients there
/// are (the TypeScript SDK before 2.0) hold them against the same schema.
pub(super) fn listed_result(schema: &Value) -> Value {
    let mut out = listed(schema);
    if let Some(out) = out.as_object_mut() {
        out.shift_remove("required");
    }
    out
}

/// Its type, the type of its items, and what is said of it.
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
