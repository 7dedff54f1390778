//! MCP over HTTP: one message per POST. The response is JSON, or a stream of events if there are
//! notifications before the result. The header specifies the revision, not the body.
//!
//! Order: method, origin and host, caller, size and form of the body, revision, headers against
//! body, then the request.

pub(super) mod body;
mod door;
mod guard;
mod reply;
mod request_headers;

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use loci_model::Error;
use loci_model::ports::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc;

use super::dispatch::Service;
use super::fault::McpFault;
use super::message::{self, Message, Params};
use super::options::Guard;
use super::peer::WAITING_MAX;
use super::provider::{Caller, Endpoint};
use super::revision::Revision;
use crate::auth::gate::Peer;
use crate::bodies::{Bodies, BodyError, check_declared};
use crate::operations::observe::{Operation, RequestId};
use crate::v1::warn_of_repair;
pub(crate) use door::routes;

/// The header of the revision.
const VERSION: &str = "mcp-protocol-version";
/// The header of the session id, which carries the capabilities of an initialize-based client.
const SESSION: &str = "mcp-session-id";

/// Authenticates callers.
pub trait Admission: Send + Sync {
    /// Returns the caller, or the response that rejects the request.
    fn admit<'a>(
        &'a self,
        peer: Peer,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Caller, Box<Response>>>;
}

/// A server of the protocol over HTTP.
pub struct HttpDoor {
    /// The server whose methods the endpoint runs.
    pub service: Arc<Service>,
    /// The authentication of callers.
    pub admission: Arc<dyn Admission>,
    /// The rules for origins.
    pub guard: Guard,
    /// The maximum number of bytes in a body.
    pub body_bytes_max: usize,
    /// The budgets of bodies in memory.
    pub bodies: Arc<Bodies>,
}

impl HttpDoor {
    /// Answers one request to an endpoint.
    pub async fn serve(self: Arc<Self>, endpoint: Endpoint, request: Request) -> Response {
        let mut response = match self.answer(endpoint, request).await {
            Ok(response) => response,
            Err(response) => *response,
        };
        if response.extensions().get::<Operation>().is_none() {
            response.extensions_mut().insert(Operation("mcp".into()));
        }
        response
    }

    async fn answer(
        self: Arc<Self>,
        endpoint: Endpoint,
        request: Request,
    ) -> Result<Response, Box<Response>> {
        if request.method() != Method::POST {
            let allow = [(header::ALLOW, HeaderValue::from_static("POST"))];
            return Ok((StatusCode::METHOD_NOT_ALLOWED, allow).into_response());
        }
        let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
        let (parts, body) = request.into_parts();
        check_declared(&body, self.body_bytes_max).map_err(unread)?;
        guard::check(&self.guard, peer, &parts.headers)
            .map_err(|rule| reply::refused(StatusCode::FORBIDDEN, rule))?;
        let mut caller = self.admission.admit(peer, &parts.headers).await?;
        caller.request_id = parts.extensions.get::<RequestId>().map(|id| id.0.to_string());
        let streams = guard::forms(&parts.headers)?;
        let body = self.bodies.read(body, self.body_bytes_max).await.map_err(unread)?;
        let heads = RequestHead { caller, endpoint, headers: parts.headers, streams };
        let (value, is_repaired) =
            message::value(&body).map_err(|unread| reply::fault(unread.id.as_ref(), &unread.fault))?;
        let revision = self.revision(&heads.headers, &value)?;
        let mut response = match value {
            Value::Array(messages) if revision.is_some_and(|revision| revision == Revision::V2025Mar) => {
                self.batch(&heads, messages).await
            }
            value => self.one(heads, revision.unwrap_or(Revision::V2025Mar), value).await?,
        };
        if is_repaired {
            warn_of_repair(response.headers_mut());
        }
        Ok(response)
    }

    /// Returns the revision in the header; without one the oldest that is supported over HTTP.
    fn revision(&self, headers: &HeaderMap, value: &Value) -> Result<Option<Revision>, Box<Response>> {
        let Some(header) = headers.get(VERSION) else { return Ok(Some(Revision::V2025Mar)) };
        let text = header.to_str().unwrap_or_default().trim();
        let served = &self.service.revisions;
        if let Some(revision) = Revision::parse(text).filter(|revision| served.contains(revision)) {
            return Ok(Some(revision));
        }
        let fault = McpFault::unsupported(text, &Revision::modern(served));
        Err(reply::fault(value.get("id"), &fault))
    }

