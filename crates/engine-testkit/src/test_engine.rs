//! A complete engine for a test, on a store of its own, with a clock that the test sets, ids from
//! a seed, a vault that does not encrypt, and no embedding model. The same calls always give the
//! same results.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::admin::Transfer;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::job::{Job, JobState};
use loci_model::ports::clock::Clock;
use loci_model::ports::code::CodeSources;
use loci_model::ports::files::FilePlaces;
use loci_model::ports::store::{JobQuery, Store, StoreExt};
use loci_model::{Error, MemoryId, Result};
use loci_products::Loci;

use crate::TestLocation;
use loci_testkit_ports::{ManualClock, OpenVault, SeededIds};

/// The reader of repository code, and the directories for mirrors, if the test needs them.
type Adapters = (Option<Arc<dyn CodeSources>>, Option<Arc<dyn FilePlaces>>);

/// An engine with its store and clock. The store is removed when this value is dropped.
pub struct TestEngine {
    engine: Loci,
    clock: ManualClock,
    store: Arc<dyn Store>,
    _place: TestLocation,
}

impl TestEngine {
    /// Creates an engine on an empty store of the kind that the environment selects.
    ///
    /// # Errors
    /// If there is no place for a store, or it does not open.
    pub fn new() -> Result<Self> {
        Self::reading(None, None)
    }

    /// Creates an engine that can keep mirrors of document trees in the given directories.
    ///
    /// # Errors
    /// As [`TestEngine::new`].
    pub fn with_files(files: Arc<dyn FilePlaces>) -> Result<Self> {
        Self::reading(None, Some(files))
    }

    /// Creates an engine that can read the code of repositories.
    ///
    /// # Errors
    /// As [`TestEngine::new`].
    pub fn with_code(code: Arc<dyn CodeSources>) -> Result<Self> {
        Self::reading(Some(code), None)
    }

    fn reading(code: Option<Arc<dyn CodeSources>>, files: Option<Arc<dyn FilePlaces>>) -> Result<Self> {
        let place = TestLocation::new()?;
        let store = place.open()?;
        Ok(Self::over((place, store), ManualClock::default(), SeededIds::new(1), (code, files)))
    }

    fn over(
        (place, store): (TestLocation, Arc<dyn Store>),
        clock: ManualClock,
        ids: SeededIds,
        (code, files): Adapters,
    ) -> Self {
        let parts = EngineParts::quiet(
            store.clone(),
            None,
            Arc::new(clock.clone()),
            Arc::new(ids),
            Arc::new(OpenVault),
        );
        let engine = Loci::new(EngineParts { code, files, ..parts }, EngineSettings::default());
        Self { engine, clock, store, _place: place }
    }

    /// Creates an engine on a copy of the current store, like a backup that is restored later. It
    /// shares the clock of this engine, but not its ids.
    ///
    /// # Errors
    /// Errors of [`TestEngine::new`]; if the store cannot be copied.
    pub fn copied(&self, files: Option<Arc<dyn FilePlaces>>) -> Result<Self> {
        let place = TestLocation::new()?;
        let store = place.open()?;
        let transfer = Transfer {
            from: self.store.clone(),
            to: store.clone(),
            clock: Arc::new(self.clock.clone()),
            page_rows: 1_000,
            replace: BTreeSet::new(),
            replace_keys: false,
            on_progress: Arc::new(|_| ()),
        };
        if !loci_testkit_ports::block_on(transfer.run())?.is_same() {
            return Err(Error::bug("the copy of a store is not the same"));
        }
        Ok(Self::over((place, store), self.clock.clone(), SeededIds::new(2), (None, files)))
    }

    /// Returns the engine, with every product.
    pub fn engine(&self) -> Loci {
        self.engine.clone()
    }

    /// Returns the store of the engine.
    pub fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    /// Returns the engine's clock.
    pub fn clock(&self) -> ManualClock {
        self.clock.clone()
    }

    /// Advances the clock by one hour, then runs the jobs of a memory until none is due.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn work(&self, memory: &MemoryId) -> Result<()> {
        self.clock.advance_ms(3_600_000);
        let (stop, stopped) = futures::channel::oneshot::channel::<()>();
        let host = self.engine.run_jobs(Box::pin(async {
            stopped.await.ok();
        }));
        let done = async {
            loop {
                let (of, query) = (memory.clone(), JobQuery { limit: 1_000, ..JobQuery::default() });
                let listed = self.store.read(move |tx| tx.jobs().list(&of, &query)).await?;
                let now = self.clock.now();
                let is_left = |job: &Job| match job.state {
                    JobState::Running => true,
                    JobState::Pending => job.due <= now,
                    JobState::Failed | JobState::Done => false,
                };
                if !listed.iter().any(is_left) {
                    break;
                }
            }
            stop.send(()).ok();
            Ok(())
        };
        loci_testkit_ports::block_on(futures::future::join(host, done)).1
    }
}

impl Drop for TestEngine {
    fn drop(&mut self) {
        self.store.close();
    }
}
