//! The inputs of triggers and windows: sizes of unread events, and the events before a window.

use loci_model::event::{Branch, Event, EventLoad, ExtractionMode};
use loci_model::ports::store::{BranchSlice, EventsBefore, NewestUnread};
use loci_model::principal::bounds::Bounds;
use loci_model::{BranchName, EventId, MemoryId, Result};

use super::{actor, insert, session};
use crate::{Bench, same};
use loci_testkit_ports::samples::{self, time};

fn loaded(memory: &MemoryId, number: i64, messages: u32, tokens: u32) -> Result<Event> {
    Ok(Event { load: EventLoad { messages, tokens }, ..samples::event(memory, "ann", "s1", number)? })
}

pub(crate) fn loads(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let load = |after: u64, now: i64| {
        let memory = memory.clone();
        bench.read(move |tx| tx.events().load(&memory, &actor()?, &session()?, after, time(now)))
    };
    same("of a session that is not there", load(0, 9)?, EventLoad::default());
    let skipped = Event { extraction: ExtractionMode::Skip, ..loaded(&memory, 2, 100, 100)? };
    let red = [("team".to_owned(), "red".to_owned())].into();
    let hidden = Event { hidden: true, metadata: red, ..loaded(&memory, 3, 2, 20)? };
    let gone = loaded(&memory, 4, 1_000, 1_000)?;
    let expired = Event { expires: time(10), ..loaded(&memory, 5, 300, 300)? };
    for event in [&loaded(&memory, 1, 1, 10)?, &skipped, &hidden, &gone, &expired] {
        insert(bench, event)?;
    }
    insert(bench, &Event { session: loci_model::SessionId::parse("s2")?, ..loaded(&memory, 6, 7, 7)? })?;
    let doomed = gone.clone();
    bench.write(move |tx| {
        let Event { memory, actor, session, id, .. } = &doomed;
        tx.events_mut().delete(memory, actor, session, id, time(9)).map(drop)
    })?;
    same("all that can be read", load(0, 9)?, EventLoad { messages: 303, tokens: 330 });
    same("less what expired", load(0, 10)?, EventLoad { messages: 3, tokens: 30 });
    same("behind the progress", load(1, 10)?, EventLoad { messages: 2, tokens: 20 });
    same("nothing", load(3, 10)?, EventLoad::default());
    let first = |after: u64, now: i64| {
        let memory = memory.clone();
        bench.read(move |tx| tx.events().first_unprocessed(&memory, &actor()?, &session()?, after, time(now)))
    };
    same("when the first came", (first(0, 9)?, first(1, 10)?), (Some(time(1)), Some(time(3))));
    same("none waits", first(3, 10)?, None);
    let any = |only: Bounds, after: u64, now: i64| {
        let memory = memory.clone();
        bench.read(move |tx| {
            tx.events().has_unprocessed(&memory, &actor()?, &session()?, after, &only, time(now))
        })
    };
    let since = |at: i64| Bounds { since: Some(time(at)), ..Bounds::default() };
    let of = |team: &str| Bounds {
        metadata: [("team".to_owned(), ["green".to_owned(), team.to_owned()].into())].into(),
        since: None,
    };
    same("any waits", (any(Bounds::default(), 2, 10)?, any(Bounds::default(), 3, 10)?), (true, false));
    same("a young one waits", (any(since(3), 0, 10)?, any(since(4), 0, 10)?), (true, false));
    same("one of theirs waits", (any(of("red"), 2, 10)?, any(of("red"), 3, 10)?), (true, false));
    same("none of theirs waits", any(of("blue"), 0, 9)?, false);
    let place = memory.clone();
    let read =
        bench.read(move |tx| tx.events().unprocessed(&place, &actor()?, &session()?, 0, 9, time(10)))?;
    let loads: Vec<_> = read.iter().map(|event| (event.load.messages, event.load.tokens)).collect();
    same("events that are read have theirs", loads, vec![(1, 10), (2, 20)]);
    Ok(())
}

