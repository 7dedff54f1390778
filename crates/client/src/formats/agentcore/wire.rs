//! A call of the AgentCore wire: plane, method, path and JSON; and why it gives nothing. It knows no HTTP client, no signature and no address.

use futures::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

/// What a segment of a path leaves as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Which of the two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// `bedrock-agentcore-control`: memories.
    Control,
    /// `bedrock-agentcore`: what is in them.
    Data,
}

/// How it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Without a body.
    Get,
    /// With JSON.
    Post,
}

/// A call. Each has the same effect when it is made twice.
#[derive(Clone)]
pub struct WireCall {
    /// The service.
    pub plane: Plane,
    /// The method.
    pub method: Method,
    /// The path, encoded.
    pub path: String,
    /// JSON.
    pub body: Option<String>,
}

/// Why a call gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The server refuses it, and would again.
    #[error("{message} ({code})")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's word for it.
        code: String,
        /// The server's text.
        message: String,
    },
    /// The answer is larger than is read: ask for less.
    #[error("the answer is too large")]
    TooLarge,
    /// There is no answer, or none that helps, also after repeats.
    #[error("{0}")]
    Gone(String),
}

impl WireError {
    /// The place that was asked for is not there.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// What was sent is refused, and something else may not be.
    pub(super) fn is_of_the_item(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 409 | 413, .. })
    }
}

/// Whoever can call.
pub trait Wire: Send + Sync {
    /// The answer's JSON. What may pass is repeated before an error is told.
    fn call(&self, call: WireCall) -> BoxFuture<'_, Result<String, WireError>>;
}

/// A path of these segments.
pub(super) fn path(segments: &[&str]) -> String {
    segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, SEGMENT))).collect()
}

/// A call with JSON on the data plane.
pub(super) fn post(path: String, body: &impl Serialize) -> Result<WireCall, WireError> {
    let body = serde_json::to_string(body)
        .map_err(|error| WireError::Gone(format!("the request cannot be written: {error}")))?;
    Ok(WireCall { plane: Plane::Data, method: Method::Post, path, body: Some(body) })
}

/// A call without a body.
pub(super) fn get(plane: Plane, path: String) -> WireCall {
    WireCall { plane, method: Method::Get, path, body: None }
}

/// What an answer says.
pub(super) fn read<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, WireError> {
    serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        WireError::Gone(format!(
            "the answer is none of AgentCore's wire ({place}): does the endpoint speak it?"
        ))
    })
}
