//! Checks that arguments have the form of a schema, as far as [`super::schema`] can express it. The
//! error names the first wrong member and its rule, never its value.

use loci_api::ErrorCode;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use regex::Regex;
use serde_json::{Map, Value};

use super::error::ToolError;
use super::schema::{BY_TOOL, HINT};

/// Regular expressions of schemas, each compiled once. There are few, because they come from this
/// crate.
static PATTERNS: Mutex<Option<HashMap<String, Regex>>> = Mutex::new(None);

/// Rejects arguments that do not have the schema's form.
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), ToolError> {
    if schema.get(BY_TOOL).is_some() {
        return Ok(());
    }
    at(schema, value, "")
}

fn at(schema: &Value, value: &Value, place: &str) -> Result<(), ToolError> {
    if let Some(forms) = schema.get("anyOf").and_then(Value::as_array) {
        let fits = forms.iter().any(|form| at(form, value, place).is_ok());
        return if fits { Ok(()) } else { Err(fault(place, "has none of the allowed forms")) };
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => object(schema, value, place),
        Some("array") => array(schema, value, place),
        Some("string") => string(schema, value, place),
        Some("integer") => integer(schema, value, place),
        Some("number") if value.is_number() => Ok(()),
        Some("number") => Err(fault(place, "must be a number")),
        Some("boolean") if value.is_boolean() => Ok(()),
        Some("boolean") => Err(fault(place, "must be true or false")),
        Some("null") if value.is_null() => Ok(()),
        Some("null") => Err(fault(place, "must be null")),
        Some(_) | None => Ok(()),
    }
}

fn object(schema: &Value, value: &Value, place: &str) -> Result<(), ToolError> {
    let Some(members) = value.as_object() else { return Err(fault(place, "must be an object")) };
    let nothing = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if let (true, Some(name)) = (is_closed, members.keys().find(|name| !known.contains_key(*name))) {
        let name: String = name.chars().take(64).collect();
        let names: Vec<_> = known.keys().map(String::as_str).collect();
        return Err(fault(&inside(place, &name), &format!("is not known: there are {}", names.join(", "))));
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        if !members.contains_key(name) {
            return Err(fault(&inside(place, name), &missing(known.get(name))));
        }
    }
    for (name, value) in members {
        if let Some(schema) = known.get(name) {
            let place = inside(place, name);
            if value.is_null() && schema.get("anyOf").is_none() {
                return Err(fault(&place, "must not be null: leave it out"));
            }
            at(schema, value, &place)?;
        }
    }
    Ok(())
}

/// Returns the expected form of a missing argument, as far as the schema describes it.
fn missing(schema: Option<&Value>) -> String {
    let said = |name: &str| schema.and_then(|schema| schema.get(name)).and_then(Value::as_str);
    match said(HINT).or_else(|| said("description")) {
        Some(hint) => format!("is missing: {hint}"),
        None => "is missing".to_owned(),
    }
}

fn array(schema: &Value, value: &Value, place: &str) -> Result<(), ToolError> {
    let Some(items) = value.as_array() else { return Err(fault(place, "must be a list")) };
    let (min, max) = (limit(schema, "minItems"), limit(schema, "maxItems"));
    if min.is_some_and(|min| (items.len() as u64) < min) {
        return Err(fault(place, &format!("must have at least {} items", min.unwrap_or(0))));
    }
    if max.is_some_and(|max| (items.len() as u64) > max) {
        return Err(fault(place, &format!("must have at most {} items", max.unwrap_or(0))));
    }
    let Some(schema) = schema.get("items") else { return Ok(()) };
    items.iter().enumerate().try_for_each(|(nth, item)| at(schema, item, &format!("{place}[{nth}]")))
}

fn string(schema: &Value, value: &Value, place: &str) -> Result<(), ToolError> {
    let Some(text) = value.as_str() else { return Err(fault(place, "must be a text")) };
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
        let rule = || format!("must be one of {}", words.join(", "));
        return if words.contains(&text) { Ok(()) } else { Err(fault(place, &rule())) };
    }
    let characters = || text.chars().count() as u64;
    if limit(schema, "minLength").is_some_and(|min| characters() < min) {
        return Err(match limit(schema, "minLength") {
            Some(1) | None => fault(place, "must not be empty"),
            Some(min) => fault(place, &format!("must have at least {min} characters")),
        });
    }
    if let Some(max) = limit(schema, "maxLength")
        && characters() > max
    {
        return Err(fault(place, &format!("must have at most {max} characters")));
    }
    match schema.get("pattern").and_then(Value::as_str) {
        Some(pattern) if !matches(pattern, text) => {
            let said = |name: &str| schema.get(name).and_then(Value::as_str);
            let hint = said(HINT).or_else(|| said("description"));
            Err(fault(place, &format!("must be {}", hint.unwrap_or("of the documented form"))))
        }
        Some(_) | None => Ok(()),
    }
}

