//! Spans of requests, jobs, operations on memories, writes, calls of models and deliveries, with
//! OpenTelemetry's names if it defines them (docs/decisions/0056). The parent of a span is the one
//! that is open when its end is reported. All reports are passed on to the counters.
//!
//! Only spans of searches contain content, only if configured, and at most [`CONTENT_BYTES_MAX`] of
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_model::ErrorKind;
use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;
use loci_model::ports::observe::{
    DeliveryObservation, JobObservation, ModelCallObservation, ObservationLevel, Observe,
    OperationObservation, RecordObservation, RequestObservation, SreObservation, StepObservation,
    WriteObservation,
};
use loci_model::ports::trace::{self, SpanContext};
use loci_outbound::otlp::{Attribute, Exporter, Span, SpanKind};
use loci_server::error_code::code_of_kind;
use serde_json::json;

use super::job_links::JobLinks;

/// The maximum number of bytes of records per span, as JSON. Thousands of spans may wait for a
/// collector.
const CONTENT_BYTES_MAX: usize = 16 * 1024;

/// The kind of service that a configured name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ServiceKind {
    Model,
    Embedder,
}

/// The observer that creates spans.
pub(super) struct Spans {
    /// The counters, which receive all reports as well.
    pub(super) metrics: Arc<dyn Observe>,
    pub(super) exporter: Arc<Exporter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) capture_content: bool,
    pub(super) vendors: BTreeMap<(ServiceKind, String), &'static str>,
    pub(super) links: JobLinks,
}

/// A span at its end.
struct EndedSpan {
    /// The span that was open meanwhile. `None` for a span without children.
    span: Option<SpanContext>,
    name: String,
    kind: SpanKind,
    elapsed_us: u64,
    failed: bool,
    links: Vec<SpanContext>,
}

impl EndedSpan {
    fn new(name: impl Into<String>, kind: SpanKind, elapsed_us: u64, failed: bool) -> Self {
        Self { span: None, name: name.into(), kind, elapsed_us, failed, links: Vec::new() }
    }

    /// Returns the end of a span that was open.
    fn of(self, span: impl Into<Option<SpanContext>>) -> Self {
        Self { span: span.into(), ..self }
    }
}

