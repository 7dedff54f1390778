//! Deliveries: once per id, in order per key.

pub(super) mod leases;

use loci_model::delivery::{
    Delivery, DeliveryBacklog, DeliveryDirection as D, DeliveryState as S, WaitingDelivery,
};
use loci_model::ports::store::{DeliveryClaim, DeliveryOutcome, DeliveryPostponement, Tx};
use loci_model::{DeliveryId, Document, MemoryId, Result};

use super::{Bench, same};
use loci_testkit_ports::samples::time;

/// Returns the deliveries of a target that can be claimed now, as `id:body`, and releases them.
fn due(bench: &Bench, target: &'static str, now: i64) -> Result<Vec<String>> {
    bench.write(move |tx| {
        let (now, until) = (time(now), time(now + 1));
        let claim = DeliveryClaim { direction: D::Out, target, holder: "one", now, until };
        let rows = tx.deliveries_mut().claim(&claim, 9)?;
        tx.deliveries_mut().free_leases("nobody")?;
        Ok(rows.into_iter().map(|row| format!("{}:{}", row.id, row.body.as_str())).collect())
    })
}

/// Claims a delivery regardless of its due time, and records the outcome of an attempt.
fn tried(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    id: &str,
    (state, at, error): (S, i64, Option<&str>),
) -> Result<bool> {
    let id = DeliveryId::parse(id)?;
    let (now, until) = (time(1_000), time(1_001));
    for target in tx.deliveries().targets(D::Out, now)? {
        let claim = DeliveryClaim { direction: D::Out, target: &target, holder: "one", now, until };
        tx.deliveries_mut().claim(&claim, 99)?;
    }
    let outcome = DeliveryOutcome { state, due: time(at), error };
    let noted = tx.deliveries_mut().set_state(memory, D::Out, &id, "one", &outcome)?;
    tx.deliveries_mut().free_leases("nobody")?;
    Ok(noted)
}

