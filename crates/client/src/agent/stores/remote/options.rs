//! The options of a store on a Loci server, and their rules. Nothing here calls the server.

use std::fmt;
use std::num::NonZeroU32;

use loci_api::record::MetadataFilter;

use crate::agent::coordinator::ExtractionConfig;
use crate::agent::error::MemoryError;
use crate::agent::limits::{EVENT_TURNS_DEFAULT, EVENT_TURNS_MAX};
use crate::agent::store::check_relevance;
use crate::agent::stores::event_metadata::MetadataProvider;
use crate::agent::stores::namespace_template::{ReadNamespace, name_of_template};
use crate::call::Client;

/// Options of a [`RemoteStore`](crate::agent::stores::RemoteStore).
#[derive(Clone)]
pub struct RemoteStoreOptions {
    /// The client of the Loci server.
    pub client: Client,
    /// The name or id of the memory.
    pub memory: String,
    /// The namespace in which the store searches and to which it adds entries: a single one
    /// (`namespace`), or one with all namespaces below it (`namespace_path`).
    pub place: ReadNamespace,
    /// The actor whose events the store writes. Templates use it, too.
    pub actor: Option<String>,
    /// The session of the conversation. A store needs an actor and a session to take messages.
    pub session: Option<String>,
    /// The name of the store. An absent or blank name is derived from the namespace.
    pub name: Option<String>,
    /// A description of the store's contents, which a model reads.
    pub description: Option<String>,
    /// The maximum number of entries of a search. Default: 5.
    pub max_search_results: Option<NonZeroU32>,
    /// The minimum relevance of a returned entry, 0 to 1.
    pub relevance_min: Option<f32>,
    /// The metadata conditions that every search applies. A call can only add conditions.
    pub filters: Vec<MetadataFilter>,
    /// True if the store may be written to. Each conversation (memory, actor and session) may have
    /// at most one writable store:
    /// [`assert_writable_topology`](crate::agent::stores::topology::assert_writable_topology)
    /// checks this.
    pub writable: bool,
    /// The configuration by which messages are sent to the store. `None` means that none are sent
    /// automatically.
    pub extraction: Option<ExtractionConfig>,
    /// The function that returns the metadata of each message's event. Without one, the metadata of
    /// the message is sent, within the limits of the memory.
    pub metadata_provider: Option<MetadataProvider>,
    /// The maximum number of messages in one event, 1 to 100. Default: 50.
    pub max_turns_per_event: usize,
    /// True to create a missing memory of this name, with a strategy that extracts records from
    /// conversations into the namespace.
    pub create: bool,
}

impl RemoteStoreOptions {
    /// Creates the options of a store that reads a namespace.
    pub fn new(client: Client, memory: impl Into<String>, place: ReadNamespace) -> Self {
        Self {
            client,
            memory: memory.into(),
            place,
            actor: None,
            session: None,
            name: None,
            description: None,
            max_search_results: None,
            relevance_min: None,
            filters: Vec::new(),
            writable: false,
            extraction: None,
            metadata_provider: None,
            max_turns_per_event: EVENT_TURNS_DEFAULT,
            create: false,
        }
    }

    /// Returns the name of the store and its namespace, after checking all options.
    ///
    /// # Errors
    /// An error that names the option and its rule, if an option breaks one.
    pub(super) fn checked(&self) -> Result<(String, String), MemoryError> {
        let refused = |rule: String| MemoryError::Configuration(format!("RemoteStore: {rule}"));
        for (field, value) in [
            ("memory", Some(&self.memory)),
            ("actor", self.actor.as_ref()),
            ("session", self.session.as_ref()),
        ] {
            if value.is_some_and(|value| value.trim().is_empty()) {
                return Err(refused(format!("{field} must be a non-empty string")));
            }
        }
        check_relevance(self.relevance_min).map_err(|rule| refused(rule.to_owned()))?;
        if !(1..=EVENT_TURNS_MAX).contains(&self.max_turns_per_event) {
            return Err(refused(format!(
                "max_turns_per_event must be an integer from 1 to {EVENT_TURNS_MAX}"
            )));
        }
        let namespace = self.place.resolve(self.actor.as_deref(), self.session.as_deref());
        let namespace = namespace.map_err(|error| refused(error.to_string()))?;
        let given = self.name.clone().filter(|name| !name.trim().is_empty());
        let name = given.unwrap_or_else(|| name_of_template(self.place.template(), "loci-memory"));
        Ok((name, namespace))
    }
}

impl fmt::Debug for RemoteStoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStoreOptions")
            .field("client", &self.client)
            .field("memory", &self.memory)
            .field("place", &self.place)
            .field("actor", &self.actor)
            .field("session", &self.session)
            .field("name", &self.name)
            .field("writable", &self.writable)
            .field("extraction", &self.extraction)
            .finish_non_exhaustive()
    }
}
