//! Simulation steps on records that clients write: batches, edits, deletions, reverts. Some items
//! of a batch are invalid on purpose.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::records::{
    BatchOutcome, NewRecord, RecordDelete, RecordRevert, RecordUpdate, RecordsCreate,
};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ErrorKind, Namespace, RecordId, Result, StrategyId, Timestamp};

use super::InvariantViolation;
use super::random::Dice;
use super::reference_model::{ClientEdit, ExpectedChange, ReferenceModel, must};
use super::steps::{ChangedMemories, SimulationRun};
use super::texts::{NAMESPACES, TOPICS, statement};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

/// Creates a batch of records.
pub(super) fn create(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (number, now, mut dice) = (run.number(), run.now(), run.dice.clone());
    let twin = run.twin(place)?;
    let count = dice.between(1, 5);
    let records = (0..count).map(|at| new_record(&mut dice, twin, at, now)).collect::<Result<Vec<_>>>()?;
    let days = u32::try_from(dice.between(31, 60)).unwrap_or(31);
    let expiry = dice.chance(30).then_some(ExpirySpecification::Days(days));
    let request = RecordsCreate { memory: twin.memory.id.clone(), records, expiry };
    let token = ClientToken::new(format!("batch {number}"), &serde_json::json!({"n": number}))?;
    run.dice = dice;
    let caller = run.caller.clone();
    let outcome = if run.dice.chance(25) {
        let request = request.clone();
        run.life.call(|engine| async move { engine.records_create(&caller, request, None).await })??
    } else {
        let acted = run.life.act(&mut run.dice, |engine| {
            let (caller, request, token) = (caller.clone(), request.clone(), token.clone());
            async move { engine.records_create(&caller, request, Some(token)).await }
        })?;
        acted.result?
    };
    let mut edits = BTreeMap::new();
    must(outcome.items.len() == request.records.len(), "a batch has other items than were sent")?;
    for (item, new) in outcome.items.iter().zip(request.records) {
        must(item.request.as_ref() == Some(&new.request), "items of a batch are in another order")?;
        let is_right = new.namespaces.len() == 1;
        must(item.result.is_ok() == is_right, &format!("an item ended otherwise than it should: {item:?}"))?;
        if is_right {
            edits.insert(item.id.clone(), ClientEdit::Created(Box::new(new)));
        }
    }
    note_batch(run, &outcome);
    Ok(ChangedMemories::In(place, ExpectedChange::Records(edits)))
}

fn new_record(dice: &mut Dice, twin: &ReferenceModel, at: u64, now: Timestamp) -> Result<NewRecord> {
    let there: Vec<&Record> = twin.seen.current().collect();
    let text = match dice.pick(&there) {
        Some(record) if at == 0 && record.text.len() < 10_000 && dice.clone().chance(12) => {
            record.text.clone()
        }
        _ => statement(dice),
    };
    let mut namespaces = vec![Namespace::parse(dice.word(&NAMESPACES))?];
    if dice.chance(5) {
        namespaces.push(Namespace::parse("/second/")?);
    }
    let earlier = i64::try_from(dice.below(20 * 86_400_000)).unwrap_or(0);
    let mut record = NewRecord::fact(format!("r{at}"), namespaces, text, now.plus_millis(-earlier));
    record.metadata = metadata(dice);
    if dice.chance(20) {
        let strategies: Vec<&StrategyId> = twin.memory.strategies.iter().map(|one| &one.id).collect();
        record.strategy = dice.pick(&strategies).map(|id| StrategyId::clone(id));
    }
    if dice.chance(15) {
        record.kind = if dice.chance(50) { RecordKind::Rule } else { RecordKind::Document };
        record.title = Some(format!("On {}", dice.word(&TOPICS)));
        record.path = Some(format!("docs/{}/{at}_x.md", dice.word(&TOPICS)));
        record.subtype = Some("note".to_owned());
    }
    Ok(record)
}

