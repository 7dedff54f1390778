//! From an HTTP request to an HTTP response: route, declared size, authentication of the head, the
//! body, the rest of authentication, parsing, validation, then the operation.
//!
//! The headers of the API are set here; every rule is elsewhere. Metrics are elsewhere too: the
//! response carries its [`Operation`] as an extension for them.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use loci_engine::Engine;
use loci_model::memory::settings::EventLimits;
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::{IdSource, uuid4};
use loci_model::principal::Principal;
use loci_model::warning::{Notices, Warning};
use loci_model::{Error, ErrorKind, Timestamp, limits};

use super::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use super::constraints::{Reason, Refusal, check};
use super::errors::{AgentCoreFailure, WireError};
use super::operations;
use super::route::{NoRoute, Operation, Route, route};
use crate::auth::signed_request::{RequestCaller, SIGNING_NAME, SignedHead, SignedRequest, signed_head};
use crate::auth::sigv4::{Envelope, PathEncoding};
use crate::bodies::{Bodies, BodyError, check_declared};
use crate::operations::observe::RequestId;

/// Settings of the AgentCore API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireSettings {
    /// The prefix of every path, as in the clients' endpoint URL: empty, or like `/base`. It is
    /// part of the signed path.
    pub base_path: String,
    /// The maximum number of bytes in a request body, at least 11 MB, because clients fill events
    /// to 10,000,000 bytes.
    pub body_bytes_max: usize,
    /// True if CreateEvent and IngestData respond after extraction, for tests of clients that
    /// cannot wait for it.
    pub extraction_sync: bool,
}

impl Default for WireSettings {
    fn default() -> Self {
        Self {
            base_path: String::new(),
            body_bytes_max: limits::BODY_BYTES_MAX_DEFAULT,
            extraction_sync: false,
        }
    }
}

/// The AgentCore interface: both planes and the tags endpoints.
#[derive(Clone)]
pub struct Wire {
    engine: Engine,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    settings: WireSettings,
    bodies: Arc<Bodies>,
}

impl Wire {
    /// Creates the interface to `engine`. `clock` dates signatures and responses; `ids` creates
    /// request ids.
    pub fn new(
        engine: Engine,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        settings: WireSettings,
    ) -> Self {
        let bodies = Arc::new(Bodies::new(Arc::clone(&clock), limits::BODIES_BYTES_MAX_DEFAULT));
        Self { engine, clock, ids, settings, bodies }
    }

    /// Sets the budgets that all interfaces share.
    #[must_use]
    pub fn with_bodies(mut self, bodies: Arc<Bodies>) -> Self {
        self.bodies = bodies;
        self
    }

    /// Answers a request. It reads paths raw, so mount it as a fallback, not behind a router that
    /// decodes them. A path of no operation yields 404 `UnknownOperationException`.
    ///
    /// `open` is the caller if no credentials are required (any or none are then accepted), `None`
    /// if the request must be signed, or an error if it is rejected before that.
    pub async fn serve(
        &self,
        open: Result<Option<Principal>, Error>,
        request: Request<Body>,
    ) -> Response<Body> {
        let (parts, body) = request.into_parts();
        // The listener assigns the id, so that response and log agree. Without a listener it is
        // created here.
        let named = parts.extensions.get::<RequestId>().map(|id| id.0.to_string());
        let request_id = named.unwrap_or_else(|| uuid4(self.ids.as_ref()));
        let found = route(&self.settings.base_path, parts.method.as_str(), parts.uri.path(), query(&parts));
        let operation = found.as_ref().ok().map(|route| route.operation);
        let outcome = match found {
            Ok(route) => self.operate(&route, open, &parts, body).await,
            Err(NoRoute::Unknown) => Err(AgentCoreFailure::UnknownOperation),
            Err(NoRoute::NotText) => {
                Err(Refusal::whole(Reason::CannotParse, "The path or query is not percent-encoded UTF-8")
                    .into())
            }
        };
        finish(outcome, operation, &request_id, self.clock.now())
    }

    async fn operate(
        &self,
        route: &Route,
        open: Result<Option<Principal>, Error>,
        parts: &http::request::Parts,
        body: Body,
    ) -> HandlerOutcome {
        check_declared(&body, self.settings.body_bytes_max).map_err(unread)?;
        let asker = match open? {
            Some(caller) => RequestCaller::Open(caller),
            None => RequestCaller::Signed(self.signed(parts).await?),
        };
        let read = self.bodies.read_as(asker.proof(), body, self.settings.body_bytes_max).await;
        let read = read.map_err(unread)?;
        let (caller, sent) = asker.verified(&read.bytes)?;
        drop(read.unverified);
        let repaired = loci_json::repair(&sent.content);
        let body = repaired.as_ref().map_or(&*sent.content, |repaired| &repaired.text);
        let mut outcome = self.answer(route, &caller, body).await;
        if let Ok(answer) = &mut outcome
            && repaired.is_some()
        {
            answer.notices.warn(Warning::LoneSurrogateReplaced);
        }
        if let Err(failure) = &outcome {
            log_failure(failure, route.operation, &caller);
        }
        outcome
    }

