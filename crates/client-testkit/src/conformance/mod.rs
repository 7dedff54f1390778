//! The conformance suite of all agent stores, independent of their implementation. A store passes
//! the cases that its capabilities announce; a case is a function and a line in `CASES`. Each case
//! gets an empty store of its own.
//!
//! To test another store, pass [`run`] a closure that creates one. The test then asserts the number
//! of passed cases, so that a missing one is detected.

mod empty_store;
mod feedback;
mod writes;

use std::num::NonZeroU32;
use std::sync::Arc;

use futures::future::BoxFuture;
use loci_client::agent::{
    BatchOutcome, Capabilities, Entry, MemoryStore, Message, MessageBatch, NewEntry, SearchQuery,
    SequencedMessage,
};

/// A metadata key that no record has. A server with declared keys must know it.
pub const KEY_OF_NOTHING: &str = "mood";

/// A store under test.
pub struct Subject {
    /// The store, initially empty.
    pub store: Arc<dyn MemoryStore>,
    /// Resolves when the written entries can be found.
    pub settle: Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>,
}

/// The outcome of a case: `Ok`, or the reason of the failure.
pub(crate) type CaseResult = Result<(), String>;

/// A case of the suite.
struct ConformanceCase {
    name: &'static str,
    /// True if the store must be writable.
    writes: bool,
    /// Returns true if the capabilities of a store announce the case.
    announced: fn(Capabilities) -> bool,
    run: for<'a> fn(&'a Subject) -> BoxFuture<'a, CaseResult>,
}

/// Every case.
const CASES: &[ConformanceCase] = &[
    ConformanceCase {
        name: "it is ready",
        writes: false,
        announced: always,
        run: |it| Box::pin(empty_store::is_ready(it)),
    },
    ConformanceCase {
        name: "nothing is found in nothing",
        writes: false,
        announced: always,
        run: |it| Box::pin(empty_store::finds_nothing(it)),
    },
    ConformanceCase {
        name: "one that reads refuses nothing it announces",
        writes: false,
        announced: always,
        run: |it| Box::pin(empty_store::announces_no_writes(it)),
    },
    ConformanceCase {
        name: "what is written is found",
        writes: true,
        announced: always,
        run: |it| Box::pin(writes::is_found(it)),
    },
    ConformanceCase {
        name: "no more is found than is asked for",
        writes: true,
        announced: always,
        run: |it| Box::pin(writes::at_most(it)),
    },
    ConformanceCase {
        name: "scores lie between 0 and 1, best first",
        writes: true,
        announced: |can| can.scored,
        run: |it| Box::pin(writes::scores(it)),
    },
    ConformanceCase {
        name: "a condition that no record meets finds nothing",
        writes: true,
        announced: |can| can.filters,
        run: |it| Box::pin(writes::filters(it)),
    },
    ConformanceCase {
        name: "before it was written it was not there",
        writes: true,
        announced: |can| can.as_of,
        run: |it| Box::pin(writes::as_of(it)),
    },
    ConformanceCase {
        name: "an entry that comes twice is kept once",
        writes: true,
        announced: |can| can.add,
        run: |it| Box::pin(writes::same_entry(it)),
    },
    ConformanceCase {
        name: "an entry without content is refused",
        writes: true,
        announced: |can| can.add,
        run: |it| Box::pin(writes::blank_entry(it)),
    },
    ConformanceCase {
        name: "entries are refused where none are taken",
        writes: true,
        announced: |can| !can.add,
        run: |it| Box::pin(writes::no_entries(it)),
    },
    ConformanceCase {
        name: "a batch that comes twice is kept once",
        writes: true,
        announced: |can| can.add_messages,
        run: |it| Box::pin(writes::same_batch(it)),
    },
    ConformanceCase {
        name: "every message is accounted for",
        writes: true,
        announced: |can| can.add_messages,
        run: |it| Box::pin(writes::every_message(it)),
    },
    ConformanceCase {
        name: "one agent's word hides nothing",
        writes: true,
        announced: |can| can.feedback,
        run: |it| Box::pin(feedback::hides_nothing(it)),
    },
    ConformanceCase {
        name: "feedback is refused where none is taken",
        writes: true,
        announced: |can| !can.feedback,
        run: |it| Box::pin(feedback::no_feedback(it)),
    },
    ConformanceCase {
        name: "messages are refused where none are taken",
        writes: true,
        announced: |can| !can.add_messages,
        run: |it| Box::pin(writes::no_messages(it)),
    },
];

fn always(_: Capabilities) -> bool {
    true
}

/// Runs the suite over stores that `make` creates; its argument is true if the store must be
/// writable. Returns the names of the cases that the store announces and passes.
///
/// # Errors
/// The name of every failed case, with the reason.
pub async fn run(make: impl AsyncFn(bool) -> Subject) -> Result<Vec<&'static str>, String> {
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for case in CASES {
        let subject = make(case.writes).await;
        if !(case.announced)(subject.store.capabilities()) {
            continue;
        }
        // As in a manager: the store is initialized before any other call.
        let ready = subject.store.initialize().await.map_err(|error| format!("initialize: {error}"));
        let outcome = match ready {
            Ok(()) => (case.run)(&subject).await,
            Err(reason) => Err(reason),
        };
        match outcome {
            Ok(()) => passed.push(case.name),
            Err(reason) => failed.push(format!("{}: {reason}", case.name)),
        }
    }
    if failed.is_empty() { Ok(passed) } else { Err(failed.join("\n")) }
}

/// Returns the query of a case.
fn question(text: &str, max_results: u32) -> SearchQuery {
    SearchQuery {
        text: text.to_owned(),
        max_results: NonZeroU32::new(max_results).unwrap_or(NonZeroU32::MIN),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    }
}

/// Returns the messages of a run, numbered from 0.
fn batch(run_id: &str, messages: Vec<Message>) -> MessageBatch {
    let sequenced = |(sequence, message)| Arc::new(SequencedMessage { sequence, message });
    MessageBatch { run_id: run_id.into(), messages: (0..).zip(messages).map(sequenced).collect() }
}

impl Subject {
    /// Writes facts in the way that the store supports, and waits until they can be found.
    async fn write(&self, facts: &[&str]) -> CaseResult {
        if self.store.capabilities().add {
            for fact in facts {
                self.store.add(&NewEntry::text(*fact)).await.map_err(|error| format!("add: {error}"))?;
            }
        } else {
            let outcome =
                self.send(&batch("facts", facts.iter().map(|fact| Message::user(*fact)).collect())).await?;
            demand(outcome.stored.len() == facts.len(), || format!("not all is stored: {outcome:?}"))?;
        }
        (self.settle)().await
    }

    async fn send(&self, batch: &MessageBatch) -> Result<BatchOutcome, String> {
        self.store.add_messages(batch).await.map_err(|error| format!("add_messages: {error}"))
    }

    async fn find(&self, query: &SearchQuery) -> Result<Vec<Entry>, String> {
        self.store.search(query).await.map_err(|error| format!("search: {error}"))
    }
}

fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> CaseResult {
    if holds { Ok(()) } else { Err(otherwise()) }
}
