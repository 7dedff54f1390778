//! The origin of a record in the spelling of its users: decoded ids instead of namespace segments.
//! Pure.

use loci_api::operations::knowledge::SreProvenance;
use loci_engine::access::segment;
use loci_model::record::Record;
use loci_model::services::knowledge::SreType;
use serde_json::Value;

use super::precedence;

/// Returns the provenance of a record of a type, and its source: `human`, `declared`, `webhook`,
/// `agent`, `extracted` or `imported`.
pub fn origin(kind: SreType, record: &Record, content: &Value) -> (SreProvenance, &'static str) {
    let from = &record.provenance;
    let actor = from.actor.as_ref().map(|actor| segment::decode(actor.as_str()));
    let session = from.session.as_ref().map(|session| segment::decode(session.as_str()));
    let is_agents = kind == SreType::Infrastructure;
    let mut event_ids: Vec<String> = from.sources.iter().map(|source| source.event.to_string()).collect();
    event_ids.dedup();
    let provenance = SreProvenance {
        user: actor.clone().filter(|_| !is_agents),
        agent: actor.filter(|_| is_agents),
        session_id: session.filter(|_| kind != SreType::Preferences),
        incident_id: content.get("incident_id").and_then(Value::as_str).map(str::to_owned),
        event_ids,
        evidence: content.get("evidence").and_then(Value::as_array).cloned().unwrap_or_default(),
    };
    (provenance, precedence::source(record).as_str())
}
