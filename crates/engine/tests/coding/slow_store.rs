//! A store whose search for episodes never responds, or fails, while all other reads work. The
//! clock advances as soon as those are done.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use loci_model::ports::BoxFuture;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::ports::store::{BackupReport, Checkpoint, Hosts, ReadWork, Store, StoreInfo, WriteWork};
use loci_model::record::RecordKind;
use loci_model::record::scope::RecordScope;
use loci_model::{Error, MemoryId, RecordId, Result};
use loci_testkit_ports::ManualClock;

/// The fault of a search for episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    Never,
    Fails,
}

/// Milliseconds after which the reads of a default hydration have ended, but not the hydration
/// itself.
const AFTER_READS_MS: u64 = 4_800;

pub(super) struct SlowStore {
    inner: Arc<dyn Store>,
    search: SlowSearch,
    reading: Arc<AtomicUsize>,
}

struct SlowSearch {
    inner: Arc<dyn Store>,
    trouble: Trouble,
    clock: ManualClock,
    reading: Arc<AtomicUsize>,
}

impl SlowStore {
    pub(super) fn new(inner: Arc<dyn Store>, clock: ManualClock, trouble: Trouble) -> Self {
        let reading = Arc::new(AtomicUsize::new(0));
        let search = SlowSearch { inner: inner.clone(), trouble, clock, reading: reading.clone() };
        Self { inner, search, reading }
    }
}

impl SlowSearch {
    /// Counts a read while it runs.
    fn counted<'a, T: Send + 'a>(&'a self, read: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
        Box::pin(async move {
            self.reading.fetch_add(1, Ordering::SeqCst);
            let done = read.await;
            self.reading.fetch_sub(1, Ordering::SeqCst);
            done
        })
    }
}

impl Search for SlowSearch {
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        self.counted(self.inner.search().known_names(scope))
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        if request.scope.kinds != [RecordKind::Episode] {
            return self.counted(self.inner.search().candidates(request));
        }
        if self.trouble == Trouble::Fails {
            return Box::pin(async { Err(Error::unavailable("the index is not there")) });
        }
        Box::pin(std::future::poll_fn(|context| {
            if self.reading.load(Ordering::SeqCst) == 0 {
                self.clock.advance_ms(AFTER_READS_MS);
            } else {
                context.waker().wake_by_ref();
            }
            Poll::Pending
        }))
    }

    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        self.counted(self.inner.search().neighbours(request))
    }

    fn alike<'a>(
        &'a self,
        memory: &'a MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>> {
        self.counted(self.inner.search().alike(memory, first, second))
    }

    fn info<'a>(&'a self, memory: &'a MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        self.counted(self.inner.search().info(memory, rebuilt))
    }
}

impl Store for SlowStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        self.inner.write_boxed(work)
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.reading.fetch_add(1, Ordering::SeqCst);
            let done = self.inner.read_boxed(work).await;
            self.reading.fetch_sub(1, Ordering::SeqCst);
            done
        })
    }

    fn search(&self) -> &dyn Search {
        &self.search
    }

    fn hosts(&self) -> Hosts {
        self.inner.hosts()
    }

    fn try_host(&self) -> Result<bool> {
        self.inner.try_host()
    }

    fn release_host(&self) {
        self.inner.release_host();
    }

    fn backup(&self, path: PathBuf) -> BoxFuture<'_, Result<BackupReport>> {
        self.inner.backup(path)
    }

    fn checkpoint(&self, moment: Checkpoint) -> BoxFuture<'_, Result<()>> {
        self.inner.checkpoint(moment)
    }

    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>> {
        self.inner.info(probe_write)
    }

    fn close(&self) {
        self.inner.close();
    }
}
