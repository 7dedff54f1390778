//! A test memory: the engine on a store in its own place, a clock that advances only when nothing
//! else runs, and writes that can be made to fail. Every write runs twice, the first time with a
//! rollback, so that tests detect side effects outside the store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use loci_api::job::ExtractionState;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::events::{NewEvent, NewIngest};
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::{EngineParts, EngineSettings, Models};
use loci_engine_testkit::TestLocation;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::ports::language_model::LanguageModel;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, ComingVector, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::ports::store::{
    BackupReport, Checkpoint, Hosts, JobQuery, ReadWork, RecordPage, Store, StoreExt, StoreInfo, WriteWork,
};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Grant, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::{
    ActorId, Document, Error, ErrorKind, MemoryId, NamespaceTemplate, RecordId, Result, SessionId, Timestamp,
};
use loci_products::{Loci, LociSettings};
use loci_testkit_ports::{HashEmbedder, ManualClock, ScriptedModel, SeededIds};

/// The way in which a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not run.
    Before,
    /// It is committed, but its response is lost.
    After,
    /// Its closure fails at the end, so nothing is written.
    Within,
    /// It reads a damaged row, so nothing is written.
    Damaged,
}

/// A concurrent action of others.
type ConcurrentAction = Box<dyn FnMut(&(dyn Store + 'static)) + Send>;

/// A store with injected faults.
pub(crate) struct FaultyStore {
    inner: Arc<dyn Store>,
    /// Number of writes until the one that fails; negative means none.
    left: AtomicI64,
    fault: Mutex<Fault>,
    writes: AtomicI64,
    reads: AtomicI64,
    /// An action before each search.
    pub(crate) searching: Mutex<Option<ConcurrentAction>>,
    /// Number of running reads, writes and searches: while there are any, the clock stands still,
    /// on slow machines too.
    busy: Arc<AtomicI64>,
    /// Reported number of hosts, if it overrides the store's.
    hosts: Mutex<Option<Hosts>>,
    /// True while this process is host, if the store reports one host without having a host lock.
    held: AtomicBool,
}

/// Error text of a write that must run again.
const AGAIN: &str = "to be run again";

/// One running operation.
struct Busy(Arc<AtomicI64>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl FaultyStore {
    /// Runs a write like a store that repeats it: first with a rollback, then for real.
    fn repeated(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        let for_good = Arc::new(Mutex::new(work));
        let for_nothing = for_good.clone();
        Box::pin(async move {
            let first = self.inner.write_boxed(Box::new(move |tx| {
                (for_nothing.lock().unwrap())(tx)?;
                Err(Error::unavailable(AGAIN))
            }));
            match first.await {
                Err(error) if error.message == AGAIN => {
                    self.inner.write_boxed(Box::new(move |tx| (for_good.lock().unwrap())(tx))).await
                }
                failed => failed,
            }
        })
    }

    fn under_way<'a, T: 'a>(&self, work: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
        self.busy.fetch_add(1, Ordering::SeqCst);
        let busy = Busy(self.busy.clone());
        Box::pin(async move {
            let done = work.await;
            drop(busy);
            done
        })
    }

    fn is_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn fail_write(&self, number: i64, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
        self.left.store(number, Ordering::SeqCst);
    }

    pub(crate) fn writes(&self) -> i64 {
        self.writes.load(Ordering::SeqCst)
    }

    pub(crate) fn reads(&self) -> i64 {
        self.reads.load(Ordering::SeqCst)
    }
}

impl Store for FaultyStore {
    fn write_boxed(&self, mut work: WriteWork) -> BoxFuture<'_, Result<()>> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        if self.left.fetch_sub(1, Ordering::SeqCst) != 0 {
            return self.under_way(self.repeated(work));
        }
        let lost = || Error::unavailable("the store went away");
        match *self.fault.lock().unwrap() {
            Fault::Before => Box::pin(async move { Err(lost()) }),
            Fault::After => self.under_way(Box::pin(async move {
                self.repeated(work).await?;
                Err(lost())
            })),
            Fault::Within => self.under_way(self.repeated(Box::new(move |tx| {
                work(tx)?;
                Err(lost())
            }))),
            Fault::Damaged => self.under_way(self.repeated(Box::new(move |tx| {
                work(tx)?;
                Err(Error::bug("a stored row is damaged"))
            }))),
        }
    }

    fn read_boxed(&self, work: ReadWork) -> BoxFuture<'_, Result<()>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.under_way(self.inner.read_boxed(work))
    }

    fn search(&self) -> &dyn Search {
        if let Some(meanwhile) = self.searching.lock().unwrap().as_mut() {
            meanwhile(&*self.inner);
        }
        self
    }

    fn hosts(&self) -> Hosts {
        self.hosts.lock().unwrap().unwrap_or_else(|| self.inner.hosts())
    }

    fn try_host(&self) -> Result<bool> {
        self.held.store(true, Ordering::SeqCst);
        match self.hosts() {
            Hosts::Many => Ok(true),
            Hosts::One => self.inner.try_host(),
        }
    }

    fn release_host(&self) {
        self.held.store(false, Ordering::SeqCst);
        if self.hosts() == Hosts::One {
            self.inner.release_host();
        }
    }

    fn close(&self) {
        self.inner.close();
    }

    fn backup(&self, path: std::path::PathBuf) -> BoxFuture<'_, Result<BackupReport>> {
        self.inner.backup(path)
    }

    fn checkpoint(&self, moment: Checkpoint) -> BoxFuture<'_, Result<()>> {
        self.inner.checkpoint(moment)
    }

    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>> {
        self.under_way(Box::pin(async move {
            let info = self.inner.info(probe_write).await?;
            let is_host = match (self.hosts(), self.inner.hosts()) {
                (Hosts::Many, _) => true,
                (Hosts::One, Hosts::One) => info.is_host,
                (Hosts::One, Hosts::Many) => self.held.load(Ordering::SeqCst),
            };
            Ok(StoreInfo { is_host, ..info })
        }))
    }
}

