//! Emits a trace span for each engine operation. The operation names follow docs/decisions/0056,
//! and the observer decides which details it exports. Without an observer, the cost is one
//! virtual call.

use loci_model::memory::Memory;
use loci_model::ports::observe::{ObservationLevel, OperationObservation, RecordObservation};
use loci_model::{ErrorKind, MemoryId, RecordId, Result, Timestamp};

use crate::Engine;
use crate::events::EventCreated;
use crate::records::{BatchOutcome, NamespaceAsk};
use crate::retrieval::{SearchAnswer, SearchRequest};

/// The name of the operation by which a client writes records. Its span omits the ids of records
/// that failed.
pub(crate) const CREATE: &str = "create_memory";

/// A running operation whose end is reported to an observer.
pub(crate) struct Watch<'e> {
    engine: &'e Engine,
    operation: &'static str,
    memory: Option<MemoryId>,
    record: Option<RecordId>,
    contents: bool,
    started: Timestamp,
    began_us: u64,
}

impl Engine {
    /// Starts the observation of an operation on a memory; `None` if there is no observer.
    pub(crate) fn watch(&self, operation: &'static str, memory: Option<&MemoryId>) -> Option<Watch<'_>> {
        let watching = self.observe.watching();
        if watching == ObservationLevel::Nothing {
            return None;
        }
        Some(Watch {
            engine: self,
            operation,
            memory: memory.cloned(),
            record: None,
            contents: watching == ObservationLevel::Contents,
            started: self.clock.now(),
            began_us: self.clock.monotonic_us(),
        })
    }
}

impl Watch<'_> {
    /// Adds the record that the operation is about.
    pub(crate) fn of(self, record: &RecordId) -> Self {
        Self { record: Some(record.clone()), ..self }
    }

    /// Reports the end of an operation without details.
    pub(crate) fn tell<T>(self, outcome: &Result<T>) {
        self.end(OperationObservation { error: kind(outcome), ..self.seen() });
    }

    /// Reports the end of an operation that creates a memory.
    pub(crate) fn tell_made(self, outcome: &Result<Memory>) {
        let memory = outcome.as_ref().ok().map(|memory| &memory.id);
        self.end(OperationObservation { memory, error: kind(outcome), ..self.seen() });
    }

    /// Reports the end of an operation and the number of records that it changed.
    pub(crate) fn tell_records<T>(self, outcome: &Result<T>, records: impl Fn(&T) -> usize) {
        let records = outcome.as_ref().ok().map(|done| count(records(done)));
        self.end(OperationObservation { records, error: kind(outcome), ..self.seen() });
    }

    /// Reports the end of a batch operation. If no item succeeded, the error of the first item is
    /// reported.
    pub(crate) fn tell_batch(self, outcome: &Result<BatchOutcome>) {
        let items = outcome.as_ref().map_or(&[][..], |outcome| &outcome.items);
        let done = items.iter().filter(|item| item.result.is_ok()).count();
        let first_failure = items.iter().find_map(|item| item.result.as_ref().err().map(|(kind, _)| *kind));
        let record = match items {
            [one] if done == 1 || self.operation != CREATE => Some(&one.id),
            _ => None,
        };
        let records = outcome.is_ok().then(|| count(done));
        let error = kind(outcome).or(first_failure.filter(|_| done == 0));
        self.end(OperationObservation { record, records, error, ..self.seen() });
    }

    /// Reports the end of an operation that stores an event.
    pub(crate) fn tell_event(self, outcome: &Result<EventCreated>) {
        let event = outcome.as_ref().ok().map(|created| &created.event);
        self.end(OperationObservation {
            actor: event.map(|event| &event.actor),
            session: event.map(|event| &event.session),
            event: event.map(|event| &event.id),
            error: kind(outcome),
            ..self.seen()
        });
    }

    /// Reports the end of a search.
    pub(crate) fn tell_search(self, request: &SearchRequest, outcome: &Result<SearchAnswer>) {
        let hits = outcome.as_ref().map_or(&[][..], |answer| &answer.hits);
        let shown = hits.iter().filter(|_| self.contents).map(|hit| RecordObservation {
            id: &hit.record.id,
            text: &hit.record.text,
            relevance: Some(hit.relevance),
        });
        let contents: Vec<_> = shown.collect();
        let namespace = match request.namespaces.as_slice() {
            [NamespaceAsk::Node(one) | NamespaceAsk::Path(one)] => Some(one),
            _ => None,
        };
        self.end(OperationObservation {
            records: outcome.is_ok().then(|| count(hits.len())),
            namespace,
            query: self.contents.then_some(request.query.as_str()),
            contents: &contents,
            error: kind(outcome),
            ..self.seen()
        });
    }

    /// Returns the details that all operations report.
    fn seen(&self) -> OperationObservation<'_> {
        OperationObservation {
            operation: self.operation,
            memory: self.memory.as_ref(),
            record: self.record.as_ref(),
            records: None,
            actor: None,
            session: None,
            event: None,
            namespace: None,
            query: None,
            contents: &[],
            started: self.started,
            elapsed_us: self.engine.clock.monotonic_us().saturating_sub(self.began_us),
            error: None,
        }
    }

    fn end(&self, seen: OperationObservation<'_>) {
        self.engine.observe.operation(&seen);
    }
}

fn kind<T>(outcome: &Result<T>) -> Option<ErrorKind> {
    outcome.as_ref().err().map(|error| error.kind)
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}
