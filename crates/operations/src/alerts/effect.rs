//! Computes the effect of an alert notice on investigations. Pure. A notice opens an investigation
//! if none with its fingerprint is open, and otherwise updates the open one. The end of a signal is
//! recorded, but only a person or system that closes the alert resolves the investigation. Contacts
//! and preferences are never taken from an alert.

use loci_model::Timestamp;
use loci_model::services::alert_notice::{AlertChange, AlertNotice, AlertSource};
use loci_model::services::knowledge::{ResolutionStatus, SreSource};
use serde_json::{Map, Value, json};

use super::super::investigations::{ALERT_OVER, StoredInvestigation};
use crate::retrieval::scores::UNTRUSTED;

/// The state of an alert that is firing.
const STANDS: &str = "firing";
/// The maximum number of notes kept for an alert. The oldest are dropped first.
const NOTES_MAX: usize = 50;

/// The effect of an alert notice.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// No change: the notice is known, or it refers to an unknown alert. Holds the reason.
    Nothing(&'static str),
    /// Opens an investigation with this content.
    Opens(Map<String, Value>),
    /// Updates a known investigation: its index in `known` and its new content.
    Adds(usize, Map<String, Value>),
}

/// Returns the effect of a notice. `known` holds the investigations with the same fingerprint,
/// newest first.
pub(super) fn effect(
    source: AlertSource,
    news: &AlertNotice,
    known: &[StoredInvestigation],
    now: Timestamp,
) -> Effect {
    let Some(change) = news.change else { return Effect::Nothing("event") };
    // The occurrence that the notice refers to: the one with the same start time, otherwise the
    // open one.
    let began = |one: &StoredInvestigation| one.alert("starts_at").and_then(|at| Timestamp::parse(at).ok());
    let same = known.iter().position(|one| news.starts_at.is_some() && began(one) == news.starts_at);
    let open = known.iter().position(StoredInvestigation::is_open);
    match change {
        AlertChange::Opened => match (same, open) {
            // The notice is late: the end of this occurrence is already recorded.
            (Some(at), _)
                if !known.get(at).is_some_and(StoredInvestigation::is_open)
                    && open.is_none()
                    && !is_reopened(news) =>
            {
                Effect::Nothing("late")
            }
            (_, Some(at)) => added(known, at, news, change, now),
            (_, None) => Effect::Opens(opening(source, news, change, now)),
        },
        AlertChange::Cleared | AlertChange::Closed => match same.or(open) {
            Some(at) => added(known, at, news, change, now),
            // The opening notice may still arrive; it then finds the end recorded.
            None if news.starts_at.is_some() => Effect::Opens(opening(source, news, change, now)),
            None => Effect::Nothing("unknown_alert"),
        },
        AlertChange::Escalated | AlertChange::Noted => match same.or(open) {
            Some(at) => added(known, at, news, change, now),
            None => Effect::Nothing("unknown_alert"),
        },
    }
}

/// True if the notice reports that a closed alert was reopened.
fn is_reopened(news: &AlertNotice) -> bool {
    news.event.ends_with(".reopened")
}

fn added(
    known: &[StoredInvestigation],
    at: usize,
    news: &AlertNotice,
    change: AlertChange,
    now: Timestamp,
) -> Effect {
    let Some(one) = known.get(at) else { return Effect::Nothing("unknown_alert") };
    let mut content = one.content.clone();
    let mut alert = match content.remove("alert") {
        Some(Value::Object(alert)) => alert,
        Some(_) | None => Map::new(),
    };
    told(&mut alert, news, change, now);
    content.insert("alert".to_owned(), Value::Object(alert));
    settled(&mut content, news, change, now);
    if content == one.content { Effect::Nothing("known") } else { Effect::Adds(at, content) }
}