impl Search for FaultyStore {
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        self.under_way(self.inner.search().known_names(scope))
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        self.under_way(self.inner.search().candidates(request))
    }

    fn candidates_meanwhile(
        &self,
        request: CandidateRequest,
        vector: ComingVector,
    ) -> BoxFuture<'_, Result<CandidateSet>> {
        self.under_way(self.inner.search().candidates_meanwhile(request, vector))
    }

    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        self.under_way(self.inner.search().neighbours(request))
    }

    fn alike<'a>(
        &'a self,
        memory: &'a MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>> {
        self.under_way(self.inner.search().alike(memory, first, second))
    }

    fn info<'a>(&'a self, memory: &'a MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        self.under_way(self.inner.search().info(memory, rebuilt))
    }
}

/// An embedder that can be out of service.
pub(crate) struct SwitchedEmbedder {
    inner: HashEmbedder,
    pub(crate) is_out: AtomicBool,
    pub(crate) texts: AtomicI64,
    /// A text with this content is rejected, together with its batch.
    pub(crate) refuses: Mutex<Option<&'static str>>,
    /// An action that runs once during embedding.
    pub(crate) meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Embedder for SwitchedEmbedder {
    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn is_near(&self) -> bool {
        self.inner.is_near()
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        if self.is_out.load(Ordering::SeqCst) {
            return Box::pin(async { Err(Error::unavailable("no model")) });
        }
        self.texts.fetch_add(texts.len() as i64, Ordering::SeqCst);
        if let Some(part) = *self.refuses.lock().unwrap()
            && texts.iter().any(|text| text.contains(part))
        {
            return Box::pin(async { Err(Error::new(ErrorKind::Invalid, "a text is refused")) });
        }
        if let Some(meanwhile) = self.meanwhile.lock().unwrap().take() {
            meanwhile();
        }
        self.inner.embed(texts)
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        self.inner.embed_question(text)
    }
}

struct PlainVault;

impl Vault for PlainVault {
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>> {
        Ok(secret.to_vec())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        Ok(sealed.to_vec())
    }

