//! The store as the engine uses it. If a write finds a long text that is not checked yet, the
//! text is checked on another thread, and the write then runs again with the result. All other
//! calls pass to the store unchanged. The write also sets the products for
//! [`crate::hooks::write_context`].

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use loci_model::Result;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::observe::{Observe, WriteObservation};
use loci_model::ports::search::Search;
use loci_model::ports::store::{BackupReport, Checkpoint, Hosts, ReadWork, Store, StoreInfo, WriteWork};
use loci_model::ports::trace;

use crate::EngineParts;
use crate::calls::long_work::LongWork;
use crate::hooks::{Products, write_context};
use loci_safety::write_texts::{LongText, WriteTexts, lock, run_with};

/// The maximum number of times that a write runs again because it needs further checked texts.
/// After that, the write checks texts itself.
const ROUNDS_MAX: usize = 4;

/// A store that checks long texts outside of its writes.
pub(crate) struct SafeStore {
    inner: Arc<dyn Store>,
    long_work: Arc<LongWork>,
    products: Products,
    clock: Arc<dyn Clock>,
    observe: Arc<dyn Observe>,
}

impl SafeStore {
    pub(crate) fn new(parts: &EngineParts, long_work: Arc<LongWork>, products: Products) -> Self {
        let (clock, observe) = (Arc::clone(&parts.clock), Arc::clone(&parts.observe));
        Self { inner: Arc::clone(&parts.store), long_work, products, clock, observe }
    }

    /// Reports a finished write to the observer, with the jobs that its last run scheduled.
    async fn observed(&self, mut work: WriteWork) -> Result<()> {
        let began_us = self.clock.monotonic_us();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let outcome = self
            .written(Box::new(move |tx| {
                let (outcome, jobs) = trace::with_asked_jobs(|| work(tx));
                *lock(&noted) = jobs;
                outcome
            }))
            .await;
        let elapsed_us = self.clock.monotonic_us().saturating_sub(began_us);
        let error = outcome.as_ref().err().map(|error| error.kind);
        self.observe.store_write(&WriteObservation { asked_jobs: &lock(&asked), error, elapsed_us });
        outcome
    }

    async fn written(&self, work: WriteWork) -> Result<()> {
        let work = Arc::new(Mutex::new(work));
        let texts = Arc::new(Mutex::new(WriteTexts::default()));
        for _ in 0..ROUNDS_MAX {
            let (own, run) = (Arc::clone(&texts), Arc::clone(&work));
            let products = self.products.clone();
            let once: WriteWork = Box::new(move |tx| {
                write_context::run_with(&products, || run_with(&own, || (lock(&run))(tx)))
            });
            let outcome = self.inner.write_boxed(once).await;
            let waiting = lock(&texts).take_waiting();
            if waiting.is_empty() {
                return outcome;
            }
            let make = move || waiting.into_iter().map(LongText::made).collect::<Vec<_>>();
            let made = self.long_work.run(make).await?;
            lock(&texts).add(made);
        }
        let products = self.products.clone();
        self.inner
            .write_boxed(Box::new(move |tx| write_context::run_with(&products, || (lock(&work))(tx))))
            .await
    }
}

impl Store for SafeStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        match trace::current() {
            Some(_) => Box::pin(self.observed(work)),
            None => Box::pin(self.written(work)),
        }
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        self.inner.read_boxed(work)
    }

    fn search(&self) -> &dyn Search {
        self.inner.search()
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
