//! Simulation steps on outgoing deliveries: events about record changes are sent at least once
//! and in order for each record, to targets that sometimes fail.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::delivery::DeliveryState;
use loci_model::ports::deliver::Notice;
use loci_model::{Document, ErrorKind, Result};
use serde_json::{Value, json};

use super::InvariantViolation;
use super::reference_model::{ReferenceModel, must};
use super::serial_store::StoreFault;
use super::steps::{ChangedMemories, SimulationRun};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";
/// The number of writes in a round of deliveries, one of which may be made to fail.
const WRITES: u64 = 10;
/// The maximum number of rounds until no delivery waits any more. Before each round the clock
/// advances by the maximum pause after a failed try.
const ROUNDS_MAX: usize = 60;
const PAUSE_MS: u64 = 3_600_000;

/// Returns the configuration of a memory's stream of record changes.
pub(super) fn stream() -> Result<Document> {
    let content = json!({"type": "MEMORY_RECORDS", "level": "FULL_CONTENT"});
    let kinesis = json!({"dataStreamArn": STREAM, "contentConfigurations": [content]});
    Document::from_value(&json!({"resources": [{"kinesis": kinesis}]}))
}

/// Sends due deliveries; the target may be out of service, the server may die.
pub(super) fn deliver(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    if run.dice.chance(25) {
        let out = run.dice.between(1, 3);
        run.targets.fail_next((0..out).map(|_| Some(ErrorKind::Unavailable)));
    }
    let number = run.dice.between(1, WRITES);
    let fault = if run.dice.chance(30) { run.dice.pick(&StoreFault::ALL).copied() } else { None };
    deliver_with(run, fault.map(|fault| (number, fault)))?;
    Ok(ChangedMemories::Nothing)
}

fn deliver_with(run: &mut SimulationRun<'_>, mut fault: Option<(u64, StoreFault)>) -> Outcome<()> {
    if run.dice.chance(40) {
        run.life.together(fault.take(), |engine| async move { engine.deliver_now().await })?;
    }
    let acted = run.life.act_with(fault, |engine| async move { engine.deliver_now().await })?;
    let tried = acted.result?;
    let notices = run.targets.notices();
    run.note(format!("  {tried} tries"));
    for notice in notices.get(run.told..).unwrap_or_default() {
        run.note(format!("  {} {} {} {}", notice.id, notice.order_key, notice.attempt, notice.body.as_str()));
    }
    run.told = notices.len();
    Ok(())
}

/// Checks at the end that every delivery was sent, and that its receivers know the current
/// records.
pub(super) fn everything_is_told(run: &mut SimulationRun<'_>) -> Outcome<()> {
    for _ in 0..ROUNDS_MAX {
        deliver_with(run, None)?;
        if waiting(run)? == 0 {
            break;
        }
        run.life.clock.advance_ms(PAUSE_MS);
    }
    must(waiting(run)? == 0, "something is never sent")?;
    let notices = run.targets.notices();
    in_order(&notices)?;
    let told: BTreeMap<String, Value> = last_told(&notices)?;
    for place in 0..run.twins.len() {
        followers_know(run.twin(place)?, &told)?;
    }
    Ok(())
}

fn waiting(run: &mut SimulationRun<'_>) -> Outcome<usize> {
    let mut count = 0;
    for place in 0..run.twins.len() {
        let (caller, memory) = (run.caller.clone(), run.twin(place)?.memory.id.clone());
        let page = run.life.call(|engine| async move {
            engine.delivery_list(&caller, &memory, Some(DeliveryState::Pending), None, 100).await
        })??;
        count += page.items.len();
    }
    Ok(count)
}

/// Checks that deliveries with the same order key were sent in order, except for repetitions of
/// earlier ones.
fn in_order(notices: &[Notice]) -> Outcome<()> {
    let (mut seen, mut latest) = (BTreeSet::new(), BTreeMap::new());
    for notice in notices.iter().filter(|notice| seen.insert(&notice.id)) {
        if let Some(before) = latest.insert(&notice.order_key, notice.created_at) {
            must(before <= notice.created_at, "a delivery overtook an earlier one of its key")
                .map_err(|why| why.about(&format!("{notice:?}")))?;
        }
    }
    Ok(())
}

/// Returns the last event that receivers got about each record.
fn last_told(notices: &[Notice]) -> Outcome<BTreeMap<String, Value>> {
    let mut told = BTreeMap::new();
    for notice in notices {
        let body: Value = serde_json::from_str(notice.body.as_str())
            .map_err(|error| InvariantViolation::new(error.to_string()))?;
        let event = body.get("memoryStreamEvent").cloned().unwrap_or_default();
        if let Some(record) = event.get("memoryRecordId").and_then(Value::as_str) {
            told.insert(record.to_owned(), event);
        }
    }
    Ok(told)
}

fn followers_know(twin: &ReferenceModel, told: &BTreeMap<String, Value>) -> Outcome<()> {
    // Followers of a moved memory receive no events on its moved records.
    if twin.memory.stream.is_none() || twin.has_moved {
        return Ok(());
    }
    for record in twin.seen.current() {
        let last = told.get(record.id.as_str());
        let kind = last.and_then(|event| event.get("eventType")).and_then(Value::as_str).unwrap_or("nothing");
        let says_there = kind == "MemoryRecordCreated" || kind == "MemoryRecordUpdated";
        let is_there = record.state == loci_model::record::RecordState::Active;
        must(says_there == is_there, &format!("followers were told {kind} of {record:?}"))?;
        let text = last.and_then(|event| event.get("memoryRecordText")).and_then(Value::as_str);
        must(!is_there || text == Some(&record.text), &format!("followers know another text of {record:?}"))?;
    }
    for id in &twin.gone {
        let kind = told.get(id.as_str()).and_then(|event| event.get("eventType")).and_then(Value::as_str);
        let is_told = kind.is_none_or(|kind| kind == "MemoryRecordDeleted");
        must(is_told, &format!("followers were told {kind:?} of the deleted {id}"))?;
    }
    Ok(())
}
