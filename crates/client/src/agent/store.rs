//! The port of stores. A new store implements [`MemoryStore`]. It does not retry and returns every
//! error, because the manager isolates failures and the coordinator repeats.

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
    /// The store may be written to. `add` and `add_messages` are never called if this is false.
    pub writable: bool,
    /// The store supports `add`.
    pub add: bool,
    /// The store supports `add_messages`.
    pub add_messages: bool,
    /// The store supports filters.
    pub filters: bool,
    /// The store can search as of an earlier time.
    pub as_of: bool,
    /// The scores are calibrated: they compare with those of other stores.
    pub scored: bool,
    /// The store supports feedback on its entries.
    pub feedback: bool,
}

/// A search of one store.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The query text.
    pub text: String,
    /// The maximum of entries.
    pub max_results: NonZeroU32,
    /// The conditions in addition to those of the store; all of them must hold.
    pub filter: Vec<MetadataFilter>,
    /// The time as of which the store searches, in milliseconds since 1970.
    pub as_of_ms: Option<i64>,
    /// The approximate budget of all entries together, in tokens.
    pub budget_tokens: Option<u32>,
    /// The minimum relevance of an entry, 0 to 1. Default: that of the store.
    pub relevance_min: Option<f32>,
}

/// Checks a minimum relevance.
///
/// # Errors
/// The violated rule, if it is no number between 0 and 1.
pub(crate) fn check_relevance(least: Option<f32>) -> Result<(), &'static str> {
    if least.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err("relevance_min must be a number between 0 and 1");
    }
    Ok(())
}

/// The target of a store's messages. Two stores with one target would write everything twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WritePlace {
    /// The memory, including the identity of its server.
    pub memory: String,
    /// The actor.
    pub actor: String,
    /// The session.
    pub session: String,
}

/// The state of extraction on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionWaited {
    /// True if nothing is pending.
    pub complete: bool,
    /// The number of pending extractions.
    pub pending: u64,
    /// The number of extractions that failed permanently.
    pub failed: u64,
}

/// The feedback on an entry so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackStanding {
    /// The number of agents and people who rated it useful.
    pub useful: u64,
    /// The number of agents and people who rated it wrong.
    pub wrong: u64,
    /// True if searches still return it, despite the feedback.
    pub in_force: bool,
}

/// A store of memories.
pub trait MemoryStore: Send + Sync {
    /// Returns the name, which is unique within a manager.
    fn name(&self) -> &str;

    /// Returns a description of the contents, for a model.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Returns the operations that it supports.
    fn capabilities(&self) -> Capabilities;

    /// Returns the number of entries of a search, if the call specifies none.
    fn max_search_results(&self) -> Option<NonZeroU32> {
        None
    }

    /// Returns the extraction configuration, if the store extracts.
    fn extraction(&self) -> Option<&ExtractionConfig> {
        None
    }

    /// Returns the target of its messages, if other stores may share it.
    fn write_place(&self) -> Option<WritePlace> {
        None
    }

    /// Checks that the store can be used: connection, version and rights.
    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        futures::future::ready(Ok(())).boxed()
    }

    /// Searches for entries, best first.
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>>;

    /// Stores an entry. The same entry may come twice.
    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// Stores messages. An error applies to the whole batch; a transient one leaves open if it was
    /// stored.
    fn add_messages<'a>(&'a self, batch: &'a MessageBatch)
    -> BoxFuture<'a, Result<BatchOutcome, StoreError>>;

    /// Waits until stored messages can be found, if the server needs time for that.
    fn wait_extracted(&self, _timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        futures::future::ready(Ok(ExtractionWaited { complete: true, pending: 0, failed: 0 })).boxed()
    }

    /// Rates an entry as useful or wrong, if the capabilities announce it. The `reason` has at most
    /// 500 characters. The rating counts as an agent's: a single one hides nothing.
    fn feedback<'a>(
        &'a self,
        _entry_id: &'a str,
        _verdict: FeedbackVerdict,
        _reason: Option<&'a str>,
    ) -> BoxFuture<'a, Result<FeedbackStanding, StoreError>> {
        let refused = StoreError::permanent("this store takes no feedback: see its capabilities");
        futures::future::ready(Err(refused)).boxed()
    }

    /// Plans the upkeep of the documents of the store, or applies it if `start` requests so. An
    /// absent namespace is the store's own. `None`: a store without documents.
    fn consolidate<'a>(
        &'a self,
        _start: &'a ConsolidationStart,
    ) -> BoxFuture<'a, Result<Option<ConsolidationRun>, StoreError>> {
        futures::future::ready(Ok(None)).boxed()
    }

    /// Returns the store's own tools.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}
