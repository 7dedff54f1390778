//! Watching the pipeline: what happens is told to whoever counts and traces. Telling never fails and never waits.
//!
//! No content is told, and labels are of closed lists, except where a member says otherwise.

use crate::job::exchange::{Step, Usage};
use crate::memory::strategy::StrategyBase;
use crate::ports::deliver::NoticeKind;
use crate::ports::trace::SpanContext;
use crate::services::alert_notice::AlertSource;
use crate::services::knowledge::{ResolutionStatus, SreType};
use crate::{ActorId, ErrorKind, EventId, JobId, MemoryId, Namespace, RecordId, SessionId, Timestamp};

/// A step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSeen<'a> {
    /// Which: `read`, `extract`, `embed`, `neighbours`, `consolidate`, `write`, `reflect`, `hand_over`.
    pub step: &'a str,
    /// Of which strategy.
    pub strategy: Option<StrategyBase>,
    /// `ok`, `waits`, `unanswered`, `fallback` or `error`.
    pub outcome: &'a str,
    /// How long it took.
    pub elapsed_us: u64,
}

/// A call of a language model, its retries included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCallSeen<'a> {
    /// The model's name in the configuration.
    pub provider: &'a str,
    /// The model that was asked for.
    pub model: &'a str,
    /// The model that answered, as it calls itself.
    pub answered_by: Option<&'a str>,
    /// What was asked for; `None` for embeddings and probes.
    pub step: Option<Step>,
    /// `complete`, `cut_off`, `refused`, or the word of a `ModelErrorKind`.
    pub outcome: &'a str,
    /// What it cost.
    pub usage: Usage,
    /// Requests that were made.
    pub tries: u32,
    /// How long it took.
    pub elapsed_ms: u64,
    /// The span that was open meanwhile ([`Observe::open_span`]).
    pub span: Option<SpanContext>,
}

/// A try of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliverySeen<'a> {
    /// What it is about.
    pub kind: NoticeKind,
    /// `accepted`, `no_mapping`, `again` or `failed`.
    pub outcome: &'a str,
    /// Which try, from 1.
    pub attempt: u32,
    /// How long it took.
    pub elapsed_ms: u64,
    /// The span that was open meanwhile ([`Observe::open_span`]).
    pub span: Option<SpanContext>,
}

/// A request that a door answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestSeen<'a> {
    /// The span that was open meanwhile.
    pub span: SpanContext,
    /// The request's id, as the log has it.
    pub id: &'a str,
    /// The door.
    pub door: &'a str,
    /// The operation that answered.
    pub operation: &'a str,
    /// The method of HTTP.
    pub method: &'a str,
    /// The status of HTTP.
    pub status: u16,
    /// The type of the error.
    pub error: Option<&'a str>,
    /// How long it took.
    pub elapsed_us: u64,
}

/// One try of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobSeen<'a> {
    /// The span that was open meanwhile.
    pub span: SpanContext,
    /// The job.
    pub id: &'a JobId,
    /// The word of its kind.
    pub kind: &'a str,
    /// Its memory.
    pub memory: &'a MemoryId,
    /// `done`, `again`, `waits`, `failed`, or `lost`: another runner has it.
    pub outcome: &'a str,
    /// How long it took.
    pub elapsed_us: u64,
}

/// A write of the store that belongs to a request or a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteSeen<'a> {
    /// Jobs that it asked for.
    pub asked_jobs: &'a [JobId],
    /// How it failed.
    pub error: Option<ErrorKind>,
    /// How long it took, the wait for its turn included.
    pub elapsed_us: u64,
}

