//! Tests the move of a whole store to another store: the move is aborted at every write and then
//! resumed. It runs for every pair of stores, and [`run`] panics at the first difference.
//!
//! [`run`] panics at the first difference.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use loci_engine::admin::{Transfer, TransferOutcome, TransferProgress, TransferReport};
use loci_model::ports::BoxFuture;
use loci_model::ports::search::CandidateRequest;
use loci_model::ports::store::{ReadWork, Store, StoreExt, Tx, WriteWork};
use loci_model::record::scope::RecordScope;
use loci_model::transfer::TransferPlace;
use loci_model::{Error, ErrorKind, MemoryId, Result};

use loci_store_conformance::filled_store;
use loci_testkit_ports::samples::time;
use loci_testkit_ports::{HashEmbedder, ManualClock, block_on};

/// A function that creates and opens an empty store.
pub type StoreOpener<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// The number of rows in a page, so small that the move has many pages.
const PAGE_ROWS: usize = 5;
/// The number of writes at the start of a move that check that the two stores are different.
const FIRST_WRITES: i64 = 2;

/// Moves a store with rows of every kind to the other store and back, and aborts at every possible
/// write.
///
/// # Errors
/// Unexpected errors of the stores.
pub fn run(from: StoreOpener<'_>, to: StoreOpener<'_>) -> Result<()> {
    let source = from();
    let memories = [filled_store::fill(&source, "full")?, filled_store::fill(&source, "other")?];
    let before = answers(&source, &memories)?;
    let nothing = outcomes(&block_on(transfer(&source, &to()).verify())?);
    let missing = TransferOutcome::Missing;
    same("nothing is there", nothing.as_slice(), &[missing, missing, TransferOutcome::Different]);
    let target = broken_off_everywhere(&source, to)?;
    same("the same is found", &answers(&target, &memories)?, &before);
    again(&source, &target)?;

    let back = from();
    let report = block_on(transfer(&target, &back).run())?;
    same("moved back", &report.is_same(), &true);
    same("back as it was", &block_on(transfer(&source, &back).verify())?.is_same(), &true);
    same("found as before", &answers(&back, &memories)?, &before);
    others_are_left_alone(&source, &to())?;
    what_cannot_be_moved(&source, from)?;
    let target = to();
    changes_are_noticed(&source, &target)?;
    what_differs_is_replaced(&source, &target, &memories)?;
    changes_meanwhile_are_noticed(&source, &target, &memories)
}

fn transfer(from: &Arc<dyn Store>, to: &Arc<dyn Store>) -> Transfer {
    Transfer {
        from: from.clone(),
        to: to.clone(),
        clock: Arc::new(ManualClock::default()),
        page_rows: PAGE_ROWS,
        replace: BTreeSet::new(),
        replace_keys: false,
        on_progress: Arc::new(|_| ()),
    }
}

/// Moves all data, and replaces the given memories in the target if they differ.
fn replacing(
    source: &Arc<dyn Store>,
    target: &Arc<dyn Store>,
    memories: &[MemoryId],
) -> Result<TransferReport> {
    let replace: BTreeSet<MemoryId> = memories.iter().cloned().collect();
    block_on(Transfer { replace, ..transfer(source, target) }.run())
}

fn outcomes(report: &TransferReport) -> Vec<TransferOutcome> {
    report.places.iter().map(|place| place.outcome).collect()
}

/// Moves all data in several runs. Each run is aborted one write later than the run before, and
/// the next run does not know if the last write took effect.
fn broken_off_everywhere(source: &Arc<dyn Store>, to: StoreOpener<'_>) -> Result<Arc<dyn Store>> {
    let target = to();
    for round in 0..1_000 {
        // Alternately, the second write has no effect, or it takes effect without a response.
        let left = AtomicI64::new(FIRST_WRITES + 2);
        let to: Arc<dyn Store> = Arc::new(Failing { inner: target.clone(), left, made: round % 2 == 0 });
        match block_on(transfer(source, &to).run()) {
            Err(error) => same("it broke off as it was told to", &error.kind, &ErrorKind::Unavailable),
            Ok(report) => {
                same("it is the same in the end", &report.is_same(), &true);
                same("in pieces", &(round > 20), &true);
                return Ok(target);
            }
        }
        half_is_not_seen(source, &target)?;
    }
    Err(Error::bug("it never ended"))
}

