//! Sessions and actors, forgetting and sweeping.

use loci_model::event::Event;
use loci_model::limits::EMPTY_SESSION_MS;
use loci_model::ports::store::{ActorPage, SessionPage};
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use super::events::{actor, insert, query, seconds};
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

fn sessions(bench: &Bench, page: SessionPage) -> Result<Vec<String>> {
    bench.read(move |tx| {
        Ok(tx.events().sessions(&page)?.into_iter().map(|entry| entry.session.to_string()).collect())
    })
}

fn actors(bench: &Bench, page: ActorPage) -> Result<Vec<String>> {
    bench.read(move |tx| Ok(tx.events().actors(&page)?.iter().map(ToString::to_string).collect()))
}

fn page(memory: &MemoryId, now: Timestamp) -> Result<SessionPage> {
    Ok(SessionPage {
        memory: memory.clone(),
        actor: actor()?,
        with_events_only: false,
        after: None,
        limit: 9,
        now,
        only: None,
    })
}

fn delete(bench: &Bench, event: &Event, at: Timestamp) -> Result<bool> {
    let event = event.clone();
    bench.write(move |tx| tx.events_mut().delete(&event.memory, &event.actor, &event.session, &event.id, at))
}

pub(super) fn sessions_and_actors(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let mut first = None;
    for (number, session) in (1..).zip(["s1", "s2", "s3"]) {
        let event = samples::event(&memory, "ann", session, number)?;
        // s2 and s3 start at the same time.
        let event = Event { arrived: time(number.min(2)), ..event };
        insert(bench, &event)?;
        first.get_or_insert(event);
    }
    insert(bench, &samples::event(&memory, "ann", "s1", 4)?)?;
    insert(bench, &samples::event(&memory, "bob", "s1", 5)?)?;
    insert(bench, &Event { hidden: true, ..samples::event(&memory, "eve", "s9", 6)? })?;
    let now = time(100);
    let all = page(&memory, now)?;
    same(
        "newest first, ties by id",
        sessions(bench, all.clone())?,
        vec!["s2".to_owned(), "s3".into(), "s1".into()],
    );
    let after = Some((time(2), SessionId::parse("s2")?));
    same("a page", sessions(bench, SessionPage { after, limit: 1, ..all.clone() })?, vec!["s3".to_owned()]);
    let only = Some(vec![SessionId::parse("s1")?]);
    same("only some", sessions(bench, SessionPage { only, limit: 1, ..all.clone() })?, vec!["s1".to_owned()]);
    let everyone = ActorPage { memory: memory.clone(), after: None, limit: 9, now, only: None };
    same(
        "actors ascending, no hidden ones",
        actors(bench, everyone.clone())?,
        vec!["ann".to_owned(), "bob".into()],
    );
    let after = Some(actor()?);
    same("behind one", actors(bench, ActorPage { after, ..everyone.clone() })?, vec!["bob".to_owned()]);
    let only = Some(vec![ActorId::parse("bob")?]);
    same(
        "only one",
        actors(bench, ActorPage { only, limit: 1, ..everyone.clone() })?,
        vec!["bob".to_owned()],
    );

    let Some(first) = first else { return Ok(()) };
    let second = samples::event(&memory, "ann", "s1", 4)?;
    delete(bench, &first, now)?;
    same("one left", sessions(bench, SessionPage { with_events_only: true, ..all.clone() })?.len(), 3);
    delete(bench, &second, now)?;
    same("none left", sessions(bench, SessionPage { with_events_only: true, ..all.clone() })?.len(), 2);
    same(
        "listed for a day",
        sessions(bench, SessionPage { now: now.plus_millis(EMPTY_SESSION_MS - 1), ..all.clone() })?.len(),
        3,
    );
    same(
        "and no longer",
        sessions(bench, SessionPage { now: now.plus_millis(EMPTY_SESSION_MS), ..all })?.len(),
        2,
    );
    Ok(())
}

pub(super) fn forgetting_and_sweeping(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for number in 1..=3 {
        insert(bench, &samples::event(&memory, "ann", "s1", number)?)?;
        insert(bench, &samples::event(&memory, "bob", "s1", number + 10)?)?;
    }
    let (place, who) = (memory.clone(), ActorId::parse("bob")?);
    same("forgotten", bench.write(move |tx| tx.events_mut().forget_actor(&place, &who))?, 3);
    same("the other stays", seconds(bench, &query(&memory)?)?, vec![3, 2, 1]);
    let place = memory.clone();
    let export = bench.read(move |tx| {
        let first = tx.events().export(&place, 0, 2, time(10))?;
        let last = first.last().map_or(0, |event| event.arrival);
        let rest = tx.events().export(&place, last, 9, time(10))?;
        Ok(first.iter().chain(&rest).map(|event| event.time).collect::<Vec<_>>())
    })?;
    same("export in order of arrival", export, vec![time(1), time(2), time(3)]);
    let late = time(2).plus_days(30);
    let removed = bench.write(move |tx| tx.events_mut().sweep(late, 100))?;
    same("swept what expired", removed, 2);
    let place = memory.clone();
    let left = bench.read(move |tx| tx.events().export(&place, 0, 9, time(10)))?;
    same("and no more", left.iter().map(|event| event.time).collect::<Vec<_>>(), vec![time(3)]);
    let later = time(3).plus_days(32);
    bench.write(move |tx| tx.events_mut().sweep(later, 100))?;
    let rows = sessions(bench, SessionPage { now: time(1), ..page(&memory, time(1))? })?;
    same("sessions long empty are gone", rows, vec![]);
    Ok(())
}
