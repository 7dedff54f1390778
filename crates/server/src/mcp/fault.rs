//! Errors of the protocol: codes, messages, and their status over HTTP. An error in a tool is not a
//! fault but a result.

use http::StatusCode;
use serde_json::{Value, json};

use super::revision::Revision;
use crate::tools::tool::ToolRight;

/// An error of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct McpFault {
    /// The JSON-RPC code.
    pub code: i32,
    /// The message for people.
    pub message: String,
    /// Additional data, whose members depend on the code.
    pub data: Option<Box<Value>>,
    /// The status over HTTP.
    pub status: StatusCode,
    /// The scope that the caller lacks; `None` if the fault has another reason.
    pub scope: Option<ToolRight>,
}

impl McpFault {
    fn new(code: i32, status: StatusCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status, scope: None }
    }

    fn with(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }

    /// Creates the fault for a text that is not JSON.
    pub fn unreadable() -> Self {
        Self::new(-32700, StatusCode::BAD_REQUEST, "the message is not valid JSON")
    }

    /// Creates the fault for JSON that is not a message of the protocol.
    pub fn no_message(rule: &str) -> Self {
        Self::new(-32600, StatusCode::BAD_REQUEST, rule)
    }

    /// Creates the fault for a method that this server does not have, or not in this revision.
    pub fn unknown_method(method: &str) -> Self {
        let method: String = method.chars().take(64).collect();
        Self::new(-32601, StatusCode::NOT_FOUND, format!("there is no method {method}"))
    }

    /// Creates the fault for malformed parameters, detected when a request is read.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::BAD_REQUEST, message)
    }

    /// Creates the fault for parameters with an unknown target, detected by the handler.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::OK, message)
    }

    /// Creates the fault for an unknown resource.
    pub fn no_resource(uri: &str, revision: Revision) -> Self {
        let code = if revision.is_modern() { -32602 } else { -32002 };
        Self::new(code, StatusCode::OK, "there is no such resource").with(json!({ "uri": uri }))
    }

    /// Creates the fault for an internal error; the log has the details.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, StatusCode::OK, message)
    }

    /// Creates the fault for headers that contradict the body.
    pub fn headers(message: impl Into<String>) -> Self {
        Self::new(-32020, StatusCode::BAD_REQUEST, message)
    }

    /// Creates the fault for a request that needs a capability which the client has not declared.
    pub fn missing_capability(name: &str) -> Self {
        let message = format!("this needs the client's capability {name}, which it has not declared");
        let mut required = serde_json::Map::new();
        required.insert(name.to_owned(), json!({}));
        Self::new(-32021, StatusCode::BAD_REQUEST, message).with(json!({ "requiredCapabilities": required }))
    }

    /// Creates the fault for an unsupported revision.
    pub fn unsupported(requested: &str, supported: &[&str]) -> Self {
        let requested: String = requested.chars().take(64).collect();
        let message = format!("the revision {requested} is not served: {} is", supported.join(", "));
        let data = json!({ "supported": supported, "requested": requested });
        Self::new(-32022, StatusCode::BAD_REQUEST, message).with(data)
    }

    /// Creates the fault for a missing scope of the caller.
    pub fn forbidden(scope: ToolRight) -> Self {
        let message = format!("this needs the scope {}", scope.as_str());
        let data = json!({ "code": "FORBIDDEN", "scope": scope.as_str() });
        Self { scope: Some(scope), ..Self::new(-32600, StatusCode::FORBIDDEN, message).with(data) }
    }

    /// Returns the fault in its JSON form.
    pub fn shown(&self) -> Value {
        let mut shown = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(shown)) = (&self.data, shown.as_object_mut()) {
            shown.insert("data".to_owned(), (**data).clone());
        }
        shown
    }
}
