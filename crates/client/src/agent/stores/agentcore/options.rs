//! What a store is made of, and the rules of it.

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
use crate::agent::stores::place_template::{Place, name_of_template};

/// What the service makes of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionMode {
    /// They are stored, and nothing is extracted from them.
    Skip,
}

/// A store to be.
#[derive(Clone)]
pub struct AgentCoreStoreOptions {
    /// Which server, as whom, by whose clock.
    pub connection: AgentCoreConnection,
    /// The id of the memory.
    pub memory_id: String,
    /// Whose memory.
    pub actor_id: String,
    /// Which conversation.
    pub session_id: String,
    /// Where it looks: one namespace, or one with all beneath it. A template should end in `/`: the service may read what has no slash
    /// at its end as the beginning of longer names.
    pub place: Place,
    /// Its name; made of the template where it is absent or blank.
    pub name: Option<String>,
    /// What it holds, for a model.
    pub description: Option<String>,
    /// Entries of a search.
    pub max_search_results: NonZeroU32,
    /// Only entries of at least this score, 0 to 1. An entry without a score has 0.
    pub min_score: Option<f64>,
    /// With a least score, how many times more records are asked for than are wanted: 1 or more.
    pub over_fetch_factor: f64,
    /// It takes messages, and keeps `extraction`.
    pub writable: bool,
    /// How messages come into it.
    pub extraction: Option<ExtractionConfig>,
    /// What goes with a message. Without one nothing does: metadata of messages is the framework's, and may hold anything.
    pub metadata_provider: Option<MetadataProvider>,
    /// Messages of one event, 1 to 100.
    pub max_turns_per_event: usize,
    /// What the service makes of the events; where it is absent, what its strategies say.
    pub extraction_mode: Option<ExtractionMode>,
    /// Conditions that every search has, at most five; no call can widen them.
    pub filters: Vec<MetadataFilter>,
}

impl AgentCoreStoreOptions {
    /// A store that reads a place of a conversation.
    pub fn new(
        connection: AgentCoreConnection,
        memory_id: impl Into<String>,
        actor_id: impl Into<String>,
        session_id: impl Into<String>,
        place: Place,
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

    /// The name of the store and the namespace it looks in.
    ///
    /// # Errors
    /// Where an option breaks a rule.
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

    /// The least score of a call, or of the store, with what it means for a question.
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

/// Slashes at the end stay as they are: to Loci they are all the same, but the service may tell names by them.
fn with_single_slashes(namespace: &str) -> String {
    let mut out = String::with_capacity(namespace.len());
    for character in namespace.chars() {
        if character != '/' || !out.ends_with('/') {
            out.push(character);
        }
    }
    out
}
