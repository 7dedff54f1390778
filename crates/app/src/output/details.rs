//! One object as lines for people: a name and a value on each, members of members indented.

use serde_json::Value;

/// The beginning of a further line of a text.
const CONTINUED: &str = "\n    | ";
/// Spaces before the members of a member.
const INDENT: usize = 2;

/// Returns the lines of an object; empty members are left out.
pub(super) fn lines(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    add(value, 0, &mut lines);
    lines
}

fn add(value: &Value, indent: usize, lines: &mut Vec<String>) {
    let Value::Object(members) = value else {
        lines.push(format!("{:indent$}{}", "", scalar(value)));
        return;
    };
    let width = members.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, member) in members.iter().filter(|(_, member)| !is_empty(member)) {
        match member {
            Value::Object(_) => {
                lines.push(format!("{:indent$}{name}:", ""));
                add(member, indent + INDENT, lines);
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                lines.push(format!("{:indent$}{name}:", ""));
                for item in items {
                    let at = lines.len();
                    add(item, indent + 2 * INDENT, lines);
                    if let Some(first) = lines.get_mut(at) {
                        let dash = format!("{:1$}- ", "", indent + INDENT);
                        *first = format!("{dash}{}", first.trim_start());
                    }
                }
            }
            _ => lines.push(format!(
                "{:indent$}{:width$}  {}",
                "",
                format!("{name}:"),
                scalar(member),
                width = width + 1
            )),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn scalar(value: &Value) -> String {
    match value {
        // Lines of a text stand behind its name, so that none looks like a member.
        Value::String(text) => text.trim_end().replace('\n', CONTINUED),
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_become_aligned_lines() {
        let value = json!({
            "empty": [], "id": "r1", "none": null, "origin": {"actor": "ann"}, "tags": ["a", "b"],
            "versions": [{"number": 1, "text": "x"}, {"number": 2}],
        });
        assert_eq!(
            lines(&value),
            [
                "id:        r1",
                "origin:",
                "  actor:  ann",
                "tags:      a, b",
                "versions:",
                "  - number:  1",
                "    text:    x",
                "  - number:  2",
            ]
        );
        assert_eq!(lines(&json!({})), Vec::<String>::new());
        assert_eq!(lines(&json!({"text": "a\nstate: rejected\n"})), ["text:  a\n    | state: rejected"]);
    }
}
