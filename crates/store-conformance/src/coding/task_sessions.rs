//! Sessions of tasks: round trip with their items, search, and erasure.

use loci_model::ports::store::{ConversationWords, ReadTx, SessionItemQuery, TaskQuery};
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, TaskSession, ToldEnd};
use loci_model::{ActorId, MemoryId, Result, TaskId, Timestamp};

use crate::{Bench, same};
use loci_testkit_ports::samples::time;
use loci_testkit_ports::task_samples::{session, session_item, task};

fn put(bench: &Bench, sessions: &[TaskSession], items: &[SessionItem]) -> Result<()> {
    let (sessions, items) = (sessions.to_vec(), items.to_vec());
    bench.write(move |tx| {
        sessions.iter().try_for_each(|session| tx.task_sessions_mut().put(session))?;
        items.iter().try_for_each(|item| tx.task_sessions_mut().put_item(item))
    })
}

fn id(number: u32) -> Result<TaskId> {
    TaskId::parse(format!("t-{number:03}"))
}

fn query(memory: &MemoryId, number: u32) -> Result<SessionItemQuery> {
    Ok(SessionItemQuery {
        memory: memory.clone(),
        task: id(number)?,
        after: None,
        kinds: Vec::new(),
        words: Vec::new(),
        now: time(0),
        limit: 99,
    })
}

fn seqs(bench: &Bench, query: SessionItemQuery) -> Result<Vec<u64>> {
    let found = bench.read(move |tx| tx.task_sessions().items(&query))?;
    Ok(found.iter().map(|item| item.seq).collect())
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let (one, said) = (session(&memory, 1)?, session_item(&memory, 1, 7)?);
    put(bench, &[one.clone(), session(&other, 1)?], &[said.clone(), session_item(&other, 1, 7)?])?;
    let get = |memory: &MemoryId, number| {
        let (memory, task) = (memory.clone(), id(number)?);
        bench.read(move |tx| tx.task_sessions().get(&memory, &task))
    };
    let item = |memory: &MemoryId, seq| {
        let (memory, task) = (memory.clone(), id(1)?);
        bench.read(move |tx| tx.task_sessions().item(&memory, &task, seq))
    };
    same("comes back", get(&memory, 1)?, Some(one.clone()));
    same("unknown", get(&memory, 2)?, None);
    same("what was said", item(&memory, 7)?, Some(said.clone()));
    same("was not said", item(&memory, 8)?, None);
    let ended = TaskSession { state: None, told: ToldEnd::default(), ..one };
    let bare = SessionItem { text: None, tool: None, event: None, ..said };
    put(bench, std::slice::from_ref(&ended), std::slice::from_ref(&bare))?;
    same("as it is now", get(&memory, 1)?, Some(ended));
    same("so is what was said", item(&memory, 7)?, Some(bare));
    same("another memory's stays", get(&other, 1)?, Some(session(&other, 1)?));
    same("and what was said there", item(&other, 7)?, Some(session_item(&other, 1, 7)?));
    let none = MemoryId::compose("none", "0000000000")?;
    same("of a memory that is there", put(bench, &[session(&none, 1)?], &[]).is_err(), true);
    same("said in one that is there", put(bench, &[], &[session_item(&none, 1, 1)?]).is_err(), true);
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut items =
        [10, 2, 9, 4].map(|seq| session_item(&memory, 1, seq)).into_iter().collect::<Result<Vec<_>>>()?;
    if let [_, two, nine, four] = items.as_mut_slice() {
        two.kind = SessionItemKind::ToolCall;
        nine.text = Some("100%_sure: İstanbul".to_owned());
        four.text = None;
        four.expires_at = time(50);
    }
    items.push(session_item(&memory, 2, 1)?);
    put(bench, &[session(&memory, 2)?, session(&memory, 1)?], &items)?;
    let of = |change: &dyn Fn(&mut SessionItemQuery)| {
        let mut query = query(&memory, 1)?;
        change(&mut query);
        seqs(bench, query)
    };
    same("by number, not by letters", of(&|_| {})?, vec![2, 4, 9, 10]);
    same("behind one, at most", of(&|query| (query.after, query.limit) = (Some(2), 2))?, vec![4, 9]);
    same("from the first on", of(&|query| query.after = Some(0))?, vec![2, 4, 9, 10]);
    same("of kinds", of(&|query| query.kinds = vec![SessionItemKind::ToolCall])?, vec![2]);
    same("that is not past its time", of(&|query| query.now = time(50))?, vec![2, 9, 10]);
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        of(&move |query| query.words = words.clone())
    };
    same("whatever the case", words(&["cursors"])?, vec![2, 10]);
    same("one of them is enough", words(&["CURSORS", "%_"])?, vec![2, 9, 10]);
    same("no pattern", words(&["c%s"])?, Vec::new());
    same("beyond ASCII", words(&["GRÖSSE", "größe"])?, vec![2, 10]);
    let last = |number| {
        let (of, task) = (memory.clone(), id(number)?);
        bench.read(move |tx| tx.task_sessions().last_seq(&of, &task))
    };
    same("the last number", (last(1)?, last(3)?), (Some(10), None));
    let all = |after: Option<(TaskId, u64)>, most| {
        let of = memory.clone();
        let after = move |tx: &dyn ReadTx| {
            tx.task_sessions().list_items(&of, after.as_ref().map(|(task, seq)| (task, *seq)), most)
        };
        Ok(bench.read(after)?.iter().map(|item| (item.task.to_string(), item.seq)).collect::<Vec<_>>())
    };
    let pair = |number: u32, seq| (format!("t-{number:03}"), seq);
    same("everything", all(None, 99)?, vec![pair(1, 2), pair(1, 4), pair(1, 9), pair(1, 10), pair(2, 1)]);
    same("everything behind", all(Some((id(1)?, 9)), 1)?, vec![pair(1, 10)]);
    let of_tasks = |after: Option<TaskId>| {
        let of = memory.clone();
        let found = bench.read(move |tx| tx.task_sessions().list(&of, after.as_ref(), 9))?;
        Ok(found.iter().map(|one| one.task.to_string()).collect::<Vec<_>>())
    };
    same("sessions", of_tasks(None)?, vec!["t-001".to_owned(), "t-002".to_owned()]);
    same("sessions behind one", of_tasks(Some(id(1)?))?, vec!["t-002".to_owned()]);
    Ok(())
}

