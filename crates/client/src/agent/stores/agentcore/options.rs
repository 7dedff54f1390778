//! The options of a store in AgentCore, and their rules.

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

/// The treatment of stored events by AgentCore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionMode {
    /// AgentCore stores the events and extracts no records from them.
    Skip,
}

/// The options of an [`AgentCoreStore`](crate::agent::stores::agentcore::AgentCoreStore).
#[derive(Clone)]
pub struct AgentCoreStoreOptions {
    /// The server, the credentials and the clock.
    pub connection: AgentCoreConnection,
    /// The id of the AgentCore memory.
    pub memory_id: String,
    /// The actor whose memory the store uses.
    pub actor_id: String,
    /// The session of the conversation.
    pub session_id: String,
    /// The namespace that the store reads: a single one, or one with all namespaces below it. A
    /// template should end in `/`, because AgentCore may treat a name without it as a prefix of
    /// longer names.
    pub place: ReadNamespace,
    /// The name of the store. An absent or blank name is derived from the namespace template.
    pub name: Option<String>,
    /// A description of the store's contents, which a model reads.
    pub description: Option<String>,
    /// The maximum number of entries of a search.
    pub max_search_results: NonZeroU32,
    /// The minimum score of a returned entry, 0 to 1. An entry without a score counts as 0.
    pub min_score: Option<f64>,
    /// The factor, 1 or more, by which more records are requested if there is a minimum score,
    /// because the store then drops some.
    pub over_fetch_factor: f64,
    /// True if the store takes messages. Otherwise `extraction` has no effect.
    pub writable: bool,
    /// The configuration by which messages are sent to the store. `None` means that none are sent
    /// automatically.
    pub extraction: Option<ExtractionConfig>,
    /// The function that returns the metadata of each message's event. Without one no metadata is
    /// sent, because the metadata of a message belongs to the framework and may hold anything.
    pub metadata_provider: Option<MetadataProvider>,
    /// The maximum number of messages in one event, 1 to 100.
    pub max_turns_per_event: usize,
    /// The treatment of the stored events by AgentCore. `None` means that the memory's strategies
    /// extract records.
    pub extraction_mode: Option<ExtractionMode>,
    /// The metadata conditions that every search applies, at most five. A call can only add
    /// conditions.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCoreStoreOptions {
    /// Creates the options of a store that reads one namespace in a conversation.
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

    /// Returns the name of the store and its namespace, after checking all options.
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

    /// Returns the minimum score of the call, else that of the store, with the factor for
    /// requesting more records.
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

/// Replaces repeated slashes by one. Slashes at the end are kept, because AgentCore may distinguish
/// names by them.
fn with_single_slashes(namespace: &str) -> String {
    let mut out = String::with_capacity(namespace.len());
    for character in namespace.chars() {
        if character != '/' || !out.ends_with('/') {
            out.push(character);
        }
    }
    out
}