pub(super) fn delivery(memory: &MemoryId, id: &str, key: &str, due: i64) -> Result<Delivery> {
    Ok(Delivery {
        id: DeliveryId::parse(id)?,
        memory: memory.clone(),
        direction: D::Out,
        target: "hook".into(),
        order_key: key.to_owned(),
        body: Document::parse(r#"{"a":1}"#)?,
        state: S::Pending,
        attempts: 0,
        due: time(due),
        last_error: None,
        created_at: time(0),
    })
}

pub(super) fn deliveries(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let insert = |row: Delivery| bench.write(move |tx| tx.deliveries_mut().insert(&row));
    let first = delivery(&memory, "a", "k", 10)?;
    same("new", insert(first.clone())?, true);
    same("seen", insert(first.clone())?, false);
    same("the other direction", insert(Delivery { direction: D::In, ..first.clone() })?, true);
    insert(delivery(&memory, "b", "k", 1)?)?;
    insert(delivery(&memory, "c", "other", 5)?)?;
    let due = |now: i64| Ok::<_, loci_model::Error>(due(bench, "hook", now)?.join(" ").replace(":null", ""));
    same("the second of a key waits for the first", due(9)?, "c".to_owned());
    same("one per key, earliest first", due(10)?, "c a".to_owned());
    let set = |id: &str, state: S, at: i64, error: Option<&'static str>| {
        let (memory, id) = (memory.clone(), id.to_owned());
        bench.write(move |tx| tried(tx, &memory, &id, (state, at, error)))
    };
    same("again later", set("a", S::Pending, 20, Some("refused"))?, true);
    same("the key waits", due(19)?, "c".to_owned());
    let (place, id) = (memory.clone(), first.id.clone());
    let row = bench.read(move |tx| tx.deliveries().get(&place, D::Out, &id))?;
    same("noted", row.map(|row| (row.attempts, row.last_error)), Some((1, Some("refused".into()))));
    set("a", S::Done, 20, None)?;
    let (place, id) = (memory.clone(), first.id.clone());
    let made = bench.read(move |tx| tx.deliveries().get(&place, D::Out, &id))?;
    same("what was said is not kept", made.map(|row| row.body.as_str().to_owned()), Some("{}".into()));
    let (place, id) = (memory.clone(), first.id.clone());
    let came_in = bench.read(move |tx| tx.deliveries().get(&place, D::In, &id))?;
    same(
        "of the other direction it is",
        came_in.map(|row| row.body.as_str().to_owned()),
        Some(r#"{"a":1}"#.into()),
    );
    same("the next of the key waited as long", (due(19)?, due(20)?), ("c".to_owned(), "c b".to_owned()));
    same("no such delivery", set("z", S::Done, 1, None)?, false);
    Ok(())
}

pub(super) fn received(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let row = |id: &str, key: &str, created: i64| {
        let row = delivery(&memory, id, key, 0)?;
        Ok::<_, loci_model::Error>(Delivery { direction: D::In, created_at: time(created), ..row })
    };
    let rows = [row("a", "r/1", 1)?, row("b", "r/2", 2)?, row("c", "r/1", 3)?, row("d", "s/1", 4)?];
    let (out, all) = (delivery(&memory, "a", "r/1", 0)?, rows.to_vec());
    bench.write(move |tx| {
        tx.deliveries_mut().insert(&out)?;
        all.iter().try_for_each(|row| tx.deliveries_mut().insert(row).map(drop))
    })?;
    let of_key = |key: &'static str| {
        let memory = memory.clone();
        let rows = bench.read(move |tx| tx.deliveries().of_key(&memory, D::In, key, 9))?;
        Ok::<_, loci_model::Error>(
            rows.iter().map(|row| format!("{}:{}", row.id, row.body.as_str())).collect::<Vec<_>>(),
        )
    };
    same(
        "of a key, the first first",
        of_key("r/1")?,
        vec![r#"a:{"a":1}"#.to_owned(), r#"c:{"a":1}"#.to_owned()],
    );
    let noted = Delivery {
        state: S::Done,
        attempts: 2,
        due: time(7),
        last_error: Some("why".into()),
        body: Document::parse("{}")?,
        ..rows[0].clone()
    };
    let note = |row: Delivery| bench.write(move |tx| tx.deliveries_mut().note_received(&row));
    same("noted", note(noted.clone())?, true);
    same("not one that went out", note(Delivery { id: DeliveryId::parse("z")?, ..noted.clone() })?, false);
    let (place, id) = (memory.clone(), noted.id.clone());
    let read = bench.read(move |tx| tx.deliveries().get(&place, D::In, &id))?;
    same("as it was noted", read, Some(noted.clone()));
    let said = Delivery { last_error: None, body: Document::parse(r#"{"b":2}"#)?, ..noted };
    let row = Delivery { attempts: 9, ..said.clone() };
    same("in other words", bench.write(move |tx| tx.deliveries_mut().reword(&row))?, true);
    let (place, id) = (memory.clone(), said.id.clone());
    let read = bench.read(move |tx| tx.deliveries().get(&place, D::In, &id))?;
    same("and with nothing else changed", read, Some(said));
    same("what is pending", of_key("r/1")?.len(), 1);
    let sweep = |before: i64, rows: usize| {
        let memory = memory.clone();
        bench.write(move |tx| tx.deliveries_mut().sweep_received(&memory, time(before), rows))
    };
    same("too young", sweep(1, 9)?, 0);
    same("of the first alone, and what is pending stays", sweep(9, 2)?, 1);
    let drop = |prefix: &'static str| {
        let memory = memory.clone();
        bench.write(move |tx| tx.deliveries_mut().drop_received(&memory, prefix))
    };
    same("all that begins so", (drop("r/")?, drop("r/")?), (2, 0));
    same("the other is left", of_key("s/1")?.len(), 1);
    let place = memory.clone();
    let out = bench.read(move |tx| tx.deliveries().page(&place, D::Out, None, None, 9))?;
    same("and what went out", out.len(), 1);
    Ok(())
}

pub(super) fn targets(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let place = memory.clone();
    bench.write(move |tx| {
        for (created, (id, key, target, due)) in (0..).zip([
            ("a", "k", "hook", 5),
            ("b", "l", "nobody", 3),
            ("c", "m", "nobody", 4),
            ("d", "n", "nobody", 9),
            ("e", "o", "another", 2),
        ]) {
            let row = Delivery {
                target: target.to_owned(),
                created_at: time(created),
                ..delivery(&place, id, key, due)?
            };
            tx.deliveries_mut().insert(&row)?;
        }
        Ok(())
    })?;
    let targets = |now: i64| bench.read(move |tx| Ok(tx.deliveries().targets(D::Out, time(now))?.join(" ")));
    same("nothing is due", targets(1)?, String::new());
    same("each once, in order", targets(9)?, "another hook nobody".to_owned());
    same("those with something due", targets(4)?, "another nobody".to_owned());
    let due = |target: &'static str| due(bench, target, 9);
    same(
        "of one target, without what is said",
        due("nobody")?,
        vec!["b:null".into(), "c:null".into(), "d:null".into()],
    );
    let aside = move |rows: usize| {
        bench.write(move |tx| {
            let (now, until, given_up) = (time(4), time(20), time(2));
            tx.deliveries_mut().set_aside(
                "nobody",
                &DeliveryPostponement { why: "unknown", now, until, given_up },
                rows,
            )
        })
    };
    same("so many at once, then the rest", (aside(1)?, aside(9)?, aside(9)?), (1, 1, 0));
    same("what was not due is left", due("nobody")?, vec!["d:null".to_owned()]);
    let states = bench.read(move |tx| {
        let rows = tx.deliveries().page(&memory, D::Out, None, None, 9)?;
        let of = |row: Delivery| (row.id.to_string(), row.state, row.attempts, row.due, row.last_error);
        Ok(rows.into_iter().filter(|row| row.last_error.is_some()).map(of).collect::<Vec<_>>())
    })?;
    let why = || Some("unknown".to_owned());
    let expect =
        vec![("c".into(), S::Pending, 0, time(20), why()), ("b".into(), S::Failed, 0, time(4), why())];
    same("old ones are given up, no try is counted", states, expect);
    Ok(())
}

pub(super) fn pages_and_retries(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let place = memory.clone();
    bench.write(move |tx| {
        for (number, id) in (0..).zip(["a", "b", "c", "d"]) {
            tx.deliveries_mut().insert(&delivery(&place, id, id, number)?)?;
        }
        let came_in = Delivery { direction: D::In, state: S::Done, ..delivery(&place, "in", "k", 0)? };
        tx.deliveries_mut().insert(&came_in)?;
        for (id, state) in [("a", S::Done), ("b", S::Failed), ("c", S::Pending)] {
            tried(tx, &place, id, (state, 9, Some("refused")))?;
        }
        Ok(())
    })?;
    let page = |state: Option<S>, after: Option<&'static str>, limit: usize| {
        let memory = memory.clone();
        bench.read(move |tx| {
            let after = after.map(DeliveryId::parse).transpose()?;
            let rows = tx.deliveries().page(&memory, D::Out, state, after.as_ref(), limit)?;
            Ok(rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>().join(" "))
        })
    };
    same("newest first", page(None, None, 9)?, "d c b a".to_owned());
    same("behind one, so many", page(None, Some("d"), 2)?, "c b".to_owned());
    same("behind none there is", page(None, Some("z"), 2)?, String::new());
    let place = memory.clone();
    let bodies = bench.read(move |tx| tx.deliveries().page(&place, D::Out, None, None, 1))?;
    same("bodies are not read", bodies.first().map(|row| row.body.as_str().to_owned()), Some("null".into()));
    same("in a state", page(Some(S::Pending), None, 9)?, "d c".to_owned());
    let retry = |id: &str| {
        let (memory, id) = (memory.clone(), DeliveryId::parse(id)?);
        bench.write(move |tx| tx.deliveries_mut().retry(&memory, &id, time(5)))
    };
    same("one that was made is made", retry("a")?, false);
    same("one that was given up", retry("b")?, true);
    same("one that waits for its next try", retry("c")?, true);
    let place = memory.clone();
    let row = bench.read(move |tx| tx.deliveries().get(&place, D::Out, &DeliveryId::parse("b")?))?;
    same(
        "as if never tried",
        row.map(|row| (row.state, row.due, row.attempts)),
        Some((S::Pending, time(5), 0)),
    );
    let sweep = |made: i64, given_up: i64| {
        bench.write(move |tx| tx.deliveries_mut().sweep(time(made), time(given_up), 9))
    };
    same("not yet, and once", (sweep(9, 0)?, sweep(10, 0)?, sweep(10, 0)?), (0, 1, 0));
    same("the others stay", page(None, None, 9)?, "d c b".to_owned());
    let place = memory.clone();
    let seen = bench.read(move |tx| tx.deliveries().get(&place, D::In, &DeliveryId::parse("in")?))?;
    same("what came in stays seen", seen.is_some(), true);
    let place = memory.clone();
    bench.write(move |tx| tried(tx, &place, "c", (S::Failed, 9, Some("gone"))))?;
    same("given up long ago", (sweep(0, 9)?, sweep(0, 10)?, sweep(0, 10)?), (0, 1, 0));
    same("what waits stays", page(None, None, 9)?, "d b".to_owned());
    Ok(())
}

pub(super) fn backlog_and_erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    same("nothing waits", bench.read(|tx| tx.deliveries().backlog())?, DeliveryBacklog::default());
    let place = memory.clone();
    bench.write(move |tx| {
        for (created, (id, key)) in (1..).zip([
            ("a", "self ann s"),
            ("b", "stream r1"),
            ("c", "stream r1"),
            ("d", "stream r2"),
            ("e", "x%"),
        ]) {
            let row = Delivery { created_at: time(created), ..delivery(&place, id, key, 0)? };
            tx.deliveries_mut().insert(&row)?;
        }
        for (id, state, error) in
            [("a", S::Done, None), ("b", S::Failed, Some("gone")), ("c", S::Pending, Some("no"))]
        {
            tried(tx, &place, id, (state, 9, error))?;
        }
        Ok(())
    })?;
    let backlog = || bench.read(|tx| tx.deliveries().backlog());
    let seen = backlog()?;
    same("counts", (seen.pending, seen.failed), (3, 1));
    let oldest = WaitingDelivery {
        memory: memory.clone(),
        id: DeliveryId::parse("c")?,
        target: "hook".into(),
        attempts: 1,
        last_error: Some("no".into()),
        since: time(3),
    };
    same("the oldest that waits", seen.oldest, Some(oldest));
    let place = memory.clone();
    let dropped = bench.write(move |tx| tx.deliveries_mut().drop_key(&place, "stream r1"))?;
    same("pending and failed ones of a key", dropped, 2);
    let place = memory.clone();
    let dropped = bench.write(move |tx| {
        let out = tx.deliveries_mut();
        Ok((
            out.drop_prefix(&place, "self ann ")?,
            out.drop_prefix(&place, "self a_n ")?,
            out.drop_prefix(&place, "x_")?,
        ))
    })?;
    same("those that begin so, to the letter", dropped, (1, 0, 0));
    same("the others stay", backlog()?.pending, 2);
    Ok(())
}
