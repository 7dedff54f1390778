//! The kernel of Loci: memories, events, records, retrieval, strategies, consolidation, jobs and
//! access. It depends on the model, the ports and the pure text crates: on no back end, wire,
//! runtime or product.
//!
//! Front ends call the methods of [`Engine`], and those of products, which extend the kernel by
//! [`hooks`]. An operation takes the caller first, checks access only in [`access`], and does its
//! work in one closure on the store. One file per operation.
//!
//! To add an operation, add a file in the folder of its subject with an `impl Engine` block and the
//! types of its request and response.

pub mod access;
pub mod admin;
pub mod calls;
pub mod consolidation;
pub mod deliveries;
pub mod events;
pub mod hooks;
pub mod jobs;
pub mod language_models;
pub mod memories;
pub mod records;
pub mod retrieval;
pub mod safety;
pub mod scanners;
pub mod settings;
pub mod strategies;

use std::sync::Arc;

use loci_model::Timestamp;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::CodeSources;
use loci_model::ports::deliver::Deliver;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::files::FilePlaces;
use loci_model::ports::forge::Forge;
use loci_model::ports::ids::IdSource;
use loci_model::ports::objects::Objects;
use loci_model::ports::observe::{NoObserver, Observe};
use loci_model::ports::score::Scorer;
use loci_model::ports::store::Store;
use loci_model::ports::vault::Vault;

pub use calls::long_work::LongWorkCount;
use hooks::{Product, Products};
pub use language_models::registry::Models;
pub use loci_document_text as document_text;
pub use settings::EngineSettings;

/// The parts from which an engine is built: one adapter for each port.
#[derive(Clone)]
pub struct EngineParts {
    /// The store with the data of all memories.
    pub store: Arc<dyn Store>,
    /// The embedding model; without it, searches use only the words of texts.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of new ids and random bytes.
    pub ids: Arc<dyn IdSource>,
    /// The vault, which encrypts the secrets of access keys under the master key.
    pub vault: Arc<dyn Vault>,
    /// The language models; without any, strategies extract deterministically.
    pub models: Models,
    /// The sender of outgoing deliveries; without it, they stay in the store.
    pub deliver: Option<Arc<dyn Deliver>>,
    /// The object storage for messages that notifications refer to.
    pub objects: Option<Arc<dyn Objects>>,
    /// The observer that receives traces and metrics.
    pub observe: Arc<dyn Observe>,
    /// The previous embedding model, for searches in records that the current model has not
    /// embedded yet.
    pub previous_embedder: Option<Arc<dyn Embedder>>,
    /// The reader of repository code; without it no fact that cites code can be verified.
    pub code: Option<Arc<dyn CodeSources>>,
    /// The client that reads reviews from forges; without it, only the data of webhooks is known.
    pub forge: Option<Arc<dyn Forge>>,
    /// The model that scores injections, in addition to the patterns; without it, only the
    /// patterns decide.
    pub scorer: Option<Arc<dyn Scorer>>,
    /// The directories in which mirrors of document trees may be; without it, there are no
    /// mirrors.
    pub files: Option<Arc<dyn FilePlaces>>,
    /// The products; a product comes after those that it depends on.
    pub products: Vec<Product>,
    /// The number of long texts that are being processed or wait for it.
    pub long_work_count: LongWorkCount,
}

impl EngineParts {
    /// Returns parts with these adapters and no others: no language models, no sender of
    /// deliveries, and an observer that ignores everything.
    pub fn quiet(
        store: Arc<dyn Store>,
        embedder: Option<Arc<dyn Embedder>>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        vault: Arc<dyn Vault>,
    ) -> Self {
        Self {
            store,
            embedder,
            clock,
            ids,
            vault,
            models: Models::default(),
            deliver: None,
            objects: None,
            observe: Arc::new(NoObserver),
            previous_embedder: None,
            code: None,
            forge: None,
            scorer: None,
            files: None,
            products: Vec::new(),
            long_work_count: LongWorkCount::default(),
        }
    }
}

/// The engine, which executes all operations. Clones are cheap and share the same state.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) models: Models,
    pub(crate) deliver: Option<Arc<dyn Deliver>>,
    pub(crate) objects: Option<Arc<dyn Objects>>,
    pub(crate) observe: Arc<dyn Observe>,
    pub(crate) previous_embedder: Option<Arc<dyn Embedder>>,
    pub(crate) settings: Arc<EngineSettings>,
    pub(crate) wake: Arc<jobs::wake::Wake>,
    pub(crate) permits: Arc<jobs::permits::Permits>,
    /// Limits the number of concurrent calls of language models, by jobs and by evaluations of
    /// prompts.
    pub(crate) model_calls: Arc<jobs::permits::Permits>,
    /// Allows one evaluation of prompts at a time.
    pub(crate) evaluations: Arc<jobs::permits::Permits>,
    pub(crate) claims: Arc<jobs::lease::Claims>,
    pub(crate) own_weights: Arc<retrieval::OwnWeights>,
    pub(crate) prefix_looks: Arc<records::prefix_detection::LastChecks>,
    pub(crate) question_once: Option<Arc<retrieval::QuestionVectors>>,
    pub(crate) code: Option<Arc<dyn CodeSources>>,
    pub(crate) forge: Option<Arc<dyn Forge>>,
    pub(crate) scorer: Option<Arc<dyn Scorer>>,
    pub(crate) files: Option<Arc<dyn FilePlaces>>,
    pub(crate) products: Products,
    /// The thread that processes long texts.
    pub(crate) long_work: Arc<calls::long_work::LongWork>,
    /// The thread for work whose amount callers choose, such as matching patterns. It is separate
    /// from the thread that processes long texts, so that it never delays a write.
    pub(crate) caller_work: Arc<calls::long_work::LongWork>,
}

