//! Messages that agent frameworks store as JSON text: role and texts are extracted, for extraction
//! of records only. Known forms: an object with `message` (Strands), with `role` and `content` or
//! `blocks` (chat messages), with `type` and `content` or `data` or `kwargs` (LangChain), and lists
//! of these. Any other JSON is treated as ordinary text.

use loci_model::event::Role;
use serde_json::{Map, Value};

use super::data_lines::value_lines;

/// The text of one role in a framework message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The role, if the message states it.
    pub role: Option<Role>,
    /// The text.
    pub text: String,
}

/// Returns the pieces of a wrapped message in order; `None` if the text is not of a known form.
pub fn unwrap(text: &str) -> Option<Vec<Piece>> {
    let trimmed = text.trim();
    let framed = (trimmed.starts_with('{') && trimmed.ends_with('}'))
        || (trimmed.starts_with("[{") && trimmed.ends_with(']'));
    if !framed {
        return None;
    }
    let value: Value = loci_json::from_str(trimmed).ok()?;
    let mut pieces = Pieces::default();
    match &value {
        Value::Object(object) => pieces.message(object)?,
        Value::Array(items) => {
            for item in items {
                pieces.message(item.as_object()?)?;
            }
        }
        _ => return None,
    }
    Some(pieces.done)
}

#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
}

impl Pieces {
    /// Reads one message; `None` if the object is not of a known form.
    fn message(&mut self, object: &Map<String, Value>) -> Option<()> {
        if let Some(inner) = object.get("message").and_then(Value::as_object) {
            // Strands stores the replacement of a withdrawn message next to it.
            let inner = object.get("redact_message").and_then(Value::as_object).unwrap_or(inner);
            return self.message(inner);
        }
        let inner = ["kwargs", "data"].iter().find_map(|key| object.get(*key)?.as_object()).unwrap_or(object);
        let role = role_of(object, inner)?;
        let content = inner.get("content").or_else(|| inner.get("blocks"))?;
        match content {
            Value::String(text) => self.say(role, text),
            Value::Array(blocks) => blocks.iter().for_each(|block| self.block(role, block)),
            Value::Null => {}
            _ => return None,
        }
        for call in inner.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(call.get("function").unwrap_or(call));
        }
        Some(())
    }

    fn block(&mut self, role: Option<Role>, block: &Value) {
        if let Some(text) = block.as_str().or_else(|| block.get("text").and_then(Value::as_str)) {
            self.say(role, text);
            return;
        }
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(call) = block.get("toolUse").or((kind == "tool_use").then_some(block)) {
            self.call(call);
        } else if let Some(result) = block.get("toolResult").or((kind == "tool_result").then_some(block)) {
            self.result(result.get("content").unwrap_or(&Value::Null));
        }
    }

    /// Reads a tool's result: text, or data as lines.
    fn result(&mut self, content: &Value) {
        let blocks = match content {
            Value::Array(blocks) => blocks.as_slice(),
            single => std::slice::from_ref(single),
        };
        for block in blocks {
            let text = block.as_str().or_else(|| block.get("text").and_then(Value::as_str));
            match (text, block.get("json")) {
                (Some(text), _) => self.say(Some(Role::Tool), text),
                (None, Some(json)) => self.say(Some(Role::Tool), &value_lines(json)),
                (None, None) => {}
            }
        }
    }

    /// Reads a tool call: its name and its input.
    fn call(&mut self, call: &Value) {
        let Some(name) = call.get("name").and_then(Value::as_str) else { return };
        let given = call.get("input").or_else(|| call.get("args")).or_else(|| call.get("arguments"));
        let lines = match given {
            None => String::new(),
            Some(Value::String(text)) => {
                loci_json::from_str(text).map_or_else(|_| text.clone(), |value: Value| value_lines(&value))
            }
            Some(value) => value_lines(value),
        };
        let text = format!("call {name}: {}", lines.replace('\n', "; "));
        self.done.push(Piece { role: Some(Role::Tool), text });
    }

    /// Joins consecutive text blocks of one role into one piece.
    fn say(&mut self, role: Option<Role>, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.done.last_mut() {
            Some(last) if last.role == role && role != Some(Role::Tool) => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            _ => self.done.push(Piece { role, text: text.to_owned() }),
        }
    }
}

