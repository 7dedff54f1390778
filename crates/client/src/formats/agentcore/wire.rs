//! A call of the AgentCore wire format: plane, method, path and JSON; and its error. It does not
//! depend on an HTTP client, a signature or an address.

use futures::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

/// The characters to percent-encode in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The AgentCore service that a call is sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// The control plane, `bedrock-agentcore-control`, which manages memories.
    Control,
    /// The data plane, `bedrock-agentcore`, which has the contents of memories.
    Data,
}

/// The HTTP method of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A GET request without a body.
    Get,
    /// A POST request with a JSON body.
    Post,
}

/// A call over the AgentCore wire. Sending it twice has the same effect as once.
#[derive(Clone)]
pub struct WireCall {
    /// The AgentCore service that the call is sent to.
    pub plane: Plane,
    /// The HTTP method of the call.
    pub method: Method,
    /// The path of the call, percent-encoded.
    pub path: String,
    /// The JSON body of the call. `None` for a GET request.
    pub body: Option<String>,
}

/// The error of a call over the AgentCore wire.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The server rejected the call, and would reject a retry.
    #[error("{message} ({code})")]
    Refused {
        /// The HTTP status of the response.
        status: u16,
        /// The server's error code.
        code: String,
        /// The server's message.
        message: String,
    },
    /// The response exceeds the maximum size. The caller should request fewer items.
    #[error("the answer is too large")]
    TooLarge,
    /// There is no usable response even after retries. The text is the reason.
    #[error("{0}")]
    Gone(String),
}

impl WireError {
    /// True if the requested object does not exist.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// Returns true if the server rejects the sent item but may accept another one.
    pub(super) fn is_of_the_item(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 409 | 413, .. })
    }
}

/// A client that sends calls over the AgentCore wire.
pub trait Wire: Send + Sync {
    /// Sends a call and returns the JSON of the response. It retries transient errors before it
    /// returns one.
    fn call(&self, call: WireCall) -> BoxFuture<'_, Result<String, WireError>>;
}

/// Returns a path of these segments.
pub(super) fn path(segments: &[&str]) -> String {
    segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, SEGMENT))).collect()
}

/// Returns a call with JSON on the data plane.
pub(super) fn post(path: String, body: &impl Serialize) -> Result<WireCall, WireError> {
    let body = serde_json::to_string(body)
        .map_err(|error| WireError::Gone(format!("the request cannot be written: {error}")))?;
    Ok(WireCall { plane: Plane::Data, method: Method::Post, path, body: Some(body) })
}

/// Returns a call without a body.
pub(super) fn get(plane: Plane, path: String) -> WireCall {
    WireCall { plane, method: Method::Get, path, body: None }
}

/// Parses a response.
pub(super) fn read<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, WireError> {
    loci_json::from_repaired(text.as_bytes()).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        WireError::Gone(format!(
            "the answer is none of AgentCore's wire ({place}): does the endpoint speak it?"
        ))
    })
}