fn integer(schema: &Value, value: &Value, place: &str) -> Result<(), ToolError> {
    let Some(number) = whole(value) else { return Err(fault(place, "must be a whole number")) };
    let bound = |name| schema.get(name).and_then(Value::as_i64);
    let (min, max) = (bound("minimum"), bound("maximum"));
    if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
        return Err(match (min, max) {
            (Some(min), Some(max)) => fault(place, &format!("must be from {min} to {max}")),
            (Some(min), None) => fault(place, &format!("must be at least {min}")),
            (None, Some(max)) => fault(place, &format!("must be at most {max}")),
            (None, None) => fault(place, "is out of bounds"),
        });
    }
    Ok(())
}

/// Returns a whole number, also if it is written `5.0`.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let exact = value.as_i64();
    exact.or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15)?;
        format!("{number:.0}").parse().ok()
    })
}

fn limit(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

/// Returns true for a match. An invalid pattern matches nothing; lint L6 compiles all of them.
fn matches(pattern: &str, text: &str) -> bool {
    compiled(pattern).is_some_and(|regex| regex.is_match(text))
}

/// Returns the compiled pattern of a schema. The lock is held for the lookup only, because the
/// matched text comes from a caller.
fn compiled(pattern: &str) -> Option<Regex> {
    let mut known = PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(regex) = known.get(pattern) {
        return Some(regex.clone());
    }
    let regex = Regex::new(pattern).ok()?;
    known.insert(pattern.to_owned(), regex.clone());
    Some(regex)
}

fn inside(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

fn fault(place: &str, rule: &str) -> ToolError {
    let place = if place.is_empty() { "arguments" } else { place };
    ToolError::new(ErrorCode::Invalid, format!("{place} {rule}")).on(place)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::schema::{closed, default, list, one_of, or_null, pattern, text, whole};
    use super::*;

    fn check(value: Value, expect: &str) {
        let citation =
            closed([("path", text(1, 9)), ("line", super::super::schema::whole(1, 10))], &["path"]);
        let schema = closed(
            [
                ("repo", pattern("^[a-z]+/[a-z]+$")),
                ("limit", default(whole(1, 200), 50)),
                ("verify", one_of(&["none", "fresh"])),
                ("citations", list(citation, 1, 2)),
                ("subject", or_null(text(2, 4))),
            ],
            &["repo"],
        );
        let said = super::check(&schema, &value).map_or_else(|error| error.message, |()| String::new());
        assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{value}: {said}");
    }

    #[test]
    fn patterns_are_matched_without_the_lock() {
        let regex = compiled("^[a-z]+/[a-z]+$").unwrap();
        let _others = PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(regex.is_match("a/b") && !regex.is_match("a"));
    }

    #[test]
    fn the_first_fault_is_named() {
        check(json!({ "repo": "a/b", "limit": 5, "verify": "none", "citations": [{ "path": "x" }] }), "");
        check(json!({ "repo": "a/b", "limit": 5.0, "subject": null }), "");
        check(json!([]), "arguments must be an object");
        check(json!({}), "repo is missing");
        let described = json!({ "required": ["a"], "properties": { "a": { "description": "one of those" } }, "type": "object" });
        let said = super::check(&described, &json!({})).unwrap_err().message;
        assert_eq!(said, "a is missing: one of those");
        check(json!({ "repo": null }), "repo must not be null");
        check(json!({ "repo": 5 }), "repo must be a text");
        check(json!({ "repo": "a" }), "repo must be of the documented form");
        check(json!({ "repo": "a/b", "repos": 1 }), "repos is not known: there are repo, limit");
        check(json!({ "repo": "a/b", "limit": 0 }), "limit must be from 1 to 200");
        check(json!({ "repo": "a/b", "limit": 1.5 }), "limit must be a whole number");
        check(json!({ "repo": "a/b", "limit": "5" }), "limit must be a whole number");
        check(json!({ "repo": "a/b", "verify": "NONE" }), "verify must be one of none, fresh");
        check(json!({ "repo": "a/b", "citations": [] }), "citations must have at least 1 items");
        check(json!({ "repo": "a/b", "citations": [{ "path": "" }] }), "citations[0].path must not be empty");
        check(
            json!({ "repo": "a/b", "citations": [{ "path": "p", "line": 11 }] }),
            "citations[0].line must be from",
        );
        check(
            json!({ "repo": "a/b", "citations": [{ "path": "p", "x": 1 }] }),
            "citations[0].x is not known",
        );
        check(json!({ "repo": "a/b", "subject": "a" }), "subject has none of the allowed forms");
    }
}
