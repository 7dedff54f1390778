//! What an alert makes of an investigation. Pure. A notice opens an investigation where none of its
//! fingerprint is open, and else adds to it. That a signal is over is noted; that the matter is
//! settled is said by whoever closes it. No contact and no preference is ever taken from an alert.

use loci_model::Timestamp;
use loci_model::services::alert_notice::{AlertChange, AlertNotice, AlertSource};
use loci_model::services::knowledge::{ResolutionStatus, SreSource};
use serde_json::{Map, Value, json};

use super::super::investigations::{ALERT_OVER, Known};
use crate::retrieval::scores::UNTRUSTED;

/// While an alert stands.
const STANDS: &str = "firing";
/// Things that were done about an alert and are kept of it, the latest last.
const NOTES_MAX: usize = 50;

/// What follows from a piece of news.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Nothing: it is known, or it is of an alert that nobody heard of.
    Nothing(&'static str),
    /// An investigation begins.
    Opens(Map<String, Value>),
    /// What is known says more: which of those that are known, and what it says now.
    Adds(usize, Map<String, Value>),
}

/// What follows, given the investigations of the fingerprint, the newest first.
pub(super) fn effect(source: AlertSource, news: &AlertNotice, known: &[Known], now: Timestamp) -> Effect {
    let Some(change) = news.change else { return Effect::Nothing("event") };
    // The occurrence that the news is of: the one that began then, else the one that is open.
    let began = |one: &Known| one.alert("starts_at").and_then(|at| Timestamp::parse(at).ok());
    let same = known.iter().position(|one| news.starts_at.is_some() && began(one) == news.starts_at);
    let open = known.iter().position(Known::is_open);
    match change {
        AlertChange::Opened => match (same, open) {
            // It came late: that it ended is known already.
            (Some(at), _)
                if !known.get(at).is_some_and(Known::is_open) && open.is_none() && !is_reopened(news) =>
            {
                Effect::Nothing("late")
            }
            (_, Some(at)) => added(known, at, news, change, now),
            (_, None) => Effect::Opens(opening(source, news, change, now)),
        },
        AlertChange::Cleared | AlertChange::Closed => match same.or(open) {
            Some(at) => added(known, at, news, change, now),
            // Its beginning may still come; then it is known that it is over.
            None if news.starts_at.is_some() => Effect::Opens(opening(source, news, change, now)),
            None => Effect::Nothing("unknown_alert"),
        },
        AlertChange::Escalated | AlertChange::Noted => match same.or(open) {
            Some(at) => added(known, at, news, change, now),
            None => Effect::Nothing("unknown_alert"),
        },
    }
}

/// Whether it says by itself that something which was over began again.
fn is_reopened(news: &AlertNotice) -> bool {
    news.event.ends_with(".reopened")
}

fn added(known: &[Known], at: usize, news: &AlertNotice, change: AlertChange, now: Timestamp) -> Effect {
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
        // What it says is others' text: it is shown as such, and nothing is read out of it.
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

/// The state of the alert, and what was done about it.
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

/// What a notice says of the matter itself: only where somebody closed or passed it on.
fn settled(content: &mut Map<String, Value>, news: &AlertNotice, change: AlertChange, now: Timestamp) {
    let status = match change {
        AlertChange::Closed => {
            let at = news.ends_at.unwrap_or(now).to_rfc3339();
            content.entry("resolved_at").or_insert(json!(at));
            ResolutionStatus::Completed
        }
        // What is over is not passed on any more, and whoever works on it knows better how far it came.
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

/// Whether somebody said that it is resolved.
fn is_over(content: &Map<String, Value>) -> bool {
    let completed = ResolutionStatus::Completed.as_str();
    content.contains_key("resolved_at") || word(content, "resolution_status") == Some(completed)
}
