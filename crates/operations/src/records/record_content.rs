//! Parses the content of a record from any author: JSON, a dictionary in Python notation, a summary
//! in XML, or plain text. Pure. A malformed text is an error, which the caller reports before it
//! continues.

use serde_json::{Map, Value, json};

use crate::input::python_literal;

/// Returns the content of a text as an object.
///
/// # Errors
/// The reason why it cannot be parsed.
pub(crate) fn content(text: &str) -> Result<Value, String> {
    let text = text.trim();
    match text.chars().next() {
        None => Err("it is empty".to_owned()),
        Some('{') => object(text),
        Some('[') => match json_or_literal(text)? {
            list @ Value::Array(_) => Ok(json!({ "items": list })),
            _ => Err("it begins like a list and is none".to_owned()),
        },
        Some('<') if text.starts_with("<summary") => Ok(summary(text)),
        Some(_) => Ok(json!({ "text": text })),
    }
}

fn object(text: &str) -> Result<Value, String> {
    match json_or_literal(text)? {
        object @ Value::Object(_) => Ok(object),
        _ => Err("it begins like an object and is none".to_owned()),
    }
}

fn json_or_literal(text: &str) -> Result<Value, String> {
    loci_json::from_str(text).or_else(|json| {
        python_literal::read(text).ok_or_else(|| format!("it is neither JSON ({json}) nor a Python literal"))
    })
}

/// Parses a summary by topics. It has no resolution status, regardless of its words.
fn summary(text: &str) -> Value {
    let mut topics = Vec::new();
    let mut rest = text;
    while let Some((_, from)) = rest.split_once("<topic") {
        let Some((head, body)) = from.split_once('>') else { break };
        let (said, after) = body.split_once("</topic>").unwrap_or((body, ""));
        topics.push(json!({ "name": attribute(head, "name"), "text": plain(said) }));
        rest = after;
    }
    if topics.is_empty() {
        let inner = text.split_once('>').map_or("", |(_, inner)| inner);
        topics.push(json!({ "name": null, "text": plain(inner.trim_end_matches("</summary>")) }));
    }
    let members =
        [("topics".to_owned(), Value::Array(topics)), ("resolution_status".to_owned(), Value::Null)];
    Value::Object(Map::from_iter(members))
}

fn attribute(head: &str, name: &str) -> Option<String> {
    let (_, from) = head.split_once(&format!("{name}="))?;
    let quote = from.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let value = from.strip_prefix(quote)?.split(quote).next()?;
    Some(plain(value))
}

/// Decodes the five XML entities.
fn plain(text: &str) -> String {
    let mut out = text.trim().to_owned();
    for (entity, sign) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")]
    {
        out = out.replace(entity, sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_wrote_it() {
        let check = |text: &str, expect: Value| assert_eq!(content(text).unwrap(), expect, "{text}");
        check(r#"{"a":1}"#, json!({"a": 1}));
        check(
            " {'service_name': 'api', 'ok': True, 'n': None}",
            json!({"service_name": "api", "ok": true, "n": null}),
        );
        check("api-server restarts at night", json!({"text": "api-server restarts at night"}));
        check("[1, 2]", json!({"items": [1, 2]}));
        let topics = r#"<summary><topic name="Root cause &amp; fix">All checks completed. <b>x</b> &lt; 2</topic>
            <topic name='Next'>resolved</topic></summary>"#;
        check(
            topics,
            json!({"resolution_status": null, "topics": [
                {"name": "Root cause & fix", "text": "All checks completed. <b>x</b> < 2"},
                {"name": "Next", "text": "resolved"}]}),
        );
        check(
            "<summary>completed</summary>",
            json!({"resolution_status": null, "topics": [{"name": null, "text": "completed"}]}),
        );
    }

    #[test]
    fn what_nobody_can_read() {
        for text in ["", "  ", "{broken", "{'a': }", "[1, 2", "{1: 2}"] {
            assert!(content(text).is_err(), "{text}");
        }
    }
}