impl Engine {
    /// Creates an engine with the given adapters.
    pub fn new(mut parts: EngineParts, settings: EngineSettings) -> Self {
        let work = || calls::long_work::LongWork::counted(parts.long_work_count.clone());
        let (long_work, caller_work) = (work(), work());
        let products = Products::new(std::mem::take(&mut parts.products));
        let settings = EngineSettings { product_profiles: products.shipped_profiles(), ..settings };
        let store = safety::SafeStore::new(&parts, Arc::clone(&long_work), products.clone());
        Self {
            store: Arc::new(store),
            embedder: parts.embedder,
            clock: parts.clock,
            ids: parts.ids,
            vault: parts.vault,
            models: parts.models,
            deliver: parts.deliver,
            objects: parts.objects,
            observe: parts.observe,
            previous_embedder: parts.previous_embedder,
            permits: Arc::new(jobs::permits::Permits::new(settings.pipeline.deterministic_at_once)),
            model_calls: Arc::new(jobs::permits::Permits::new(settings.pipeline.jobs_at_once)),
            evaluations: Arc::new(jobs::permits::Permits::new(1)),
            settings: Arc::new(settings),
            wake: Arc::new(jobs::wake::Wake::default()),
            claims: Arc::default(),
            own_weights: Arc::new(retrieval::OwnWeights::default()),
            prefix_looks: Arc::default(),
            question_once: None,
            code: parts.code,
            forge: parts.forge,
            scorer: parts.scorer,
            files: parts.files,
            products,
            long_work,
            caller_work,
        }
    }

    /// Returns the settings of the engine.
    pub fn settings(&self) -> &Arc<EngineSettings> {
        &self.settings
    }

    /// Returns the store, for maintenance by the server program: hosting, checkpoints, backups.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the language models.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Returns the sender of outgoing deliveries, if there is one.
    pub fn deliver(&self) -> Option<&Arc<dyn Deliver>> {
        self.deliver.as_ref()
    }

    /// Returns the object storage for messages that notifications refer to, if there is one.
    pub fn objects(&self) -> Option<&Arc<dyn Objects>> {
        self.objects.as_ref()
    }

    /// Returns the observer that receives traces and metrics.
    pub fn observe(&self) -> &Arc<dyn Observe> {
        &self.observe
    }

    /// Returns the previous embedding model, if there is one.
    pub fn previous_embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.previous_embedder.as_ref()
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Returns the source of new ids and random bytes.
    pub fn ids(&self) -> &Arc<dyn IdSource> {
        &self.ids
    }

    /// Returns the vault, which encrypts the secrets of access keys under the master key.
    pub fn vault(&self) -> &Arc<dyn Vault> {
        &self.vault
    }

    /// Returns the directories in which mirrors of document trees may be, if there are any.
    pub fn file_places(&self) -> Option<&Arc<dyn FilePlaces>> {
        self.files.as_ref()
    }

    /// Returns the thread for work whose amount callers choose.
    pub fn caller_work(&self) -> &calls::long_work::LongWork {
        &self.caller_work
    }

    /// Returns the thread that processes long texts.
    pub fn long_work(&self) -> &calls::long_work::LongWork {
        &self.long_work
    }

    /// Returns a unique name with which this process claims a job or a delivery.
    pub fn next_claim(&self) -> String {
        self.claims.next(&self.settings.host)
    }

    /// Returns the reader of repository code, if there is one.
    pub fn code(&self) -> Option<&Arc<dyn CodeSources>> {
        self.code.as_ref()
    }

    /// Returns the client that reads reviews from forges, if there is one.
    pub fn forge(&self) -> Option<&Arc<dyn Forge>> {
        self.forge.as_ref()
    }

    /// Returns the embedding model, if there is one.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// Returns the model that scores injections, if there is one.
    pub fn scorer(&self) -> Option<&Arc<dyn Scorer>> {
        self.scorer.as_ref()
    }

    /// Returns the permits that allow one evaluation of prompts at a time.
    pub fn evaluations(&self) -> &Arc<jobs::permits::Permits> {
        &self.evaluations
    }

    /// Returns the signal that wakes the job workers of this process.
    pub fn wake(&self) -> &jobs::wake::Wake {
        &self.wake
    }

    /// Returns the products of this engine.
    pub fn products(&self) -> &Products {
        &self.products
    }

    /// Returns the time of the clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
