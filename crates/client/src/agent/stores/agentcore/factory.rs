//! The stores of one conversation: several places are read, one store takes the messages, one client serves all. A single store is made
//! by its constructor.

use std::num::NonZeroU32;

use loci_api::record::MetadataFilter;

use super::connection::AgentCoreConnection;
use super::options::{AgentCoreStoreOptions, ExtractionMode};
use super::store::AgentCoreStore;
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::error::MemoryError;
use crate::agent::stores::event_metadata::MetadataProvider;
use crate::agent::stores::place_template::Place;
use crate::agent::stores::topology;

/// One of several places. What is absent is as [`AgentCoreStoreOptions`] has it.
#[derive(Debug, Clone)]
pub struct AgentCorePlace {
    /// Where its store looks.
    pub place: Place,
    /// The store's name.
    pub name: Option<String>,
    /// What it holds, for a model.
    pub description: Option<String>,
    /// Entries of a search.
    pub max_search_results: Option<NonZeroU32>,
    /// Only entries of at least this score.
    pub min_score: Option<f64>,
    /// With a least score, how many times more records are asked for.
    pub over_fetch_factor: Option<f64>,
    /// Whether its store takes the messages. Where none says so and there is extraction, the first does that is not flagged false.
    pub writable: Option<bool>,
    /// Conditions that every search has.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCorePlace {
    /// A place with nothing said of it.
    pub fn new(place: Place) -> Self {
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

/// Stores to be.
#[derive(Clone)]
pub struct AgentCoreStoresOptions {
    /// Which server, as whom, by whose clock.
    pub connection: AgentCoreConnection,
    /// The id of the memory.
    pub memory_id: String,
    /// Whose memory.
    pub actor_id: String,
    /// Which conversation.
    pub session_id: String,
    /// The places, at least one.
    pub places: Vec<AgentCorePlace>,
    /// How messages come into the store that takes them; `ExtractionConfig::default()` leaves everything to the manager.
    pub extraction: Option<ExtractionConfig>,
    /// What the service makes of the events.
    pub extraction_mode: Option<ExtractionMode>,
    /// What goes with a message.
    pub metadata_provider: Option<MetadataProvider>,
    /// Messages of one event; 50 where it is absent.
    pub max_turns_per_event: Option<usize>,
}

impl AgentCoreStoresOptions {
    /// Stores that read places of a conversation.
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

/// The stores of a conversation, in the order of their places.
///
/// An event has no namespace, so what is written once is found in every place that a strategy of the memory fills. That is why at most
/// one of the stores takes messages: the place that is flagged, else, with extraction, the first that is not flagged false.
///
/// ```no_run
/// # async fn example() -> Result<(), loci_client::agent::MemoryError> {
/// use loci_client::agent::coordinator::ExtractionConfig;
/// use loci_client::agent::stores::Place;
/// use loci_client::agent::stores::agentcore::{
///     AgentCoreConnection, AgentCorePlace, AgentCoreStoresOptions, agentcore_stores,
/// };
/// use loci_client::agent::{MemoryManager, Surroundings};
///
/// let places = ["/facts/{actorId}/", "/preferences/{actorId}/"];
/// let places = places.map(|place| AgentCorePlace::new(Place::NamespacePath(place.to_owned())));
/// let stores = agentcore_stores(AgentCoreStoresOptions {
///     extraction: Some(ExtractionConfig::default()),
///     ..AgentCoreStoresOptions::new(AgentCoreConnection::system(), "mem-1234567890", "alice", "s-1", places.into())
/// })?;
/// let mut builder = MemoryManager::builder(Surroundings::system());
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
/// Where there is no place, two are flagged writable, all opted out of an extraction that is wanted, or an option breaks a rule.
pub fn agentcore_stores(mut options: AgentCoreStoresOptions) -> Result<Vec<AgentCoreStore>, MemoryError> {
    if options.places.is_empty() {
        let rule = "agentcore_stores: at least one namespace is required";
        return Err(MemoryError::Configuration(rule.to_owned()));
    }
    let flags: Vec<Option<bool>> = options.places.iter().map(|of| of.writable).collect();
    let writer = topology::writer(&flags, options.extraction.is_some())?;
    // Made once: every store has the same connections.
    options.connection.client = Some(options.connection.client()?);
    let stores = options.places.iter().enumerate().map(|(at, of)| options.store(of, writer == Some(at)));
    stores.collect()
}
