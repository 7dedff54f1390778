//! Exports traces to a collector: OTLP over HTTP, as JSON. Queueing a span does not block; spans
//! are sent in batches. If the collector cannot keep up, the oldest spans are dropped and counted.
//!
//! The module knows spans and attributes, but no naming convention: the observer defines the names
//! (decision 0056).

use std::collections::VecDeque;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::observe::Observe;
use loci_model::ports::trace::SpanContext;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::sync::Notify;
use zeroize::Zeroizing;

use crate::request::{AddressOrigin, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport};
use crate::retry::is_passing;

/// The maximum number of spans in a request; this many queued spans are sent at once.
const BATCH: usize = 512;
/// The maximum number of queued spans.
const QUEUE_MAX: usize = 4_096;
/// The interval at which smaller batches are sent, and the pause after a failure, in milliseconds.
const PAUSE_MS: u64 = 5_000;
const TIMEOUT_MS: u64 = 10_000;
/// The time to send the remaining spans when the process ends, in milliseconds.
const LAST_MS: u64 = 3_000;
/// The path at which a collector receives traces.
const PATH: &str = "/v1/traces";
/// `STATUS_CODE_ERROR`.
const FAILED: u8 = 2;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Text.
    Text(String),
    /// A non-negative integer.
    Count(u64),
    /// A boolean.
    Flag(bool),
    /// An array of texts.
    Texts(Vec<String>),
}

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work inside this process.
    Internal,
    /// The handling of a request.
    Server,
    /// A call to another service.
    Client,
}

/// A completed operation of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The ids of the trace and of this span.
    pub context: SpanContext,
    /// The id of the parent span. `None` for the root span of a trace.
    pub parent: Option<[u8; 8]>,
    /// The spans of other traces that caused this one.
    pub links: Vec<SpanContext>,
    /// The name of the operation.
    pub name: String,
    /// The kind of the operation.
    pub kind: SpanKind,
    /// The time at which the operation started.
    pub started: Timestamp,
    /// The duration of the operation, in microseconds.
    pub elapsed_us: u64,
    /// True if the operation failed.
    pub failed: bool,
    /// The attributes of the span: names and values, in order.
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// The collector that receives the traces.
#[derive(Clone)]
pub struct Collector {
    /// The URL of the collector, with or without `/v1/traces`.
    pub endpoint: String,
    /// The headers of every request; see [`headers`].
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The version of this program, which the spans report.
    pub version: &'static str,
}

impl fmt::Debug for Collector {
    /// Shows neither the address nor the headers, because both may contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").field("headers", &self.headers.len()).finish_non_exhaustive()
    }
}

/// Parses `name=value,…`, the format of OpenTelemetry's own variables for headers: values are
/// percent-encoded. The values are marked as sensitive.
///
/// # Errors
/// If a header is invalid. The message contains its position and never its content.
pub fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let mut read = Vec::new();
    for (place, pair) in text.split(',').enumerate().filter(|(_, pair)| !pair.trim().is_empty()) {
        let wrong = |what: &str| format!("header {} {what}", place + 1);
        let (name, value) = pair.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
        let name: HeaderName = name.trim().parse().map_err(|_| wrong("has a name that no header has"))?;
        let decoded = Zeroizing::new(percent_decode_str(value.trim()).collect::<Vec<u8>>());
        let mut value =
            HeaderValue::from_bytes(&decoded).map_err(|_| wrong("has a character that no header takes"))?;
        value.set_sensitive(true);
        read.push((name, value));
    }
    Ok(read)
}

/// A queue of spans; [`Exporter::run`] sends them.
pub struct Exporter {
    collector: Collector,
    clock: Arc<dyn Clock>,
    /// The observer that counts dropped spans.
    observe: Arc<dyn Observe>,
    queue: Mutex<VecDeque<Span>>,
    /// Notified when a full batch is queued.
    full: Notify,
    /// True if the last request failed and the failure is already logged.
    failing: AtomicBool,
}

/// The result of sending a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanBatchOutcome {
    /// The collector accepted the batch or rejected it permanently, and more spans are queued.
    More,
    /// The queue is empty.
    Empty,
    /// The batch stays in the queue for another attempt.
    Later,
}

impl Exporter {
    /// Creates an exporter with an empty queue.
    pub fn new(collector: Collector, clock: Arc<dyn Clock>, observe: Arc<dyn Observe>) -> Self {
        let (queue, full, failing) = (Mutex::default(), Notify::new(), AtomicBool::new(false));
        Self { collector, clock, observe, queue, full, failing }
    }

    /// Queues a span. If the queue is full, the oldest span is dropped.
    pub fn push(&self, span: Span) {
        let mut queue = self.queue();
        let is_full = queue.len() >= QUEUE_MAX;
        if is_full {
            queue.pop_front();
        }
        queue.push_back(span);
        let waiting = queue.len();
        drop(queue);
        if is_full {
            self.observe.spans_dropped(1);
        }
        if waiting == BATCH {
            self.full.notify_one();
        }
    }

