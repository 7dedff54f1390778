//! Repeated statements. A repetition updates the time of a known record and restarts its retention.
//! Evidence from another investigation raises its confidence. Nearly equal patterns are merged and
//! counted. [`super::precedence`] selects the repeated record.

use loci_engine::records::record_builder::Building;
use loci_model::limits::SRE_ITEMS_MAX;
use loci_model::ports::store::{Confirmation, ReadTx, Tx};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::KnowledgeType;
use loci_model::{Result, Timestamp};
use loci_text::marks::marks;
use loci_text::{similarity, terms};
use serde_json::{Value, json};

use super::precedence::{rank, seal, source, word, words};
use crate::input::canonical_json;
use crate::investigations::incident_of_session;
use crate::retrieval::scores;

/// The number of sessions that made a statement, and the sessions other than its own. Clients
/// cannot write system keys.
pub(crate) const TIMES: &str = "x-amz-agentcore-memory-saidTimes";
const SAID_IN: &str = "x-amz-agentcore-memory-saidIn";
/// The minimum Jaccard similarity of the words of two patterns.
const LIKE: f32 = 0.8;

/// Records that a new statement repeats a known record.
pub(super) fn note(tx: &mut dyn Tx, building: &Building<'_>, known: &Record, said: &Record) -> Result<()> {
    // The next version sets the later time, because its text contains it too.
    let confirmation =
        Confirmation { stated_at: known.timestamp, ..Confirmation::of(known, said, building.now) };
    tx.records_mut().confirm(&known.memory, &known.id, &confirmation)?;
    // An investigation that is saved again unchanged gets no new version.
    if known.state != RecordState::Active || known.kind == RecordKind::Investigation {
        return Ok(());
    }
    // Read the current version, with its new sources and its new expiry.
    let Some(stored) = tx.records().get(&known.memory, &known.id)? else { return Ok(()) };
    let mut next = stored.clone();
    let is_new = said.timestamp > stored.timestamp;
    if is_new {
        next.timestamp = said.timestamp;
    }
    let is_shown = shows_again(tx, &mut next, said, building.now)?;
    let is_counted = count(&mut next, said);
    let by = source(&stored);
    if let Some(text) = merged(&next, said, is_new) {
        next.text = text;
        seal(&mut next, by);
    }
    if is_new || is_shown || (is_counted && is_pattern(&stored)) {
        next.updated_at = building.now;
        building.replace(tx, &stored, next, "it was said again")?;
    }
    Ok(())
}

/// True if two patterns are nearly equal: the same words except a few, and the same numbers and
/// negations.
pub(super) fn is_like(one: &Record, other: &Record) -> bool {
    if !is_pattern(one) || !is_pattern(other) {
        return false;
    }
    let (Some(a), Some(b)) = (pattern_text(one), pattern_text(other)) else { return false };
    let (of_a, of_b) = (marks(&a), marks(&b));
    of_a.holds(&of_b) && of_b.holds(&of_a) && similarity::jaccard(&terms(&a), &terms(&b)) >= LIKE
}

/// Returns the number of sessions that made the statement, if more than one.
pub(crate) fn times(record: &Record) -> Option<u64> {
    match record.metadata.get(TIMES) {
        Some(MetadataValue::Number(times)) => Some(*times as u64),
        Some(_) | None => None,
    }
}

/// Counts a session that makes the statement for the first time. Repetitions within one session,
/// such as at its end, do not count.
fn count(record: &mut Record, said: &Record) -> bool {
    let Some(session) = said.provenance.session.as_ref() else { return false };
    let said_in = words(record, SAID_IN);
    let is_known = record.provenance.session.as_ref() == Some(session)
        || said_in.iter().any(|one| one == session.as_str());
    if is_known || said_in.len() >= SRE_ITEMS_MAX {
        return false;
    }
    let said_in = said_in.iter().cloned().chain([session.to_string()]).collect();
    let times = times(record).unwrap_or(1).saturating_add(1);
    record.metadata.insert(SAID_IN.to_owned(), MetadataValue::StringList(said_in));
    record.metadata.insert(TIMES.to_owned(), MetadataValue::Number(times as f64));
    true
}

