//! The implementation of the search port. Small memories are searched in an in-process index, large
//! ones in the database (module `large_memories`).
//!
//! The server determines the size of a memory at its first search, and again when its index has
//! grown. Moving a memory to the database happens in the background. Until its passages are there,
//! its index is used.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loci_index::MemoryIndex;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{
    CandidateRequest, CandidateSet, ComingVector, IndexInfo, Neighbour, NeighbourRequest, Search,
};
use loci_model::record::scope::RecordScope;
use loci_model::{ErrorKind, MemoryId, RecordId, Result};
use loci_store_kit::index_search::AfterCommit;
use loci_store_kit::{IndexCache, IndexSearch, Pool};

use crate::connection::{Connection, ConnectionParameters};
use crate::large_memories::{
    self, Attempts, Followed, Graph, GreatMemoryState, Limits, MissingGraph, Progress,
};
use crate::rows::Rows;
use crate::transaction_retry;
use crate::tx::PgTx;

/// The maximum number of changes that a search applies to the index before it answers. If there are
/// more, they are applied in the background.
const INLINE_MAX: u64 = 2_000;
/// The maximum number of memories whose size is remembered.
const REMEMBERED_MAX: usize = 100_000;

/// The place where a memory is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchRoute {
    /// The in-process index.
    Index,
    /// The in-process index, until the passages of the memory are in the database.
    IndexYet,
    /// The in-process index, because a server with a newer text analysis maintains the passages in
    /// the database.
    IndexOnly,
    /// The database, because the memory is large.
    Great,
}

/// The state shared by searches and background work.
struct Shared {
    cache: Arc<IndexCache<Rows>>,
    ways: Mutex<HashMap<MemoryId, SearchRoute>>,
    /// The maximum number of passages of a memory that is searched in its index.
    scan_max: u64,
    limits: Limits,
    connecting: Arc<ConnectionParameters>,
    /// True while a vector graph is being created.
    drawing: AtomicBool,
    /// The vector graphs that could not be created, and the memories that could not be measured,
    /// each with the time of the next attempt.
    graphs: Attempts<Graph>,
    measures: Attempts<MemoryId>,
    closing: AtomicBool,
}

/// The search side of the store.
pub(crate) struct PostgresSearch {
    index: IndexSearch<Rows>,
    pool: Arc<Pool<Connection>>,
    /// A pool of one thread that updates large memories.
    keeper: Arc<Pool<Connection>>,
    shared: Arc<Shared>,
}

impl PostgresSearch {
    /// Starts the threads.
    pub(crate) fn start(connecting: &Arc<ConnectionParameters>) -> Result<Self> {
        let options = &connecting.options;
        let threads = options.searchers.min(4);
        let connect = {
            let connecting = Arc::clone(connecting);
            move || Connection::new(Arc::clone(&connecting))
        };
        let cache = Arc::new(IndexCache::new(Rows { threads }, options.index_bytes_max));
        let pool = Arc::new(Pool::start("loci-search", options.searchers, connect.clone())?);
        let limits = Limits {
            exact_max: usize::try_from(options.exact_passages_max).unwrap_or(usize::MAX),
            rows_max: ROWS_MAX,
            threads,
        };
        let shared = Shared {
            cache: Arc::clone(&cache),
            ways: Mutex::default(),
            scan_max: options.scan_passages_max,
            limits,
            connecting: Arc::clone(connecting),
            drawing: AtomicBool::new(false),
            graphs: Attempts::default(),
            measures: Attempts::default(),
            closing: AtomicBool::new(false),
        };
        Ok(Self {
            index: IndexSearch::new(Arc::clone(&pool), cache),
            pool,
            keeper: Arc::new(Pool::start("loci-keep", 1, connect)?),
            shared: Arc::new(shared),
        })
    }

    /// Returns the callback of a writer after a commit: it updates indexes and large memories in
    /// the background.
    pub(crate) fn after_commit(&self) -> AfterCommit {
        let index = self.index.after_commit();
        let (keeper, shared) = (Arc::downgrade(&self.keeper), Arc::clone(&self.shared));
        Box::new(move |touched| {
            index(touched);
            let Some(keeper) = keeper.upgrade() else { return };
            let great: BTreeSet<&MemoryId> =
                touched.iter().filter(|memory| shared.way(memory) == Some(SearchRoute::Great)).collect();
            for memory in great {
                shared.clone().keep(&keeper, memory);
            }
        })
    }

