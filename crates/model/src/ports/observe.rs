//! Observation of the pipeline: events for metrics and traces. Reporting never fails and never
//! waits.
//!
//! Reports hold no content, and labels come from closed lists, unless a member states otherwise.

use crate::job::exchange::{Step, Usage};
use crate::memory::strategy::StrategyBase;
use crate::ports::deliver::NoticeKind;
use crate::ports::trace::SpanContext;
use crate::services::alert_notice::AlertSource;
use crate::services::knowledge::{ResolutionStatus, SreType};
use crate::{ActorId, ErrorKind, EventId, JobId, MemoryId, Namespace, RecordId, SessionId, Timestamp};

/// A step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepObservation<'a> {
    /// The step: `read`, `extract`, `embed`, `neighbours`, `consolidate`, `write`, `reflect`,
    /// `hand_over`.
    pub step: &'a str,
    /// The strategy that the step belongs to.
    pub strategy: Option<StrategyBase>,
    /// `ok`, `waits`, `unanswered`, `fallback` or `error`.
    pub outcome: &'a str,
    /// Duration of the step in microseconds.
    pub elapsed_us: u64,
}

/// A call of a language model, including its retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCallObservation<'a> {
    /// The model's name in the configuration.
    pub provider: &'a str,
    /// The requested model.
    pub model: &'a str,
    /// The name of the model that responded, as the model reports it.
    pub answered_by: Option<&'a str>,
    /// The step of the request; `None` for embeddings and probes.
    pub step: Option<Step>,
    /// `complete`, `cut_off`, `refused`, or the word of a `ModelErrorKind`.
    pub outcome: &'a str,
    /// The number of tokens that the call used.
    pub usage: Usage,
    /// Number of requests to the model, including retries.
    pub tries: u32,
    /// Duration of the call in milliseconds.
    pub elapsed_ms: u64,
    /// The span that was open during the call ([`Observe::open_span`]).
    pub span: Option<SpanContext>,
}

/// An attempt of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryObservation<'a> {
    /// The kind of the notification.
    pub kind: NoticeKind,
    /// `accepted`, `no_mapping`, `again` or `failed`.
    pub outcome: &'a str,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Duration of the attempt in milliseconds.
    pub elapsed_ms: u64,
    /// The span that was open during the attempt ([`Observe::open_span`]).
    pub span: Option<SpanContext>,
}

/// A request that an API answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestObservation<'a> {
    /// The span that was open during the request.
    pub span: SpanContext,
    /// The request's id, as in the log.
    pub id: &'a str,
    /// The interface that received the request: `agentcore`, `v1`, `s3` and so on.
    pub door: &'a str,
    /// The operation.
    pub operation: &'a str,
    /// The HTTP method.
    pub method: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The type of the error.
    pub error: Option<&'a str>,
    /// Duration of the request in microseconds.
    pub elapsed_us: u64,
}

/// One attempt of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobObservation<'a> {
    /// The span that was open during the attempt.
    pub span: SpanContext,
    /// The id of the job.
    pub id: &'a JobId,
    /// The word of the attempt's kind.
    pub kind: &'a str,
    /// The memory of the attempt.
    pub memory: &'a MemoryId,
    /// The outcome of the attempt: `done`, `again`, `waits`, `failed`, or `lost` (another process
    /// has the job).
    pub outcome: &'a str,
    /// Duration of the attempt in microseconds.
    pub elapsed_us: u64,
}

/// A write of the store that belongs to a request or a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteObservation<'a> {
    /// The jobs that the write requested.
    pub asked_jobs: &'a [JobId],
    /// The kind of the write's error.
    pub error: Option<ErrorKind>,
    /// Duration in microseconds, including the wait for the write's turn.
    pub elapsed_us: u64,
}

/// An event in the memory of operations agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SreObservation<'a> {
    /// A record was saved or rejected: its type, and the word for the result.
    Saved(SreType, &'a str),
    /// An investigation was started.
    Started {
        /// True if it joined an open one.
        joined: bool,
        /// True if some knowledge could not be read.
        degraded: bool,
        /// The caller's waiting time in microseconds.
        elapsed_us: u64,
    },
    /// An investigation was saved at its end, or with an interim state: its status.
    Completed(ResolutionStatus),
    /// An outcome was reported: `confirmed`, `refuted` or `recorded`.
    Outcome(&'a str),
    /// A notice of an alert was processed: `opened`, `joined` or `ignored`.
    Alert(AlertSource, &'a str),
}

/// The level of detail in reports of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObservationLevel {
    /// No reports, so that callers prepare none.
    Nothing,
    /// The operation, its subject and its result.
    Operations,
    /// Also queries and texts.
    Contents,
}

/// A record of an operation. Content: shown only if the configuration allows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordObservation<'a> {
    /// The id of the record.
    pub id: &'a RecordId,
    /// The text of the record.
    pub text: &'a str,
    /// The relevance of the record to the query of a search, 0 to 1; `None` outside of searches.
    pub relevance: Option<f32>,
}