    fn digest(&self, text: &[u8]) -> Result<[u8; 32]> {
        Ok(<sha2::Sha256 as sha2::Digest>::digest([b"open", text].concat()).into())
    }
}

pub(crate) struct World {
    pub(crate) engine: Loci,
    pub(crate) clock: ManualClock,
    pub(crate) store: Arc<FaultyStore>,
    pub(crate) embedder: Arc<SwitchedEmbedder>,
    pub(crate) caller: Principal,
    pub(crate) memory: Memory,
    place: TestLocation,
    /// Number of times it was opened.
    lives: u64,
    parts: EngineParts,
    settings: LociSettings,
    /// Number of further servers.
    servers: AtomicU64,
}

/// Time for which a test waits for the store's threads before it advances the clock.
const PATIENCE: Duration = Duration::from_millis(3);

/// Minimum step of the clock in milliseconds, and the maximum step.
const STEP_MS: u64 = 20;
const STEP_MS_MAX: u64 = 2_000;
/// Milliseconds that exceed the duration of any job with any fault.
const WORK_MS: u64 = 24 * 3_600_000;

/// Wakes the thread that drives a future.
#[derive(Default)]
struct Bell {
    rang: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn rang_within(&self, patience: Duration) -> bool {
        let guard = self.rang.lock().unwrap();
        let (mut rang, _) = self.changed.wait_timeout_while(guard, patience, |rang| !*rang).unwrap();
        std::mem::take(&mut *rang)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rang.lock().unwrap() = true;
        self.changed.notify_one();
    }
}

/// Returns a strategy with its default template.
pub(crate) fn strategy(base: StrategyBase) -> NewStrategy {
    NewStrategy {
        base,
        name: format!("{base:?}"),
        description: None,
        template: None,
        custom: None,
        reflection: None,
        schema: None,
        record_expiry_days: None,
    }
}

pub(crate) fn template(text: &str) -> NamespaceTemplate {
    NamespaceTemplate::parse(text).unwrap()
}

/// Returns the parts of an engine on a place, with ids that no other life of it uses.
fn opened(
    place: &TestLocation,
    clock: &ManualClock,
    life: u64,
) -> (Arc<FaultyStore>, Arc<SwitchedEmbedder>, EngineParts) {
    let inner = place.open().unwrap();
    let store = Arc::new(FaultyStore {
        inner,
        left: AtomicI64::new(-1),
        fault: Mutex::new(Fault::Before),
        searching: Mutex::default(),
        writes: AtomicI64::new(0),
        reads: AtomicI64::new(0),
        busy: Arc::default(),
        hosts: Mutex::default(),
        held: AtomicBool::new(false),
    });
    let embedder = Arc::new(SwitchedEmbedder {
        inner: HashEmbedder::new(256),
        is_out: AtomicBool::new(false),
        texts: AtomicI64::new(0),
        refuses: Mutex::default(),
        meanwhile: Mutex::default(),
    });
    let parts = EngineParts::quiet(
        store.clone(),
        Some(embedder.clone()),
        Arc::new(clock.clone()),
        Arc::new(SeededIds::new(6 + life)),
        Arc::new(PlainVault),
    );
    (store, embedder, parts)
}

impl World {
    pub(crate) fn with(bases: &[StrategyBase]) -> Self {
        let strategies = bases.iter().copied().map(strategy).collect();
        Self::of(NewMemory { strategies, ..NewMemory::default() })
    }

    pub(crate) fn of(new: NewMemory) -> Self {
        Self::made(new, EngineSettings::default(), |_| {})
    }

    /// Returns a memory of these strategies that uses the model.
    pub(crate) fn with_model(bases: &[StrategyBase], model: &Arc<ScriptedModel>) -> Self {
        let strategies = bases.iter().copied().map(strategy).collect();
        Self::of_model(NewMemory { strategies, ..NewMemory::default() }, model)
    }

    pub(crate) fn of_model(new: NewMemory, model: &Arc<ScriptedModel>) -> Self {
        let model: Arc<dyn LanguageModel> = model.clone();
        Self::reading(new, |_| Models {
            mode: ModelMode::Provider,
            default: Some(model),
            ..Models::default()
        })
    }