    /// Ends the threads.
    pub(crate) fn close(&self) {
        self.shared.closing.store(true, Ordering::Release);
        self.keeper.close();
        self.index.close();
    }

    /// Searches the index of a small memory, or the passages of a large one.
    fn ask<T, I, G>(&self, memory: MemoryId, of_index: I, of_great: G) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        I: FnOnce(&MemoryIndex) -> T + Send + 'static,
        G: FnMut(&PgTx<'_>, (&GreatMemoryState, &Followed), Limits) -> Result<(T, Vec<MissingGraph>)>
            + Send
            + 'static,
    {
        self.ask_when(memory, || (), of_index, of_great)
    }

    /// Like `ask`; `ready` waits for the input of a search in a large memory, before a transaction
    /// is open.
    fn ask_when<T, I, G>(
        &self,
        memory: MemoryId,
        ready: impl FnOnce() + Send + 'static,
        of_index: I,
        mut of_great: G,
    ) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        I: FnOnce(&MemoryIndex) -> T + Send + 'static,
        G: FnMut(&PgTx<'_>, (&GreatMemoryState, &Followed), Limits) -> Result<(T, Vec<MissingGraph>)>
            + Send
            + 'static,
    {
        let (shared, keeper) = (Arc::clone(&self.shared), Arc::clone(&self.keeper));
        self.pool.run(move |connection| {
            let outcome = shared.ask_great(connection, &keeper, &memory, (ready, &mut of_great));
            if let Err(error) = &outcome
                && error.kind == ErrorKind::NotFound
            {
                shared.ways().remove(&memory);
            }
            match outcome? {
                Some(answer) => Ok(answer),
                None => shared.ask_index(connection, &keeper, &memory, of_index),
            }
        })
    }
}

/// A vector that is computed only once, however often it is requested.
struct SharedVector(Mutex<AwaitedVector>);

/// The future of the vector, and its result.
struct AwaitedVector {
    coming: Option<ComingVector>,
    vector: Option<(Vector, String)>,
}

impl SharedVector {
    fn of(vector: ComingVector) -> Self {
        Self(Mutex::new(AwaitedVector { coming: Some(vector), vector: None }))
    }

    fn wait(&self) {
        self.vector();
    }

    fn vector(&self) -> Option<(Vector, String)> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(coming) = state.coming.take() {
            state.vector = futures::executor::block_on(coming);
        }
        state.vector.clone()
    }
}

/// The maximum number of rows that a question reads by words.
const ROWS_MAX: usize = 20_000;

impl Shared {
    fn ways(&self) -> MutexGuard<'_, HashMap<MemoryId, SearchRoute>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn way(&self, memory: &MemoryId) -> Option<SearchRoute> {
        self.ways().get(memory).copied()
    }

    fn set_way(&self, memory: &MemoryId, way: SearchRoute) {
        let mut ways = self.ways();
        if ways.len() >= REMEMBERED_MAX {
            // The size of a memory that is searched again is determined again.
            ways.clear();
        }
        ways.insert(memory.clone(), way);
    }

    /// Returns the place where a memory is searched.
    fn look(&self, connection: &mut Connection, memory: &MemoryId) -> Result<SearchRoute> {
        let (standing, is_great) = transaction_retry::ask(connection, |tx| {
            let standing = large_memories::standing(tx, memory)?;
            let kept = standing.followed.is_some_and(|followed| followed.passages > self.scan_max);
            let is_great = self.scan_max == 0
                || kept
                || large_memories::passages_at_least(tx, memory, self.scan_max.saturating_add(1))?;
            Ok((standing, is_great))
        })?;
        Ok(match is_great {
            _ if standing.is_newer => SearchRoute::IndexOnly,
            false => SearchRoute::Index,
            true if standing.behind() <= INLINE_MAX => SearchRoute::Great,
            true => SearchRoute::IndexYet,
        })
    }

