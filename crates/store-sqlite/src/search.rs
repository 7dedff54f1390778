//! Search over the in-process index. (The index itself joins in the next slice; until then every search says so.)

use std::path::Path;

use loci_model::ports::BoxFuture;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::scope::RecordScope;
use loci_model::{Error, MemoryId, Result};

use crate::options::SqliteOptions;
use crate::pool::Pool;
use crate::writer::AfterCommit;

/// The search side of a store.
pub(crate) struct SqliteSearch {
    pool: Pool,
}

impl SqliteSearch {
    pub(crate) fn start(folder: &Path, options: &SqliteOptions) -> Result<Self> {
        Ok(Self { pool: Pool::start("loci-search", folder, options.searchers)? })
    }

    pub(crate) fn after_commit(&self, _folder: &Path) -> Result<AfterCommit> {
        Ok(Box::new(|_| {}))
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

fn none<T: Send + 'static>() -> BoxFuture<'static, Result<T>> {
    Box::pin(std::future::ready(Err(Error::unavailable("this build has no index yet"))))
}

impl Search for SqliteSearch {
    fn known_names<'a>(&'a self, _scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        none()
    }

    fn candidates(&self, _request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        none()
    }

    fn neighbours(&self, _request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        none()
    }

    fn info<'a>(&'a self, _memory: &'a MemoryId, _rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        none()
    }
}