    /// Returns a memory like `of_model`, with models that know the clock.
    pub(crate) fn reading(new: NewMemory, models: impl FnOnce(&ManualClock) -> Models) -> Self {
        let clock = ManualClock::default();
        let models = models(&clock);
        Self::at(clock, new, EngineSettings::default(), |parts| parts.models = models)
    }

    /// Returns a memory with its own settings and parts.
    pub(crate) fn made(
        new: NewMemory,
        settings: impl Into<LociSettings>,
        change: impl FnOnce(&mut EngineParts),
    ) -> Self {
        Self::at(ManualClock::default(), new, settings, change)
    }

    fn at(
        clock: ManualClock,
        new: NewMemory,
        settings: impl Into<LociSettings>,
        change: impl FnOnce(&mut EngineParts),
    ) -> Self {
        let place = TestLocation::new().unwrap();
        let (store, embedder, mut parts) = opened(&place, &clock, 1);
        change(&mut parts);
        let settings = settings.into();
        let engine = Loci::new(parts.clone(), settings.clone());
        let caller = Principal { name: "tester".into(), grants: vec![Grant::everything()] };
        let new = NewMemory { name: "notes".into(), event_expiry_days: 30, ..new };
        let memory = loci_testkit_ports::block_on(engine.memory_create(&caller, new, None)).unwrap();
        let servers = AtomicU64::new(0);
        Self { engine, clock, store, embedder, caller, memory, place, lives: 1, parts, settings, servers }
    }

    /// Makes the store report several hosts.
    pub(crate) fn of_many(self) -> Self {
        *self.store.hosts.lock().unwrap() = Some(Hosts::Many);
        self
    }

    /// Makes the store report one host.
    pub(crate) fn of_one(self) -> Self {
        *self.store.hosts.lock().unwrap() = Some(Hosts::One);
        self
    }

    /// Returns another server on the same store with its own parts.
    pub(crate) fn server(&self, host: &str, change: impl FnOnce(&mut EngineParts)) -> Loci {
        let number = self.servers.fetch_add(1, Ordering::SeqCst);
        let mut parts = self.parts.clone();
        parts.ids = Arc::new(SeededIds::new(1_000 * self.lives + number));
        change(&mut parts);
        let kernel = EngineSettings { host: host.to_owned(), ..self.settings.engine.clone() };
        Loci::new(parts, LociSettings { engine: kernel, ..self.settings.clone() })
    }

    /// Reopens the place with a new engine, as after a restart; nothing of the old one continues.
    pub(crate) fn reopened(
        self,
        settings: impl Into<LociSettings>,
        change: impl FnOnce(&mut EngineParts),
    ) -> Self {
        let Self { engine, clock, store, caller, memory, place, lives, servers, parts: before, .. } = self;
        drop((engine, before));
        store.inner.close();
        let lives = lives + 1;
        let (store, embedder, mut parts) = opened(&place, &clock, lives);
        change(&mut parts);
        let settings = settings.into();
        let engine = Loci::new(parts.clone(), settings.clone());
        Self { engine, clock, store, embedder, caller, memory, place, lives, parts, settings, servers }
    }

    /// Polls a future; when it waits and nothing wakes it, advances the clock.
    pub(crate) fn drive<F: Future>(&self, future: F) -> F::Output {
        let bell = Arc::new(Bell::default());
        let waker = Waker::from(bell.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = std::pin::pin!(future);
        let (mut step_ms, mut writes) = (STEP_MS, self.store.writes());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            if !bell.rang_within(PATIENCE) && !self.is_busy() {
                // Without any writes the steps of the clock grow.
                let written = std::mem::replace(&mut writes, self.store.writes());
                step_ms = if written == writes { (step_ms * 2).min(STEP_MS_MAX) } else { STEP_MS };
                self.clock.advance_ms(step_ms);
            }
        }
    }

    /// Returns true while a thread of the store or of an engine is working.
    fn is_busy(&self) -> bool {
        self.store.is_busy() || self.parts.long_work_count.get() > 0
    }