    /// Searches a large memory in the database. `None` if its index must be searched instead.
    fn ask_great<T>(
        self: &Arc<Self>,
        connection: &mut Connection,
        keeper: &Arc<Pool<Connection>>,
        memory: &MemoryId,
        (ready, work): (
            impl FnOnce(),
            &mut impl FnMut(&PgTx<'_>, (&GreatMemoryState, &Followed), Limits) -> Result<(T, Vec<MissingGraph>)>,
        ),
    ) -> Result<Option<T>> {
        let way = match self.way(memory) {
            Some(way) => way,
            None => {
                let way = self.look(connection, memory)?;
                self.set_way(memory, way);
                if way == SearchRoute::IndexYet {
                    Arc::clone(self).keep(keeper, memory);
                }
                way
            }
        };
        if way != SearchRoute::Great {
            return Ok(None);
        }
        ready();
        // Process all changes up to the arrival of the question before the response.
        let mut needed = None;
        loop {
            let outcome = transaction_retry::read(connection, |tx| {
                let standing = large_memories::standing(tx, memory)?;
                let needed = needed.unwrap_or(standing.sequence);
                match standing.followed {
                    Some(followed) if followed.sequence >= needed => {
                        work(tx, (&standing, &followed), self.limits).map(Ok)
                    }
                    Some(_) | None => Ok(Err(standing)),
                }
            })?;
            let standing = match outcome {
                Ok((answer, lacking)) => {
                    lacking.into_iter().for_each(|lacking| Arc::clone(self).draw(lacking));
                    return Ok(Some(answer));
                }
                Err(standing) => standing,
            };
            needed.get_or_insert(standing.sequence);
            if standing.is_newer {
                self.set_way(memory, SearchRoute::IndexOnly);
                return Ok(None);
            }
            if standing.behind() > INLINE_MAX {
                self.set_way(memory, SearchRoute::IndexYet);
                Arc::clone(self).keep(keeper, memory);
                return Ok(None);
            }
            match large_memories::follow(connection, memory, self.limits.threads)? {
                Progress::Done(Some(_)) => Arc::clone(self).keep(keeper, memory),
                // If another server's version maintains the passages, the next iteration detects
                // it.
                Progress::Done(None) | Progress::More | Progress::NotMine => {}
            }
        }
    }

    /// Searches the in-process index of a memory, and starts the move if it has become large.
    fn ask_index<T>(
        self: &Arc<Self>,
        connection: &mut Connection,
        keeper: &Arc<Pool<Connection>>,
        memory: &MemoryId,
        question: impl FnOnce(&MemoryIndex) -> T,
    ) -> Result<T> {
        let (answer, passages) =
            self.cache.ask(connection, memory, |index| (question(index), index.passages()))?;
        if passages > self.scan_max && self.way(memory) == Some(SearchRoute::Index) {
            self.set_way(memory, SearchRoute::IndexYet);
            Arc::clone(self).keep(keeper, memory);
        }
        Ok(answer)
    }

    /// Updates the passages of a large memory in the database, in the background.
    fn keep(self: Arc<Self>, keeper: &Arc<Pool<Connection>>, memory: &MemoryId) {
        let memory = memory.clone();
        keeper.spawn(move |connection| {
            match self.catch_up(connection, &memory) {
                Ok(Some(Progress::Done(measure_at))) => {
                    if let Some(now_ms) = measure_at {
                        self.measure(&memory, now_ms);
                    }
                    self.set_way(&memory, SearchRoute::Great);
                    // The index is no longer needed.
                    self.cache.forget(&memory);
                }
                Ok(Some(Progress::NotMine)) => self.set_way(&memory, SearchRoute::IndexOnly),
                Ok(Some(Progress::More) | None) => {}
                Err(error) => {
                    self.ways().remove(&memory);
                    if error.kind != ErrorKind::NotFound {
                        tracing::warn!(%error, "the passages of a great memory could not follow its records");
                    }
                }
            }
        });
    }

    /// Returns the final progress; `None` if the store is closed before the end.
    fn catch_up(&self, connection: &mut Connection, memory: &MemoryId) -> Result<Option<Progress>> {
        while !self.closing.load(Ordering::Acquire) {
            match large_memories::follow(connection, memory, self.limits.threads)? {
                Progress::More => {}
                ended @ (Progress::Done(_) | Progress::NotMine) => return Ok(Some(ended)),
            }
        }
        Ok(None)
    }

    /// Measures a large memory. If this fails, outdated averages are accurate enough.
    fn measure(&self, memory: &MemoryId, now_ms: i64) {
        if self.closing.load(Ordering::Acquire) || !self.measures.begin(memory.clone(), now_ms) {
            return;
        }
        let measured = Connection::new(Arc::clone(&self.connecting))
            .and_then(|connection| large_memories::measure_all(connection, memory));
        match measured {
            Ok(()) => self.measures.succeeded(memory),
            Err(error) => {
                tracing::warn!(%error, "the averages of a great memory could not be measured; older ones are used");
            }
        }
    }

    /// Creates a graph on a separate thread, one at a time, so that updates of other memories
    /// continue. Closing the store does not wait for it, because the database finishes it. A failed
    /// creation, or one by another server, is tried again after a pause.
    fn draw(self: Arc<Self>, MissingGraph { graph, now_ms }: MissingGraph) {
        if self.drawing.swap(true, Ordering::AcqRel) {
            return;
        }
        if !self.graphs.begin(graph, now_ms) {
            self.drawing.store(false, Ordering::Release);
            return;
        }
        let shared = Arc::clone(&self);
        let draw = move || {
            let drawn = Connection::new(Arc::clone(&shared.connecting))
                .and_then(|mut connection| large_memories::make_graph(&mut connection, &graph));
            match drawn {
                Ok(true) => shared.graphs.succeeded(&graph),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(
                        %error,
                        "a graph of vectors could not be made: its memory is compared whole, and it is tried again later"
                    );
                }
            }
            shared.drawing.store(false, Ordering::Release);
        };
        if std::thread::Builder::new().name("loci-graph".to_owned()).spawn(draw).is_err() {
            self.drawing.store(false, Ordering::Release);
        }
    }
}