/// Something that happened in the memory of operations agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SreSeen<'a> {
    /// A record was saved, or refused: its type, and the word for what became of it.
    Saved(SreType, &'a str),
    /// An investigation was started: an open one was joined, something of what is known could not be read, and how long it took.
    Started {
        /// An open one was joined.
        joined: bool,
        /// Something is less than it could be.
        degraded: bool,
        /// How long the caller waited.
        elapsed_us: u64,
    },
    /// An investigation was saved at its end, or where it stands: its status.
    Completed(ResolutionStatus),
    /// Its outcome was told: `confirmed`, `refuted` or `recorded`.
    Outcome(&'a str),
    /// News of an alert was dealt with: `opened`, `joined` or `ignored`.
    Alert(AlertSource, &'a str),
}

/// How much of operations somebody wants to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watching {
    /// Nothing: whoever does them makes nothing ready.
    Nothing,
    /// That they happened, on what, and how they ended.
    Operations,
    /// Questions and texts as well.
    Contents,
}

/// A record that an operation is about. Content: only shown where the configuration says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordSeen<'a> {
    /// Its id.
    pub id: &'a RecordId,
    /// Its text.
    pub text: &'a str,
    /// How well it answers the question of a search, 0 to 1.
    pub relevance: Option<f32>,
}

/// An operation on memories, for traces. Told to those who watch ([`Observe::watching`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationSeen<'a> {
    /// Its name in the conventions: `create_memory_store`, `upsert_memory`, `search_memory` and so on; or `create_event`.
    pub operation: &'a str,
    /// The memory; `None` where none came to be.
    pub memory: Option<&'a MemoryId>,
    /// The record, where it is one.
    pub record: Option<&'a RecordId>,
    /// Records that it is about.
    pub records: Option<u64>,
    /// The actor.
    pub actor: Option<&'a ActorId>,
    /// The session.
    pub session: Option<&'a SessionId>,
    /// The event.
    pub event: Option<&'a EventId>,
    /// Where, if that is one place.
    pub namespace: Option<&'a Namespace>,
    /// The question of a search. Content.
    pub query: Option<&'a str>,
    /// The records of a search; empty unless contents are watched.
    pub contents: &'a [RecordSeen<'a>],
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    pub elapsed_us: u64,
    /// How it failed.
    pub error: Option<ErrorKind>,
}

/// Is told what happens. Every method may be left as it is: it does nothing.
pub trait Observe: Send + Sync {
    /// A step of a job ended.
    fn step(&self, _seen: &StepSeen<'_>) {}

    /// A model was called.
    fn model_call(&self, _seen: &ModelCallSeen<'_>) {}

    /// A caller's own model answered a question: the step, and what the caller says it cost in millionths of a US dollar.
    fn pulled_answer(&self, _step: Step, _cost_microusd: Option<u64>) {}

    /// A delivery was tried.
    fn delivery(&self, _seen: &DeliverySeen<'_>) {}

    /// Consolidation decided: the action (`add`, `update`, `supersede`, `skip`, `hold`), and by what.
    fn decision(&self, _action: &str, _by: &str) {}

    /// Safety found something: a word of its closed list.
    fn finding(&self, _what: &str) {}

    /// An extraction failed for good, with this code.
    fn extraction_failed(&self, _strategy: StrategyBase, _code: &str) {}

    /// Lines of a model's answer were no answer: not of the form, or about something else.
    fn lines_discarded(&self, _step: Step, _lines: u64) {}

    /// Messages were found to be sent again and not read twice.
    fn resent(&self, _messages: u64) {}

    /// A request to the outside was refused before it was made: a word of the guard's closed list.
    fn outbound_refused(&self, _reason: &str) {}

    /// Spans of traces went unsent.
    fn spans_dropped(&self, _spans: u64) {}

    /// Something happened in the memory of operations agents.
    fn operations_memory(&self, _seen: &SreSeen<'_>) {}

    /// Whether operations are to be told, and how much of them.
    fn watching(&self) -> Watching {
        Watching::Nothing
    }

    /// An operation on memories ended.
    fn operation(&self, _seen: &OperationSeen<'_>) {}

    /// A new span below the one that is open here; `None` where no traces are sent. Its end is
    /// reported where its parent is open.
    fn open_span(&self) -> Option<SpanContext> {
        None
    }

    /// A request was answered.
    fn request(&self, _seen: &RequestSeen<'_>) {}

    /// A try of a job ended.
    fn job(&self, _seen: &JobSeen<'_>) {}

    /// A write ended.
    fn store_write(&self, _seen: &WriteSeen<'_>) {}
}

/// Is told and does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observe for NoObserver {}
