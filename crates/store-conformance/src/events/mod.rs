//! Events: order, branches, paging, expiry, deletion, extraction.

pub(super) mod filters;
pub(super) mod windows;

use std::collections::BTreeMap;

use loci_model::event::filter::EventFilter;
use loci_model::event::{Branch, Event, ExtractionMode, PayloadItem, Role};
use loci_model::job::JobMessage;
use loci_model::ports::store::{BranchSlice, EventQuery};
use loci_model::{ActorId, BranchName, EventId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

use super::jobs::{ask, finish, job};
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(super) fn actor() -> Result<ActorId> {
    ActorId::parse("ann")
}

pub(super) fn session() -> Result<SessionId> {
    SessionId::parse("s1")
}

/// Returns a query for all events of `ann` in `s1`, newest first, as of the start.
pub(super) fn query(memory: &MemoryId) -> Result<EventQuery> {
    Ok(EventQuery {
        only: None,
        memory: memory.clone(),
        actor: actor()?,
        session: session()?,
        branches: None,
        metadata: Vec::new(),
        before: None,
        limit: 100,
        now: time(1000),
        with_payload: true,
    })
}

/// Returns the seconds of the events that a query returns.
pub(super) fn seconds(bench: &Bench, query: &EventQuery) -> Result<Vec<i64>> {
    let query = query.clone();
    bench.read(move |tx| {
        Ok(tx
            .events()
            .list(&query)?
            .into_iter()
            .map(|event| (event.time.millis() - time(0).millis()) / 1000)
            .collect())
    })
}

pub(super) fn insert(bench: &Bench, event: &Event) -> Result<u64> {
    let event = event.clone();
    bench.write(move |tx| tx.events_mut().insert(&event))
}

pub(super) fn order_branches_paging(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let root = EventId::compose(time(2).millis(), 0);
    let side = Branch { name: BranchName::parse("side")?, root: Some(root.clone()) };
    let mut written = Vec::new();
    // The order of arrival differs from that of the events.
    for number in [3, 1, 2] {
        let event = samples::event(&memory, "ann", "s1", number)?;
        let arrival = insert(bench, &event)?;
        written.push(Event { arrival, ..event });
    }
    let (place, branch) = (memory.clone(), side.clone());
    bench.write(move |tx| tx.events_mut().insert_branch(&place, &actor()?, &session()?, &branch))?;
    let on_side = Event { branch: side.clone(), ..samples::event(&memory, "ann", "s1", 4)? };
    let arrival = insert(bench, &on_side)?;
    let on_side = Event { arrival, ..on_side };
    same("arrival counts from 1", arrival, 4);
    insert(bench, &samples::event(&memory, "bob", "s1", 5)?)?;

    let all = query(&memory)?;
    same("newest first, branches interleaved", seconds(bench, &all)?, vec![4, 3, 2, 1]);
    let before = Some(EventId::compose(time(3).millis(), 0));
    same("a page", seconds(bench, &EventQuery { before, limit: 1, ..all.clone() })?, vec![2]);
    let slice = |branch: &str, up_to| Ok(BranchSlice { branch: BranchName::parse(branch)?, up_to });
    let check = |name: &str, slices: Vec<BranchSlice>, expect: Vec<i64>| -> Result<()> {
        same(name, seconds(bench, &EventQuery { branches: Some(slices), ..all.clone() })?, expect);
        Ok(())
    };
    check("one branch", vec![slice("side", None)?], vec![4])?;
    check("main", vec![slice("main", None)?], vec![3, 2, 1])?;
    check("with its parent", vec![slice("side", None)?, slice("main", Some(root.clone()))?], vec![4, 2, 1])?;
    check("an unknown one", vec![slice("nowhere", None)?], vec![])?;

    let get = |event: &Event, now: Timestamp| {
        let event = event.clone();
        bench.read(move |tx| tx.events().get(&event.memory, &event.actor, &event.session, &event.id, now))
    };
    same("every member comes back", get(&on_side, time(10))?, Some(on_side.clone()));
    let elsewhere = Event { session: SessionId::parse("s2")?, ..on_side.clone() };
    same("another session", get(&elsewhere, time(10))?, None);
    let late = on_side.expires;
    same("expired at its time", get(&on_side, late)?, None);
    same("lived until then", get(&on_side, late.plus_millis(-1))?.is_some(), true);
    same("expired in lists", seconds(bench, &EventQuery { now: late, ..all.clone() })?, vec![]);
    let without = bench.read({
        let query = EventQuery { with_payload: false, ..all };
        move |tx| Ok(tx.events().list(&query)?.iter().all(|event| event.payload.is_empty()))
    })?;
    same("without payload", without, true);
    let (place, name) = (memory.clone(), side.name.clone());
    same(
        "the branch",
        bench.read(move |tx| tx.events().branch(&place, &actor()?, &session()?, &name))?,
        Some(side),
    );
    Ok(())
}

pub(super) fn rewriting(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let metadata = |value: &str| BTreeMap::from([("who".to_owned(), value.to_owned())]);
    let one = Event { metadata: metadata("ann"), ..samples::event(&memory, "ann", "s1", 1)? };
    let arrival = insert(bench, &one)?;
    insert(bench, &samples::event(&memory, "ann", "s1", 2)?)?;
    let payload = vec![PayloadItem::Conversational { role: Role::User, text: "in other words".to_owned() }];
    let new = Event { arrival, payload, metadata: metadata("erased-1"), ..one };
    let rewrite = |event: &Event| {
        let event = event.clone();
        bench.write(move |tx| tx.events_mut().rewrite(&event))
    };
    same("rewritten", rewrite(&new)?, true);
    let (place, id) = (memory.clone(), new.id.clone());
    let found = bench.read(move |tx| tx.events().get(&place, &actor()?, &session()?, &id, time(5)))?;
    same("as it is now", found, Some(new.clone()));
    let found = |value: &str| -> Result<Vec<i64>> {
        let metadata = vec![EventFilter::Equals("who".to_owned(), value.to_owned())];
        seconds(bench, &EventQuery { metadata, ..query(&memory)? })
    };
    same("found by its new metadata", found("erased-1")?, vec![1]);
    same("and no more by the old", found("ann")?, vec![]);
    let elsewhere = Event { session: SessionId::parse("s9")?, ..new };
    same("none of another session", rewrite(&elsewhere)?, false);
    Ok(())
}

pub(super) fn deletion_and_places(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = samples::event(&memory, "ann", "s1", 1)?;
    let two = Event { id: EventId::compose(one.time.millis(), 7), ..one.clone() };
    insert(bench, &one)?;
    insert(bench, &two)?;
    let last = |bench: &Bench| {
        let memory = memory.clone();
        bench.read(move |tx| tx.events().last_place(&memory, time(1)))
    };
    same("the greatest place", last(bench)?, Some(7));
    let delete = |event: &Event| {
        let event = event.clone();
        bench.write(move |tx| {
            tx.events_mut().delete(&event.memory, &event.actor, &event.session, &event.id, time(50))
        })
    };
    same("delete", delete(&two)?, true);
    same("delete again", delete(&two)?, false);
    same("out of lists", seconds(bench, &query(&memory)?)?, vec![1]);
    let (place, id) = (memory.clone(), two.id.clone());
    let found = bench.read(move |tx| tx.events().place(&place, &id))?;
    same("its place is known", found.map(|place| place.session), Some(session()?));
    same("swept", bench.write(|tx| tx.events_mut().sweep(time(60), 100))? >= 1, true);
    same("its place is never given again", last(bench)?, Some(7));
    Ok(())
}

pub(super) fn extraction(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let mut hidden = Event { hidden: true, ..samples::event(&memory, "ann", "s1", 2)? };
    hidden.payload.extend(hidden.payload.clone());
    let skipped = Event { extraction: ExtractionMode::Skip, ..samples::event(&memory, "ann", "s1", 3)? };
    for event in [
        &samples::event(&memory, "ann", "s1", 5)?,
        &hidden,
        &skipped,
        &samples::event(&memory, "ann", "s1", 1)?,
    ] {
        insert(bench, event)?;
    }
    let unprocessed = |after: u64, limit: usize| {
        let memory = memory.clone();
        bench.read(move |tx| {
            let found = tx.events().unprocessed(&memory, &actor()?, &session()?, after, limit, time(10))?;
            Ok(found.iter().map(|event| event.arrival).collect::<Vec<_>>())
        })
    };
    same("in order of arrival, hidden ones too", unprocessed(0, 9)?, vec![1, 2, 4]);
    same("behind one, so many", unprocessed(1, 1)?, vec![2]);
    let items = |after: u64, limit: usize| {
        let memory = memory.clone();
        bench.read(move |tx| {
            tx.events().unprocessed_items(&memory, &actor()?, &session()?, after, limit, time(10))
        })
    };
    same("their items", (items(0, 9)?, items(1, 1)?, items(4, 9)?), (4, 2, 0));
    let whole = {
        let memory = memory.clone();
        bench.read(move |tx| {
            let found = tx.events().session_events(&memory, &actor()?, &session()?, None, 9, time(10))?;
            Ok(found.iter().map(|event| event.arrival).collect::<Vec<_>>())
        })?
    };
    same("a session in event order", whole, vec![4, 2, 1]);
    same("hidden ones are out of lists", seconds(bench, &query(&memory)?)?, vec![5, 3, 1]);

    let strategies = [StrategyId::parse("one")?, StrategyId::parse("two")?];
    for (strategy, arrival) in strategies.iter().zip([4, 1]) {
        let (memory, strategy) = (memory.clone(), strategy.clone());
        bench.write(move |tx| {
            tx.events_mut().set_progress(&memory, &strategy, &actor()?, &session()?, arrival)
        })?;
    }
    let drop_read = || {
        let (memory, strategies) = (memory.clone(), strategies.clone());
        bench.write(move |tx| tx.events_mut().drop_ingested(&memory, &actor()?, &session()?, &strategies))
    };
    drop_read()?;
    same("one strategy has not read it", unprocessed(0, 9)?, vec![1, 2, 4]);
    let (place, two) = (memory.clone(), strategies[1].clone());
    bench.write(move |tx| tx.events_mut().set_progress(&place, &two, &actor()?, &session()?, 2))?;
    drop_read()?;
    same("all have", unprocessed(0, 9)?, vec![1, 4]);
    let (place, one) = (memory.clone(), strategies[0].clone());
    same("progress", bench.read(move |tx| tx.events().progress(&place, &one, &actor()?, &session()?))?, 4);
    Ok(())
}

pub(super) fn sources_of_jobs(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let hidden = Event { hidden: true, ..samples::event(&memory, "ann", "s1", 1)? };
    let skipped = Event { extraction: ExtractionMode::Skip, ..samples::event(&memory, "ann", "s1", 2)? };
    insert(bench, &hidden)?;
    insert(bench, &skipped)?;
    let source = |event: &Event| {
        let event = event.clone();
        bench.read(move |tx| {
            let found =
                tx.events().source(&event.memory, &event.actor, &event.session, &event.id, time(10))?;
            Ok(found.map(|event| event.arrival))
        })
    };
    same("hidden ones, not skipped ones", (source(&hidden)?, source(&skipped)?), (Some(1), None));
    ask(bench, job(&memory, "a", "k", 1)?)?;
    let place = memory.clone();
    let owed = JobMessage { event: hidden.id.clone(), message: 0 };
    bench.write(move |tx| {
        tx.jobs_mut().claim("h", &[], time(1), 10_000)?;
        tx.jobs_mut().set_messages(&place, &JobId::parse("a")?, "h", std::slice::from_ref(&owed))
    })?;
    let drop_read = || {
        let memory = memory.clone();
        bench.write(move |tx| tx.events_mut().drop_ingested(&memory, &actor()?, &session()?, &[]))
    };
    drop_read()?;
    same("a job is to read it again", source(&hidden)?, Some(1));
    same("the job ends", finish(bench, &memory, "a", "h", None)?, true);
    drop_read()?;
    same("then it goes", source(&hidden)?, None);
    Ok(())
}

pub(super) fn turns_of_runs(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let place = memory.clone();
    let turns = vec![(2, "b".to_owned()), (1, "a".to_owned())];
    bench.write(move |tx| tx.events_mut().note_turns(&place, &actor()?, &session()?, "run", &turns))?;
    let place = memory.clone();
    let seen = |first: u64, last: u64| {
        let place = place.clone();
        bench.read(move |tx| tx.events().seen_turns(&place, &actor()?, &session()?, "run", (first, last)))
    };
    same("turns of a run", seen(0, u64::MAX)?, vec![(1, "a".to_owned()), (2, "b".to_owned())]);
    same("some of them", (seen(2, 2)?, seen(3, 9)?), (vec![(2, "b".to_owned())], vec![]));
    Ok(())
}