fn opening(
    source: AlertSource,
    news: &AlertNotice,
    change: AlertChange,
    now: Timestamp,
) -> Map<String, Value> {
    let mut alert = Map::from_iter([
        ("source".to_owned(), json!(source.as_str())),
        ("fingerprint".to_owned(), json!(news.fingerprint)),
        ("labels".to_owned(), json!(news.labels)),
        // The notice is text by third parties: it is shown as untrusted, and nothing is parsed from
        // it.
        ("trust".to_owned(), json!(UNTRUSTED)),
    ]);
    let place = serde_json::to_value(&news.place).unwrap_or_default();
    alert.insert("place".to_owned(), place);
    alert.extend(news.group_key.iter().map(|key| ("group_key".to_owned(), json!(key))));
    alert.extend(news.url.iter().map(|url| ("url".to_owned(), json!(url))));
    alert.extend(news.starts_at.map(|at| ("starts_at".to_owned(), json!(at.to_rfc3339()))));
    told(&mut alert, news, change, now);
    let began = news.starts_at.filter(|at| *at <= now).unwrap_or(now);
    let mut content = Map::from_iter([
        ("query".to_owned(), json!(news.title)),
        ("fingerprint".to_owned(), json!(news.fingerprint)),
        ("started_at".to_owned(), json!(began.to_rfc3339())),
        ("alert".to_owned(), Value::Object(alert)),
    ]);
    if let Some(service) = &news.place.service {
        content.insert("services".to_owned(), json!([service]));
    }
    settled(&mut content, news, change, now);
    content
}

/// Updates the state of the alert and the notes about it.
fn told(alert: &mut Map<String, Value>, news: &AlertNotice, change: AlertChange, now: Timestamp) {
    match change {
        AlertChange::Opened => {
            alert.insert("state".to_owned(), json!(STANDS));
            alert.remove("resolved_at");
            if is_reopened(news) {
                note(alert, news, now);
            }
        }
        AlertChange::Cleared | AlertChange::Closed => {
            alert.insert("state".to_owned(), json!(ALERT_OVER));
            let at = news.ends_at.unwrap_or(now).to_rfc3339();
            alert.entry("resolved_at").or_insert(json!(at));
        }
        AlertChange::Escalated | AlertChange::Noted => note(alert, news, now),
    }
}

fn note(alert: &mut Map<String, Value>, news: &AlertNotice, now: Timestamp) {
    let notes = alert.entry("notes").or_insert_with(|| json!([]));
    let Some(notes) = notes.as_array_mut() else { return };
    notes.push(json!({"at": now.to_rfc3339(), "event": news.event}));
    let left = notes.len().saturating_sub(NOTES_MAX);
    notes.drain(..left);
}

/// Updates the resolution status, only if the notice closes, escalates or reopens the alert.
fn settled(content: &mut Map<String, Value>, news: &AlertNotice, change: AlertChange, now: Timestamp) {
    let status = match change {
        AlertChange::Closed => {
            let at = news.ends_at.unwrap_or(now).to_rfc3339();
            content.entry("resolved_at").or_insert(json!(at));
            ResolutionStatus::Completed
        }
        // A resolved investigation is not escalated, and a status set by a caller has precedence.
        AlertChange::Escalated if is_over(content) || word(content, "status_source") == Some("caller") => {
            return;
        }
        AlertChange::Escalated => ResolutionStatus::Escalated,
        AlertChange::Opened if is_reopened(news) => {
            content.remove("resolved_at");
            ResolutionStatus::Ongoing
        }
        AlertChange::Opened | AlertChange::Cleared | AlertChange::Noted => return,
    };
    content.insert("resolution_status".to_owned(), json!(status.as_str()));
    content.insert("status_source".to_owned(), json!(SreSource::Webhook.as_str()));
}

fn word<'a>(content: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    content.get(member).and_then(Value::as_str)
}

/// True if the investigation is resolved.
fn is_over(content: &Map<String, Value>) -> bool {
    let completed = ResolutionStatus::Completed.as_str();
    content.contains_key("resolved_at") || word(content, "resolution_status") == Some(completed)
}
