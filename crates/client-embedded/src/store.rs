//! A memory of the engine in this process. It uses the native API like the store of a server, so
//! that there is only one kind of request. It holds the engine, and creates a missing memory.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures::future::BoxFuture;
use loci_app::embedded_engine::EmbeddedEngine;
use loci_client::agent::coordinator::ExtractionConfig;
use loci_client::agent::stores::{RemoteStore, RemoteStoreOptions};
use loci_client::agent::{
    Added, BatchOutcome, Capabilities, ConsolidationRun, ConsolidationStart, Entry, ExtractionWaited,
    FeedbackStanding, FeedbackVerdict, MemoryError, MemoryStore, MessageBatch, NewEntry, SearchQuery,
    StoreError, Tool, WritePlace,
};

/// A memory in this process.
#[derive(Debug)]
pub struct EmbeddedStore {
    inner: RemoteStore,
    /// Keeps the folder open while a store needs it.
    _engine: Arc<EmbeddedEngine>,
}

impl EmbeddedStore {
    /// Returns a store on an engine. The engine's client replaces the `client` of the options.
    /// `initialize`, which a manager calls, creates a missing memory with one strategy for
    /// messages, whose records are stored in the namespace of the store.
    ///
    /// # Errors
    /// An option is invalid.
    pub fn new(engine: &Arc<EmbeddedEngine>, options: RemoteStoreOptions) -> Result<Self, MemoryError> {
        let options = RemoteStoreOptions { client: engine.client(), create: true, ..options };
        Ok(Self { inner: RemoteStore::new(options)?, _engine: Arc::clone(engine) })
    }
}

impl MemoryStore for EmbeddedStore {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn description(&self) -> Option<&str> {
        self.inner.description()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn max_search_results(&self) -> Option<NonZeroU32> {
        self.inner.max_search_results()
    }

    fn extraction(&self) -> Option<&ExtractionConfig> {
        self.inner.extraction()
    }

    fn write_place(&self) -> Option<WritePlace> {
        self.inner.write_place()
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.initialize()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        self.inner.search(query)
    }

    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        self.inner.add(entry)
    }

    fn add_messages<'a>(
        &'a self,
        batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        self.inner.add_messages(batch)
    }

    fn wait_extracted(&self, timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        self.inner.wait_extracted(timeout_ms)
    }

    fn feedback<'a>(
        &'a self,
        entry_id: &'a str,
        verdict: FeedbackVerdict,
        reason: Option<&'a str>,
    ) -> BoxFuture<'a, Result<FeedbackStanding, StoreError>> {
        self.inner.feedback(entry_id, verdict, reason)
    }

    fn consolidate<'a>(
        &'a self,
        start: &'a ConsolidationStart,
    ) -> BoxFuture<'a, Result<Option<ConsolidationRun>, StoreError>> {
        self.inner.consolidate(start)
    }

    fn tools(&self) -> Vec<Tool> {
        self.inner.tools()
    }
}
