//! The options of a store, and their rules.

use std::fmt;
use std::num::NonZeroU32;

use loci_api::record::MetadataFilter;

use super::connection::AgentCoreConnection;
use super::filters;
use super::limits::{AGENTCORE_RESULTS_DEFAULT, OVER_FETCH_FACTOR_DEFAULT};
use super::top_k::ScoreCut;
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::error::MemoryError;
use crate::agent::limits::{EVENT_TURNS_DEFAULT, EVENT_TURNS_MAX};
use crate::agent::stores::event_metadata::MetadataProvider;
use crate::agent::stores::namespace_template::{ReadNamespace, name_of_template};

/// The processing of events by the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionMode {
    /// The service stores the events and extracts nothing from them.
    Skip,
}

/// The options of a store.
#[derive(Clone)]
pub struct AgentCoreStoreOptions {
    /// The server, the credentials and the clock.
    pub connection: AgentCoreConnection,
    /// The id of the memory.
    pub memory_id: String,
    /// The actor of the memory.
    pub actor_id: String,
    /// The session of the conversation.
    pub session_id: String,
    /// The namespace that it reads: a single one, or one with all namespaces below it. A template
    /// should end in `/`, because the service may treat a name without it as a prefix of longer
    /// names.
    pub place: ReadNamespace,
    /// The store's name. An absent or blank name is derived from the template.
    pub name: Option<String>,
    /// The description of its contents, for a model.
    pub description: Option<String>,
    /// The maximum of entries of a search.
    pub max_search_results: NonZeroU32,
    /// The minimum score of an entry, 0 to 1. An entry without a score has 0.
    pub min_score: Option<f64>,
    /// The factor by which more records are requested if there is a minimum score: 1 or more.
    pub over_fetch_factor: f64,
    /// True if the store takes messages and honours `extraction`.
    pub writable: bool,
    /// The extraction of messages.
    pub extraction: Option<ExtractionConfig>,
    /// The provider of each message's metadata. Without one no metadata is sent, because a
    /// message's own metadata belongs to the framework and may hold anything.
    pub metadata_provider: Option<MetadataProvider>,
    /// The maximum of messages of one event, 1 to 100.
    pub max_turns_per_event: usize,
    /// The processing of the events by the service. If it is absent, the memory's strategies
    /// decide.
    pub extraction_mode: Option<ExtractionMode>,
    /// The conditions of every search, at most five; no call can widen them.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCoreStoreOptions {
    /// Creates the options of a store that reads a place of a conversation.
    pub fn new(
        connection: AgentCoreConnection,
        memory_id: impl Into<String>,
        actor_id: impl Into<String>,
        session_id: impl Into<String>,
        place: ReadNamespace,
    ) -> Self {
        Self {
            connection,
            memory_id: memory_id.into(),
            actor_id: actor_id.into(),
            session_id: session_id.into(),
            place,
            name: None,
            description: None,
            max_search_results: NonZeroU32::new(AGENTCORE_RESULTS_DEFAULT).unwrap_or(NonZeroU32::MIN),
            min_score: None,
            over_fetch_factor: OVER_FETCH_FACTOR_DEFAULT,
            writable: false,
            extraction: None,
            metadata_provider: None,
            max_turns_per_event: EVENT_TURNS_DEFAULT,
            extraction_mode: None,
            filters: Vec::new(),
        }
    }

    /// Returns the name of the store and the namespace that it reads.
    ///
    /// # Errors
    /// If an option breaks a rule.
    pub(super) fn checked(&self) -> Result<(String, String), MemoryError> {
        let refused = |rule: String| Err(MemoryError::Configuration(format!("AgentCoreMemoryStore: {rule}")));
        let template = self.place.template();
        for (field, value) in [
            ("memory_id", self.memory_id.as_str()),
            ("actor_id", &self.actor_id),
            ("session_id", &self.session_id),
            (self.place.field(), template),
        ] {
            if value.trim().is_empty() {
                return refused(format!("{field} must be a non-empty string"));
            }
        }
        if self.min_score.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
            return refused("min_score must be a number between 0 and 1".to_owned());
        }
        if !self.over_fetch_factor.is_finite() || self.over_fetch_factor < 1.0 {
            return refused("over_fetch_factor must be a finite number of at least 1".to_owned());
        }
        if !(1..=EVENT_TURNS_MAX).contains(&self.max_turns_per_event) {
            return refused(format!("max_turns_per_event must be an integer from 1 to {EVENT_TURNS_MAX}"));
        }
        if let Err(rule) = filters::expressions(&self.filters) {
            return refused(rule);
        }
        let namespace = self.place.resolve(Some(&self.actor_id), Some(&self.session_id))?;
        let given = self.name.clone().filter(|name| !name.trim().is_empty());
        let name = given.unwrap_or_else(|| name_of_template(template, "agentcore-memory"));
        Ok((name, with_single_slashes(&namespace)))
    }

    /// Returns the minimum score of the call, else of the store, with the over-fetch factor.
    pub(super) fn score_cut(&self, of_call: Option<f32>) -> Option<ScoreCut> {
        let least = of_call.map(f64::from).or(self.min_score);
        least.map(|score_min| ScoreCut { score_min, over_fetch_factor: self.over_fetch_factor })
    }
}

impl fmt::Debug for AgentCoreStoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentCoreStoreOptions")
            .field("connection", &self.connection)
            .field("memory_id", &self.memory_id)
            .field("actor_id", &self.actor_id)
            .field("session_id", &self.session_id)
            .field("place", &self.place)
            .field("name", &self.name)
            .field("writable", &self.writable)
            .field("extraction", &self.extraction)
            .finish_non_exhaustive()
    }
}

/// Collapses repeated slashes. Slashes at the end are kept: Loci ignores them, but the service may
/// distinguish names by them.
fn with_single_slashes(namespace: &str) -> String {
    let mut out = String::with_capacity(namespace.len());
    for character in namespace.chars() {
        if character != '/' || !out.ends_with('/') {
            out.push(character);
        }
    }
    out
}
