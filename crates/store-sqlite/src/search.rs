//! Search over the in-process indexes: every question runs on a thread of the search pool, after catching up.

use std::path::Path;
use std::sync::Arc;

use loci_index::MemoryIndex;
use loci_model::ports::BoxFuture;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, ComingVector, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::ports::store::Checkpoint;
use loci_model::scope::RecordScope;
use loci_model::{MemoryId, RecordId, Result};

use crate::index_cache::IndexCache;
use crate::index_files::IndexFiles;
use crate::options::SqliteOptions;
use crate::pool::Pool;
use crate::writer::AfterCommit;

/// The search side of a store.
pub(crate) struct SqliteSearch {
    pool: Arc<Pool>,
    cache: Arc<IndexCache>,
}

impl SqliteSearch {
    pub(crate) fn start(folder: &Path, options: &SqliteOptions, files: Arc<IndexFiles>) -> Result<Self> {
        Ok(Self {
            pool: Arc::new(Pool::start("loci-search", folder, options.searchers)?),
            cache: Arc::new(IndexCache::new(options, files)),
        })
    }

    /// Memories whose indexes are worth saving at a checkpoint.
    pub(crate) fn unsaved(&self, moment: Checkpoint) -> Vec<MemoryId> {
        self.cache.unsaved(moment)
    }

    pub(crate) fn cache(&self) -> Arc<IndexCache> {
        Arc::clone(&self.cache)
    }

    /// What the writer calls after a commit: indexes that are loaded take the changes in, beside the writer. A search
    /// that comes first catches up itself, so no acknowledged write is ever missed.
    pub(crate) fn after_commit(&self) -> AfterCommit {
        let (pool, cache) = (Arc::downgrade(&self.pool), Arc::clone(&self.cache));
        Box::new(move |touched| {
            let Some(pool) = pool.upgrade() else { return };
            for memory in touched.iter().filter(|memory| cache.nudge(memory)) {
                let (cache, memory) = (Arc::clone(&cache), memory.clone());
                pool.spawn(move |connection| {
                    if let Err(error) = cache.follow(connection, &memory) {
                        // The next search meets the same error and answers with it.
                        tracing::warn!(%error, "an index could not follow a write");
                    }
                });
            }
        })
    }

    pub(crate) fn close(&self) {
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

impl Search for SqliteSearch {
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        let scope = scope.clone();
        self.ask(scope.memory.clone(), move |index| index.known_names(&scope))
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        self.ask(request.scope.memory.clone(), move |index| index.candidates(&request))
    }

    /// Waits for the vector on the thread that has the words: both take a millisecond, and nothing is looked up twice.
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
