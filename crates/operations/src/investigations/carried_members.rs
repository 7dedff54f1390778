//! Members that the next version of an investigation keeps: its outcome, refuted statements, and
//! its retention. Additional findings do not revert them.

use loci_model::Timestamp;
use loci_model::record::Record;
use serde_json::{Map, Value, json};

use super::investigation_lookup::say;
use super::outcome::OUTCOME;
use crate::retrieval::scores::{CONFIRMED_BY, REFUTED_BY};

/// Copies the reported outcome of one version into the next, unwritten one.
pub(crate) fn carry(before: &Record, next: &mut Record, now: Timestamp) {
    for key in [OUTCOME, CONFIRMED_BY, REFUTED_BY] {
        if let Some(value) = before.metadata.get(key).filter(|_| !next.metadata.contains_key(key)) {
            next.metadata.insert(key.to_owned(), value.clone());
        }
    }
    let is_longer = |one: &Record, other: &Record| match (one.expiry_days, other.expiry_days) {
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one > other,
        (_, None) => false,
    };
    if before.metadata.contains_key(OUTCOME) && is_longer(before, next) {
        next.expiry_days = before.expiry_days;
        next.expires_at = next.expiry_days.map(|days| now.plus_days(days));
    }
    let (Some(was), Some(mut content)) = (object(before), object(next)) else { return };
    let Some(outcome) = was.get("outcome").filter(|_| !content.contains_key("outcome")) else { return };
    content.insert("outcome".to_owned(), outcome.clone());
    let is_same_cause = was.get("root_cause") == content.get("root_cause");
    if is_same_cause && was.get("root_cause_refuted").is_some() {
        content.insert("root_cause_refuted".to_owned(), json!(true));
    }
    refute(&was, &mut content);
    say(next, &Value::Object(content));
}

/// Marks repeated findings as refuted if the previous version has them as refuted.
fn refute(was: &Map<String, Value>, content: &mut Map<String, Value>) {
    let text = |finding: &Value| finding.get("text").and_then(Value::as_str).map(str::to_owned);
    let all = was.get("key_findings").and_then(Value::as_array).into_iter().flatten();
    let refuted: Vec<String> =
        all.filter(|finding| finding.get("refuted").is_some()).filter_map(text).collect();
    let findings = content.get_mut("key_findings").and_then(Value::as_array_mut);
    for finding in findings.into_iter().flatten() {
        let is_refuted = text(finding).is_some_and(|text| refuted.contains(&text));
        if let Some(members) = finding.as_object_mut().filter(|_| is_refuted) {
            members.insert("refuted".to_owned(), json!(true));
        }
    }
}

fn object(record: &Record) -> Option<Map<String, Value>> {
    match serde_json::from_str(&record.text) {
        Ok(Value::Object(members)) => Some(members),
        Ok(_) | Err(_) => None,
    }
}
