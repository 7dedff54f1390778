//! Searches in-process indexes, each on a thread of a pool and after an update.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_index::MemoryIndex;
use loci_model::ports::BoxFuture;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, ComingVector, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::record::scope::RecordScope;
use loci_model::{MemoryId, RecordId, Result};

use crate::index_cache::{IndexCache, IndexSource};
use crate::pool::Pool;

/// The search side of a store with in-process indexes.
pub struct IndexSearch<S: IndexSource> {
    pool: Arc<Pool<S::Connection>>,
    cache: Arc<IndexCache<S>>,
}

/// The callback after a commit, with the memories whose records changed.
pub type AfterCommit = Box<dyn Fn(&BTreeSet<MemoryId>) + Send + Sync>;

impl<S> IndexSearch<S>
where
    S: IndexSource + 'static,
    S::Connection: Send + 'static,
{
    /// Returns a search in `cache` on threads of `pool`.
    pub fn new(pool: Arc<Pool<S::Connection>>, cache: Arc<IndexCache<S>>) -> Self {
        Self { pool, cache }
    }

    /// Returns the indexes.
    pub fn cache(&self) -> Arc<IndexCache<S>> {
        Arc::clone(&self.cache)
    }

    /// Returns the callback of a writer after a commit: loaded indexes apply the changes in the
    /// background. An earlier search applies them itself, so that no acknowledged write is missed.
    pub fn after_commit(&self) -> AfterCommit {
        let (pool, cache) = (Arc::downgrade(&self.pool), Arc::clone(&self.cache));
        Box::new(move |touched| {
            let Some(pool) = pool.upgrade() else { return };
            for memory in touched.iter().filter(|memory| cache.nudge(memory)) {
                let (cache, memory) = (Arc::clone(&cache), memory.clone());
                pool.spawn(move |connection| {
                    if let Err(error) = cache.follow(connection, &memory) {
                        // The next search meets the same error and returns it.
                        tracing::warn!(%error, "an index could not follow a write");
                    }
                });
            }
        })
    }

    /// Stops the threads.
    pub fn close(&self) {
        self.pool.close();
    }

    fn ask<T, F>(&self, memory: MemoryId, question: F) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&MemoryIndex) -> T + Send + 'static,
    {
        let cache = Arc::clone(&self.cache);
        self.pool.run(move |connection| cache.ask(connection, &memory, question))
    }
}

impl<S> Search for IndexSearch<S>
where
    S: IndexSource + 'static,
    S::Connection: Send + 'static,
{
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        let scope = scope.clone();
        self.ask(scope.memory.clone(), move |index| index.known_names(&scope))
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        self.ask(request.scope.memory.clone(), move |index| index.candidates(&request))
    }

    /// Waits for the vector on the thread that has the words: both take about a millisecond, and
    /// nothing is looked up twice.
    fn candidates_meanwhile(
        &self,
        request: CandidateRequest,
        vector: ComingVector,
    ) -> BoxFuture<'_, Result<CandidateSet>> {
        self.ask(request.scope.memory.clone(), move |index| {
            index.candidates_meanwhile(&request, || futures::executor::block_on(vector))
        })
    }

    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        self.ask(request.scope.memory.clone(), move |index| index.neighbours(&request))
    }

    fn alike<'a>(
        &'a self,
        memory: &'a MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>> {
        let (first, second) = ((first.0.clone(), first.1), (second.0.clone(), second.1));
        self.ask(memory.clone(), move |index| index.alike((&first.0, first.1), (&second.0, second.1)))
    }

    fn info<'a>(&'a self, memory: &'a MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        if !rebuilt {
            return self.ask(memory.clone(), MemoryIndex::info);
        }
        let (cache, memory) = (Arc::clone(&self.cache), memory.clone());
        self.pool.run(move |connection| Ok(cache.build(connection, &memory)?.info()))
    }
}
