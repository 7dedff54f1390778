//! Where something that is remembered comes from, in the words of its users (sre-memory.md §3): ids as they were sent, not as segments. Pure.

use loci_engine::access::segment;
use loci_model::record::Record;
use loci_model::services::knowledge::SreType;
use serde_json::Value;

use super::precedence;

/// Who said it, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct SreOrigin {
    /// The user, where it is a user's.
    pub user: Option<String>,
    /// The agent that learned it.
    pub agent: Option<String>,
    /// The session; preferences have none.
    pub session: Option<String>,
    /// The incident.
    pub incident: Option<String>,
    /// The events that say so, oldest first.
    pub events: Vec<String>,
    /// Calls of tools that show it.
    pub evidence: Vec<Value>,
    /// `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: &'static str,
}

impl SreOrigin {
    /// Of a record of that type, with what it says.
    pub fn of(kind: SreType, record: &Record, content: &Value) -> Self {
        let from = &record.provenance;
        let actor = from.actor.as_ref().map(|actor| segment::decode(actor.as_str()));
        let session = from.session.as_ref().map(|session| segment::decode(session.as_str()));
        let incident = content.get("incident_id").and_then(Value::as_str).map(str::to_owned);
        let is_agents = kind == SreType::Infrastructure;
        let mut events: Vec<String> = from.sources.iter().map(|source| source.event.to_string()).collect();
        events.dedup();
        Self {
            user: actor.clone().filter(|_| !is_agents),
            agent: actor.filter(|_| is_agents),
            session: session.filter(|_| kind != SreType::Preferences),
            incident,
            events,
            evidence: content.get("evidence").and_then(Value::as_array).cloned().unwrap_or_default(),
            source: precedence::source(record).as_str(),
        }
    }
}