/// Checks that every memory that can be read in the target during a move is complete.
fn half_is_not_seen(source: &Arc<dyn Store>, target: &Arc<dyn Store>) -> Result<()> {
    let seen = block_on(target.read(|tx| tx.memories().list(None, 9)))?;
    let report = block_on(transfer(source, target).verify())?;
    let whole = outcomes(&report).iter().take(2).filter(|outcome| outcome.is_same()).count();
    same("what is seen is whole", &seen.len(), &whole);
    Ok(())
}

fn again(source: &Arc<dyn Store>, target: &Arc<dyn Store>) -> Result<()> {
    let report = block_on(transfer(source, target).run())?;
    let memories = &outcomes(&report)[..2];
    same("once more is nothing", memories, [TransferOutcome::Same, TransferOutcome::Same].as_slice());
    let rows: Vec<u64> =
        report.places.iter().flat_map(|place| &place.kinds).map(|sums| sums.to.rows).collect();
    same("something of everything", &rows.contains(&0), &false);
    Ok(())
}

fn others_are_left_alone(source: &Arc<dyn Store>, target: &Arc<dyn Store>) -> Result<()> {
    let mut namesake = loci_testkit_ports::samples::memory("other")?;
    namesake.id = MemoryId::compose("other", "9999999999")?;
    block_on(target.write(move |tx| tx.memories_mut().insert(&namesake)))?;
    let refused = block_on(transfer(source, target).run()).map_err(|error| error.kind);
    same("its name is taken", &refused, &Err(ErrorKind::Conflict));
    same("nothing was begun", &block_on(target.read(|tx| tx.memories().list(None, 9)))?.len(), &1);
    Ok(())
}

/// Checks that a move detects a change of the source between two runs, and moves the changed data
/// again.
fn changes_are_noticed(source: &Arc<dyn Store>, target: &Arc<dyn Store>) -> Result<()> {
    let left = AtomicI64::new(FIRST_WRITES + 9);
    let to: Arc<dyn Store> = Arc::new(Failing { inner: target.clone(), left, made: true });
    same("broken off", &block_on(transfer(source, &to).run()).is_err(), &true);
    let oldest = block_on(transfer(source, target).verify())?.places.into_iter().next();
    let Some(TransferPlace::Memory(memory)) = oldest.map(|place| place.place) else {
        return Err(Error::bug("a report without a memory"));
    };
    let event = loci_testkit_ports::samples::event(&memory, "ann", "s1", 777)?;
    block_on(source.write(move |tx| tx.events_mut().insert(&event)))?;
    let report = block_on(transfer(source, target).run())?;
    same("moved anew", &report.is_same(), &true);
    // A job that ends meanwhile changes no counter.
    let id = memory.clone();
    block_on(source.write(move |tx| {
        tx.idempotency_mut().sweep(time(9_999), 9)?;
        tx.jobs_mut().cancel(&id, None, None)
    }))?;
    let report = block_on(transfer(source, target).verify())?;
    same("a difference", &report.is_same(), &false);
    let kinds: Vec<&str> = report
        .places
        .iter()
        .flat_map(|place| &place.kinds)
        .filter(|sums| sums.from != sums.to)
        .map(|sums| sums.kind.as_str())
        .collect();
    same("by kind", &kinds.contains(&"jobs"), &true);
    Ok(())
}

