//! JSON-RPC 2.0 as the protocol uses it: a request, a notification or a response, parsed strictly
//! and written on one line.

use loci_model::json::reserved_names;
use loci_model::warning::Warning;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use super::fault::McpFault;

/// The member of a result with warnings about the parsing of the request: a list of codes.
const META_WARNINGS: &str = "loci/warnings";

/// The parameters of a request.
pub type Params = Map<String, Value>;

/// A message of JSON-RPC.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A request, which expects a response.
    Request {
        /// The id of the request: a text or a whole number.
        id: Value,
        /// The name of the method.
        method: String,
        /// The parameters of the method.
        params: Params,
    },
    /// A notification, which expects no response.
    Notification {
        /// The name of the method.
        method: String,
        /// The parameters of the method.
        params: Params,
    },
    /// A response to a request of this server.
    Response {
        /// The id of the request that the response answers.
        id: Value,
        /// The result, or the error.
        outcome: Result<Value, Value>,
    },
}

/// A message that cannot be parsed, with its id if that could be parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// The id of the message, if it could be parsed.
    pub id: Option<Value>,
    /// The reason for which the message cannot be parsed.
    pub fault: McpFault,
}

/// Parses the JSON of a message. The second value is true if lone surrogates in it became U+FFFD. A
/// text that is not JSON is rejected under its id, if the id comes before the error, because the
/// sender waits for a response with it.
pub fn value(text: &[u8]) -> Result<(Value, bool), Unread> {
    if let Some(value) = json(text) {
        return Ok((value, false));
    }
    let repaired = loci_json::repair(text);
    let text = repaired.as_ref().map_or(text, |repaired| &repaired.text);
    let value = json(text).ok_or_else(|| Unread { id: leading_id(text), fault: McpFault::unreadable() })?;
    Ok((value, repaired.is_some()))
}

/// Parses a message from its text. The second value is true if lone surrogates in it became U+FFFD.
pub fn read(text: &[u8]) -> Result<(Message, bool), Unread> {
    let (value, is_repaired) = value(text)?;
    Ok((of(value)?, is_repaired))
}

/// Returns the id of a message that is broken after it.
pub(super) fn leading_id(text: &[u8]) -> Option<Value> {
    let mut id = None;
    let mut reader = serde_json::Deserializer::from_slice(text);
    // The message has its own error; the id that was parsed before it stays.
    let _ = LeadingId(&mut id).deserialize(&mut reader);
    id.filter(is_id)
}

/// Takes the member `id` of an object once something follows it, because digits may be missing from
/// a number at the end.
struct LeadingId<'i>(&'i mut Option<Value>);

impl<'de> DeserializeSeed<'de> for LeadingId<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LeadingId<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut id = None;
        while let Some(name) = members.next_key::<String>()? {
            if id.is_some() {
                *self.0 = id.take();
            }
            if name == "id" {
                id = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Parses JSON without names that are special to the JSON library; `None` if it is not JSON.
pub fn json(text: &[u8]) -> Option<Value> {
    reserved_names::refuse(std::str::from_utf8(text).ok()?).ok()?;
    serde_json::from_slice(text).ok()
}

/// Parses a message from JSON.
pub fn of(value: Value) -> Result<Message, Unread> {
    let refused = |id: Option<Value>, rule: &str| Unread { id, fault: McpFault::no_message(rule) };
    let Value::Object(mut members) = value else {
        return Err(refused(None, "a message is one JSON object"));
    };
    let id = members.remove("id");
    let known = id.clone().filter(is_id);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refused(known, "a message has the member jsonrpc with the value 2.0"));
    }
    if let Some(method) = members.remove("method") {
        let Value::String(method) = method else { return Err(refused(known, "method must be a text")) };
        let params = match members.remove("params") {
            None => Params::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let fault = McpFault::malformed("params must be an object");
                return Err(Unread { id: known, fault });
            }
        };
        return match (id, known) {
            (None, _) => Ok(Message::Notification { method, params }),
            (Some(_), Some(id)) => Ok(Message::Request { id, method, params }),
            (Some(_), None) => Err(refused(None, "an id is a text or a whole number")),
        };
    }
    let outcome = match (members.remove("result"), members.remove("error")) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(error),
        _ => return Err(refused(known, "a message has a method, a result or an error")),
    };
    known.map(|id| Message::Response { id, outcome }).ok_or_else(|| refused(None, "a response has an id"))
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// Creates a response with a result.
pub fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Creates a response with an error. An unknown id is left out.
pub fn error(id: Option<&Value>, fault: &McpFault) -> Value {
    let mut message = json!({ "jsonrpc": "2.0" });
    if let Some(message) = message.as_object_mut() {
        if let Some(id) = id {
            message.insert("id".to_owned(), id.clone());
        }
        message.insert("error".to_owned(), fault.shown());
    }
    message
}

/// Creates the response to a request.
pub fn answer(id: &Value, outcome: Result<Value, McpFault>) -> Value {
    match outcome {
        Ok(value) => result(id, value),
        Err(fault) => error(Some(id), &fault),
    }
}

/// Adds a warning to a response that lone surrogates in the request became U+FFFD.
pub fn warn_of_repair(answer: &mut Value) {
    let Some(result) = answer.get_mut("result").and_then(Value::as_object_mut) else { return };
    let meta = result.entry("_meta").or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        meta.insert(META_WARNINGS.to_owned(), json!([Warning::LoneSurrogateReplaced.code()]));
    }
}

/// Creates a notification.
pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Creates a request.
pub fn request(id: &str, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let check = |text: &str, expect: &str| {
            let said = match read(text.as_bytes()) {
                Ok((Message::Request { id, method, .. }, false)) => format!("request {id} {method}"),
                Ok((Message::Request { id, method, .. }, true)) => format!("repaired {id} {method}"),
                Ok((Message::Notification { method, .. }, _)) => format!("notification {method}"),
                Ok((Message::Response { id, outcome }, _)) => format!("response {id} {}", outcome.is_ok()),
                Err(unread) => format!("{} {}", unread.fault.code, unread.id.unwrap_or_default()),
            };
            assert_eq!(said, expect, "{text}");
        };
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping");
        check(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#, "request \"a\" ping");
        check(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification notifications/x");
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response 1 true");
        check(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, "response 1 false");
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32602 1");
        check(r#"{"id":1,"method":"ping"}"#, "-32600 1");
        check(r#"{"jsonrpc":"2.0","id":1}"#, "-32600 1");
        check("[]", "-32600 null");
        check("{", "-32700 null");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"cut \ud83d"}}"#, "repaired 1 m");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud83d\ude00"}}"#, "request 1 m");
        // A broken message is rejected under the id before the error.
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"#, "-32700 1");
        check(r#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":tru}}"#, "-32700 \"x\"");
        check(r#"{"jsonrpc":"2.0","method":"m","params":{a},"id":1}"#, "-32700 null");
        check(r#"{"jsonrpc":"2.0","id":[1],"params":{"#, "-32700 null");
        check(r#"{"jsonrpc":"2.0","id":14"#, "-32700 null");
    }
}