fn metadata(dice: &mut Dice) -> Metadata {
    let mut metadata = Metadata::new();
    if dice.chance(50) {
        metadata.insert("topic".to_owned(), MetadataValue::String(dice.word(&TOPICS).to_owned()));
    }
    if dice.chance(25) {
        let number = dice.pick(&[0.1, -0.0, 3.0, 1e300, -2.5]).copied().unwrap_or_default();
        metadata.insert("rank".to_owned(), MetadataValue::Number(number));
    }
    if dice.chance(20) {
        let words = vec![dice.word(&TOPICS).to_owned(), dice.word(&TOPICS).to_owned()];
        metadata.insert("labels".to_owned(), MetadataValue::StringList(words));
    }
    metadata
}

/// Returns up to `most` readable records, sometimes with a deleted one.
fn some_records(dice: &mut Dice, twin: &ReferenceModel, now: Timestamp, most: u64) -> Vec<RecordId> {
    let readable: Vec<&RecordId> = twin.seen.readable(now).map(|record| &record.id).collect();
    let gone: Vec<&RecordId> = twin.gone.iter().collect();
    let mut ids = BTreeSet::new();
    for _ in 0..dice.between(1, most) {
        let from = if dice.chance(8) { &gone } else { &readable };
        ids.extend(dice.pick(from).map(|id| RecordId::clone(id)));
    }
    ids.into_iter().collect()
}

/// Edits records; some with the version that the client knows, which may be outdated.
pub(super) fn update(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (now, mut dice) = (run.now(), run.dice.clone());
    let twin = run.twin(place)?;
    let ids = some_records(&mut dice, twin, now, 3);
    let all_know_versions = dice.chance(70);
    let mut updates = Vec::new();
    let mut edits = BTreeMap::new();
    for id in ids {
        let stored = twin.seen.readable(now).find(|record| record.id == id);
        let version = stored.map_or(1, |record| record.version);
        let is_old = dice.chance(10);
        let if_version = (all_know_versions || is_old).then_some(if is_old { version + 1 } else { version });
        let update = new_update(&mut dice, id.clone(), if_version, now)?;
        let is_right =
            stored.is_some() && !is_old && update.namespaces.as_ref().is_none_or(|all| all.len() == 1);
        if is_right {
            edits.insert(id, ClientEdit::Updated(Box::new(update.clone())));
        }
        updates.push(update);
    }
    let expiry = match dice.below(6) {
        0 => Some(ExpirySpecification::Days(40)),
        1 => Some(ExpirySpecification::Remove),
        _ => None,
    };
    let memory = twin.memory.id.clone();
    run.dice = dice;
    let caller = run.caller.clone();
    let (outcome, was_applied) = if all_know_versions {
        let acted = run.life.act(&mut run.dice, |engine| {
            let (caller, memory, updates) = (caller.clone(), memory.clone(), updates.clone());
            async move { engine.records_update(&caller, &memory, updates, expiry).await }
        })?;
        (acted.result?, acted.was_applied)
    } else {
        let updates = updates.clone();
        let outcome = run
            .life
            .call(|engine| async move { engine.records_update(&caller, &memory, updates, expiry).await })?;
        (outcome?, false)
    };
    check_items(&outcome, &edits, was_applied)?;
    note_batch(run, &outcome);
    Ok(ChangedMemories::In(place, ExpectedChange::Records(edits)))
}

fn new_update(
    dice: &mut Dice,
    id: RecordId,
    if_version: Option<u32>,
    now: Timestamp,
) -> Result<RecordUpdate> {
    let namespaces = match dice.below(10) {
        0 => Some(vec![Namespace::parse("/a/")?, Namespace::parse("/b/")?]),
        1..4 => Some(vec![Namespace::parse(dice.word(&NAMESPACES))?]),
        _ => None,
    };
    Ok(RecordUpdate {
        id,
        timestamp: now,
        text: dice.chance(70).then(|| statement(dice)),
        namespaces,
        source_namespaces: None,
        strategy: None,
        metadata: dice.chance(40).then(|| metadata(dice)),
        if_version,
    })
}

