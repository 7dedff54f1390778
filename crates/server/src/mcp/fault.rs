//! Errors of the protocol: codes, messages, and the status they have over HTTP. What goes wrong in
//! a tool is no fault but a result.

use http::StatusCode;
use serde_json::{Value, json};

use super::revision::Revision;
use crate::tools::tool::Scope;

/// An error of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The code.
    pub code: i32,
    /// What went wrong.
    pub message: String,
    /// More, by code.
    pub data: Option<Box<Value>>,
    /// Its status over HTTP.
    pub status: StatusCode,
    /// The scope that is missing, where that is it.
    pub scope: Option<Scope>,
}

impl Fault {
    fn new(code: i32, status: StatusCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status, scope: None }
    }

    fn with(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }

    /// No JSON.
    pub fn unreadable() -> Self {
        Self::new(-32700, StatusCode::BAD_REQUEST, "the message is not valid JSON")
    }

    /// JSON, but no message of the protocol.
    pub fn no_message(rule: &str) -> Self {
        Self::new(-32600, StatusCode::BAD_REQUEST, rule)
    }

    /// A method that this server has not, or not in this revision.
    pub fn unknown_method(method: &str) -> Self {
        let method: String = method.chars().take(64).collect();
        Self::new(-32601, StatusCode::NOT_FOUND, format!("there is no method {method}"))
    }

    /// Parameters that are not of their form, found where a request is read.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::BAD_REQUEST, message)
    }

    /// Parameters that name nothing, found by whoever answers.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::OK, message)
    }

    /// No resource of that URI.
    pub fn no_resource(uri: &str, revision: Revision) -> Self {
        let code = if revision.is_modern() { -32602 } else { -32002 };
        Self::new(code, StatusCode::OK, "there is no such resource").with(json!({ "uri": uri }))
    }

    /// A fault of ours; the log says more.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, StatusCode::OK, message)
    }

    /// Headers that say something else than the body.
    pub fn headers(message: impl Into<String>) -> Self {
        Self::new(-32020, StatusCode::BAD_REQUEST, message)
    }

    /// What is asked needs something of the client that it has not said it has.
    pub fn missing_capability(name: &str) -> Self {
        let message = format!("this needs the client's capability {name}, which it has not declared");
        let mut required = serde_json::Map::new();
        required.insert(name.to_owned(), json!({}));
        Self::new(-32021, StatusCode::BAD_REQUEST, message).with(json!({ "requiredCapabilities": required }))
    }

    /// A revision that is not served.
    pub fn unsupported(requested: &str, supported: &[&str]) -> Self {
        let requested: String = requested.chars().take(64).collect();
        let message = format!("the revision {requested} is not served: {} is", supported.join(", "));
        let data = json!({ "supported": supported, "requested": requested });
        Self::new(-32022, StatusCode::BAD_REQUEST, message).with(data)
    }

    /// The caller's scopes do not reach.
    pub fn forbidden(scope: Scope) -> Self {
        let message = format!("this needs the scope {}", scope.as_str());
        let data = json!({ "code": "FORBIDDEN", "scope": scope.as_str() });
        Self { scope: Some(scope), ..Self::new(-32600, StatusCode::FORBIDDEN, message).with(data) }
    }

    /// As it is sent.
    pub fn shown(&self) -> Value {
        let mut shown = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(shown)) = (&self.data, shown.as_object_mut()) {
            shown.insert("data".to_owned(), (**data).clone());
        }
        shown
    }
}
