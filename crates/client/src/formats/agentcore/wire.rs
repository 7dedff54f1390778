//! A call of the AgentCore wire format: plane, method, path and JSON; and its error. It does not
//! depend on an HTTP client, a signature or an address.

use futures::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

/// The characters to percent-encode in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The service of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// `bedrock-agentcore-control`: memories.
    Control,
    /// `bedrock-agentcore`: the contents of memories.
    Data,
}

/// The HTTP method of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A GET without a body.
    Get,
    /// A POST with JSON.
    Post,
}

/// A call. Repeating it has no further effect.
#[derive(Clone)]
pub struct WireCall {
    /// The service.
    pub plane: Plane,
    /// The method.
    pub method: Method,
    /// The path, encoded.
    pub path: String,
    /// The JSON body.
    pub body: Option<String>,
}

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The server rejects the call, and would reject a retry.
    #[error("{message} ({code})")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's error code.
        code: String,
        /// The server's message.
        message: String,
    },
    /// The response exceeds the read limit: request less.
    #[error("the answer is too large")]
    TooLarge,
    /// There is no usable response, even after retries.
    #[error("{0}")]
    Gone(String),
}

impl WireError {
    /// True if the requested object does not exist.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// True if the server rejects the sent item, but may accept another.
    pub(super) fn is_of_the_item(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 409 | 413, .. })
    }
}

/// A client that can make calls.
pub trait Wire: Send + Sync {
    /// Returns the JSON of the response. Transient errors are retried before an error is returned.
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