impl Search for PostgresSearch {
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>> {
        let (scope, same) = (scope.clone(), scope.clone());
        self.ask(
            scope.memory.clone(),
            move |index| index.known_names(&scope),
            move |tx, (standing, _), _| Ok((large_memories::known_names(tx, standing, &same)?, Vec::new())),
        )
    }

    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>> {
        let same = request.clone();
        self.ask(
            request.scope.memory.clone(),
            move |index| index.candidates(&request),
            move |tx, standing, limits| large_memories::candidates(tx, standing, &same, limits),
        )
    }

    /// Waits for the vector on the thread that has the words; for a large memory before its words
    /// are looked up.
    fn candidates_meanwhile(
        &self,
        request: CandidateRequest,
        vector: ComingVector,
    ) -> BoxFuture<'_, Result<CandidateSet>> {
        let same = request.clone();
        let coming = Arc::new(SharedVector::of(vector));
        let (first, then) = (Arc::clone(&coming), Arc::clone(&coming));
        self.ask_when(
            request.scope.memory.clone(),
            move || first.wait(),
            move |index| index.candidates_meanwhile(&request, || coming.vector()),
            move |tx, standing, limits| {
                let request = CandidateRequest { vector: then.vector(), ..same.clone() };
                large_memories::candidates(tx, standing, &request, limits)
            },
        )
    }

    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>> {
        let same = request.clone();
        self.ask(
            request.scope.memory.clone(),
            move |index| index.neighbours(&request),
            move |tx, standing, limits| large_memories::neighbours(tx, standing, &same, limits),
        )
    }

    fn alike<'a>(
        &'a self,
        memory: &'a MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>> {
        let both = ((first.0.clone(), first.1), (second.0.clone(), second.1));
        let (same, place) = (both.clone(), memory.clone());
        self.ask(
            memory.clone(),
            move |index| index.alike((&both.0.0, both.0.1), (&both.1.0, both.1.1)),
            move |tx, _, _| {
                let (first, second) = &same;
                Ok((
                    large_memories::alike(tx, &place, (&first.0, first.1), (&second.0, second.1))?,
                    Vec::new(),
                ))
            },
        )
    }

    fn info<'a>(&'a self, memory: &'a MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>> {
        let (shared, keeper, memory) = (Arc::clone(&self.shared), Arc::clone(&self.keeper), memory.clone());
        self.pool.run(move |connection| {
            let mut of_great = |tx: &PgTx<'_>, standing: (&GreatMemoryState, &Followed), _: Limits| {
                Ok((large_memories::info(tx, standing, rebuilt)?, Vec::new()))
            };
            if let Some(info) = shared.ask_great(connection, &keeper, &memory, (|| (), &mut of_great))? {
                return Ok(info);
            }
            if rebuilt {
                return Ok(shared.cache.build(connection, &memory)?.info());
            }
            shared.ask_index(connection, &keeper, &memory, MemoryIndex::info)
        })
    }
}
