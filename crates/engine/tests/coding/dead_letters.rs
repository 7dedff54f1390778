//! Deferred writes that fail: they are retried three times, then kept as dead letters, and retried
//! on request. Names contain the numbers of the acceptance tests of coding agents' memory where
//! applicable.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loci_api::coding::task::end::TaskNote;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::search::Search;
use loci_model::ports::store::{
    BackupReport, Checkpoint, Hosts, JobQuery, ReadWork, Store, StoreExt, StoreInfo, Tx, WriteWork,
};
use loci_model::{Error, MemoryId, RecordId, Result};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};

use super::workshop::Workshop;

/// A store that rejects citations of one record while enabled.
struct Refusing {
    inner: Arc<dyn Store>,
    of: (MemoryId, RecordId),
    refuses: Arc<AtomicBool>,
}

impl Store for Refusing {
    fn write_boxed(&self, mut work: WriteWork) -> BoxFuture<'_, Result<()>> {
        let ((memory, record), refuses) = (self.of.clone(), self.refuses.clone());
        self.inner.write_boxed(Box::new(move |tx: &mut dyn Tx| {
            work(tx)?;
            let is_cited = tx.facts().get(&memory, &record)?.is_some();
            match is_cited && refuses.load(Ordering::SeqCst) {
                true => Err(Error::unavailable("the disk is full")),
                false => Ok(()),
            }
        }))
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

/// Runs due jobs once.
fn work(shop: &Workshop, engine: &Loci) -> Vec<Job> {
    let (stop, stopped) = futures::channel::oneshot::channel::<()>();
    let host = engine.run_jobs(Box::pin(async {
        stopped.await.ok();
    }));
    let (memory, store, now) = (shop.memory(), shop.world.store(), shop.world.clock().now());
    let settled = async {
        let jobs = loop {
            let (of, query) = (memory.clone(), JobQuery { limit: 100, ..JobQuery::default() });
            let jobs = store.read(move |tx| tx.jobs().list(&of, &query)).await.unwrap();
            let is_left = |job: &Job| {
                job.state == JobState::Running || (job.state == JobState::Pending && job.due <= now)
            };
            if !jobs.iter().any(is_left) {
                break jobs;
            }
        };
        stop.send(()).ok();
        jobs
    };
    block_on(futures::future::join(host, settled)).1
}

#[test]
fn a37_three_more_tries_then_a_dead_letter_and_the_task_goes_on() {
    let shop = Workshop::new();
    shop.write("src/page.rs", "pub fn page_of_orders(cursor: Cursor) -> Page { PAGE_LIMIT.take(cursor) }\n");
    shop.begun("t-001");
    let note =
        TaskNote { text: "`page_of_orders` in `src/page.rs` takes a cursor.".into(), ..TaskNote::default() };
    let record = shop.note("t-001", note).unwrap().learned.id.unwrap();
    let refuses = Arc::new(AtomicBool::new(true));
    let of = (shop.memory(), record.clone());
    let store = Arc::new(Refusing { inner: shop.world.store(), of, refuses: refuses.clone() });
    let clock = shop.world.clock();
    let (ids, vault) = (Arc::new(SeededIds::new(9)), Arc::new(OpenVault));
    let parts = EngineParts::quiet(store, None, Arc::new(clock.clone()), ids, vault);
    let parts = EngineParts { code: Some(Arc::new(shop.shelf.clone())), ..parts };
    let engine = Loci::new(parts, EngineSettings::default());
    let cite = |jobs: Vec<Job>| jobs.into_iter().find(|job| job.kind == JobKind::named("cite")).unwrap();

    for (nth, pause_ms) in [(1, 1_000), (2, 2_000), (3, 4_000)] {
        let job = cite(work(&shop, &engine));
        assert_eq!((job.state, job.attempts), (JobState::Pending, nth));
        let pause = job.due.millis() - clock.now().millis();
        assert!((pause_ms * 8 / 10..=pause_ms * 12 / 10).contains(&pause), "{pause} of {pause_ms}");
        clock.advance_ms(u64::try_from(pause).unwrap());
    }
    let job = cite(work(&shop, &engine));
    assert_eq!((job.state, job.attempts), (JobState::Failed, 4));
    let letters =
        block_on(engine.coding.dead_letter_list(&shop.caller, &shop.standing, None, 100)).unwrap().items;
    assert_eq!(letters, std::slice::from_ref(&job));
    assert_eq!(job.unique_key, format!("cite:{record}"), "with what it is about");
    assert_eq!(job.failure_reason.as_deref(), Some("STORE_UNAVAILABLE: the disk is full"));
    assert_eq!((shop.knowledge(), shop.citations(&record)), (vec![record.clone()], Vec::new()));

    refuses.store(false, Ordering::SeqCst);
    let tried =
        block_on(engine.coding.dead_letter_retry(&shop.caller, &shop.standing, &job.id, None)).unwrap();
    assert_eq!(tried.state, JobState::Failed, "as it was");
    assert_eq!(cite(work(&shop, &engine)).state, JobState::Done);
    assert_eq!(shop.citations(&record), ["src/page.rs"]);
    let letters =
        block_on(engine.coding.dead_letter_list(&shop.caller, &shop.standing, None, 100)).unwrap().items;
    assert_eq!(letters, []);
}