    /// Sends spans until `stop` resolves, and then the remaining ones once. It uses `transport`,
    /// which repeats requests after temporary failures.
    pub async fn run(&self, transport: &dyn Transport, stop: BoxFuture<'static, ()>) {
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = self.full.notified() => {}
                () = self.clock.sleep(PAUSE_MS) => {}
            }
            loop {
                let sent = tokio::select! {
                    () = &mut stop => return self.send_last(transport).await,
                    sent = self.send_batch(transport, TIMEOUT_MS, Retry::Safe) => sent,
                };
                match sent {
                    SpanBatchOutcome::More => {}
                    SpanBatchOutcome::Empty => break,
                    // The pause applies even if a full batch arrives meanwhile.
                    SpanBatchOutcome::Later => tokio::select! {
                        () = &mut stop => return self.send_last(transport).await,
                        () = self.clock.sleep(PAUSE_MS) => {}
                    },
                }
            }
        }
        self.send_last(transport).await;
    }

    async fn send_last(&self, transport: &dyn Transport) {
        let all = async {
            while self.send_batch(transport, LAST_MS, Retry::Never).await == SpanBatchOutcome::More {}
        };
        tokio::select! {
            () = all => {}
            () = self.clock.sleep(LAST_MS) => {}
        }
        let left = self.queue().len();
        if left > 0 {
            tracing::warn!(spans = left, "the process ends before the collector took all traces");
        }
    }

    /// Sends the oldest spans. They stay queued until the collector has accepted or permanently
    /// refused them, also if this call is cancelled.
    async fn send_batch(&self, transport: &dyn Transport, timeout_ms: u64, retry: Retry) -> SpanBatchOutcome {
        let (body, spans, last) = {
            let queue = self.queue();
            let batch: Vec<&Span> = queue.iter().take(BATCH).collect();
            let Some(last) = batch.last().map(|span| span.context) else { return SpanBatchOutcome::Empty };
            (body(&batch, self.collector.version).to_string().into_bytes(), batch.len(), last)
        };
        let outcome = transport.send(self.request(body, timeout_ms, retry)).await;
        let refused = match &outcome {
            Ok(answer) if (200..300).contains(&answer.status) => rejected(answer),
            Ok(answer) if is_passing(answer.status) => {
                return self.later(format!("status {}", answer.status));
            }
            Err(OutboundError::Timeout | OutboundError::Connect(_) | OutboundError::Protocol(_)) => {
                return self.later(said(&outcome));
            }
            Ok(_)
            | Err(OutboundError::Refused(_) | OutboundError::TooLarge | OutboundError::Unsignable(_)) => {
                tracing::warn!(spans, why = said(&outcome), "the collector refused traces: they are lost");
                u64::try_from(spans).unwrap_or(u64::MAX)
            }
        };
        if refused > 0 {
            self.observe.spans_dropped(refused);
        } else if self.failing.swap(false, Ordering::Relaxed) {
            tracing::info!("the collector takes traces again");
        }
        self.forget(last, spans);
        if self.queue().is_empty() { SpanBatchOutcome::Empty } else { SpanBatchOutcome::More }
    }

    /// Removes a batch from the queue, except for spans that the queue has dropped meanwhile.
    fn forget(&self, last: SpanContext, spans: usize) {
        let mut queue = self.queue();
        if let Some(at) = queue.iter().take(spans).position(|span| span.context == last) {
            queue.drain(..=at);
        }
    }

    fn later(&self, why: String) -> SpanBatchOutcome {
        if !self.failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "the collector takes no traces: they wait");
        }
        SpanBatchOutcome::Later
    }

    fn request(&self, body: Vec<u8>, timeout_ms: u64, retry: Retry) -> OutboundRequest {
        let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        headers.extend(self.collector.headers.iter().cloned());
        let base = self.collector.endpoint.trim_end_matches('/');
        let base = base.strip_suffix(PATH).unwrap_or(base);
        OutboundRequest {
            method: Method::POST,
            url: format!("{base}{PATH}"),
            headers,
            body,
            reach: AddressOrigin::Configured,
            retry,
            timeout_ms: Some(timeout_ms),
            signing: None,
        }
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Span>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("collector", &self.collector).finish_non_exhaustive()
    }
}

fn said(outcome: &Result<OutboundAnswer, OutboundError>) -> String {
    match outcome {
        Ok(answer) => format!("status {}", answer.status),
        Err(error) => error.to_string(),
    }
}

/// Returns the number of spans in a batch that the collector reports as rejected.
fn rejected(answer: &OutboundAnswer) -> u64 {
    let body: Value = loci_json::from_slice(&answer.body).unwrap_or_default();
    let rejected = &body["partialSuccess"]["rejectedSpans"];
    let spans = rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()).unwrap_or(0);
    if spans > 0 {
        tracing::warn!(spans, "the collector refused some traces: they are lost");
    }
    spans
}

