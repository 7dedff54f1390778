//! The port of stores. A new store implements [`MemoryStore`]; it has no retries of its own and swallows no error, for the
//! manager isolates failures and the coordinator repeats.

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

/// What a store can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// It may be written to. `add` and `add_messages` are never called where this is false.
    pub writable: bool,
    /// It takes entries.
    pub add: bool,
    /// It takes messages.
    pub add_messages: bool,
    /// It understands filters.
    pub filters: bool,
    /// It can answer as of an earlier time.
    pub as_of: bool,
    /// Its scores are calibrated: they compare with those of other stores.
    pub scored: bool,
    /// It takes what an agent says of its entries.
    pub feedback: bool,
}

/// A question to one store.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The question.
    pub text: String,
    /// At most so many entries.
    pub max_results: NonZeroU32,
    /// Conditions, all of which must hold, beside those of the store.
    pub filter: Vec<MetadataFilter>,
    /// What was true and known then, in milliseconds since 1970.
    pub as_of_ms: Option<i64>,
    /// All entries together hold about so many tokens.
    pub budget_tokens: Option<u32>,
    /// The least relevance of an entry, 0 to 1; that of the store where it is absent.
    pub relevance_min: Option<f32>,
}

/// Checks a least relevance.
///
/// # Errors
/// The rule, if it is no number between 0 and 1.
pub(crate) fn check_relevance(least: Option<f32>) -> Result<(), &'static str> {
    if least.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err("relevance_min must be a number between 0 and 1");
    }
    Ok(())
}

/// Where a store's messages go. Two stores that write to one place would write everything twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WritePlace {
    /// The memory, with what tells its server from others.
    pub memory: String,
    /// The actor.
    pub actor: String,
    /// The session.
    pub session: String,
}

/// Where extraction on the other side stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionWaited {
    /// Nothing is pending any more.
    pub complete: bool,
    /// What is pending.
    pub pending: u64,
    /// What failed for good.
    pub failed: u64,
}

/// What agents and people say of an entry by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackStanding {
    /// How many call it useful.
    pub useful: u64,
    /// How many call it wrong.
    pub wrong: u64,
    /// Searches still find it: it is not held back for what is said of it.
    pub in_force: bool,
}

/// A store.
pub trait MemoryStore: Send + Sync {
    /// Its name; unique within a manager.
    fn name(&self) -> &str;

    /// What it holds, for a model.
    fn description(&self) -> Option<&str> {
        None
    }

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// How many entries it gives where the call does not say.
    fn max_search_results(&self) -> Option<NonZeroU32> {
        None
    }

    /// How what is said comes into it, where it does.
    fn extraction(&self) -> Option<&ExtractionConfig> {
        None
    }

    /// Where its messages go, where that matters.
    fn write_place(&self) -> Option<WritePlace> {
        None
    }

    /// Looks whether it can be used: connection, version and rights.
    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        futures::future::ready(Ok(())).boxed()
    }

    /// Finds entries, best first.
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>>;

    /// Keeps an entry. The same one may come twice.
    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// Keeps messages. An error speaks for the whole batch, and a transient one leaves open whether it was stored.
    fn add_messages<'a>(&'a self, batch: &'a MessageBatch)
    -> BoxFuture<'a, Result<BatchOutcome, StoreError>>;

    /// Waits until what was stored can be found, where that takes the other side some time.
    fn wait_extracted(&self, _timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        futures::future::ready(Ok(ExtractionWaited { complete: true, pending: 0, failed: 0 })).boxed()
    }

    /// Says that an entry is useful, or wrong, where the store announces it; `reason` in at most 500 characters. An agent says it: one alone
    /// hides nothing.
    fn feedback<'a>(
        &'a self,
        _entry_id: &'a str,
        _verdict: FeedbackVerdict,
        _reason: Option<&'a str>,
    ) -> BoxFuture<'a, Result<FeedbackStanding, StoreError>> {
        let refused = StoreError::permanent("this store takes no feedback: see its capabilities");
        futures::future::ready(Err(refused)).boxed()
    }

    /// Plans the upkeep of the documents that the store keeps, or does it where `start` says so; a
    /// namespace that is absent is the store's own. `None`: a store without documents.
    fn consolidate<'a>(
        &'a self,
        _start: &'a ConsolidationStart,
    ) -> BoxFuture<'a, Result<Option<ConsolidationRun>, StoreError>> {
        futures::future::ready(Ok(None)).boxed()
    }

    /// Tools of its own.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}
