//! The stores for one conversation: each reads one namespace, at most one takes the messages, and
//! all share one client. A program that needs a single store uses its constructor.

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

/// A namespace to read in a conversation. Members that are `None` have the defaults of
/// [`AgentCoreStoreOptions`].
#[derive(Debug, Clone)]
pub struct AgentCorePlace {
    /// The namespace that the store reads.
    pub place: ReadNamespace,
    /// The name of the store. `None` derives it from the namespace.
    pub name: Option<String>,
    /// A description of the store's contents, which a model reads.
    pub description: Option<String>,
    /// The maximum number of entries of a search.
    pub max_search_results: Option<NonZeroU32>,
    /// The minimum score of a returned entry, 0 to 1.
    pub min_score: Option<f64>,
    /// The factor by which more records are requested if there is a minimum score, because the
    /// store then drops some.
    pub over_fetch_factor: Option<f64>,
    /// True if this store takes the messages. If no place has true and there is an extraction
    /// configuration, the first place without false takes them.
    pub writable: Option<bool>,
    /// The metadata conditions that every search applies.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCorePlace {
    /// Creates a place for a namespace, with defaults for all other members.
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
    /// The id of the AgentCore memory.
    pub memory_id: String,
    /// The actor whose memory the stores use.
    pub actor_id: String,
    /// The session of the conversation.
    pub session_id: String,
    /// The namespaces to read, at least one. Each gets a store.
    pub places: Vec<AgentCorePlace>,
    /// The configuration by which messages are sent to the store that takes them. `None` means that
    /// no messages are sent automatically.
    pub extraction: Option<ExtractionConfig>,
    /// The treatment of the stored events by AgentCore. `None` means that the memory's strategies
    /// extract records.
    pub extraction_mode: Option<ExtractionMode>,
    /// The function that returns the metadata of each message's event.
    pub metadata_provider: Option<MetadataProvider>,
    /// The maximum number of messages in one event. Default: 50.
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
/// An event has no namespace. A message that is stored once is found in every namespace that a
/// strategy of the memory fills, so at most one of the stores takes messages.
/// [`AgentCorePlace::writable`] determines it.
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
/// If there is no place, two places are marked writable, all places exclude the requested
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
