//! States, supersession, erasure, forgetting, retention.

use loci_model::ports::store::{RecordChange, Records, SupersedeChange};
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordState};
use loci_model::{ActorId, EventId, MemoryId, RecordId, Result, Timestamp};

use crate::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(crate) fn set(
    bench: &Bench,
    memory: &MemoryId,
    id: &RecordId,
    state: RecordState,
    at: Timestamp,
) -> Result<bool> {
    let (memory, id) = (memory.clone(), id.clone());
    bench.change(move |records| {
        records.set_state(&memory, &id, &RecordChange { state, reason: "because".into(), at })
    })
}

/// Supersedes a record with the second one.
pub(super) fn supersede(bench: &Bench, memory: &MemoryId, id: &RecordId) -> Result<bool> {
    let (memory, id) = (memory.clone(), id.clone());
    bench.change(move |records| {
        let by = samples::record_id(2)?;
        let change = SupersedeChange { by, reason: "newer".into(), valid_to: time(7), at: time(8) };
        records.supersede(&memory, &id, &change)
    })
}

pub(crate) fn states(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = samples::record(&memory, 1, "one")?;
    bench.put(&one)?;
    same("a change", set(bench, &memory, &one.id, RecordState::Stale, time(5))?, true);
    same("no change", set(bench, &memory, &one.id, RecordState::Stale, time(6))?, false);
    same("no record", set(bench, &memory, &samples::record_id(9)?, RecordState::Stale, time(6))?, false);
    let expect = Record {
        state: RecordState::Stale,
        state_reason: Some("because".into()),
        sequence: 2,
        ..one.clone()
    };
    same("read back", bench.get(&memory, &one.id)?, Some(expect));
    let supersede = || supersede(bench, &memory, &one.id);
    same("only an active one is superseded", supersede()?, false);
    set(bench, &memory, &one.id, RecordState::Active, time(7))?;
    same("superseded", supersede()?, true);
    same("once", supersede()?, false);
    let expect = Record {
        state: RecordState::Superseded,
        state_reason: Some("newer".into()),
        superseded_by: Some(samples::record_id(2)?),
        valid_to: Some(time(7)),
        sequence: 4,
        ..one.clone()
    };
    same("read back", bench.get(&memory, &one.id)?, Some(expect));

    let expiring = Record { expires_at: Some(time(20)), ..samples::record(&memory, 2, "two")? };
    bench.put(&expiring)?;
    same("not yet", bench.records(|records| records.expired(time(19), 9))?, vec![]);
    same(
        "expired",
        bench.records(|records| records.expired(time(20), 9))?,
        vec![(memory.clone(), expiring.id.clone())],
    );
    set(bench, &memory, &expiring.id, RecordState::Expired, time(21))?;
    same("done", bench.records(|records| records.expired(time(30), 9))?, vec![]);
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = samples::record(&memory, 1, "a secret")?;
    bench.put(&one)?;
    let next = Record { version: 2, text: "the secret".into(), ..one.clone() };
    bench.change(move |records| records.put_version(&next))?;
    set(bench, &memory, &one.id, RecordState::Erased, time(5))?;
    same(
        "hidden, content there",
        bench.get(&memory, &one.id)?.map(|record| record.text),
        Some("the secret".into()),
    );
    let erase = |now: i64| {
        let memory = memory.clone();
        bench.change(move |records| Ok(records.erase_deleted(&memory, time(now), 10_000, 9)?.len()))
    };
    same("not yet", erase(14)?, 0);
    same("erased", erase(15)?, 1);
    same("once", erase(16)?, 0);
    let left = bench.get(&memory, &one.id)?;
    same("no text", left.as_ref().map(|record| record.text.as_str()), Some(""));
    same("still erased", left.map(|record| record.state), Some(RecordState::Erased));
    let (place, id) = (memory.clone(), one.id.clone());
    same("no history", bench.records(move |records| records.history(&place, &id))?, vec![]);
    same("cannot come back", set(bench, &memory, &one.id, RecordState::Active, time(9))?, false);
    named(bench)?;
    forgetting(bench, &memory)?;
    retention(bench)
}

/// Named records are erased at once, in any state.
fn named(bench: &Bench) -> Result<()> {
    let memory = bench.memory("named")?;
    let id = samples::record_id;
    let (one, two, three, none) = (id(1)?, id(2)?, id(3)?, id(4)?);
    for number in 1..4 {
        bench.put(&samples::record(&memory, number, "a secret")?)?;
    }
    let next = Record { version: 2, text: "the secret".into(), ..samples::record(&memory, 1, "")? };
    bench.change(move |records| records.put_version(&next))?;
    set(bench, &memory, &two, RecordState::Quarantined, time(5))?;
    let (place, asked) = (memory.clone(), vec![one.clone(), two.clone(), none]);
    let erase = move |records: &mut dyn Records| records.erase(&place, &asked, time(6));
    let mut erased = bench.change(erase.clone())?;
    erased.sort();
    let mut expect = vec![one.clone(), two.clone()];
    expect.sort();
    same("those that are there", erased, expect);
    same("once", bench.change(erase)?, vec![]);
    for id in [&one, &two] {
        let left = bench.get(&memory, id)?.map(|record| (record.text, record.state));
        same("nothing is left", left, Some((String::new(), RecordState::Erased)));
    }
    let place = memory.clone();
    same("nor of its history", bench.records(move |records| records.history(&place, &one))?, vec![]);
    same("others stay", bench.get(&memory, &three)?.map(|record| record.text), Some("a secret".into()));
    Ok(())
}