    pub(crate) fn event(&self, session: &str, payload: Vec<PayloadItem>) -> NewEvent {
        NewEvent {
            memory: self.memory.id.clone(),
            actor: ActorId::parse("alice").unwrap(),
            session: Some(SessionId::parse(session).unwrap()),
            time: None,
            payload,
            branch: None,
            metadata: BTreeMap::new(),
            extraction: ExtractionMode::Extract,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        }
    }

    pub(crate) fn create(&self, event: NewEvent) {
        self.create_with(event, None);
    }

    pub(crate) fn create_with(&self, event: NewEvent, token: Option<&str>) {
        let token = token.map(|token| ClientToken::new(token, &serde_json::json!({})).unwrap());
        self.clock.advance_ms(1000);
        self.drive(self.engine.event_create(&self.caller, event, token)).unwrap();
    }

    pub(crate) fn say(&self, session: &str, role: Role, text: &str) {
        self.create(self.event(session, vec![said(role, text)]));
    }

    pub(crate) fn ingest(&self, session: &str, payload: Vec<PayloadItem>) {
        let new = NewIngest {
            memory: self.memory.id.clone(),
            actor: ActorId::parse("alice").unwrap(),
            session: Some(SessionId::parse(session).unwrap()),
            time: self.clock.now(),
            payload,
            metadata: BTreeMap::new(),
            namespace_variables: BTreeMap::new(),
        };
        self.drive(self.engine.ingest(&self.caller, new, None)).unwrap();
    }

    /// Runs jobs and sends deliveries like a server until `done`; returns false if one day passes
    /// before.
    pub(crate) fn serve_until(&self, done: impl Fn() -> bool + Send + 'static) -> bool {
        let (clock, until) = (self.clock.clone(), self.clock.now().plus_days(1));
        let reached = Arc::new(AtomicBool::new(false));
        let seen = reached.clone();
        let stop = Box::pin(async move {
            while clock.now() < until {
                if done() {
                    seen.store(true, Ordering::SeqCst);
                    return;
                }
                clock.sleep(STEP_MS).await;
            }
        });
        self.drive(self.engine.run_jobs(stop));
        reached.load(Ordering::SeqCst)
    }

    /// Runs jobs until none is left.
    pub(crate) fn work(&self) -> ExtractionState {
        let memories = [self.memory.id.clone()];
        self.drive(self.engine.run_due(&memories, WORK_MS)).unwrap()
    }

    /// Returns the size of the store's write-ahead log in bytes, if it is a separate file.
    pub(crate) fn log_bytes(&self) -> Option<u64> {
        let log = self.place.folder()?.join("data/loci.db-wal");
        Some(std::fs::metadata(log).unwrap().len())
    }

    /// Returns all records in these states, oldest first.
    pub(crate) fn records(&self, states: &[RecordState]) -> Vec<Record> {
        let mut scope = RecordScope::whole(self.memory.id.clone(), Timestamp::EPOCH);
        scope.states = states.to_vec();
        let page = RecordPage { scope, after: None, limit: 100_000 };
        let store: &dyn Store = &*self.store;
        let mut records = self.drive(store.read(move |tx| tx.records().list(&page))).unwrap();
        records.sort_by_key(|record| record.sequence);
        records
    }

    pub(crate) fn active(&self) -> Vec<Record> {
        self.records(&[RecordState::Active])
    }

    /// Returns the texts of active records, sorted.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.active().into_iter().map(|record| record.text).collect();
        texts.sort();
        texts
    }

    pub(crate) fn jobs(&self) -> Vec<Job> {
        let query = JobQuery { limit: 100, ..JobQuery::default() };
        self.drive(self.engine.job_list(&self.caller, &self.memory.id, query)).unwrap().items
    }

    pub(crate) fn missing_vectors(&self) -> u64 {
        let (memory, model) = (self.memory.id.clone(), self.embedder.model_id().to_owned());
        let store: &dyn Store = &*self.store;
        self.drive(store.read(move |tx| tx.records().missing_vector_count(&memory, &model))).unwrap()
    }
}

pub(crate) fn said(role: Role, text: &str) -> PayloadItem {
    PayloadItem::Conversational { role, text: text.to_owned() }
}

pub(crate) fn data(json: &str) -> PayloadItem {
    PayloadItem::Json(Document::parse(json).unwrap())
}