pub(crate) fn before(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let root = EventId::compose(time(2).millis(), 0);
    let side = Branch { name: BranchName::parse("side")?, root: Some(root.clone()) };
    for number in 1..=3 {
        insert(bench, &samples::event(&memory, "ann", "s1", number)?)?;
    }
    let (place, branch) = (memory.clone(), side.clone());
    bench.write(move |tx| tx.events_mut().insert_branch(&place, &actor()?, &session()?, &branch))?;
    insert(bench, &Event { branch: side, ..samples::event(&memory, "ann", "s1", 4)? })?;
    let skipped = Event { extraction: ExtractionMode::Skip, ..samples::event(&memory, "ann", "s1", 5)? };
    insert(bench, &skipped)?;
    // It arrives last, although it happened first.
    insert(bench, &samples::event(&memory, "ann", "s1", 0)?)?;
    let check = |what: &str, branches: Option<Vec<BranchSlice>>, upto: (u64, usize), expect: Vec<u64>| {
        let (arrival, limit) = upto;
        let query = EventsBefore {
            memory: memory.clone(),
            actor: actor()?,
            session: session()?,
            branches,
            arrival,
            limit,
            now: time(10),
        };
        let found = bench.read(move |tx| tx.events().before(&query))?;
        same(what, found.iter().map(|event| event.arrival).collect::<Vec<_>>(), expect);
        same("with what they say", found.iter().all(|event| !event.payload.is_empty()), true);
        Ok::<_, loci_model::Error>(())
    };
    let slice = |branch: &str, up_to| {
        Ok::<_, loci_model::Error>(BranchSlice { branch: BranchName::parse(branch)?, up_to })
    };
    check("all, as they arrived", None, (99, 9), vec![1, 2, 3, 4, 6])?;
    check("the last ones", None, (99, 2), vec![4, 6])?;
    check("up to one", None, (3, 2), vec![2, 3])?;
    check("nothing", None, (0, 9), vec![])?;
    check("one branch", Some(vec![slice("side", None)?]), (99, 9), vec![4])?;
    let chain = vec![slice("side", None)?, slice("main", Some(root))?];
    check("a branch and what led to it", Some(chain), (99, 9), vec![1, 2, 4, 6])?;
    check("a branch there is none of", Some(vec![slice("nowhere", None)?]), (99, 9), vec![])?;
    Ok(())
}

pub(crate) fn newest_unread(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let query = NewestUnread {
        memory: memory.clone(),
        actor: actor()?,
        session: session()?,
        after: 0,
        before: None,
        limit: 9,
        now: time(10),
    };
    let heads = |query: NewestUnread| bench.read(move |tx| tx.events().newest_unread(&query));
    same("of a session that is not there", heads(query.clone())?.len(), 0);
    let skipped = Event { extraction: ExtractionMode::Skip, ..loaded(&memory, 2, 1, 1)? };
    let hidden = Event { hidden: true, ..loaded(&memory, 3, 1, 1)? };
    let expired = Event { expires: time(10), ..loaded(&memory, 4, 1, 1)? };
    for event in [&loaded(&memory, 1, 1, 1)?, &skipped, &hidden, &expired] {
        insert(bench, event)?;
    }
    insert(bench, &Event { session: loci_model::SessionId::parse("s2")?, ..loaded(&memory, 5, 1, 1)? })?;
    // It arrives last, although it happened first.
    insert(bench, &loaded(&memory, 0, 1, 1)?)?;
    let check = |what: &str, query: &NewestUnread, expect: Vec<u64>| {
        let found = heads(query.clone())?;
        same(what, found.iter().map(|head| head.event.arrival).collect::<Vec<_>>(), expect);
        for head in found {
            same(
                "without what it says",
                (head.event.payload.len(), head.event.load),
                (0, EventLoad::default()),
            );
            let place = head.event.clone();
            let whole = bench.read(move |tx| {
                let Event { memory, actor, session, arrival, .. } = &place;
                tx.events().unread_at(memory, actor, session, &[*arrival], time(9))
            })?;
            same("the one that was asked for", whole.len(), 1);
            for whole in whole {
                same("with what it says", whole.payload.is_empty(), false);
                let kept = serde_json::to_string(&whole.payload).map_or(0, |text| text.len() as u64);
                same("how long that is", head.payload_bytes, kept);
                same(
                    "and nothing else",
                    Event { payload: Vec::new(), load: head.event.load, ..whole },
                    head.event.clone(),
                );
            }
        }
        Ok::<_, loci_model::Error>(())
    };
    check("the newest first", &query, vec![6, 3, 1])?;
    check("so many", &NewestUnread { limit: 2, ..query.clone() }, vec![6, 3])?;
    check("behind the progress", &NewestUnread { after: 1, ..query.clone() }, vec![6, 3])?;
    check("going on", &NewestUnread { before: Some(6), ..query.clone() }, vec![3, 1])?;
    check("what had not expired", &NewestUnread { now: time(9), ..query.clone() }, vec![6, 4, 3, 1])?;
    let place = memory.clone();
    let some = bench
        .read(move |tx| tx.events().unread_at(&place, &actor()?, &session()?, &[6, 4, 2, 1, 77], time(10)))?;
    let some: Vec<_> = some.iter().map(|event| event.arrival).collect();
    same("some of them, as they arrived", some, vec![1, 6]);
    Ok(())
}