/// The memories that a sweep must examine for deleted records.
pub(crate) fn erasable(bench: &Bench) -> Result<()> {
    let (one, other) = (bench.memory("one")?, bench.memory("other")?);
    for memory in [&one, &other] {
        for number in 1..4 {
            bench.put(&samples::record(memory, number, "a secret")?)?;
        }
    }
    let after_ms = i64::try_from(samples::memory("any")?.settings.erase_after_ms).unwrap_or(i64::MAX);
    let erasable = |now: i64, limit: usize| bench.records(move |records| records.erasable(time(now), limit));
    let erase = |memory: &MemoryId, now: i64, rows: usize| {
        let (memory, after) = (memory.clone(), u64::try_from(after_ms).unwrap_or(u64::MAX));
        bench.change(move |records| Ok(records.erase_deleted(&memory, time(now), after, rows)?.len()))
    };
    let due = |deleted: i64| deleted.saturating_add(after_ms / 1000);
    same("nothing is deleted", erasable(due(99), 9)?, vec![]);
    set(bench, &one, &samples::record_id(1)?, RecordState::Erased, time(5))?;
    set(bench, &one, &samples::record_id(2)?, RecordState::Erased, time(7))?;
    set(bench, &other, &samples::record_id(1)?, RecordState::Erased, time(6))?;
    same("both, so many at most", (erasable(due(6), 9)?.len(), erasable(due(6), 1)?.len()), (2, 1));
    // A memory that was examined too early is not listed again before it is due.
    same("too early", (erase(&one, due(4), 9)?, erase(&other, due(4), 9)?), (0, 0));
    same("not named then", erasable(due(4), 9)?, vec![]);
    same("the first is due", erasable(due(5), 9)?, vec![one.clone()]);
    same("erased", erase(&one, due(5), 9)?, 1);
    same("then the other", erasable(due(6), 9)?, vec![other.clone()]);
    same("erased too", erase(&other, due(6), 9)?, 1);
    same("nothing until then", erasable(due(6), 9)?, vec![]);
    set(bench, &one, &samples::record_id(3)?, RecordState::Erased, time(7))?;
    same("one of two", erase(&one, due(7), 1)?, 1);
    same("the rest is still due", erasable(due(7), 9)?, vec![one.clone()]);
    let place = one.clone();
    bench.write(move |tx| {
        let Some(mut memory) = tx.memories().get(&place)? else { return Ok(()) };
        memory.settings.erase_after_ms = 0;
        tx.memories_mut().update(&memory).map(drop)
    })?;
    same("kept for less by now", erasable(7, 9)?, vec![one.clone()]);
    let place = one.clone();
    bench.write(move |tx| tx.memories_mut().delete(&place, time(8)).map(drop))?;
    same("a deleted memory is not named", erasable(due(99), 9)?, vec![]);
    Ok(())
}

fn forgetting(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let ann = ActorId::parse("ann")?;
    let event = samples::event(memory, "ann", "s1", 1)?;
    let id = event.id.clone();
    bench.write(move |tx| tx.events_mut().insert(&event))?;
    let of = |actor: Option<&ActorId>, sources: Vec<Source>| Provenance {
        actor: actor.cloned(),
        sources,
        ..Provenance::default()
    };
    let source = Source { event: id, message: 0, part: 0 };
    let other = Source { event: EventId::compose(9, 9), message: 0, part: 0 };
    let rows = [
        of(Some(&ann), vec![]),
        of(None, vec![other.clone(), source]),
        of(Some(&ActorId::parse("bob")?), vec![other]),
    ];
    for (number, provenance) in (10..).zip(rows) {
        bench.put(&Record { provenance, ..samples::record(memory, number, "of someone")? })?;
    }
    let place = memory.clone();
    let forgotten = vec![samples::record_id(10)?, samples::record_id(11)?];
    let (there, them) = (memory.clone(), ann.clone());
    let mut found = bench.records(move |records| records.of_actor(&there, &them))?;
    found.sort();
    same("found before", found, forgotten.clone());
    let doomed = forgotten.clone();
    same("forgotten", bench.change(move |records| records.erase(&place, &doomed, time(50)))?, forgotten);
    let texts = (10..13)
        .map(|number| {
            Ok(bench.get(memory, &samples::record_id(number)?)?.map_or(String::new(), |record| record.text))
        })
        .collect::<Result<Vec<_>>>()?;
    same("only theirs", texts, vec![String::new(), String::new(), "of someone".to_owned()]);
    Ok(())
}

fn retention(bench: &Bench) -> Result<()> {
    let memory = bench.memory("old")?;
    let one = samples::record(&memory, 1, "one")?;
    bench.put(&one)?;
    let next = Record { version: 2, text: "one more".into(), updated_at: time(10), ..one.clone() };
    bench.change(move |records| records.put_version(&next))?;
    bench.put(&samples::record(&memory, 2, "two")?)?;
    set(bench, &memory, &samples::record_id(2)?, RecordState::Superseded, time(10))?;
    let sweep = |days: u32| bench.change(move |records| records.sweep_history(time(11).plus_days(days), 99));
    same("kept", sweep(364)?, 0);
    same("versions and ended records go", sweep(366)? >= 2, true);
    let (place, id) = (memory.clone(), one.id.clone());
    same("no history", bench.records(move |records| records.history(&place, &id))?, vec![]);
    same(
        "the current one stays",
        bench.get(&memory, &one.id)?.map(|record| record.text),
        Some("one more".into()),
    );
    let ended = bench.get(&memory, &samples::record_id(2)?)?.map_or(String::new(), |record| record.text);
    same("the ended one is empty", ended, String::new());
    Ok(())
}