/// Checks that exactly the valid items of a batch succeeded. If an earlier try already applied
/// them, none may succeed again.
fn check_items(
    outcome: &BatchOutcome,
    edits: &BTreeMap<RecordId, ClientEdit>,
    was_applied: bool,
) -> Outcome<()> {
    for item in &outcome.items {
        let is_right = edits.contains_key(&item.id) && !was_applied;
        must(item.result.is_ok() == is_right, &format!("an item ended otherwise than it should: {item:?}"))?;
    }
    Ok(())
}

/// Deletes records.
pub(super) fn delete(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (now, mut dice) = (run.now(), run.dice.clone());
    let twin = run.twin(place)?;
    let ids = some_records(&mut dice, twin, now, 3);
    let there: BTreeSet<&RecordId> = twin.seen.readable(now).map(|record| &record.id).collect();
    let edits: BTreeMap<_, _> =
        ids.iter().filter(|id| there.contains(id)).map(|id| (id.clone(), ClientEdit::Deleted)).collect();
    let memory = twin.memory.id.clone();
    run.dice = dice;
    let records: Vec<_> = ids.into_iter().map(|id| RecordDelete { id, namespace: None }).collect();
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, memory, records) = (caller.clone(), memory.clone(), records.clone());
        async move { engine.records_delete(&caller, &memory, records).await }
    })?;
    let outcome = acted.result?;
    check_items(&outcome, &edits, acted.was_applied)?;
    note_batch(run, &outcome);
    Ok(ChangedMemories::In(place, ExpectedChange::Records(edits)))
}

/// Restores an earlier version, or reverts a decision.
pub(super) fn revert(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let mut dice = run.dice.clone();
    let twin = run.twin(place)?;
    let has_versions = dice.chance(50);
    let can_revert = |record: &&Record| match has_versions {
        true => record.version > 1 && record.state == RecordState::Active,
        false => {
            let has_lost = matches!(record.state, RecordState::Superseded | RecordState::RolledBack);
            has_lost || !record.supersedes.is_empty()
        }
    };
    let found: Vec<Record> = twin.seen.current().filter(can_revert).cloned().collect();
    let Some(record) = dice.pick(&found).cloned() else {
        return Ok(ChangedMemories::Nothing);
    };
    let earlier = u32::try_from(dice.between(1, u64::from(record.version))).unwrap_or(1);
    let is_decided = record.state != RecordState::Active || !record.supersedes.is_empty();
    let to_version = (!is_decided || dice.chance(30)).then_some(earlier);
    run.dice = dice;
    let revert = RecordRevert { id: record.id, to_version, if_version: Some(record.version) };
    let (caller, asked) = (run.caller.clone(), revert.clone());
    let memory = record.memory;
    let result =
        run.life.call(|engine| async move { engine.record_revert(&caller, &memory, asked).await })?;
    match result {
        Ok(changed) => {
            let ids: BTreeSet<_> = changed.into_iter().map(|record| record.id).collect();
            run.note(format!("  {} to {to_version:?}: {} changed", revert.id, ids.len()));
            Ok(ChangedMemories::In(place, ExpectedChange::Reverted(ids)))
        }
        Err(error)
            if matches!(error.kind, ErrorKind::Conflict | ErrorKind::Invalid | ErrorKind::NotFound) =>
        {
            run.note(format!("  {} to {to_version:?}: {}", revert.id, error.message));
            Ok(ChangedMemories::Nothing)
        }
        Err(error) => Err(error.into()),
    }
}

fn note_batch(run: &mut SimulationRun<'_>, outcome: &BatchOutcome) {
    for item in &outcome.items {
        let result = item.result.as_ref().map_err(|(kind, why)| format!("{kind:?}: {why}"));
        run.note(format!("  {} {result:?}", item.id));
    }
}