/// Records a confirmation by another investigation with evidence, under its incident, as an outcome
/// does. A session that only repeats a record shown to it has no tool call and does not confirm it.
/// A session without an investigation does not either.
fn shows_again(tx: &dyn ReadTx, record: &mut Record, said: &Record, now: Timestamp) -> Result<bool> {
    let shows = serde_json::from_str(&said.text).is_ok_and(|content: Value| scores::has_evidence(&content));
    let Some(session) = said.provenance.session.as_ref().filter(|_| shows) else { return Ok(false) };
    if record.provenance.session.as_ref() == Some(session) {
        return Ok(false);
    }
    let Some(incident) = incident_of_session(tx, &record.memory, session, now)? else { return Ok(false) };
    let confirmed = words(record, scores::CONFIRMED_BY);
    if confirmed.len() >= SRE_ITEMS_MAX || confirmed.contains(&incident) {
        return Ok(false);
    }
    let all = confirmed.iter().cloned().chain([incident]).collect();
    record.metadata.insert(scores::CONFIRMED_BY.to_owned(), MetadataValue::StringList(all));
    Ok(true)
}

/// Returns the text with the newer time and the added evidence. `None` if nothing changes. Evidence
/// from a source of lower rank is not added.
fn merged(record: &Record, said: &Record, is_new: bool) -> Option<String> {
    let mut content: Value = serde_json::from_str(&record.text).ok()?;
    let new: Value = serde_json::from_str(&said.text).ok()?;
    let members = content.as_object_mut()?;
    let before = members.clone();
    if is_new && members.contains_key("timestamp") {
        members.insert("timestamp".to_owned(), json!(record.timestamp.to_rfc3339()));
    }
    let shown = new.get("evidence").and_then(Value::as_array).filter(|_| rank(said) >= rank(record));
    for evidence in shown.into_iter().flatten() {
        let all = members.entry("evidence").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            add_evidence(all, evidence);
        }
    }
    (*members != before).then(|| canonical_json::text(&content))
}

/// Adds evidence once. Verified evidence replaces the same unverified one and, in a full list, any
/// unverified one, so that arbitrary claims cannot displace verified evidence.
fn add_evidence(all: &mut Vec<Value>, evidence: &Value) {
    let bare = |one: &Value| {
        let mut bare = one.clone();
        bare.as_object_mut().map(|members| members.remove(scores::UNVERIFIED));
        bare
    };
    let is_verified = !scores::is_unverified(evidence);
    let new = bare(evidence);
    if let Some(same) = all.iter_mut().find(|one| bare(one) == new) {
        if is_verified {
            *same = evidence.clone();
        }
    } else if all.len() < SRE_ITEMS_MAX {
        all.push(evidence.clone());
    } else if is_verified && let Some(other) = all.iter_mut().find(|one| scores::is_unverified(one)) {
        *other = evidence.clone();
    }
}

fn is_pattern(record: &Record) -> bool {
    word(record, "knowledge_type") == Some(KnowledgeType::Pattern.as_str())
}

/// Returns the text of a pattern, with its name.
fn pattern_text(record: &Record) -> Option<String> {
    let content: Value = serde_json::from_str(&record.text).ok()?;
    let name = content.get("metric").and_then(Value::as_str).unwrap_or_default();
    Some(format!("{name} {}", canonical_json::values_text(content.get("knowledge_data")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_there_once_and_what_is_verified_counts() {
        let check = |before: &[Value], new: Value, expect: &[Value]| {
            let mut all = before.to_vec();
            add_evidence(&mut all, &new);
            assert_eq!(all, expect, "{new}");
        };
        let shown = |id: usize| json!({"tool_call_id": format!("tc_{id}")});
        let marked = |id: usize| json!({"tool_call_id": format!("tc_{id}"), "unverified": true});
        check(&[], marked(1), &[marked(1)]);
        check(&[shown(1)], shown(1), &[shown(1)]);
        check(&[shown(1)], shown(2), &[shown(1), shown(2)]);
        check(&[marked(1)], shown(1), &[shown(1)]);
        check(&[shown(1)], marked(1), &[shown(1)]);
        let full: Vec<Value> = (0..SRE_ITEMS_MAX).map(marked).collect();
        check(&full, marked(SRE_ITEMS_MAX), &full);
        let mut one = full.clone();
        one[0] = shown(SRE_ITEMS_MAX);
        check(&full, shown(SRE_ITEMS_MAX), &one);
        let of_all: Vec<Value> = (0..SRE_ITEMS_MAX).map(shown).collect();
        check(&of_all, shown(SRE_ITEMS_MAX), &of_all);
    }
}
