//! The port of stores. A store implements [`MemoryStore`]. It does not retry and returns every
//! error, because the manager isolates failures and the coordinator retries.

use std::num::NonZeroU32;

use futures::future::{BoxFuture, FutureExt};
use loci_api::documents::consolidation::{ConsolidationRun, ConsolidationStart};
use loci_api::record::MetadataFilter;
use loci_api::record::feedback::FeedbackVerdict;

use super::batch::{BatchOutcome, MessageBatch};
use super::coordinator::ExtractionConfig;
use super::entry::{Added, Entry, NewEntry};
use super::error::StoreError;
use super::tools::Tool;

/// The operations that a store supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// True if the store may be written to. Otherwise `add` and `add_messages` are never called.
    pub writable: bool,
    /// True if the store supports `add`.
    pub add: bool,
    /// True if the store supports `add_messages`.
    pub add_messages: bool,
    /// True if searches of the store support metadata filters.
    pub filters: bool,
    /// True if the store can search as of an earlier time.
    pub as_of: bool,
    /// True if the scores of the store are calibrated, so that they can be compared with scores of
    /// other stores.
    pub scored: bool,
    /// True if the store accepts feedback on its entries.
    pub feedback: bool,
}

/// The query of a search in one store.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The text that the search looks for.
    pub text: String,
    /// The maximum number of entries to return.
    pub max_results: NonZeroU32,
    /// The metadata conditions of the call, in addition to those of the store. All must hold.
    pub filter: Vec<MetadataFilter>,
    /// The time as of which the store searches, in milliseconds since 1970. `None` means now.
    pub as_of_ms: Option<i64>,
    /// The approximate token budget of all returned entries together. `None` means no limit.
    pub budget_tokens: Option<u32>,
    /// The minimum relevance of a returned entry, 0 to 1. `None` means the minimum of the store.
    pub relevance_min: Option<f32>,
}

/// Checks that a minimum relevance is a number between 0 and 1.
///
/// # Errors
/// The violated rule, if `least` is not a number between 0 and 1.
pub(crate) fn check_relevance(least: Option<f32>) -> Result<(), &'static str> {
    if least.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err("relevance_min must be a number between 0 and 1");
    }
    Ok(())
}

/// The conversation on a server to which a store writes messages. Two stores with the same one
/// would write every message twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WritePlace {
    /// The memory that receives the messages, with the identity of its server.
    pub memory: String,
    /// The actor of the written events.
    pub actor: String,
    /// The session of the written events.
    pub session: String,
}

/// The state of extraction on the server after waiting for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionWaited {
    /// True if no extraction is pending.
    pub complete: bool,
    /// The number of pending extractions.
    pub pending: u64,
    /// The number of extractions that failed permanently.
    pub failed: u64,
}

/// The sum of the feedback on an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackStanding {
    /// The number of agents and people who rated the entry useful.
    pub useful: u64,
    /// The number of agents and people who rated the entry wrong.
    pub wrong: u64,
    /// True if searches still return the entry despite the feedback.
    pub in_force: bool,
}

/// A store of memories for agents.
pub trait MemoryStore: Send + Sync {
    /// Returns the name of the store. It must be unique within a manager.
    fn name(&self) -> &str;

    /// Returns a description of the store's contents, which a model reads to choose stores.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Returns the operations that the store supports.
    fn capabilities(&self) -> Capabilities;

    /// Returns the maximum number of entries of a search, if the call specifies none. `None` means
    /// the default of the manager.
    fn max_search_results(&self) -> Option<NonZeroU32> {
        None
    }

    /// Returns the configuration by which the coordinator sends messages to this store. `None` if
    /// the store takes no messages.
    fn extraction(&self) -> Option<&ExtractionConfig> {
        None
    }

    /// Returns the conversation on a server to which the store writes messages. `None` if no other
    /// store can write there.
    fn write_place(&self) -> Option<WritePlace> {
        None
    }

    /// Checks that the store is ready: connection, version and rights.
    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        futures::future::ready(Ok(())).boxed()
    }

    /// Returns the entries that match a query, best first.
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>>;

    /// Stores an entry. After a failure the same entry may be added again.
    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// Stores messages. An error applies to the whole batch. After a transient error, the batch may
    /// be stored or not.
    fn add_messages<'a>(&'a self, batch: &'a MessageBatch)
    -> BoxFuture<'a, Result<BatchOutcome, StoreError>>;

    /// Waits until a search can find the stored messages, if a server must extract them first.
    /// `_timeout_ms` limits the wait, in milliseconds.
    fn wait_extracted(&self, _timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        futures::future::ready(Ok(ExtractionWaited { complete: true, pending: 0, failed: 0 })).boxed()
    }

    /// Rates an entry as useful or wrong. Called only if the capabilities include feedback. The
    /// `reason` has at most 500 characters. The rating counts as one of an agent, and a single
    /// rating never hides an entry.
    fn feedback<'a>(
        &'a self,
        _entry_id: &'a str,
        _verdict: FeedbackVerdict,
        _reason: Option<&'a str>,
    ) -> BoxFuture<'a, Result<FeedbackStanding, StoreError>> {
        let refused = StoreError::permanent("this store takes no feedback: see its capabilities");
        futures::future::ready(Err(refused)).boxed()
    }

    /// Plans the consolidation of the store's documents, or applies it if `start` requests that. If
    /// `start` has no namespace, the store uses its own. `None` means that the store has no
    /// documents.
    fn consolidate<'a>(
        &'a self,
        _start: &'a ConsolidationStart,
    ) -> BoxFuture<'a, Result<Option<ConsolidationRun>, StoreError>> {
        futures::future::ready(Ok(None)).boxed()
    }

    /// Returns additional tools for the model that this store provides.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}
