//! Forgets a person during writes by others: rows that are added or removed between the pages of
//! the scan do not hide other rows.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loci_engine::admin::ForgetAsk;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::BoxFuture;
use loci_model::ports::search::Search;
use loci_model::ports::store::{
    BackupReport, Checkpoint, Hosts, ReadWork, Store, StoreExt, StoreInfo, Tx, WriteWork,
};
use loci_model::{ActorId, DeliveryId, Document, MemoryId, Result};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::samples::time;
use loci_testkit_ports::{SeededIds, block_on, task_samples};
use serde_json::json;

use super::workshop::Workshop;

const LOGIN: &str = "zelda";
/// Number of rows that fill a page of the scan.
const PAGE_ROWS: u32 = 100;
/// Order key of a delivery that is sent during the scan.
const DONE: &str = "done";

type Change = fn(&mut dyn Tx, &MemoryId) -> Result<()>;

/// A store with changes by others at the next write: just before it, and right after it.
struct Busy {
    inner: Arc<dyn Store>,
    memory: MemoryId,
    is_next: AtomicBool,
    before: Change,
    behind: Change,
}

impl Store for Busy {
    fn write_boxed(&self, mut work: WriteWork) -> BoxFuture<'_, Result<()>> {
        if !self.is_next.swap(false, Ordering::SeqCst) {
            return self.inner.write_boxed(work);
        }
        let (memory, before, behind) = (self.memory.clone(), self.before, self.behind);
        self.inner.write_boxed(Box::new(move |tx: &mut dyn Tx| {
            before(tx, &memory)?;
            work(tx)?;
            behind(tx, &memory)
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

fn nothing(_: &mut dyn Tx, _: &MemoryId) -> Result<()> {
    Ok(())
}

fn put_commit(tx: &mut dyn Tx, memory: &MemoryId, number: u32) -> Result<()> {
    let mut commit = task_samples::commit(memory, number)?;
    commit.user = Some(LOGIN.to_owned());
    tx.commits_mut().put(&commit)
}

/// Adds one more page of commits.
fn commits(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    (2..=PAGE_ROWS + 1).try_for_each(|number| put_commit(tx, memory, number))
}

fn first_commit(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    put_commit(tx, memory, 1)
}

/// Adds one page of deliveries and one more; the newest are listed first.
fn deliveries(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    for number in 1..=PAGE_ROWS + 1 {
        tx.deliveries_mut().insert(&Delivery {
            id: DeliveryId::parse(format!("out-{number}"))?,
            memory: memory.clone(),
            direction: DeliveryDirection::Out,
            target: "forge".to_owned(),
            order_key: if number == 2 { DONE } else { "open" }.to_owned(),
            body: Document::from_value(&json!({ "user": LOGIN }))?,
            state: DeliveryState::Pending,
            attempts: 0,
            due: time(1),
            last_error: None,
            created_at: time(1),
        })?;
    }
    Ok(())
}

/// Removes the last delivery of the first page, as if it was sent.
fn done(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    tx.deliveries_mut().drop_prefix(memory, DONE).map(drop)
}

/// Returns the number of rows, and the number of those that name the person.
fn counted(shop: &Workshop, memory: &MemoryId) -> (usize, usize) {
    let (of, read) = (memory.clone(), shop.world.store());
    block_on(read.read(move |tx| {
        let commits = tx.commits().list(&of, None, 1_000)?;
        let mut texts: Vec<String> = commits.into_iter().filter_map(|commit| commit.user).collect();
        for one in tx.deliveries().page(&of, DeliveryDirection::Out, None, None, 1_000)? {
            let whole = tx.deliveries().get(&of, DeliveryDirection::Out, &one.id)?;
            texts.extend(whole.map(|whole| whole.body.as_str().to_owned()));
        }
        Ok((texts.len(), texts.iter().filter(|text| text.contains(LOGIN)).count()))
    }))
    .unwrap()
}

/// Forgets the person during changes by others; `expect` is the number of remaining rows.
fn check(fill: Change, before: Change, behind: Change, expect: usize) {
    let shop = Workshop::new();
    let memory = shop.memory();
    let (of, store) = (memory.clone(), shop.world.store());
    block_on(store.write(move |tx| fill(tx, &of))).unwrap();
    let (inner, of) = (shop.world.store(), memory.clone());
    let busy = Arc::new(Busy { inner, memory: of, is_next: AtomicBool::new(false), before, behind });
    let (clock, ids) = (Arc::new(shop.world.clock()), Arc::new(SeededIds::new(9)));
    let parts = EngineParts::quiet(busy.clone(), None, clock, ids, Arc::new(OpenVault));
    let engine = Loci::new(parts, EngineSettings::default());
    let forget = |name: &str| {
        let (actor, confirm) = (ActorId::parse(name).unwrap(), Some(name.to_owned()));
        let ask = ForgetAsk { memory: memory.clone(), actor, dry_run: false, confirm };
        block_on(engine.forget(&shop.caller, &ask)).unwrap()
    };
    // The first call stores the witness of the master key, so that the next write is one of the
    // scan.
    forget("nobody");
    let (rows, named) = counted(&shop, &memory);
    assert_eq!(rows, named);
    busy.is_next.store(true, Ordering::SeqCst);
    forget(LOGIN);
    assert!(!busy.is_next.load(Ordering::SeqCst));
    assert_eq!(counted(&shop, &memory), (expect, 0));
}

#[test]
fn a_row_that_comes_before_a_page_leaves_none_of_it_out() {
    check(commits, first_commit, nothing, 101);
}

#[test]
fn a_row_that_goes_behind_a_page_leaves_none_out() {
    check(deliveries, nothing, done, 100);
}