/// `ExportTraceServiceRequest`.
fn body(spans: &[&Span], version: &str) -> Value {
    let spans: Vec<Value> = spans.iter().map(|span| shown(span)).collect();
    let text = |text: &str| Attribute::Text(text.to_owned());
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            attribute("service.name", &text("loci")),
            attribute("service.version", &text(version)),
        ] },
        "scopeSpans": [{ "scope": { "name": "loci", "version": version }, "spans": spans }],
    }] })
}

fn shown(span: &Span) -> Value {
    let started_ns = u64::try_from(span.started.millis()).unwrap_or(0).saturating_mul(1_000_000);
    let ended_ns = started_ns.saturating_add(span.elapsed_us.saturating_mul(1_000));
    let attributes: Vec<Value> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut shown = json!({
        "traceId": hex::encode(span.context.trace),
        "spanId": hex::encode(span.context.span),
        "name": span.name,
        // `SPAN_KIND_INTERNAL`, `SPAN_KIND_SERVER`, `SPAN_KIND_CLIENT`
        "kind": match span.kind { SpanKind::Internal => 1, SpanKind::Server => 2, SpanKind::Client => 3 },
        "startTimeUnixNano": started_ns.to_string(),
        "endTimeUnixNano": ended_ns.to_string(),
        "attributes": attributes,
    });
    if let Some(members) = shown.as_object_mut() {
        if let Some(parent) = span.parent {
            members.insert("parentSpanId".to_owned(), json!(hex::encode(parent)));
        }
        if !span.links.is_empty() {
            members.insert("links".to_owned(), span.links.iter().map(link).collect());
        }
        if span.failed {
            members.insert("status".to_owned(), json!({ "code": FAILED }));
        }
    }
    shown
}

fn link(to: &SpanContext) -> Value {
    json!({ "traceId": hex::encode(to.trace), "spanId": hex::encode(to.span) })
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Count(count) => json!({ "intValue": count.to_string() }),
        Attribute::Flag(flag) => json!({ "boolValue": flag }),
        Attribute::Texts(texts) => {
            let values: Vec<Value> = texts.iter().map(|text| json!({ "stringValue": text })).collect();
            json!({ "arrayValue": { "values": values } })
        }
    };
    json!({ "key": name, "value": value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_as_the_protocol_writes_it() {
        let told = Span {
            context: SpanContext { trace: [0x0a; 16], span: [0x0b; 8] },
            parent: None,
            links: Vec::new(),
            name: "search_memory".into(),
            kind: SpanKind::Internal,
            started: Timestamp::clamped(1_752_235_548_250),
            elapsed_us: 1_500,
            failed: true,
            attributes: vec![
                ("gen_ai.memory.record.count", Attribute::Count(3)),
                ("throttled", Attribute::Flag(false)),
                ("gen_ai.response.finish_reasons", Attribute::Texts(vec!["stop".into()])),
            ],
        };
        let sent = body(&[&told], "1.0");
        assert_eq!(
            sent["resourceSpans"][0]["scopeSpans"][0],
            json!({ "scope": { "name": "loci", "version": "1.0" }, "spans": [{
                "traceId": "0a".repeat(16), "spanId": "0b".repeat(8), "name": "search_memory", "kind": 1,
                "startTimeUnixNano": "1752235548250000000", "endTimeUnixNano": "1752235548251500000",
                "attributes": [
                    { "key": "gen_ai.memory.record.count", "value": { "intValue": "3" } },
                    { "key": "throttled", "value": { "boolValue": false } },
                    { "key": "gen_ai.response.finish_reasons",
                      "value": { "arrayValue": { "values": [{ "stringValue": "stop" }] } } },
                ],
                "status": { "code": 2 },
            }] })
        );
        let links = vec![SpanContext { trace: [0x0d; 16], span: [0x0e; 8] }];
        let call = Span { kind: SpanKind::Client, failed: false, parent: Some([0x0c; 8]), links, ..told };
        let link = json!([{ "traceId": "0d".repeat(16), "spanId": "0e".repeat(8) }]);
        assert_eq!(shown(&call)["links"], link);
        assert_eq!(shown(&call)["parentSpanId"], "0c".repeat(8));
        assert_eq!(shown(&call)["kind"], 3);
        assert_eq!(shown(&call).get("status"), None);
        let resource = &sent["resourceSpans"][0]["resource"]["attributes"][0];
        assert_eq!(resource, &json!({ "key": "service.name", "value": { "stringValue": "loci" } }));
    }

    #[test]
    fn headers_are_read_and_not_shown() {
        let read = headers("authorization=Bearer%20hidden, x-team = blue,").unwrap();
        let values: Vec<_> =
            read.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(values, [("authorization", "Bearer hidden"), ("x-team", "blue")]);
        assert!(!format!("{read:?}").contains("hidden"));
        let collector = Collector { endpoint: "http://c/?key=hidden".into(), headers: read, version: "1" };
        assert!(!format!("{collector:?}").contains("hidden"));
        let check = |text: &str, expect: &str| assert_eq!(headers(text).unwrap_err(), expect);
        check("a=1,hidden", "header 2 has no `=`");
        check("hid den=1", "header 1 has a name that no header has");
        check("a=hid%0Aden", "header 1 has a character that no header takes");
    }
}
