//! Parses the YAML file that declares preferences. Pure. Features that let one line stand for
//! another are rejected: anchors, merges, tags, duplicate keys. Plain scalars follow YAML 1.2:
//! `yes` is a text, `true` is a boolean.

use loci_model::{Error, Result, limits};
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

const FIELD: &str = "text";
/// The maximum nesting depth.
const DEPTH_MAX: usize = 32;

/// Returns the users, each with preferences in the form in which they are saved.
///
/// # Errors
/// `Invalid` if the text is not YAML or has another structure, naming the member.
pub fn declared_users(text: &str) -> Result<Vec<(String, Vec<Value>)>> {
    if text.len() > limits::SRE_APPLY_BYTES_MAX {
        let rule = format!("text must have at most {} bytes", limits::SRE_APPLY_BYTES_MAX);
        return Err(Error::invalid(FIELD, rule));
    }
    users_of(yaml(text)?)
}

/// Like [`declared_users`], for a parsed value: `{users: {NAME: {preferences: [...]}}}`.
///
/// # Errors
/// `Invalid`, naming the member.
pub fn users_of(file: Value) -> Result<Vec<(String, Vec<Value>)>> {
    let users = only(file, "", "users")?;
    let Value::Object(users) = users else {
        return Err(Error::invalid("users", "users must be an object: each user's name with preferences"));
    };
    users
        .into_iter()
        .map(|(user, said)| match only(said, &format!("users.{user}"), "preferences")? {
            Value::Array(items) => Ok((user, items)),
            Value::Null => Ok((user, Vec::new())),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                let field = format!("users.{user}.preferences");
                let rule = format!("{field} must be a list of preferences");
                Err(Error::invalid(field, rule))
            }
        })
        .collect()
}

/// Returns the only member that an object may have.
fn only(value: Value, place: &str, name: &str) -> Result<Value> {
    let at = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    let Value::Object(mut members) = value else {
        return Err(Error::invalid(
            at(name),
            format!("{} is missing: the file is users, each with preferences", at(name)),
        ));
    };
    let found = members.remove(name);
    if let Some(other) = members.keys().next() {
        return Err(Error::invalid(
            at(other),
            format!("{} is no member of the file: it has {}", at(other), at(name)),
        ));
    }
    found.ok_or_else(|| Error::invalid(at(name), format!("{} is missing", at(name))))
}

/// A node under construction.
enum UnfinishedNode {
    List(Vec<Value>),
    /// A mapping, with the key whose value is being read.
    Table(Map<String, Value>, Option<String>),
}

fn yaml(text: &str) -> Result<Value> {
    let wrong =
        |what: &str| Error::invalid(FIELD, format!("the file is no YAML that can be applied: {what}"));
    let mut open: Vec<UnfinishedNode> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| wrong(&error.to_string()))?;
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                if anchor > 0 || tag.is_some() {
                    return Err(wrong("it has anchors or tags"));
                }
                Some(scalar(&text, style))
            }
            Event::SequenceStart(0, None) => {
                open.push(UnfinishedNode::List(Vec::new()));
                None
            }
            Event::MappingStart(0, None) => {
                open.push(UnfinishedNode::Table(Map::new(), None));
                None
            }
            Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                return Err(wrong("it has anchors, aliases or tags"));
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|one| match one {
                UnfinishedNode::List(items) => Value::Array(items),
                UnfinishedNode::Table(members, _) => Value::Object(members),
            }),
            Event::DocumentStart(_) if root.is_some() => return Err(wrong("it has several documents")),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => None,
        };
        if open.len() > DEPTH_MAX {
            return Err(wrong("it is nested too deeply"));
        }
        if let Some(value) = done {
            put(&mut open, &mut root, value).map_err(|what| wrong(&what))?;
        }
    }
    root.ok_or_else(|| wrong("it is empty"))
}

fn put(
    open: &mut [UnfinishedNode],
    root: &mut Option<Value>,
    value: Value,
) -> std::result::Result<(), String> {
    match open.last_mut() {
        None => *root = Some(value),
        Some(UnfinishedNode::List(items)) => items.push(value),
        Some(UnfinishedNode::Table(members, key)) => match key.take() {
            Some(name) => {
                members.insert(name, value);
            }
            None => {
                let name = match value {
                    Value::String(name) => name,
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    Value::Null | Value::Array(_) | Value::Object(_) => {
                        return Err("a key is no word".to_owned());
                    }
                };
                if name == "<<" || members.contains_key(&name) {
                    return Err(format!("{name} is there twice, or merges something"));
                }
                *key = Some(name);
            }
        },
    }
    Ok(())
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    let whole = text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok().map(Value::from);
    whole.or_else(|| Number::from_f64(text.parse().ok()?).map(Value::Number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_source_designs_file() {
        let text = "users:\n  Alice:\n    preferences:\n      - preference_type: escalation\n        preference_value: \
                    {primary_contact: ops.team@example.com, escalation_delay_minutes: 15}\n        context: team handbook\n  \
                    carol@example.com:\n    preferences: []\n  Dave:\n    preferences:\n";
        let item = json!({
            "preference_type": "escalation",
            "preference_value": {"primary_contact": "ops.team@example.com", "escalation_delay_minutes": 15},
            "context": "team handbook",
        });
        let none = Vec::new;
        let expect = [
            ("Alice".to_owned(), vec![item]),
            ("carol@example.com".to_owned(), none()),
            ("Dave".to_owned(), none()),
        ];
        assert_eq!(declared_users(text).unwrap(), expect);
    }

    #[test]
    fn words_and_numbers() {
        let check = |text: &str, expect: Value| assert_eq!(yaml(text).unwrap(), expect, "{text}");
        check(
            "[1, -2, +3, 1.5, true, False, null, ~, yes, '1', \"true\", 22:00, 1.2.3]",
            json!([1, -2, 3, 1.5, true, false, null, null, "yes", "1", "true", "22:00", "1.2.3"]),
        );
        check("a: |\n  one\n  two\n", json!({"a": "one\ntwo\n"}));
        check("15: a", json!({"15": "a"}));
    }

    #[test]
    fn what_is_no_such_file() {
        let check = |text: &str, field: &str| {
            assert_eq!(declared_users(text).unwrap_err().field.as_deref(), Some(field), "{text}");
        };
        check("", "text");
        check("a: [", "text");
        check("a: &x 1\nb: *x", "text");
        check("a: 1\na: 2", "text");
        check("users: !!map {}", "text");
        check("users: {}\n---\nusers: {}", "text");
        check(&format!("a: {}", "[".repeat(40)), "text");
        check("[]", "users");
        check("user: {}", "user");
        check("users: []", "users");
        check("users: {Alice: {}}", "users.Alice.preferences");
        check("users: {Alice: {preferences: {}}}", "users.Alice.preferences");
        check("users: {Alice: {preferences: [], more: 1}}", "users.Alice.more");
        check(&"a".repeat(loci_model::limits::SRE_APPLY_BYTES_MAX + 1), "text");
    }
}
