//! A memory for searches: the engine on a store and its index, with an embedder that can be
//! switched off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loci_engine::events::NewEvent;
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_engine::retrieval::{Hit, SearchAnswer, SearchRequest};
use loci_engine::{EngineParts, EngineSettings};
use loci_engine_testkit::TestLocation;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::memory::Memory;
use loci_model::memory::index_key::IndexedKey;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::ports::store::{PassageVector, Store, StoreExt};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Grant, Principal};
use loci_model::record::RecordState;
use loci_model::record::metadata::{MetadataType, MetadataValue};
use loci_model::{ActorId, Error, Namespace, Result, SessionId, Timestamp};
use loci_products::Loci;
use loci_testkit_ports::{HashEmbedder, ManualClock, SeededIds, block_on};

/// An embedder with switches.
struct Switched {
    inner: HashEmbedder,
    is_out: AtomicBool,
    is_far: AtomicBool,
}

impl Embedder for Switched {
    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn is_near(&self) -> bool {
        !self.is_far.load(Ordering::SeqCst)
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        self.inner.embed(texts)
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        if self.is_out.load(Ordering::SeqCst) {
            return Box::pin(std::future::ready(Err(Error::unavailable("the model is away"))));
        }
        self.inner.embed_question(text)
    }
}

struct NoVault;

impl Vault for NoVault {
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

/// The test world of this module.
pub(crate) struct World {
    pub(crate) engine: Loci,
    pub(crate) caller: Principal,
    pub(crate) memory: Memory,
    pub(crate) clock: ManualClock,
    embedder: Arc<Switched>,
    store: Arc<dyn Store>,
    _place: TestLocation,
}

impl Drop for World {
    fn drop(&mut self) {
        self.store.close();
    }
}

impl World {
    /// Creates a memory with a semantic strategy and the filterable text key `topic`.
    pub(crate) fn new() -> Self {
        let place = TestLocation::new().unwrap();
        let store = place.open().unwrap();
        let clock = ManualClock::default();
        let (is_out, is_far) = (AtomicBool::new(false), AtomicBool::new(false));
        let embedder = Arc::new(Switched { inner: HashEmbedder::new(256), is_out, is_far });
        let parts = EngineParts::quiet(
            store.clone(),
            Some(embedder.clone()),
            Arc::new(clock.clone()),
            Arc::new(SeededIds::new(11)),
            Arc::new(NoVault),
        );
        let engine = Loci::new(parts, EngineSettings::default());
        let caller = Principal::administrator("tester");
        let semantic = NewStrategy {
            base: StrategyBase::Semantic,
            name: "facts".into(),
            description: None,
            template: None,
            custom: None,
            reflection: None,
            schema: None,
            record_expiry_days: None,
        };
        let new = NewMemory {
            name: "notes".into(),
            event_expiry_days: 30,
            strategies: vec![semantic],
            indexed_keys: vec![IndexedKey { key: "topic".into(), kind: MetadataType::String }],
            ..NewMemory::default()
        };
        let memory = block_on(engine.memory_create(&caller, new, None)).unwrap();
        Self { engine, caller, memory, clock, embedder, store, _place: place }
    }

    /// Writes facts, each one minute newer than the previous one, and embeds them.
    pub(crate) fn with(facts: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.write(facts);
        world.embed();
        world
    }

    /// Writes facts without vectors: namespace and text. A text that ends in ` #word` has that
    /// topic.
    pub(crate) fn write(&self, facts: &[(&str, &str)]) {
        let records = facts.iter().enumerate().map(|(place, (namespace, text))| {
            let (text, topic) = text.split_once(" #").unwrap_or((text, ""));
            let minutes = i64::try_from(place).unwrap();
            let mut record = NewRecord::fact(
                format!("r{place}"),
                vec![Namespace::parse(*namespace).unwrap()],
                text.to_owned(),
                self.engine.now().plus_millis(minutes * 60_000),
            );
            if !topic.is_empty() {
                record.metadata.insert("topic".into(), MetadataValue::String(topic.to_owned()));
            }
            record
        });
        let request =
            RecordsCreate { memory: self.memory.id.clone(), records: records.collect(), expiry: None };
        let outcome = block_on(self.engine.records_create(&self.caller, request, None)).unwrap();
        assert!(outcome.items.iter().all(|item| item.result.is_ok()), "{outcome:?}");
    }

    /// Embeds all passages without a vector.
    pub(crate) fn embed(&self) {
        self.embed_by(&self.embedder.inner, 1000);
    }

    /// Replaces the embedder; the previous one still embeds queries until it is silenced.
    pub(crate) fn change_embedder(&mut self, new: HashEmbedder) {
        let parts = EngineParts::quiet(
            self.store.clone(),
            Some(Arc::new(new)),
            Arc::new(self.clock.clone()),
            Arc::new(SeededIds::new(12)),
            Arc::new(NoVault),
        );
        let parts = EngineParts { previous_embedder: Some(self.embedder.clone()), ..parts };
        self.engine = Loci::new(parts, EngineSettings::default());
    }