/// Words are found in the description, in the report at the end, and in the items; all of them in
/// one task.
pub(crate) fn said(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let tasks = (1..=3).map(|number| task(&memory, number)).collect::<Result<Vec<_>>>()?;
    let described = tasks.first().map(|one| one.description.clone()).unwrap_or_default();
    bench.write(move |tx| tasks.iter().try_for_each(|task| tx.tasks_mut().put(task)))?;
    let bounded = SessionItem { expires_at: time(50), ..session_item(&memory, 3, 5)? };
    put(bench, &[session(&memory, 1)?], &[session_item(&memory, 2, 7)?, bounded])?;
    let find = |words: &[&str], now: Timestamp| {
        let said = ConversationWords { words: words.iter().map(|word| (*word).to_owned()).collect(), now };
        let query = TaskQuery { said: Some(said), ..TaskQuery::all(memory.clone(), 9) };
        let found = bench.read(move |tx| tx.tasks().list(&query))?;
        Ok(found.iter().map(|task| task.id.to_string()).collect::<Vec<_>>())
    };
    let ids = |numbers: &[u32]| numbers.iter().map(|number| format!("t-{number:03}")).collect::<Vec<_>>();
    same("told at the end", find(&["timeout"], time(0))?, ids(&[1]));
    same("a file", find(&["src/API"], time(0))?, ids(&[1]));
    same("said", find(&["offsets"], time(0))?, ids(&[3, 2]));
    same("said, and past its time", find(&["offsets"], time(50))?, ids(&[2]));
    same("all of them, wherever", find(&["cursors", "stale"], time(0))?, ids(&[1]));
    same("not all of them", find(&["offsets", "stale"], time(0))?, Vec::new());
    same("described", find(&[described.as_str()], time(0))?, ids(&[3, 2, 1]));
    let some = |wanted: &[u32]| {
        let wanted = wanted.iter().map(|number| id(*number)).collect::<Result<Vec<_>>>()?;
        let query = TaskQuery { ids: Some(wanted), ..TaskQuery::all(memory.clone(), 9) };
        let found = bench.read(move |tx| tx.tasks().list(&query))?;
        Ok(found.iter().map(|task| task.id.to_string()).collect::<Vec<_>>())
    };
    same("some", some(&[1, 3, 9])?, ids(&[3, 1]));
    same("none of them", some(&[])?, Vec::new());
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let elsewhere = ActorId::parse("acme/other")?;
    let mut items = (1..=4).map(|seq| session_item(&memory, 1, seq)).collect::<Result<Vec<_>>>()?;
    if let [one, two, three, four] = items.as_mut_slice() {
        one.expires_at = time(10);
        two.expires_at = time(20);
        three.tool = None;
        (four.actor, four.task) = (elsewhere.clone(), id(2)?);
    }
    let other = TaskSession { actor: elsewhere, ..session(&memory, 2)? };
    put(bench, &[session(&memory, 1)?, other], &items)?;
    let sweep = |at, rows| bench.write(move |tx| tx.task_sessions_mut().sweep(time(at), rows));
    same("nothing is past its time", sweep(9, 9)?, 0);
    same("the first past its time", (sweep(20, 1)?, seqs(bench, query(&memory, 1)?)?), (1, vec![2, 3]));
    let (of, task) = (memory.clone(), id(1)?);
    let dropped = bench.write(move |tx| {
        let mut drop = |seq| tx.task_sessions_mut().drop_item(&of, &task, seq);
        Ok((drop(3)?, drop(3)?, drop(4)?))
    })?;
    let left = seqs(bench, query(&memory, 1)?)?;
    same("one alone, once, of its own session", (dropped, left), ((true, false, false), vec![2]));
    let (of, who) = (memory.clone(), ActorId::parse("acme/shop")?);
    same("forgotten", bench.write(move |tx| tx.task_sessions_mut().forget_actor(&of, &who))?, 1);
    let left = |memory: &MemoryId| {
        let of = memory.clone();
        let count = move |tx: &dyn ReadTx| {
            Ok((
                tx.task_sessions().list(&of, None, 9)?.len(),
                tx.task_sessions().list_items(&of, None, 9)?.len(),
            ))
        };
        bench.read(count)
    };
    same("that one alone", left(&memory)?, (1, 1));
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", left(&again)?, (0, 0));
    Ok(())
}
