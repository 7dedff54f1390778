//! Simulation steps on memories: creating, updating, moving and deleting them, and forgetting
//! people.

use std::collections::BTreeMap;

use loci_engine::admin::{EXPORT_FORMAT, ExportCursor, ExportLine, ExportPart};
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::memories::{MemoryUpdate, NewMemory, NewStrategy};
use loci_model::event::Event;
use loci_model::memory::index_key::IndexedKey;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::metadata::MetadataType;
use loci_model::{ActorId, ErrorKind, MemoryId, limits};

use super::reference_model::{ExpectedChange, ReferenceModel, must, unnumbered};
use super::snapshot::Snapshot;
use super::steps::{ChangedMemories, SimulationRun};
use super::texts::ACTORS;
use super::time_steps::work_off;
use super::{InvariantViolation, delivery_steps};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

const MEMORIES_MAX: usize = 3;
const BASES: [StrategyBase; 4] =
    [StrategyBase::Semantic, StrategyBase::UserPreference, StrategyBase::Summary, StrategyBase::Episodic];

fn strategy(base: StrategyBase, name: String) -> NewStrategy {
    NewStrategy {
        base,
        name,
        description: None,
        template: None,
        custom: None,
        reflection: None,
        schema: None,
        record_expiry_days: None,
    }
}

/// Creates a memory, or tries to take the name of another.
pub(super) fn create(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let number = run.number();
    let taken: Vec<String> = run.twins.iter().map(|twin| twin.memory.name.clone()).collect();
    if run.twins.len() >= MEMORIES_MAX && !run.dice.chance(20) {
        return Ok(ChangedMemories::Nothing);
    }
    let is_taken = run.twins.len() >= MEMORIES_MAX;
    let name = match run.dice.pick(&taken) {
        Some(name) if is_taken => name.clone(),
        _ => format!("memory_{number}"),
    };
    let mut strategies = Vec::new();
    for (at, base) in BASES.into_iter().enumerate() {
        if base == StrategyBase::Semantic && number == 1 || run.dice.chance(55) {
            strategies.push(strategy(base, format!("strategy{at}")));
        }
    }
    let key = |key: &str, kind| IndexedKey { key: key.to_owned(), kind };
    let new = NewMemory {
        name,
        event_expiry_days: u32::try_from(run.dice.between(3, 40)).unwrap_or(30),
        strategies,
        stream: run.dice.chance(50).then(delivery_steps::stream).transpose()?,
        indexed_keys: vec![key("topic", MetadataType::String), key("rank", MetadataType::Number)],
        ..NewMemory::default()
    };
    let token = ClientToken::new(format!("memory {number}"), &serde_json::Value::Null)?;
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, new, token) = (caller.clone(), new.clone(), token.clone());
        async move { engine.memory_create(&caller, new, Some(token)).await }
    })?;
    match acted.result {
        Ok(memory) => {
            must(!is_taken, "a name was given twice")?;
            run.note(format!("  {} {} strategies", memory.id, memory.strategies.len()));
            run.twins.push(ReferenceModel::new(memory));
        }
        Err(error) => {
            must(is_taken && error.kind == ErrorKind::Invalid, &format!("no memory: {error:?}"))?;
        }
    }
    Ok(ChangedMemories::Nothing)
}

/// Changes the settings of a memory, and adds strategies and keys.
pub(super) fn update(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let number = run.number();
    let memory = run.twin(place)?.memory.clone();
    let mut change = MemoryUpdate {
        description: Some(format!("as changed by step {number}")),
        event_expiry_days: run.dice.chance(50).then(|| memory.event_expiry_days.clamp(4, 30) + 1),
        ..MemoryUpdate::default()
    };
    if memory.strategies.len() < limits::STRATEGIES_MAX && run.dice.chance(40) {
        let base = run.dice.pick(&BASES).copied().unwrap_or(StrategyBase::Semantic);
        change.add_strategies.push(strategy(base, format!("added{number}")));
    }
    if memory.indexed_keys.len() < limits::INDEXED_KEYS_MAX && run.dice.chance(30) {
        let key = format!("key{number}");
        change.add_indexed_keys.push(IndexedKey { key, kind: MetadataType::String });
    }
    let token = ClientToken::new(format!("update {number}"), &serde_json::Value::Null)?;
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, id, change, token) = (caller.clone(), memory.id.clone(), change.clone(), token.clone());
        async move { engine.memory_update(&caller, &id, change, Some(token)).await }
    })?;
    let updated = acted.result?.memory;
    must(updated.description == change.description, "a memory was not changed")?;
    let strategies = memory.strategies.len() + change.add_strategies.len();
    must(updated.strategies.len() == strategies, "a strategy was not added once")?;
    run.note(format!("  {} {strategies} strategies", updated.id));
    run.twin(place)?.memory = updated;
    Ok(ChangedMemories::Nothing)
}