    async fn answer(&self, route: &Route, caller: &Principal, body: &[u8]) -> HandlerOutcome {
        // A violation of strict mode may concern content, for which the memory's own setting
        // decides.
        let (text, over_limit) = match check(route, body, EventLimits::Strict) {
            Ok(text) => (text, None),
            Err(refusal) => (check(route, body, EventLimits::Lenient)?, Some(refusal)),
        };
        let call = AgentCoreCall {
            engine: &self.engine,
            caller,
            route,
            body: text,
            over_limit: over_limit.is_some(),
            extraction_sync: self.settings.extraction_sync,
        };
        if let Some(refusal) = over_limit
            && call.memory_settings(&call.memory()?).await?.event_limits == EventLimits::Strict
        {
            return Err(refusal.into());
        }
        operations::serve(&call).await
    }

    async fn signed<'p>(&self, parts: &'p http::request::Parts) -> Result<SignedHead<'p>, AgentCoreFailure> {
        let envelope = Envelope {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: query(parts),
            headers: &parts.headers,
        };
        let request = SignedRequest {
            envelope,
            service: SIGNING_NAME,
            path: PathEncoding::Twice,
            presigned: false,
            unsigned_payload: false,
            body_bytes_max: self.settings.body_bytes_max,
        };
        Ok(signed_head(&self.engine, &request, self.clock.now()).await?)
    }
}

/// Returns the API's error for a body that was not read.
fn unread(why: BodyError) -> AgentCoreFailure {
    match why {
        BodyError::TooLarge(max) => {
            let message = format!("The request body is larger than {max} bytes");
            Refusal::whole(Reason::FieldValidationFailed, &message).into()
        }
        BodyError::Broken(_) => {
            Refusal::whole(Reason::CannotParse, "The request body ended before it was whole").into()
        }
        BodyError::TooSlow => {
            let message = "The request body came too slowly: send it faster, or in smaller requests";
            Refusal::whole(Reason::CannotParse, message).into()
        }
        BodyError::Full => Error::from(BodyError::Full).into(),
    }
}

fn query(parts: &http::request::Parts) -> &str {
    parts.uri.query().unwrap_or_default()
}

fn finish(
    outcome: HandlerOutcome,
    operation: Option<Operation>,
    request_id: &str,
    now: Timestamp,
) -> Response<Body> {
    let response = match outcome {
        Ok(answer) => answer_response(answer),
        Err(failure) => WireError::new(operation, failure).into_response(),
    };
    let (mut parts, body) = response.into_parts();
    stamp(&mut parts.headers, request_id, now);
    if let Some(operation) = operation {
        parts.extensions.insert(operation);
    }
    Response::from_parts(parts, Body::from(body))
}

/// Clients often turn errors into empty results, so every rejection is logged with its reason.
fn log_failure(failure: &AgentCoreFailure, operation: Operation, caller: &Principal) {
    let (operation, caller) = (operation.name(), caller.name.as_str());
    match failure {
        AgentCoreFailure::UnknownOperation => {}
        AgentCoreFailure::Request(refusal) => {
            tracing::warn!(operation, caller, reason = refusal.reason.name(), message = %refusal.message, "refused");
        }
        AgentCoreFailure::Engine(error)
            if matches!(error.kind, ErrorKind::Bug | ErrorKind::Unavailable | ErrorKind::Upstream) =>
        {
            tracing::error!(operation, caller, ?error, "failed");
        }
        AgentCoreFailure::Engine(error) => {
            tracing::warn!(operation, caller, kind = ?error.kind, message = %error.message, "refused");
        }
    }
}

fn answer_response(answer: HandlerAnswer) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(answer.body.clone().unwrap_or_default()));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    if answer.body.is_some() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    notice_headers(headers, &answer.notices);
    response
}

/// Sets `x-loci-degraded` and `x-loci-warnings`: codes only, joined by commas.
fn notice_headers(headers: &mut HeaderMap, notices: &Notices) {
    let degraded: Vec<&str> = notices.degraded.iter().map(|code| code.code()).collect();
    let warnings: Vec<&str> = notices.warnings.iter().map(|code| code.code()).collect();
    for (name, codes) in [("x-loci-degraded", degraded), ("x-loci-warnings", warnings)] {
        if !codes.is_empty()
            && let Ok(value) = HeaderValue::from_str(&codes.join(","))
        {
            headers.insert(name, value);
        }
    }
}

/// Sets the headers of every response. Clients correct their clocks from `Date`.
fn stamp(headers: &mut HeaderMap, request_id: &str, now: Timestamp) {
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert("x-amzn-requestid", value);
    }
    let date = now.civil().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Ok(value) = HeaderValue::from_str(&date) {
        headers.insert(header::DATE, value);
    }
}