fn what_cannot_be_moved(source: &Arc<dyn Store>, open: StoreOpener<'_>) -> Result<()> {
    let kind = |from, to| block_on(transfer(from, to).run()).map_err(|error| error.kind);
    same("into itself", &kind(source, source), &Err(ErrorKind::Invalid));
    same("nothing", &kind(&open(), &open()), &Err(ErrorKind::NotFound));
    let unknown = MemoryId::compose("unknown", "9999999999")?;
    let refused = replacing(source, &open(), &[unknown]).map_err(|error| error.kind);
    same("in place of which there is nothing", &refused, &Err(ErrorKind::NotFound));
    Ok(())
}

/// Checks that a move does not change different data in the target until the caller requests its
/// replacement.
fn what_differs_is_replaced(
    source: &Arc<dyn Store>,
    target: &Arc<dyn Store>,
    memories: &[MemoryId],
) -> Result<()> {
    let of_memories = |report: &TransferReport| outcomes(report)[..2].to_vec();
    for _ in 0..2 {
        let report = block_on(transfer(source, target).run())?;
        same("other jobs, other tokens", &of_memories(&report), &vec![TransferOutcome::Different; 2]);
    }
    let one = replacing(source, target, &memories[..1])?;
    same("one", &of_memories(&one), &vec![TransferOutcome::Moved, TransferOutcome::Different]);
    let both = replacing(source, target, memories)?;
    same("the other", &of_memories(&both), &vec![TransferOutcome::Same, TransferOutcome::Moved]);

    let event = loci_testkit_ports::samples::event(&memories[0], "ann", "s1", 778)?;
    block_on(source.write(move |tx| tx.events_mut().insert(&event)))?;
    let refused = block_on(transfer(source, target).run()).map_err(|error| error.kind);
    same("another head", &refused, &Err(ErrorKind::Conflict));
    same("replaced too", &replacing(source, target, memories)?.is_same(), &true);

    block_on(target.write(|tx| {
        let key = tx.keys().list()?.into_iter().next().ok_or_else(|| Error::bug("no key"))?;
        tx.keys_mut()
            .update(&loci_model::principal::key::AccessKey { revoked_at: Some(time(99)), ..key })
            .map(drop)
    }))?;
    same("another key", &block_on(transfer(source, target).run())?.is_same(), &false);
    let report = block_on(Transfer { replace_keys: true, ..transfer(source, target) }.run())?;
    same("the source's key", &report.is_same(), &true);
    Ok(())
}

/// Checks that a move detects at its end a change of the source after a memory was compared.
fn changes_meanwhile_are_noticed(
    source: &Arc<dyn Store>,
    target: &Arc<dyn Store>,
    memories: &[MemoryId],
) -> Result<()> {
    let memory = &memories[0];
    let changed = TransferOutcome::SourceChanged;
    let event = loci_testkit_ports::samples::event(memory, "ann", "s1", 779)?;
    let report = meanwhile(source, target, move |tx| tx.events_mut().insert(&event).map(drop))?;
    same("an event that came", &outcomes(&report)[0], &changed);
    same("and no other", &report.places.iter().filter(|place| !place.outcome.is_same()).count(), &1);
    same("what is there is older", &report.places[0].there, &true);
    same("moved anew", &replacing(source, target, memories)?.is_same(), &true);

    let job = loci_model::job::NewJob {
        id: loci_model::JobId::parse("job-new")?,
        memory: memory.clone(),
        kind: loci_model::job::JobKind::EMBED,
        unique_key: "job-new".to_owned(),
        strategy: None,
        actor: None,
        session: None,
        due: time(1),
        due_rule: loci_model::job::DueRule::Earlier,
    };
    let report = meanwhile(source, target, move |tx| tx.jobs_mut().enqueue(&job, time(1)).map(drop))?;
    same("a job, which no counter counts", &outcomes(&report)[0], &changed);
    same("moved anew", &replacing(source, target, memories)?.is_same(), &true);

    let late = loci_testkit_ports::samples::memory("late")?;
    let id = late.id.clone();
    let report = meanwhile(source, target, move |tx| tx.memories_mut().insert(&late))?;
    let last = report.places.last().map(|place| (place.place.clone(), place.outcome, place.there));
    same("a memory that was made", &last, &Some((TransferPlace::Memory(id), changed, false)));
    same("moved then", &block_on(transfer(source, target).run())?.is_same(), &true);
    Ok(())
}

