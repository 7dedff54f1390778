//! The verbs of Loci: everything that decides. Sees nouns, ports and text analysis; no back end, no wire, no runtime.
//!
//! Every door calls the methods of [`Engine`]; each takes the caller first, checks access in [`access`] and nowhere
//! else, and does its work in one closure on the store. One file per verb.
//!
//! To add a verb: a file in the folder of its noun with an `impl Engine` block, the request and answer types beside it.

pub mod access;
pub mod admin;
pub mod events;
pub mod idempotency;
pub mod jobs;
pub mod keys;
pub mod memories;
pub mod page;
pub mod records;
pub mod retrieval;
pub mod safety;
pub mod settings;
pub mod strategies;

use std::sync::Arc;

use loci_model::Timestamp;
use loci_model::ports::clock::Clock;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::ids::IdSource;
use loci_model::ports::store::Store;
use loci_model::ports::vault::Vault;

pub use settings::EngineSettings;

/// What an engine is made of: one adapter per port.
#[derive(Clone)]
pub struct EngineParts {
    /// The store of record.
    pub store: Arc<dyn Store>,
    /// The embedding model; without one, lexical signals alone.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub ids: Arc<dyn IdSource>,
    /// Seals the secrets of keys.
    pub vault: Arc<dyn Vault>,
}

/// The engine: cheap to clone, shared by all doors.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) settings: Arc<EngineSettings>,
    pub(crate) wake: Arc<jobs::wake::Wake>,
    pub(crate) own_weights: Arc<retrieval::OwnWeights>,
}

impl Engine {
    /// An engine over the given adapters.
    pub fn new(parts: EngineParts, settings: EngineSettings) -> Self {
        Self {
            store: parts.store,
            embedder: parts.embedder,
            clock: parts.clock,
            ids: parts.ids,
            vault: parts.vault,
            settings: Arc::new(settings),
            wake: Arc::new(jobs::wake::Wake::default()),
            own_weights: Arc::new(retrieval::OwnWeights::default()),
        }
    }

    /// The settings in force.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The store, for the binary's own chores (host, checkpoint, backup).
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The time of the clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