    /// Embeds at most `most` of the passages that lack a vector of this embedder.
    pub(crate) fn embed_by(&self, embedder: &HashEmbedder, most: usize) {
        let (memory, embedder) = (self.memory.id.clone(), HashEmbedder::new(embedder.dimensions()));
        let store: &dyn Store = self.store.as_ref();
        block_on(store.write(move |tx| {
            let missing = tx.records().missing_vectors(&memory, None, embedder.model_id(), most)?;
            let vectors = missing.into_iter().map(|missing| PassageVector {
                record: missing.record,
                version: missing.version,
                part: missing.part,
                model: embedder.model_id().to_owned(),
                vector: embedder.vector(&missing.text),
            });
            tx.records_mut().put_vectors(&memory, &vectors.collect::<Vec<_>>()).map(drop)
        }))
        .unwrap();
    }

    /// Makes the search wait for the query's vector, as with a remote embedder.
    pub(crate) fn go_far(&self) {
        self.embedder.is_far.store(true, Ordering::SeqCst);
    }

    /// Makes the embedder fail for every query.
    pub(crate) fn silence(&self) {
        self.embedder.is_out.store(true, Ordering::SeqCst);
    }

    /// Stores an event of Alice's that waits for extraction.
    pub(crate) fn say(&self, text: &str) {
        let event = NewEvent {
            memory: self.memory.id.clone(),
            actor: ActorId::parse("alice").unwrap(),
            session: Some(SessionId::parse("s").unwrap()),
            time: None,
            payload: vec![PayloadItem::Conversational { role: Role::User, text: text.to_owned() }],
            branch: None,
            metadata: Default::default(),
            extraction: ExtractionMode::Extract,
            namespace_variables: Default::default(),
            over_limit: false,
        };
        block_on(self.engine.event_create(&self.caller, event, None)).unwrap();
    }

    /// Returns a plain request for the whole memory: ten hits, nothing folded.
    pub(crate) fn request(&self, query: &str) -> SearchRequest {
        SearchRequest {
            memory: self.memory.id.clone(),
            query: query.to_owned(),
            namespaces: Vec::new(),
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            citing: None,
            as_of: None,
            top_k: 10,
            fold: false,
            budget_tokens: None,
            relevance_min: None,
            explain: false,
            lists: None,
            include_system: false,
        }
    }

    /// Searches as the administrator.
    pub(crate) fn ask(&self, request: SearchRequest) -> Result<SearchAnswer> {
        block_on(self.engine.search(&self.caller, request))
    }

    /// Replaces the text of the record with that text.
    pub(crate) fn edit(&self, text: &str, new: &str) {
        let hit = self.ask(self.request(text)).unwrap().hits.remove(0);
        assert_eq!(hit.record.text, text);
        let (version, updated_at) = (hit.record.version + 1, self.engine.now());
        let record = loci_model::record::Record { text: new.to_owned(), version, updated_at, ..hit.record };
        let store: &dyn Store = self.store.as_ref();
        block_on(store.write(move |tx| tx.records_mut().put_version(&record).map(drop))).unwrap();
    }

    /// Stores weights for the memory like a server of another version, without the checks of this
    /// one.
    pub(crate) fn store_weights(&self, weights: &str) {
        let mut memory = self.memory.clone();
        memory.settings.retrieval_weights = Some(weights.to_owned());
        let store: &dyn Store = self.store.as_ref();
        block_on(store.write(move |tx| tx.memories_mut().update(&memory))).unwrap();
    }

    /// Changes the state of the record with that text.
    pub(crate) fn set_state(&self, text: &str, state: RecordState) {
        let hit = self.ask(self.request(text)).unwrap().hits.remove(0);
        assert_eq!(hit.record.text, text);
        let (memory, id, at) = (self.memory.id.clone(), hit.record.id, self.engine.now());
        let store: &dyn Store = self.store.as_ref();
        let change = loci_model::ports::store::RecordChange { state, reason: "test".into(), at };
        block_on(store.write(move |tx| tx.records_mut().set_state(&memory, &id, &change).map(drop))).unwrap();
    }
}

/// Returns a reader of one part of every memory.
pub(crate) fn reader_of(namespace: &str) -> Principal {
    let namespace = Some(Namespace::parse(namespace).unwrap());
    Principal { name: "reader".into(), grants: vec![Grant { namespace, ..Grant::everything() }] }
}

/// Returns the texts of hits.
pub(crate) fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.record.text.as_str()).collect()
}

/// Returns midnight of a day.
pub(crate) fn day(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}
