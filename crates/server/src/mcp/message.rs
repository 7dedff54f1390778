//! JSON-RPC 2.0 as the protocol uses it: a request, a notification or a response, read strictly and written on one line.

use serde_json::{Map, Value, json};

use super::fault::Fault;

/// Members of a request.
pub type Params = Map<String, Value>;

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// A text or a whole number.
        id: Value,
        /// What is asked.
        method: String,
        /// With what.
        params: Params,
    },
    /// Wants none.
    Notification {
        /// What is told.
        method: String,
        /// With what.
        params: Params,
    },
    /// Answers a request of ours.
    Response {
        /// The request's id.
        id: Value,
        /// The result, or the error.
        outcome: Result<Value, Value>,
    },
}

/// A message that cannot be read, and its id as far as that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// The id.
    pub id: Option<Value>,
    /// Why not.
    pub fault: Fault,
}

/// Reads a message from its text.
pub fn read(text: &[u8]) -> Result<Message, Unread> {
    let value = serde_json::from_slice(text).map_err(|_| Unread { id: None, fault: Fault::unreadable() })?;
    of(value)
}

/// Reads a message from JSON.
pub fn of(value: Value) -> Result<Message, Unread> {
    let refused = |id: Option<Value>, rule: &str| Unread { id, fault: Fault::no_message(rule) };
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
                let fault = Fault::malformed("params must be an object");
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

/// An answer with a result.
pub fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// An answer with an error. Where the id is not known it is left out.
pub fn error(id: Option<&Value>, fault: &Fault) -> Value {
    let mut message = json!({ "jsonrpc": "2.0" });
    if let Some(message) = message.as_object_mut() {
        if let Some(id) = id {
            message.insert("id".to_owned(), id.clone());
        }
        message.insert("error".to_owned(), fault.shown());
    }
    message
}

/// The answer to a request.
pub fn answer(id: &Value, outcome: Result<Value, Fault>) -> Value {
    match outcome {
        Ok(value) => result(id, value),
        Err(fault) => error(Some(id), &fault),
    }
}

/// Something told.
pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Something asked.
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
                Ok(Message::Request { id, method, .. }) => format!("request {id} {method}"),
                Ok(Message::Notification { method, .. }) => format!("notification {method}"),
                Ok(Message::Response { id, outcome }) => format!("response {id} {}", outcome.is_ok()),
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
    }
}