/// An operation on memories, for traces. It is reported if operations are observed
/// ([`Observe::watching`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationObservation<'a> {
    /// Its name in the conventions: `create_memory_store`, `upsert_memory`, `search_memory` and so
    /// on; or `create_event`.
    pub operation: &'a str,
    /// The memory; `None` if none was created.
    pub memory: Option<&'a MemoryId>,
    /// The record, if the operation concerns one.
    pub record: Option<&'a RecordId>,
    /// Number of records of the operation.
    pub records: Option<u64>,
    /// The actor that the operation belongs to.
    pub actor: Option<&'a ActorId>,
    /// The session that the operation belongs to.
    pub session: Option<&'a SessionId>,
    /// The event, if the operation concerns one.
    pub event: Option<&'a EventId>,
    /// The namespace, if there is one.
    pub namespace: Option<&'a Namespace>,
    /// The query of a search. Content.
    pub query: Option<&'a str>,
    /// The records of a search; empty unless contents are observed.
    pub contents: &'a [RecordObservation<'a>],
    /// The time at which the operation began.
    pub started: Timestamp,
    /// Duration of the operation in microseconds.
    pub elapsed_us: u64,
    /// The kind of the operation's error.
    pub error: Option<ErrorKind>,
}

/// An observer of the pipeline. The default of every method does nothing.
pub trait Observe: Send + Sync {
    /// Reports the end of a job's step.
    fn step(&self, _seen: &StepObservation<'_>) {}

    /// Reports a call of a model.
    fn model_call(&self, _seen: &ModelCallObservation<'_>) {}

    /// Reports the response of a caller's own model: the step, and the cost that the caller states,
    /// in millionths of a US dollar.
    fn pulled_answer(&self, _step: Step, _cost_microusd: Option<u64>) {}

    /// Reports an attempt of a delivery.
    fn delivery(&self, _seen: &DeliveryObservation<'_>) {}

    /// Reports a decision of consolidation: the action (`add`, `update`, `supersede`, `skip`,
    /// `hold`), and the rules or the prompt that decided.
    fn decision(&self, _action: &str, _by: &str) {}

    /// Reports a finding of the safety steps: a word of its closed list.
    fn finding(&self, _what: &str) {}

    /// Reports an extraction whose attempts all failed, with this code.
    fn extraction_failed(&self, _strategy: StrategyBase, _code: &str) {}

    /// Reports lines of a model's response that were discarded, because of their form or their
    /// subject.
    fn lines_discarded(&self, _step: Step, _lines: u64) {}

    /// Reports messages that were recognised as re-sent and not read twice.
    fn resent(&self, _messages: u64) {}

    /// Reports an outgoing request that was rejected before it was made: a word of the guard's
    /// closed list.
    fn outbound_refused(&self, _reason: &str) {}

    /// Reports spans of traces that were not sent.
    fn spans_dropped(&self, _spans: u64) {}

    /// Reports an event in the memory of operations agents.
    fn operations_memory(&self, _seen: &SreObservation<'_>) {}

    /// Returns the level of detail for reports of operations.
    fn watching(&self) -> ObservationLevel {
        ObservationLevel::Nothing
    }

    /// Reports the end of an operation on memories.
    fn operation(&self, _seen: &OperationObservation<'_>) {}

    /// Opens a new span below the current one; `None` if no traces are sent. Its end is reported
    /// where its parent is open.
    fn open_span(&self) -> Option<SpanContext> {
        None
    }

    /// Reports the end of a request.
    fn request(&self, _seen: &RequestObservation<'_>) {}

    /// Reports the end of a job's attempt.
    fn job(&self, _seen: &JobObservation<'_>) {}

    /// Reports the end of a write.
    fn store_write(&self, _seen: &WriteObservation<'_>) {}
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observe for NoObserver {}
