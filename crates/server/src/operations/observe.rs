//! Wraps every request: an id, one log line, metrics. Paths and bodies are not logged, because they
//! name people.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use loci_model::ports::ids::uuid4;
use loci_model::ports::observe::{ObservationLevel, RequestObservation};
use loci_model::ports::trace;
use tracing::Instrument;

use super::metrics::AnsweredRequest;
use super::trace_parent;
use crate::doors::Doors;

/// The interface of buckets, and its header for the request's id.
const S3: (&str, &str) = ("s3", "x-amz-request-id");

/// The id of a request, in its extensions.
#[derive(Debug, Clone)]
pub struct RequestId(pub Arc<str>);

/// Marks a request to the separate listener of buckets; its path begins with the bucket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnListener;

/// The name of the operation that answered a request, as an extension of the response for metrics
/// and logs.
#[derive(Debug, Clone)]
pub struct Operation(pub Cow<'static, str>);

/// The code of the error in a response, as an extension of the response for metrics and logs.
#[derive(Debug, Clone)]
pub struct ErrorType(pub Cow<'static, str>);

/// Opens the span of the request below that of its caller, if traces are exported.
pub(crate) async fn observe(State(doors): State<Doors>, request: Request, next: Next) -> Response {
    let is_watched = doors.engine.observe().watching() != ObservationLevel::Nothing;
    let caller = trace_parent::of(request.headers()).filter(|_| is_watched);
    trace::under(caller, answered(doors, request, next)).await
}

/// Assigns the request its id, and counts, logs and reports the response.
async fn answered(doors: Doors, mut request: Request, next: Next) -> Response {
    let began = doors.clock.monotonic_us();
    let id: Arc<str> = uuid4(doors.ids.as_ref()).into();
    let (door, header) = match request.extensions().get::<OwnListener>() {
        Some(OwnListener) => S3,
        None => door_of(request.uri().path()),
    };
    request.extensions_mut().insert(RequestId(id.clone()));
    let span = tracing::info_span!("request", id = %id, door);
    let method = request.method().clone();
    let observe = doors.engine.observe();
    let opened = if door == "operations" { None } else { observe.open_span() };
    let mut response = trace::under(opened, next.run(request).instrument(span.clone())).await;
    // Response and log have one id, also if the interface created its own.
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(header, value);
    }
    let took_us = doors.clock.monotonic_us().saturating_sub(began);
    let seconds = std::time::Duration::from_micros(took_us).as_secs_f64();
    let operation = operation_of(&response);
    let status = response.status().as_u16();
    let error = error_of(&response);
    doors.metrics.answered(&AnsweredRequest { door, operation, status, error, seconds });
    if let Some(span) = opened {
        let (id, method, elapsed_us) = (&*id, method.as_str(), took_us);
        observe.request(&RequestObservation { span, id, door, operation, method, status, error, elapsed_us });
    }
    let ms = u64::try_from(std::time::Duration::from_micros(took_us).as_millis()).unwrap_or(u64::MAX);
    span.in_scope(|| match (status, door) {
        (500.., _) => tracing::error!(operation, status, ms, error, "answered"),
        (_, "operations") => tracing::debug!(operation, status, ms, "answered"),
        _ => tracing::info!(operation, status, ms, error, "answered"),
    });
    response
}

fn operation_of(response: &Response) -> &str {
    if let Some(operation) = response.extensions().get::<Operation>() {
        return &operation.0;
    }
    let wire = response.extensions().get::<crate::agentcore::route::Operation>();
    wire.map_or("unknown", |operation| operation.name())
}

fn error_of(response: &Response) -> Option<&str> {
    if let Some(error) = response.extensions().get::<ErrorType>() {
        return Some(&error.0);
    }
    response.headers().get("x-amzn-errortype").and_then(|value| value.to_str().ok())
}

/// Returns the interface of a path, and its header for the request's id.
fn door_of(path: &str) -> (&'static str, &'static str) {
    let is_below =
        |door: &str| path.strip_prefix(door).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match path {
        "/healthz" | "/readyz" | "/metrics" | "/openapi.json" => ("operations", "x-request-id"),
        // `/v2` is answered in the form of the native API.
        _ if is_below("/v1") || is_below("/v2") => ("v1", "x-request-id"),
        _ if is_below("/mcp") => ("mcp", "x-request-id"),
        _ if is_below("/s3") => S3,
        _ => ("agentcore", "x-amzn-requestid"),
    }
}
