//! The checks after a kill, and at the end.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::SharedLedger;
use super::ledger::{KnownRecord, Ledger, SentEvent};
use super::workers::BATCH;
use crate::wire::{Wire, text_at};

/// The counts of the final check.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) events: usize,
    pub(super) records: usize,
    pub(super) updates: u64,
    pub(super) deletions: u64,
    pub(super) in_flight: u64,
}

fn with<T>(ledger: &SharedLedger, change: impl FnOnce(&mut Ledger) -> T) -> T {
    change(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Checks the requests sent since the last check, and resolves those in flight.
pub(super) async fn after_kill(wire: &Wire, memory: &str, ledger: &SharedLedger) -> Result<()> {
    let tokens = with(ledger, |ledger| std::mem::take(&mut ledger.fresh_events));
    let numbers = with(ledger, |ledger| std::mem::take(&mut ledger.fresh_batches));
    let records = with(ledger, |ledger| std::mem::take(&mut ledger.fresh_records));
    let mut sessions = BTreeMap::new();
    for token in tokens {
        event(wire, memory, ledger, &token, &mut sessions).await?;
    }
    for number in numbers {
        batch(wire, memory, ledger, number).await?;
    }
    for id in records {
        record(wire, memory, ledger, &id).await?;
    }
    Ok(())
}

/// Returns the texts of a session's events, with the number of times that each exists.
async fn session_texts(
    wire: &Wire,
    memory: &str,
    session: &str,
) -> Result<BTreeMap<String, (String, usize)>> {
    let path = format!("/memories/{memory}/actor/crasher/sessions/{session}");
    let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for event in wire.pages(&path, &json!({}), "events").await? {
        let text = text_at(&event, "/payload/0/conversational/content/text")?;
        let entry = found.entry(text).or_insert((text_at(&event, "/eventId")?, 0));
        entry.1 += 1;
    }
    Ok(found)
}

type Sessions = BTreeMap<String, BTreeMap<String, (String, usize)>>;

async fn event(
    wire: &Wire,
    memory: &str,
    ledger: &SharedLedger,
    token: &str,
    sessions: &mut Sessions,
) -> Result<()> {
    let Some(sent) = with(ledger, |ledger| ledger.events.get(token).cloned()) else { return Ok(()) };
    if !sessions.contains_key(&sent.session) {
        let texts = session_texts(wire, memory, &sent.session).await?;
        sessions.insert(sent.session.clone(), texts);
    }
    let found = sessions.get(&sent.session).and_then(|texts| texts.get(&sent.text));
    ensure!(found.is_none_or(|(_, count)| *count == 1), "event {token} is there twice");
    match (&sent.id, found) {
        (Some(id), Some((stored, _))) => ensure!(id == stored, "event {token} has another id"),
        (Some(_), None) => bail!("acknowledged event {token} is lost"),
        (None, found) => settle_event(wire, memory, ledger, token, &sent, found.map(|(id, _)| id)).await?,
    }
    Ok(())
}

/// Sends again an event that got no response. The token must return the stored event, or store it
/// now.
async fn settle_event(
    wire: &Wire,
    memory: &str,
    ledger: &SharedLedger,
    token: &str,
    sent: &SentEvent,
    stored: Option<&String>,
) -> Result<()> {
    let body = crate::wire::user_turn("crasher", &sent.session, 1_790_000_999.5, token, &sent.text);
    let made = wire.ask("POST", &format!("/memories/{memory}/events"), Some(&body)).await?;
    let id = text_at(&made, "/event/eventId")?;
    ensure!(stored.is_none_or(|stored| *stored == id), "token {token} made a second event");
    with(ledger, |ledger| {
        ledger.in_flight += 1;
        if let Some(event) = ledger.events.get_mut(token) {
            event.id = Some(id);
        }
    });
    Ok(())
}

async fn batch(wire: &Wire, memory: &str, ledger: &SharedLedger, number: u64) -> Result<()> {
    let Some(sent) = with(ledger, |ledger| ledger.batches.get(&number).cloned()) else { return Ok(()) };
    if sent.ids.is_some() {
        return Ok(()); // its records are checked one by one
    }
    let body = json!({"namespace": sent.namespace, "maxResults": 100});
    let page = wire.ask("POST", &format!("/memories/{memory}/memoryRecords"), Some(&body)).await?;
    let found = page.pointer("/memoryRecordSummaries").and_then(Value::as_array).cloned().unwrap_or_default();
    let count = u64::try_from(found.len())?;
    ensure!(count == 0 || count == BATCH, "batch {number} is half-written: {count} of {BATCH}");
    let mut ids = Vec::new();
    for item in &found {
        let id = text_at(item, "/memoryRecordId")?;
        let text = text_at(item, "/content/text")?;
        let known = KnownRecord { text, pending: None, deleted: false, deleting: false };
        with(ledger, |ledger| ledger.records.insert(id.clone(), known));
        ids.push(id);
    }
    with(ledger, |ledger| {
        ledger.in_flight += 1;
        if let Some(batch) = ledger.batches.get_mut(&number) {
            batch.ids = Some(ids);
        }
    });
    Ok(())
}

async fn record(wire: &Wire, memory: &str, ledger: &SharedLedger, id: &str) -> Result<()> {
    let Some(known) = with(ledger, |ledger| ledger.records.get(id).cloned()) else { return Ok(()) };
    let (status, found) = wire.send("GET", &format!("/memories/{memory}/memoryRecord/{id}"), None).await?;
    let text = match status {
        200 => Some(text_at(&found, "/memoryRecord/content/text")?),
        404 => None,
        other => bail!("record {id}: {other} {found}"),
    };
    let settled = match (&text, known.deleted, known.deleting) {
        (None, true, _) | (None, _, true) => KnownRecord { deleted: true, deleting: false, ..known.clone() },
        (None, false, false) => bail!("acknowledged record {id} is lost"),
        (Some(_), true, _) => bail!("deleted record {id} is back"),
        (Some(text), false, _) => {
            let legal = *text == known.text || known.pending.as_ref() == Some(text);
            ensure!(legal, "record {id} has a text that was never sent");
            KnownRecord { text: text.clone(), pending: None, deleted: false, deleting: false }
        }
    };
    with(ledger, |ledger| {
        if known.pending.is_some() || known.deleting {
            ledger.in_flight += 1;
        }
        ledger.records.insert(id.to_owned(), settled);
    });
    Ok(())
}

/// Checks everything that was ever sent, the extraction of every event exactly once, and the index
/// against a rebuild.
pub(super) async fn whole(wire: &Wire, memory: &str, ledger: &SharedLedger) -> Result<Totals> {
    with(ledger, |ledger| {
        ledger.fresh_events = ledger.events.keys().cloned().collect();
        ledger.fresh_records = ledger.records.keys().cloned().collect();
    });
    after_kill(wire, memory, ledger).await?;
    wire.settle(memory).await?;
    extracted_once(wire, memory, ledger).await?;
    index_equals_rebuild(wire, memory).await?;
    Ok(with(ledger, |ledger| Totals {
        events: ledger.events.values().filter(|event| event.id.is_some()).count(),
        records: ledger.records.len(),
        updates: ledger.updates,
        deletions: ledger.deletions,
        in_flight: ledger.in_flight,
    }))
}

async fn extracted_once(wire: &Wire, memory: &str, ledger: &SharedLedger) -> Result<()> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let path = format!("/memories/{memory}/memoryRecords");
    let place = json!({"namespace": "/facts/crasher/"});
    for item in wire.pages(&path, &place, "memoryRecordSummaries").await? {
        *found.entry(text_at(&item, "/content/text")?).or_default() += 1;
    }
    let sent: Vec<String> =
        with(ledger, |ledger| ledger.events.values().map(|event| event.text.clone()).collect());
    for text in &sent {
        let count = found.get(text).copied().unwrap_or(0);
        ensure!(count == 1, "an event's turn is in {count} records: {text}");
    }
    Ok(())
}

/// Checks that the index that served the load equals one rebuilt from the store.
pub(crate) async fn index_equals_rebuild(wire: &Wire, memory: &str) -> Result<()> {
    let report = wire.ask("POST", "/v1/doctor", Some(&serde_json::json!({"rebuild": true}))).await?;
    let findings = report.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let name = format!("index of {memory}");
    let found = findings.iter().find(|finding| finding.get("name") == Some(&Value::from(name.as_str())));
    let equal = found.is_some_and(|finding| {
        finding.get("ok") == Some(&Value::Bool(true))
            && text_at(finding, "/detail").is_ok_and(|detail| detail.contains("equals a fresh build"))
    });
    ensure!(equal, "the index does not equal a rebuild: {report}");
    Ok(())
}
