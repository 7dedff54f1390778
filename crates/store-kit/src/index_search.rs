//! Searches in the indexes of this process. Each search runs on a thread of a pool, after the
//! index has applied all committed changes.

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

/// The search interface of a store whose indexes are in this process.
pub struct IndexSearch<S: IndexSource> {
    pool: Arc<Pool<S::Connection>>,
    cache: Arc<IndexCache<S>>,
}

/// A function that a store calls after a commit, with the memories whose records changed.
pub type AfterCommit = Box<dyn Fn(&BTreeSet<MemoryId>) + Send + Sync>;

impl<S> IndexSearch<S>
where
    S: IndexSource + 'static,
    S::Connection: Send + 'static,
{
    /// Creates a search over the indexes in `cache`, on the threads of `pool`.
    pub fn new(pool: Arc<Pool<S::Connection>>, cache: Arc<IndexCache<S>>) -> Self {
        Self { pool, cache }
    }

    /// Returns the cache of indexes.
    pub fn cache(&self) -> Arc<IndexCache<S>> {
        Arc::clone(&self.cache)
    }

    /// Returns the function that the store must call after each commit. It queues an update of
    /// the loaded indexes. A search that starts earlier applies the changes itself, so no search
    /// misses an acknowledged write.
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

    /// Stops the threads of the pool.
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

    /// Waits for the vector of the question on the thread that searches by words. Both take about
    /// a millisecond, and the shared parts of the search are computed once.
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
