//! Lints over the listing of every profile, and its size budgets, which official tools do not
//! check.

use serde_json::{Value, json};

use super::profile::Profile;
use super::table::Table;
use super::tool::Tool;

/// Returns every defined tool, listed or not.
fn tools(table: &Table) -> impl Iterator<Item = &Tool> {
    table.all().iter()
}

/// Walks a schema; `place` is a path of keys.
fn walk(schema: &Value, place: &str, visit: &mut impl FnMut(&str, &serde_json::Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            visit(place, object);
            object.iter().for_each(|(key, value)| walk(value, &format!("{place}/{key}"), visit));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(nth, value)| walk(value, &format!("{place}/{nth}"), visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.len() <= 24
        && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_')
}

#[test]
fn l1_names() {
    let table = Table::shipped();
    let mut flat: Vec<_> = tools(&table).map(|tool| tool.name.replace('_', "")).collect();
    for tool in tools(&table) {
        assert!(is_name(tool.name), "{}", tool.name);
        if let Some(dotted) = tool.dotted {
            assert_eq!(dotted.replace('.', "_"), tool.name);
        }
    }
    let count = flat.len();
    flat.sort();
    flat.dedup();
    assert_eq!(flat.len(), count, "two tools differ only by underscores");
    for (name, expect) in
        [("memory_store", true), ("memory.store", false), ("Memory", false), ("_a", false), ("", false)]
    {
        assert_eq!(is_name(name), expect, "{name}");
    }
}

#[test]
fn l2_l3_roots() {
    for tool in tools(&Table::shipped()) {
        let input = tool.listed_input();
        for word in ["oneOf", "anyOf", "allOf", "not"] {
            assert!(input.get(word).is_none(), "{}: {word} at the root", tool.name);
        }
        assert_eq!(input.get("type"), Some(&json!("object")), "{}", tool.name);
        assert_eq!(input.get("additionalProperties"), Some(&json!(false)), "{}", tool.name);
        let shown = tool.shown(false);
        assert_eq!(shown.pointer("/outputSchema/type"), Some(&json!("object")), "{}", tool.name);
    }
}

#[test]
fn l4_l5_members() {
    for tool in tools(&Table::shipped()) {
        let shown = tool.shown(false);
        for part in ["inputSchema", "outputSchema"] {
            let schema = shown.get(part).unwrap();
            walk(schema, "", &mut |place, object| {
                assert!(
                    !object.get("type").is_some_and(Value::is_array),
                    "{}{place}: several types",
                    tool.name
                );
                assert!(
                    object.get("$ref").is_none() && object.get("$defs").is_none(),
                    "{}{place}",
                    tool.name
                );
                if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                    for name in properties.keys() {
                        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
                        assert!(name.len() <= 64 && name.chars().all(fits), "{}{place}: {name}", tool.name);
                    }
                }
                let is_null = object.get("type") == Some(&json!("null"));
                assert!(!(is_null && part == "inputSchema"), "{}{place}: a nullable argument", tool.name);
            });
        }
    }
}

#[test]
fn l6_patterns_and_defaults() {
    for tool in tools(&Table::shipped()) {
        walk(&tool.input, "", &mut |place, object| {
            if let Some(pattern) = object.get("pattern").and_then(Value::as_str) {
                assert!(!pattern.contains("(?"), "{}{place}: not in RE2 and ECMA alike", tool.name);
                assert!(regex::Regex::new(pattern).is_ok(), "{}{place}", tool.name);
            }
            let text = object.get("description").and_then(Value::as_str).unwrap_or_default();
            let names_one = text.to_lowercase().contains("default ") && !text.starts_with("Omit");
            let has_one = object.contains_key("default") || text.contains("store");
            assert!(!names_one || has_one, "{}{place}: {text}", tool.name);
        });
    }
}

#[test]
fn l7_descriptions_and_annotations() {
    for tool in tools(&Table::shipped()) {
        let length = tool.description.chars().count();
        assert!((1..=200).contains(&length), "{}: {length} characters", tool.name);
        let shown = tool.shown(false);
        for member in ["title", "annotations", "outputSchema"] {
            assert!(shown.get(member).is_some(), "{}: no {member}", tool.name);
        }
        walk(&shown, "", &mut |place, object| {
            for value in object.get("enum").and_then(Value::as_array).into_iter().flatten() {
                assert!(value.is_string(), "{}{place}: {value}", tool.name);
            }
        });
    }
}

/// Returns the bytes of a listing: those of name, description and input schema, and those of
/// everything.
fn sizes(table: &Table, profile: Profile) -> (usize, usize) {
    let listed = table.all().iter().filter(|tool| tool.profiles.contains(&profile));
    listed.fold((0, 0), |(core, whole), tool| {
        let part =
            json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.listed_input() });
        (core + part.to_string().len(), whole + tool.shown(false).to_string().len())
    })
}

#[test]
fn l9_budgets() {
    let table = Table::shipped();
    for (profile, core_max, whole_max) in [
        (Profile::Core, 6 * 1024, 16 * 1024),
        (Profile::Verified, 14 * 1024, 32 * 1024),
        (Profile::Recall, 14 * 1024, 32 * 1024),
        (Profile::Coding, 14 * 1024, 32 * 1024),
        (Profile::Files, 6 * 1024, 16 * 1024),
        (Profile::Sre, 6 * 1024, 16 * 1024),
        (Profile::Full, 32 * 1024, 56 * 1024),
    ] {
        let (core, whole) = sizes(&table, profile);
        println!("{}: {core} bytes of {core_max}, with results {whole} of {whole_max}", profile.as_str());
        assert!(core <= core_max && whole <= whole_max, "{}: {core}, {whole}", profile.as_str());
    }
    assert!(table.all().iter().filter(|tool| tool.profiles.contains(&Profile::Core)).count() <= 8);
}

#[test]
fn l10_the_same_bytes_twice() {
    let bytes = || {
        let table = Table::shipped();
        table.all().iter().map(|tool| tool.shown(false).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(bytes(), bytes());
}
