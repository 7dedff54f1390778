//! The stores of one conversation: several places are read, one store takes the messages, and all
//! share one client. A single store needs only its constructor.

use std::num::NonZeroU32;

use loci_api::record::MetadataFilter;

use super::connection::AgentCoreConnection;
use super::options::{AgentCoreStoreOptions, ExtractionMode};
use super::store::AgentCoreStore;
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::error::MemoryError;
use crate::agent::stores::event_metadata::MetadataProvider;
use crate::agent::stores::namespace_template::ReadNamespace;
use crate::agent::stores::topology;

/// One of several places. Absent values have the defaults of [`AgentCoreStoreOptions`].
#[derive(Debug, Clone)]
pub struct AgentCorePlace {
    /// The namespace that its store reads.
    pub place: ReadNamespace,
    /// The store's name.
    pub name: Option<String>,
    /// The description of its contents, for a model.
    pub description: Option<String>,
    /// The maximum of entries of a search.
    pub max_search_results: Option<NonZeroU32>,
    /// The minimum score of an entry.
    pub min_score: Option<f64>,
    /// The factor by which more records are requested if there is a minimum score.
    pub over_fetch_factor: Option<f64>,
    /// True if its store takes the messages. If no place is flagged true and there is extraction,
    /// the first place that is not flagged false takes them.
    pub writable: Option<bool>,
    /// The conditions of every search.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCorePlace {
    /// Creates a place with defaults only.
    pub fn new(place: ReadNamespace) -> Self {
        Self {
            place,
            name: None,
            description: None,
            max_search_results: None,
            min_score: None,
            over_fetch_factor: None,
            writable: None,
            filters: Vec::new(),
        }
    }
}

/// The options of the stores of a conversation.
#[derive(Clone)]
pub struct AgentCoreStoresOptions {
    /// The server, the credentials and the clock.
    pub connection: AgentCoreConnection,
    /// The id of the memory.
    pub memory_id: String,
    /// The actor of the memory.
    pub actor_id: String,
    /// The session of the conversation.
    pub session_id: String,
    /// The places, at least one.
    pub places: Vec<AgentCorePlace>,
    /// The extraction of the store that takes the messages; `ExtractionConfig::default()` applies
    /// the manager's defaults.
    pub extraction: Option<ExtractionConfig>,
    /// The processing of the events by the service.
    pub extraction_mode: Option<ExtractionMode>,
    /// The provider of each message's metadata.
    pub metadata_provider: Option<MetadataProvider>,
    /// The maximum of messages of one event. Default: 50.
    pub max_turns_per_event: Option<usize>,
}

impl AgentCoreStoresOptions {
    /// Creates the options of stores that read places of a conversation.
    pub fn new(
        connection: AgentCoreConnection,
        memory_id: impl Into<String>,
        actor_id: impl Into<String>,
        session_id: impl Into<String>,
        places: Vec<AgentCorePlace>,
    ) -> Self {
        Self {
            connection,
            memory_id: memory_id.into(),
            actor_id: actor_id.into(),
            session_id: session_id.into(),
            places,
            extraction: None,
            extraction_mode: None,
            metadata_provider: None,
            max_turns_per_event: None,
        }
    }

    fn store(&self, of: &AgentCorePlace, writes: bool) -> Result<AgentCoreStore, MemoryError> {
        let plain = AgentCoreStoreOptions::new(
            self.connection.clone(),
            &self.memory_id,
            &self.actor_id,
            &self.session_id,
            of.place.clone(),
        );
        AgentCoreStore::new(AgentCoreStoreOptions {
            name: of.name.clone(),
            description: of.description.clone(),
            max_search_results: of.max_search_results.unwrap_or(plain.max_search_results),
            min_score: of.min_score,
            over_fetch_factor: of.over_fetch_factor.unwrap_or(plain.over_fetch_factor),
            writable: writes,
            extraction: self.extraction.clone().filter(|_| writes),
            metadata_provider: self.metadata_provider.clone(),
            max_turns_per_event: self.max_turns_per_event.unwrap_or(plain.max_turns_per_event),
            extraction_mode: self.extraction_mode,
            filters: of.filters.clone(),
            ..plain
        })
    }
}

/// Creates the stores of a conversation, in the order of their places.
///
/// An event has no namespace, so a message that is written once is found in every place that a
/// strategy of the memory fills. At most one of the stores therefore takes messages: the flagged
/// place, else, with extraction, the first place that is not flagged false.
///
/// ```no_run
/// # async fn example() -> Result<(), loci_client::agent::MemoryError> {
/// use loci_client::agent::coordinator::ExtractionConfig;
/// use loci_client::agent::stores::ReadNamespace;
/// use loci_client::agent::stores::agentcore::{
///     AgentCoreConnection, AgentCorePlace, AgentCoreStoresOptions, agentcore_stores,
/// };
/// use loci_client::agent::{MemoryManager, RuntimeContext};
///
/// let places = ["/facts/{actorId}/", "/preferences/{actorId}/"];
/// let places = places.map(|place| AgentCorePlace::new(ReadNamespace::NamespacePath(place.to_owned())));
/// let connection = AgentCoreConnection::system();
/// let memory_id = "mem-1234567890";
/// let stores = agentcore_stores(AgentCoreStoresOptions {
///     extraction: Some(ExtractionConfig::default()),
///     ..AgentCoreStoresOptions::new(connection, memory_id, "alice", "s-1", places.into())
/// })?;
/// let mut builder = MemoryManager::builder(RuntimeContext::system());
/// for store in stores {
///     builder = builder.store(store);
/// }
/// let manager = builder.build().await?;
/// # let _ = manager;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If there is no place, two places are flagged writable, all places opt out of a requested
/// extraction, or an option breaks a rule.
pub fn agentcore_stores(mut options: AgentCoreStoresOptions) -> Result<Vec<AgentCoreStore>, MemoryError> {
    if options.places.is_empty() {
        let rule = "agentcore_stores: at least one namespace is required";
        return Err(MemoryError::Configuration(rule.to_owned()));
    }
    let flags: Vec<Option<bool>> = options.places.iter().map(|of| of.writable).collect();
    let writer = topology::writer(&flags, options.extraction.is_some())?;
    // Built once, so that all stores share the same connections.
    options.connection.client = Some(options.connection.client()?);
    let stores = options.places.iter().enumerate().map(|(at, of)| options.store(of, writer == Some(at)));
    stores.collect()
}