/// Deletes a memory, unless it is the only one.
pub(super) fn delete(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    if run.twins.len() < 2 {
        return Ok(ChangedMemories::Nothing);
    }
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let id = run.twins.remove(place).memory.id;
    let token = ClientToken::new(format!("delete {id}"), &serde_json::Value::Null)?;
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, id, token) = (caller.clone(), id.clone(), token.clone());
        async move { engine.memory_delete(&caller, &id, Some(token)).await }
    })?;
    acted.result?;
    is_gone(run, &id)?;
    run.note(format!("  {id}"));
    run.deleted.push(id);
    Ok(ChangedMemories::Nothing)
}

fn is_gone(run: &SimulationRun<'_>, id: &MemoryId) -> Outcome<()> {
    let (caller, id) = (run.caller.clone(), id.clone());
    let found = run.life.call(|engine| async move { engine.memory_get(&caller, &id).await })?;
    let kind = found.err().map(|error| error.kind);
    must(kind == Some(ErrorKind::NotFound), "a deleted memory is there")
}

/// Exports a memory, erases it and imports it again, and checks that its content is the same.
pub(super) fn export_and_import(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let id = run.twin(place)?.memory.id.clone();
    let lines = exported(run, &id)?;
    let before = run.snapshot(&id)?;
    let (caller, of) = (run.caller.clone(), id.clone());
    run.life.call(|engine| async move { engine.memory_erase(&caller, &of).await })??;
    work_off(run, std::slice::from_ref(&id))?;
    is_gone(run, &id)?;
    let caller = run.caller.clone();
    let acted = run.life.act_with(None, |engine| {
        let (caller, lines) = (caller.clone(), lines.clone());
        async move { engine.import_lines(&caller, lines, &[]).await }
    })?;
    let report = acted.result?;
    run.note(format!("  {id}: {} events, {} versions", report.events, report.records));
    let after = run.snapshot(&id)?;
    same_content(&before, &after)?;
    run.twin(place)?.moved(after);
    Ok(ChangedMemories::Nothing)
}

fn exported(run: &SimulationRun<'_>, id: &MemoryId) -> Outcome<Vec<ExportLine>> {
    let mut lines = vec![ExportLine::Header { format: EXPORT_FORMAT, exported_at: run.now() }];
    let mut cursor = ExportCursor::Start;
    while cursor != ExportCursor::End {
        let (caller, id) = (run.caller.clone(), id.clone());
        let (page, next) = run.life.call(|engine| async move {
            engine.export_part(&caller, &id, &ExportPart::default(), cursor).await
        })??;
        lines.extend(page);
        cursor = next;
    }
    Ok(lines)
}

/// Checks that two snapshots of a memory are equal, except for sequence numbers, which an import
/// assigns again.
fn same_content(before: &Snapshot, after: &Snapshot) -> Outcome<()> {
    let events = |of: &Snapshot| -> Vec<Event> {
        let mut all: Vec<_> = of.events.values().cloned().collect();
        all.sort_by_key(|event| event.arrival);
        all.into_iter().map(|event| Event { arrival: 0, ..event }).collect()
    };
    must(events(before) == events(after), "a moved memory has other events")?;
    let records = |of: &Snapshot| -> BTreeMap<_, _> {
        let there = of.records.iter().filter(|(_, kept)| !kept.versions.is_empty());
        there
            .map(|(id, kept)| {
                let versions: Vec<_> = kept.versions.iter().map(unnumbered).collect();
                (id.clone(), (versions, kept.changes.clone()))
            })
            .collect()
    };
    let (before, after) = (records(before), records(after));
    for (id, kept) in &before {
        must(after.get(id) == Some(kept), "a moved record is another")
            .map_err(|why| why.about(&format!("{id}\nbefore {kept:?}\nafter {:?}", after.get(id))))?;
    }
    must(before.len() == after.len(), "a moved memory has more records")
}

/// Erases the data of a person in a memory.
pub(super) fn forget(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let id = run.twin(place)?.memory.id.clone();
    let actor = ActorId::parse(run.dice.word(&ACTORS))?;
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, id, actor) = (caller.clone(), id.clone(), actor.clone());
        async move { engine.forget_actor(&caller, &id, &actor).await }
    })?;
    let receipt = acted.result?;
    if acted.was_applied {
        must(receipt.events == 0 && receipt.records == 0, "something was left to forget")?;
    }
    run.note(format!(
        "  {actor}: {} events, {} records, {} jobs",
        receipt.events, receipt.records, receipt.jobs
    ));
    Ok(ChangedMemories::In(place, ExpectedChange::Forgotten(actor)))
}