    async fn one(
        self: Arc<Self>,
        heads: RequestHead,
        revision: Revision,
        value: Value,
    ) -> Result<Response, Box<Response>> {
        let read = message::of(value).map_err(|unread| reply::fault(unread.id.as_ref(), &unread.fault))?;
        match read {
            Message::Notification { .. } => Ok(StatusCode::ACCEPTED.into_response()),
            Message::Response { .. } if revision.is_modern() => {
                let fault = McpFault::no_message("clients send no responses in this revision");
                Err(reply::fault(None, &fault))
            }
            Message::Response { id, outcome } => {
                self.service.mcp.pending.answered(&id, outcome);
                Ok(StatusCode::ACCEPTED.into_response())
            }
            Message::Request { id, method, params } => {
                let refuse = |fault: McpFault| reply::fault(Some(&id), &fault);
                if revision.is_modern() {
                    request_headers::check(&self, &heads, revision, &method, &params)
                        .await
                        .map_err(refuse)?;
                }
                Ok(self.request(heads, revision, id, method, params).await)
            }
        }
    }

    /// Answers a request: with JSON, or with a stream once there is a notification before the end.
    async fn request(
        self: Arc<Self>,
        heads: RequestHead,
        revision: Revision,
        id: Value,
        method: String,
        params: Params,
    ) -> Response {
        let (out, told) = mpsc::channel(WAITING_MAX);
        let asking = request_headers::asking(&self, &heads, revision, &params, out);
        let session =
            (method == "initialize").then(|| request_headers::session(&self, &heads, &params)).flatten();
        let clock = Arc::clone(&self.service.mcp.clock);
        let operation = Operation(format!("mcp {}", request_headers::known(&method)).into());
        let streams = heads.streams;
        let work = async move {
            let outcome = self.service.answer(asking, &id, &method, params).await;
            (id, outcome)
        };
        let mut response = reply::json_or_stream(Box::pin(work), told, streams, clock).await;
        if let Some(value) = session.and_then(|session| HeaderValue::from_str(&session).ok()) {
            response.headers_mut().insert(SESSION, value);
        }
        response.extensions_mut().insert(operation);
        response
    }

    /// Answers a batch of messages, which one revision has: one after the other, without a stream.
    async fn batch(self: Arc<Self>, heads: &RequestHead, messages: Vec<Value>) -> Response {
        if messages.len() > BATCH_MAX {
            let rule = format!(
                "a batch has at most {BATCH_MAX} messages, this one {}: send several",
                messages.len()
            );
            return *reply::fault(None, &McpFault::no_message(&rule));
        }
        let mut answers = Vec::new();
        for value in messages {
            match message::of(value) {
                Err(unread) => answers.push(message::error(unread.id.as_ref(), &unread.fault)),
                Ok(Message::Notification { .. }) => {}
                Ok(Message::Response { id, outcome }) => self.service.mcp.pending.answered(&id, outcome),
                Ok(Message::Request { id, method, params }) => {
                    let (out, _told) = mpsc::channel(WAITING_MAX);
                    let asking = request_headers::asking(&self, heads, Revision::V2025Mar, &params, out);
                    let outcome = self.service.answer(asking, &id, &method, params).await;
                    answers.push(message::answer(&id, outcome));
                }
            }
        }
        if answers.is_empty() {
            return StatusCode::ACCEPTED.into_response();
        }
        axum::Json(answers).into_response()
    }
}

/// The maximum number of messages in one batch.
const BATCH_MAX: usize = 32;

/// The parts of a request before its body.
struct RequestHead {
    caller: Caller,
    endpoint: Endpoint,
    headers: HeaderMap,
    /// True if the client reads streams.
    streams: bool,
}

/// Returns this interface's response for a body that was not read.
fn unread(why: BodyError) -> Box<Response> {
    let status = match why {
        BodyError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::Broken(_) => StatusCode::BAD_REQUEST,
        BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
        BodyError::Full => StatusCode::TOO_MANY_REQUESTS,
    };
    reply::refused(status, &Error::from(why).message)
}

impl std::fmt::Debug for HttpDoor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpDoor").field("guard", &self.guard).finish_non_exhaustive()
    }
}