/// Attributes in order.
#[derive(Default)]
struct Attributes(Vec<(&'static str, Attribute)>);

impl Attributes {
    fn text(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.0.push((name, Attribute::Text(text.into())));
        self
    }

    fn some(self, name: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    fn count(mut self, name: &'static str, count: u64) -> Self {
        self.0.push((name, Attribute::Count(count)));
        self
    }

    fn flag(mut self, name: &'static str, flag: bool) -> Self {
        self.0.push((name, Attribute::Flag(flag)));
        self
    }
}

impl Spans {
    /// Returns the context of a new span below the open one.
    fn child(&self) -> SpanContext {
        let trace = trace::current().map_or_else(|| self.ids.random(), |parent| parent.trace);
        let span = self.ids.random().first_chunk::<8>().copied().unwrap_or_default();
        SpanContext { trace, span }
    }

    /// Queues a span that ends now.
    fn push(&self, ended: EndedSpan, attributes: Attributes) {
        let EndedSpan { span, name, kind, elapsed_us, failed, links } = ended;
        let elapsed_ms = i64::try_from(elapsed_us / 1_000).unwrap_or(i64::MAX);
        let started = self.clock.now().plus_millis(elapsed_ms.saturating_neg());
        let context = span.unwrap_or_else(|| self.child());
        let parent = trace::current().map(|parent| parent.span);
        let attributes = attributes.0;
        self.exporter.push(Span {
            context,
            parent,
            links,
            name,
            kind,
            started,
            elapsed_us,
            failed,
            attributes,
        });
    }

    fn vendor(&self, called: ServiceKind, name: &str) -> &str {
        self.vendors.get(&(called, name.to_owned())).copied().unwrap_or("_OTHER")
    }
}

impl Observe for Spans {
    fn step(&self, seen: &StepObservation<'_>) {
        self.metrics.step(seen);
        let attributes = Attributes::default()
            .text("loci.step", seen.step)
            .some("loci.strategy", seen.strategy.map(strategy_word))
            .text("loci.outcome", seen.outcome);
        let failed = seen.outcome == "error";
        let name = format!("step {}", seen.step);
        self.push(EndedSpan::new(name, SpanKind::Internal, seen.elapsed_us, failed), attributes);
    }

    fn model_call(&self, seen: &ModelCallObservation<'_>) {
        self.metrics.model_call(seen);
        let (operation, called) = match seen.step {
            Some(_) => ("chat", ServiceKind::Model),
            None => ("embeddings", ServiceKind::Embedder),
        };
        let finish = match seen.outcome {
            "complete" => Some("stop"),
            "cut_off" => Some("length"),
            "refused" => Some("content_filter"),
            _ => None,
        };
        let mut attributes = Attributes::default()
            .text("gen_ai.operation.name", operation)
            .text("gen_ai.provider.name", self.vendor(called, seen.provider))
            .text("gen_ai.request.model", seen.model)
            .some("gen_ai.response.model", seen.answered_by.filter(|model| !model.is_empty()))
            .text("loci.model", seen.provider)
            .some("loci.step", seen.step.map(Step::as_str))
            .count("loci.tries", u64::from(seen.tries));
        if seen.usage.input_tokens + seen.usage.output_tokens > 0 {
            attributes = attributes
                .count("gen_ai.usage.input_tokens", seen.usage.input_tokens)
                .count("gen_ai.usage.output_tokens", seen.usage.output_tokens);
        }
        match finish {
            Some(finish) if seen.step.is_some() => {
                let reasons = Attribute::Texts(vec![finish.to_owned()]);
                attributes.0.push(("gen_ai.response.finish_reasons", reasons));
            }
            Some(_) => {}
            None => attributes = attributes.text("error.type", seen.outcome),
        }
        let elapsed_us = seen.elapsed_ms.saturating_mul(1_000);
        let name = format!("{operation} {}", seen.model);
        let ended = EndedSpan::new(name, SpanKind::Client, elapsed_us, finish.is_none()).of(seen.span);
        self.push(ended, attributes);
    }

    fn pulled_answer(&self, step: Step, cost_microusd: Option<u64>) {
        self.metrics.pulled_answer(step, cost_microusd);
    }

    fn delivery(&self, seen: &DeliveryObservation<'_>) {
        self.metrics.delivery(seen);
        let failed = seen.outcome != "accepted";
        let attributes = Attributes::default()
            .text("loci.delivery.kind", seen.kind.as_str())
            .text("loci.outcome", seen.outcome)
            .count("loci.delivery.attempt", u64::from(seen.attempt));
        let elapsed_us = seen.elapsed_ms.saturating_mul(1_000);
        let name = format!("deliver {}", seen.kind.as_str());
        self.push(EndedSpan::new(name, SpanKind::Client, elapsed_us, failed).of(seen.span), attributes);
    }

    fn decision(&self, action: &str, by: &str) {
        self.metrics.decision(action, by);
    }

    fn finding(&self, what: &str) {
        self.metrics.finding(what);
    }

    fn extraction_failed(&self, strategy: StrategyBase, code: &str) {
        self.metrics.extraction_failed(strategy, code);
    }

    fn lines_discarded(&self, step: Step, lines: u64) {
        self.metrics.lines_discarded(step, lines);
    }

    fn resent(&self, messages: u64) {
        self.metrics.resent(messages);
    }

    fn outbound_refused(&self, reason: &str) {
        self.metrics.outbound_refused(reason);
    }

    fn operations_memory(&self, seen: &SreObservation<'_>) {
        self.metrics.operations_memory(seen);
    }

    fn spans_dropped(&self, spans: u64) {
        self.metrics.spans_dropped(spans);
    }

    fn watching(&self) -> ObservationLevel {
        if self.capture_content { ObservationLevel::Contents } else { ObservationLevel::Operations }
    }

    fn operation(&self, seen: &OperationObservation<'_>) {
        self.metrics.operation(seen);
        let (memory, session) = (seen.memory.map(|id| id.as_str()), seen.session.map(|id| id.as_str()));
        let mut attributes = Attributes::default()
            .text("gen_ai.operation.name", seen.operation)
            .some("gen_ai.memory.store.id", memory)
            .some("gen_ai.memory.record.id", seen.record.map(|id| id.as_str()))
            .some("gen_ai.conversation.id", session)
            .some("memory.id", memory)
            .some("session.id", session)
            .some("event.id", seen.event.map(|id| id.as_str()))
            .some("actor.id", seen.actor.map(|id| id.as_str()))
            .some("namespace", seen.namespace.map(|place| place.as_str()))
            .flag("throttled", seen.error == Some(ErrorKind::Throttled))
            .flag("error", seen.error.is_some_and(|kind| !is_fault(kind)))
            .flag("fault", seen.error.is_some_and(is_fault))
            .some("error.type", seen.error.map(|kind| code_of_kind(kind).word()));
        if let Some(records) = seen.records {
            attributes = attributes.count("gen_ai.memory.record.count", records);
        }
        if self.capture_content {
            attributes = attributes.some("gen_ai.memory.query.text", seen.query);
            if !seen.contents.is_empty() {
                attributes = attributes.text("gen_ai.memory.records", contents(seen.contents));
            }
        }
        let failed = seen.error.is_some();
        self.push(EndedSpan::new(seen.operation, SpanKind::Internal, seen.elapsed_us, failed), attributes);
    }

    fn open_span(&self) -> Option<SpanContext> {
        Some(self.child())
    }

    fn request(&self, seen: &RequestObservation<'_>) {
        self.metrics.request(seen);
        let attributes = Attributes::default()
            .text("http.request.method", seen.method)
            .count("http.response.status_code", u64::from(seen.status))
            .text("loci.door", seen.door)
            .text("loci.request.id", seen.id)
            .some("error.type", seen.error);
        let ended = EndedSpan::new(seen.operation, SpanKind::Server, seen.elapsed_us, seen.status >= 500);
        self.push(ended.of(seen.span), attributes);
    }

    fn job(&self, seen: &JobObservation<'_>) {
        self.metrics.job(seen);
        let attributes = Attributes::default()
            .text("loci.job.id", seen.id.as_str())
            .text("loci.job.kind", seen.kind)
            .text("memory.id", seen.memory.as_str())
            .text("loci.outcome", seen.outcome);
        let failed = seen.outcome == "failed";
        let ended = EndedSpan::new(format!("job {}", seen.kind), SpanKind::Internal, seen.elapsed_us, failed);
        let links = self.links.of(seen.id, matches!(seen.outcome, "done" | "failed"));
        self.push(EndedSpan { links, ..ended.of(seen.span) }, attributes);
    }

    fn store_write(&self, seen: &WriteObservation<'_>) {
        self.metrics.store_write(seen);
        if let (Some(asking), None) = (trace::current(), seen.error) {
            self.links.add(seen.asked_jobs, asking);
        }
        let attributes =
            Attributes::default().some("error.type", seen.error.map(|kind| code_of_kind(kind).word()));
        let failed = seen.error.is_some();
        self.push(EndedSpan::new("store write", SpanKind::Internal, seen.elapsed_us, failed), attributes);
    }
}

/// Returns records as the convention's JSON: complete ones, best first, as many as fit.
fn contents(records: &[RecordObservation<'_>]) -> String {
    let mut shown = String::from("[");
    for record in records {
        let mut item = json!({ "id": record.id.as_str(), "content": record.text });
        if let (Some(relevance), Some(members)) = (record.relevance, item.as_object_mut()) {
            members.insert("score".to_owned(), json!(relevance));
        }
        let item = item.to_string();
        if shown.len() + item.len() + 2 > CONTENT_BYTES_MAX {
            break;
        }
        if shown.len() > 1 {
            shown.push(',');
        }
        shown.push_str(&item);
    }
    shown.push(']');
    shown
}

/// True for a fault of the server, not of the caller.
fn is_fault(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Unavailable | ErrorKind::Upstream | ErrorKind::Bug => true,
        ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::Invalid
        | ErrorKind::TooLarge
        | ErrorKind::Denied
        | ErrorKind::Unauthenticated
        | ErrorKind::Throttled => false,
    }
}

fn strategy_word(strategy: StrategyBase) -> &'static str {
    match strategy {
        StrategyBase::Semantic => "semantic",
        StrategyBase::Summary => "summary",
        StrategyBase::UserPreference => "user_preference",
        StrategyBase::Episodic => "episodic",
        StrategyBase::SelfManaged => "self_managed",
    }
}

#[cfg(test)]
mod tests {
    use loci_model::RecordId;

    use super::*;

    #[test]
    fn contents_have_a_bound() {
        let id = RecordId::compose("00000000-0000-7000-8000-000000000000").unwrap();
        let text = "wort".repeat(1_000);
        let record = |text| RecordObservation { id: &id, text, relevance: Some(0.5) };
        let one: serde_json::Value = serde_json::from_str(&contents(&[record("a \"b\"")])).unwrap();
        assert_eq!(one, json!([{ "id": id.as_str(), "content": "a \"b\"", "score": 0.5 }]));
        let many = contents(&[record(&text); 20]);
        assert!(many.len() <= CONTENT_BYTES_MAX);
        let many: serde_json::Value = serde_json::from_str(&many).unwrap();
        assert_eq!(many.as_array().unwrap().len(), 4);
        assert_eq!(contents(&[record(&text.repeat(8))]), "[]");
    }
}