/// Returns the role of a message: `Some(None)` if the form is known and the role is not.
fn role_of(outer: &Map<String, Value>, inner: &Map<String, Value>) -> Option<Option<Role>> {
    let word =
        |object: &Map<String, Value>, key| object.get(key).and_then(Value::as_str).map(str::to_lowercase);
    if let Some(role) = word(inner, "role") {
        return Some(Some(role_named(&role).unwrap_or(Role::Other)));
    }
    if let Some(class) = outer.get("id").and_then(Value::as_array).and_then(|path| path.last()?.as_str()) {
        let stem = class.trim_end_matches("Chunk").strip_suffix("Message")?;
        return role_named(&stem.to_lowercase()).map(Some);
    }
    role_named(&word(outer, "type").or_else(|| word(inner, "type"))?).map(Some)
}

fn role_named(word: &str) -> Option<Role> {
    match word {
        "user" | "human" => Some(Role::User),
        "assistant" | "ai" | "model" => Some(Role::Assistant),
        "tool" | "function" => Some(Role::Tool),
        "system" | "developer" | "other" => Some(Role::Other),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&[(Option<Role>, &str)]>) {
        let found = unwrap(text);
        let found: Option<Vec<_>> = found
            .as_ref()
            .map(|pieces| pieces.iter().map(|piece| (piece.role, piece.text.as_str())).collect());
        assert_eq!(found.as_deref(), expect, "{text}");
    }

    #[test]
    fn known_forms() {
        let user = Some(Role::User);
        let assistant = Some(Role::Assistant);
        let tool = Some(Role::Tool);
        check(
            r#"{"message": {"role": "user", "content": [{"text": "I like sushi"}, {"text": "with tuna"}]}, "message_id": 0, "redact_message": null}"#,
            Some(&[(user, "I like sushi\nwith tuna")]),
        );
        check(
            r#"{"message": {"role": "user", "content": [{"text": "secret"}]}, "redact_message": {"role": "user", "content": [{"text": "withdrawn"}]}}"#,
            Some(&[(user, "withdrawn")]),
        );
        check(
            r#"{"role":"assistant","content":[{"text":"Let me see"},{"toolUse":{"toolUseId":"t","name":"weather","input":{"city":"Bern","days":2}}}]}"#,
            Some(&[(assistant, "Let me see"), (tool, "call weather: city: Bern; days: 2")]),
        );
        check(
            r#"{"role":"user","content":[{"toolResult":{"status":"success","content":[{"json":{"sky":"blue"}},{"text":"ok then"}]}}]}"#,
            Some(&[(tool, "sky: blue"), (tool, "ok then")]),
        );
        check(r#"{"role":"system","content":"Be kind"}"#, Some(&[(Some(Role::Other), "Be kind")]));
        check(
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}]}"#,
            Some(&[(tool, "call add: a: 1")]),
        );
        check(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"7 files"},{"type":"image","source":{}}]}"#,
            Some(&[(tool, "7 files")]),
        );
        check(r#"{"role":"user","blocks":[{"block_type":"text","text":"hello"}]}"#, Some(&[(user, "hello")]));
        check(r#"{"type":"human","data":{"content":"hi there"}}"#, Some(&[(user, "hi there")]));
        check(
            r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"fine"}}"#,
            Some(&[(assistant, "fine")]),
        );
        check(
            r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#,
            Some(&[(user, "a"), (assistant, "b")]),
        );
        check(r#"{"role":"user","content":[{"image":{"format":"png"}}]}"#, Some(&[]));
    }

    #[test]
    fn other_json_is_what_somebody_said() {
        for text in [
            "plain",
            r#"{"a": 1}"#,
            r#"{"type":"car","content":"red"}"#,
            r#"{"role":"user"}"#,
            r#"{"role":"user","content":{"a":1}}"#,
            r#"{"role":"user","content":"cut of"#,
            "{not json}",
            "[1, 2]",
            r#"[{"role":"user","content":"a"}, 2]"#,
            "",
        ] {
            check(text, None);
        }
    }
}