/// Moves all data, and changes the source after all memories were compared.
fn meanwhile(
    source: &Arc<dyn Store>,
    target: &Arc<dyn Store>,
    change: impl Fn(&mut dyn Tx) -> Result<()> + Send + Sync + 'static,
) -> Result<TransferReport> {
    let now = Arc::new(AtomicBool::new(false));
    let from: Arc<dyn Store> = Arc::new(ChangingStore {
        inner: source.clone(),
        now: now.clone(),
        changed: AtomicBool::new(false),
        change: Arc::new(change),
    });
    let told = move |progress: &TransferProgress| {
        if matches!(progress, TransferProgress::Further { place: TransferPlace::Server, .. }) {
            now.store(true, Ordering::SeqCst);
        }
    };
    block_on(Transfer { on_progress: Arc::new(told), ..transfer(&from, target) }.run())
}

/// Returns the results of some searches in a store, with their statistics.
fn answers(store: &Arc<dyn Store>, memories: &[MemoryId]) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for memory in memories {
        for question in ["Ann went to Rome", "lake number 4", "message 1"] {
            let request = CandidateRequest {
                scope: RecordScope::whole(memory.clone(), time(500)),
                terms: loci_text::terms(question),
                vector: Some((HashEmbedder::default().vector(question)[..16].to_vec(), "m".to_owned())),
                earlier: None,
                lists: None,
            };
            let set = block_on(store.search().candidates(request))?;
            let mut found: Vec<String> = set
                .candidates
                .iter()
                .map(|found| {
                    format!(
                        "{} {} {} {:?} {:?} {:?}",
                        found.record, found.version, found.part, found.state, found.dense, found.views
                    )
                })
                .collect();
            found.sort();
            out.push(format!("{} {:?} {found:?}", set.sequence, set.passages_in_scope));
        }
    }
    Ok(out)
}

#[expect(clippy::panic, reason = "a test suite that a library carries")]
#[track_caller]
fn same<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, got: &T, expect: &T) {
    if got != expect {
        panic!("{what}: got {got:?}, expected {expect:?}");
    }
}

/// A store in which a given write and all later ones fail.
struct Failing {
    inner: Arc<dyn Store>,
    left: AtomicI64,
    /// True if the first failing write takes effect although it returns an error.
    made: bool,
}

impl Failing {
    async fn fail(&self, work: WriteWork, left: i64) -> Result<()> {
        if left == 1 && self.made {
            self.inner.write_boxed(work).await?;
        }
        Err(Error::unavailable("the store went away"))
    }
}

/// A write that changes a store.
type StoreMutation = dyn Fn(&mut dyn Tx) -> Result<()> + Send + Sync;

/// A store that changes once, at its first read after a signal.
struct ChangingStore {
    inner: Arc<dyn Store>,
    now: Arc<AtomicBool>,
    changed: AtomicBool,
    change: Arc<StoreMutation>,
}

impl ChangingStore {
    async fn read(&self, work: ReadWork) -> Result<()> {
        if self.now.load(Ordering::SeqCst) && !self.changed.swap(true, Ordering::SeqCst) {
            let change = self.change.clone();
            self.inner.write(move |tx| change(tx)).await?;
        }
        self.inner.read_boxed(work).await
    }
}

impl Store for Failing {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            left @ ..=1 => Box::pin(self.fail(work, left)),
            _ => self.inner.write_boxed(work),
        }
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        self.inner.read_boxed(work)
    }

    loci_testkit_ports::as_within!();
}

impl Store for ChangingStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        self.inner.write_boxed(work)
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.read(work))
    }

    loci_testkit_ports::as_within!();
}
