//! Leased deliveries: one holder each, in order per key, and the end of leases.

use loci_model::delivery::{DeliveryDirection as D, DeliveryState as S};
use loci_model::ports::store::{DeliveryClaim, DeliveryOutcome, DeliveryPostponement};
use loci_model::{DeliveryId, MemoryId, Result};

use super::delivery;
use crate::{Bench, same};
use loci_testkit_ports::samples::time;

/// Creates a memory with deliveries `a` and `b` of one key and `c` of another, all due at 1.
fn outbox(bench: &Bench) -> Result<MemoryId> {
    let memory = bench.memory("notes")?;
    let place = memory.clone();
    bench.write(move |tx| {
        for (id, key) in [("a", "k"), ("b", "k"), ("c", "l")] {
            tx.deliveries_mut().insert(&delivery(&place, id, key, 1)?)?;
        }
        Ok(())
    })?;
    Ok(memory)
}

/// Returns the ids that `holder` claims at `now`, until ten later.
fn claim(bench: &Bench, holder: &'static str, now: i64, limit: usize) -> Result<String> {
    bench.write(move |tx| {
        let (now, until) = (time(now), time(now + 10));
        let claim = DeliveryClaim { direction: D::Out, target: "hook", holder, now, until };
        let rows = tx.deliveries_mut().claim(&claim, limit)?;
        Ok(rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>().join(" "))
    })
}

fn renew(bench: &Bench, memory: &MemoryId, id: &str, holder: &'static str, until: i64) -> Result<bool> {
    let (memory, id) = (memory.clone(), DeliveryId::parse(id)?);
    bench.write(move |tx| tx.deliveries_mut().renew(&memory, D::Out, &id, holder, time(until)))
}

fn note(bench: &Bench, memory: &MemoryId, id: &str, holder: &'static str, state: S) -> Result<bool> {
    let (memory, id) = (memory.clone(), DeliveryId::parse(id)?);
    bench.write(move |tx| {
        let outcome = DeliveryOutcome { state, due: time(30), error: Some(holder) };
        tx.deliveries_mut().set_state(&memory, D::Out, &id, holder, &outcome)
    })
}

fn seen(bench: &Bench, memory: &MemoryId, id: &str) -> Result<Option<(S, u32, Option<String>)>> {
    let (memory, id) = (memory.clone(), DeliveryId::parse(id)?);
    let row = bench.read(move |tx| tx.deliveries().get(&memory, D::Out, &id))?;
    Ok(row.map(|row| (row.state, row.attempts, row.last_error)))
}

pub(crate) fn leases(bench: &Bench) -> Result<()> {
    let memory = outbox(bench)?;
    let targets = |now: i64| bench.read(move |tx| Ok(tx.deliveries().targets(D::Out, time(now))?.join(" ")));
    same("so many", claim(bench, "one 1", 1, 1)?, "a".to_owned());
    same("not what is leased, nor what comes behind it", claim(bench, "two 1", 1, 9)?, "c".to_owned());
    same(
        "nothing is left, and nobody is called",
        (claim(bench, "two 2", 9, 9)?, targets(9)?),
        Default::default(),
    );
    same("prolonged by its holder alone", renew(bench, &memory, "a", "one 1", 15)?, true);
    same("not by another", renew(bench, &memory, "a", "one 2", 99)?, false);
    same("none such", renew(bench, &memory, "z", "one 1", 99)?, false);
    same("run out", targets(11)?, "hook".to_owned());
    same("one's own claims are others, too", claim(bench, "two 3", 11, 9)?, "c".to_owned());
    same("the prolonged one later", claim(bench, "two 4", 15, 9)?, "a".to_owned());
    same("whose lease is lost notes nothing", note(bench, &memory, "a", "one 1", S::Failed)?, false);
    same("nor prolongs it", renew(bench, &memory, "a", "one 1", 99)?, false);
    same("as it was", seen(bench, &memory, "a")?, Some((S::Pending, 0, None)));
    same("who has it does", note(bench, &memory, "a", "two 4", S::Done)?, true);
    same("once", note(bench, &memory, "a", "two 4", S::Failed)?, false);
    same("made", seen(bench, &memory, "a")?.map(|(state, tries, _)| (state, tries)), Some((S::Done, 1)));
    same("the next of its key", claim(bench, "one 3", 16, 9)?, "b".to_owned());
    same("run out, and nobody's yet", note(bench, &memory, "b", "one 3", S::Pending)?, true);
    same("noted", seen(bench, &memory, "b")?, Some((S::Pending, 1, Some("one 3".into()))));
    same(
        "free when it is due",
        (claim(bench, "one 4", 29, 9)?, claim(bench, "one 4", 30, 9)?),
        ("c".into(), "b".into()),
    );
    Ok(())
}

pub(crate) fn ends(bench: &Bench) -> Result<()> {
    let memory = outbox(bench)?;
    same("both keys", claim(bench, "one 1", 1, 9)?, "a c".to_owned());
    let aside = bench.write(|tx| {
        let (now, until, given_up) = (time(2), time(20), time(0));
        tx.deliveries_mut().set_aside(
            "hook",
            &DeliveryPostponement { why: "unknown", now, until, given_up },
            9,
        )
    })?;
    same("what is being sent is not put off", aside, 1);
    let (place, id) = (memory.clone(), DeliveryId::parse("a")?);
    same(
        "it may be asked for",
        bench.write(move |tx| tx.deliveries_mut().retry(&place, &id, time(2)))?,
        true,
    );
    same("and stays its holder's", claim(bench, "two 1", 3, 9)?, String::new());
    let free = |host: &'static str| bench.write(move |tx| tx.deliveries_mut().free_leases(host));
    same("one's own stay", free("one")?, 0);
    same("a new host frees the others'", (free("two")?, free("two")?), (2, 0));
    same("at once", claim(bench, "two 2", 3, 9)?, "c a".to_owned());
    let place = memory.clone();
    bench.write(move |tx| tx.deliveries_mut().drop_key(&place, "k").map(drop))?;
    same("gone with its lease", note(bench, &memory, "a", "two 2", S::Done)?, false);
    let place = memory.clone();
    bench.write(move |tx| tx.deliveries_mut().insert(&delivery(&place, "a", "k", 1)?).map(drop))?;
    same("the same id, nobody's", claim(bench, "one 2", 3, 9)?, "a".to_owned());
    let place = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&place, time(4)).map(drop))?;
    let targets = bench.read(|tx| tx.deliveries().targets(D::Out, time(99)))?;
    same("of a deleted memory nothing is sent", (targets, claim(bench, "one 3", 99, 9)?), Default::default());
    Ok(())
}
