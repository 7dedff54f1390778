//! Operations told to whoever watches: one virtual call where nobody does. What they are called is the convention's
//! (docs/decisions/0056); what is shown of them is the observer's matter.

use loci_model::memory::Memory;
use loci_model::ports::observe::{OperationSeen, RecordSeen, Watching};
use loci_model::{ErrorKind, MemoryId, RecordId, Result, Timestamp};

use crate::Engine;
use crate::events::EventCreated;
use crate::records::{BatchOutcome, NamespaceAsk};
use crate::retrieval::{SearchAnswer, SearchRequest};

/// Records that a client writes itself; the id of one that failed names nothing.
pub(crate) const CREATE: &str = "create_memory";

/// An operation under way that somebody wants to be told of.
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
    /// Begins to watch an operation on this memory, where somebody wants to be told of it.
    pub(crate) fn watch(&self, operation: &'static str, memory: Option<&MemoryId>) -> Option<Watch<'_>> {
        let watching = self.observe.watching();
        if watching == Watching::Nothing {
            return None;
        }
        Some(Watch {
            engine: self,
            operation,
            memory: memory.cloned(),
            record: None,
            contents: watching == Watching::Contents,
            started: self.clock.now(),
            began_us: self.clock.monotonic_us(),
        })
    }
}

impl Watch<'_> {
    /// It is about this record alone.
    pub(crate) fn of(self, record: &RecordId) -> Self {
        Self { record: Some(record.clone()), ..self }
    }

    /// An operation on the memory as a whole, or one with nothing more to say.
    pub(crate) fn tell<T>(self, outcome: &Result<T>) {
        self.end(OperationSeen { error: kind(outcome), ..self.seen() });
    }

    /// A memory was made.
    pub(crate) fn tell_made(self, outcome: &Result<Memory>) {
        let memory = outcome.as_ref().ok().map(|memory| &memory.id);
        self.end(OperationSeen { memory, error: kind(outcome), ..self.seen() });
    }

    /// Records were changed; how many.
    pub(crate) fn tell_records<T>(self, outcome: &Result<T>, records: impl Fn(&T) -> usize) {
        let records = outcome.as_ref().ok().map(|done| count(records(done)));
        self.end(OperationSeen { records, error: kind(outcome), ..self.seen() });
    }

    /// A batch ended. Where no item was done, it failed as the first of them.
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
        self.end(OperationSeen { record, records, error, ..self.seen() });
    }

    /// An event was stored.
    pub(crate) fn tell_event(self, outcome: &Result<EventCreated>) {
        let event = outcome.as_ref().ok().map(|created| &created.event);
        self.end(OperationSeen {
            actor: event.map(|event| &event.actor),
            session: event.map(|event| &event.session),
            event: event.map(|event| &event.id),
            error: kind(outcome),
            ..self.seen()
        });
    }

    /// A search ended.
    pub(crate) fn tell_search(self, request: &SearchRequest, outcome: &Result<SearchAnswer>) {
        let hits = outcome.as_ref().map_or(&[][..], |answer| &answer.hits);
        let shown = hits.iter().filter(|_| self.contents).map(|hit| RecordSeen {
            id: &hit.record.id,
            text: &hit.record.text,
            relevance: Some(hit.relevance),
        });
        let contents: Vec<_> = shown.collect();
        let namespace = match request.namespaces.as_slice() {
            [NamespaceAsk::Node(one) | NamespaceAsk::Path(one)] => Some(one),
            _ => None,
        };
        self.end(OperationSeen {
            records: outcome.is_ok().then(|| count(hits.len())),
            namespace,
            query: self.contents.then_some(request.query.as_str()),
            contents: &contents,
            error: kind(outcome),
            ..self.seen()
        });
    }

    /// What is known of every operation.
    fn seen(&self) -> OperationSeen<'_> {
        OperationSeen {
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

    fn end(&self, seen: OperationSeen<'_>) {
        self.engine.observe.operation(&seen);
    }
}

fn kind<T>(outcome: &Result<T>) -> Option<ErrorKind> {
    outcome.as_ref().err().map(|error| error.kind)
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}
