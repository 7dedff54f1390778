//! Responses over HTTP: one JSON object, or a stream of events that ends with it. A client that
//! closes the stream cancels the work, because the stream drives it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::mcp::fault::McpFault;
use crate::mcp::message;
use crate::operations::observe::ErrorType;

/// The interval between keep-alive comments on a silent stream, in milliseconds.
const ALIVE_MS: u64 = 15_000;
/// The keep-alive comment.
const ALIVE: &[u8] = b":\n\n";

/// The work of a request, which yields its id and its result.
pub(super) type Work = BoxFuture<'static, (Value, Result<Value, McpFault>)>;

/// Responds with JSON, or with a stream once there is a notification before the result, if the
/// client reads streams.
pub(super) async fn json_or_stream(
    mut work: Work,
    mut told: mpsc::Receiver<Value>,
    streams: bool,
    clock: Arc<dyn Clock>,
) -> Response {
    let first = loop {
        tokio::select! {
            biased;
            Some(message) = told.recv() => {
                if streams {
                    break message;
                }
            }
            (id, outcome) = &mut work => {
                let last = if streams { remaining(&mut told) } else { Vec::new() };
                if last.is_empty() {
                    return whole(&id, outcome);
                }
                return stream(Body::from([last, event(&message::answer(&id, outcome)).to_vec()].concat()));
            }
        }
    };
    let state = Streaming { work: Some(work), told, first: Some(first), clock };
    let events = futures::stream::unfold(state, |mut state| async move {
        let event = state.next().await?;
        Some((Ok::<_, Infallible>(event), state))
    });
    stream(Body::from_stream(events))
}

/// Returns the notifications sent at the end of the work, as events.
fn remaining(told: &mut mpsc::Receiver<Value>) -> Vec<u8> {
    told.close();
    let mut bytes = Vec::new();
    while let Ok(message) = told.try_recv() {
        bytes.extend_from_slice(&event(&message));
    }
    bytes
}

fn stream(events: Body) -> Response {
    let mut response = events.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct Streaming {
    work: Option<Work>,
    told: mpsc::Receiver<Value>,
    first: Option<Value>,
    clock: Arc<dyn Clock>,
}

impl Streaming {
    /// Returns the next event; none after the response.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(event(&first));
        }
        let work = self.work.as_mut()?;
        let alive = self.clock.sleep(ALIVE_MS);
        tokio::select! {
            biased;
            Some(message) = self.told.recv() => Some(event(&message)),
            (id, outcome) = work => {
                self.work = None;
                let mut bytes = remaining(&mut self.told);
                bytes.extend_from_slice(&event(&message::answer(&id, outcome)));
                Some(bytes.into())
            }
            () = alive => Some(Bytes::from_static(ALIVE)),
        }
    }
}

fn event(message: &Value) -> Bytes {
    format!("event: message\ndata: {message}\n\n").into()
}

fn whole(id: &Value, outcome: Result<Value, McpFault>) -> Response {
    match outcome {
        Ok(result) => axum::Json(message::result(id, result)).into_response(),
        Err(error) => *fault(Some(id), &error),
    }
}

/// Returns the response for an error of the protocol.
pub(super) fn fault(id: Option<&Value>, fault: &McpFault) -> Box<Response> {
    let mut response = (fault.status, axum::Json(message::error(id, fault))).into_response();
    response.extensions_mut().insert(ErrorType(fault.code.to_string().into()));
    if let Some(scope) = fault.scope {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.as_str());
        if let Ok(value) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
        }
    }
    Box::new(response)
}

/// Returns the rejection of a request before any message was read.
pub(crate) fn refused(status: StatusCode, rule: &str) -> Box<Response> {
    let fault = McpFault { status, ..McpFault::no_message(rule) };
    self::fault(None, &fault)
}
