//! Tasks: round trip, lists and their filters, and erasure.

use loci_model::ports::store::TaskQuery;
use loci_model::tasks::task::{Harm, Task, TaskStatus};
use loci_model::{ActorId, MemoryId, RecordId, Result, TaskId};

use crate::{Bench, same};
use loci_testkit_ports::samples::time;
use loci_testkit_ports::task_samples::task;

fn put(bench: &Bench, tasks: &[Task]) -> Result<()> {
    let tasks = tasks.to_vec();
    bench.write(move |tx| tasks.iter().try_for_each(|task| tx.tasks_mut().put(task)))
}

fn get(bench: &Bench, memory: &MemoryId, id: &str) -> Result<Option<Task>> {
    let (memory, id) = (memory.clone(), TaskId::parse(id)?);
    bench.read(move |tx| tx.tasks().get(&memory, &id))
}

fn ids(bench: &Bench, query: TaskQuery) -> Result<Vec<String>> {
    bench.read(move |tx| Ok(tx.tasks().list(&query)?.iter().map(|task| task.id.to_string()).collect()))
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = task(&memory, 1)?;
    put(bench, &[one.clone(), task(&other, 1)?])?;
    same("comes back", get(bench, &memory, "t-001")?, Some(one.clone()));
    same("unknown", get(bench, &memory, "t-002")?, None);
    let bare = Task {
        user: None,
        pr: None,
        issue: None,
        branch: None,
        prompt: None,
        cost_usd: None,
        status: TaskStatus::TimedOut,
        ..one
    };
    put(bench, std::slice::from_ref(&bare))?;
    same("as it is now", get(bench, &memory, "t-001")?, Some(bare));
    same("another memory's stays", get(bench, &other, "t-001")?, Some(task(&other, 1)?));
    let put_nowhere = put(bench, &[task(&MemoryId::compose("none", "0000000000")?, 1)?]);
    same("of a memory that is there", put_nowhere.is_err(), true);
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut tasks = (1..=4).map(|number| task(&memory, number)).collect::<Result<Vec<_>>>()?;
    let web = ActorId::parse("acme/shop-web")?;
    if let [one, two, three, four] = tasks.as_mut_slice() {
        one.status = TaskStatus::Failed;
        one.description = "Zahle mit MÜHE aus\0".to_owned();
        two.issue = None;
        two.user = Some("ann".to_owned());
        three.actor = web.clone();
        three.variant = None;
        if let Some(pr) = four.pr.as_mut() {
            pr.number = 58;
        }
        four.created_at = three.created_at;
        four.prompt_version = Some("other".to_owned());
    }
    put(bench, &tasks)?;
    let all = || TaskQuery::all(memory.clone(), 9);
    let check = |what: &str, query: TaskQuery, expect: &[&str]| -> Result<()> {
        same(what, ids(bench, query)?, expect.iter().map(|id| (*id).to_owned()).collect());
        Ok(())
    };
    check("newest first, ties by id", all(), &["t-003", "t-004", "t-002", "t-001"])?;
    check("at most", TaskQuery { limit: 2, ..all() }, &["t-003", "t-004"])?;
    let after = Some((time(3), TaskId::parse("t-003")?));
    check("the next page", TaskQuery { after, ..all() }, &["t-004", "t-002", "t-001"])?;
    check("of an actor", TaskQuery { actors: vec![web.clone()], ..all() }, &["t-003"])?;
    let shop = ActorId::parse("acme/shop")?;
    check("of one of two", TaskQuery { actors: vec![web, shop], limit: 1, ..all() }, &["t-003"])?;
    check("by user", TaskQuery { user: Some("ann".into()), ..all() }, &["t-002"])?;
    check("by status", TaskQuery { status: Some(TaskStatus::Failed), ..all() }, &["t-001"])?;
    check("by issue", TaskQuery { issue: Some(123), ..all() }, &["t-003", "t-004", "t-001"])?;
    check("by pull request", TaskQuery { pr: Some(58), ..all() }, &["t-004"])?;
    check("by branch", TaskQuery { branch: Some("agent/t-002".into()), ..all() }, &["t-002"])?;
    check("by prompt", TaskQuery { prompt_version: Some("other".into()), ..all() }, &["t-004"])?;
    check(
        "by variant",
        TaskQuery { variant: Some("B".into()), issue: Some(123), ..all() },
        &["t-004", "t-001"],
    )?;
    check("since", TaskQuery { since: Some(time(2)), until: Some(time(3)), ..all() }, &["t-002"])?;
    check("by words", TaskQuery { words: Some("mühe AUS\0".into()), ..all() }, &["t-001"])?;
    check("words are no pattern", TaskQuery { words: Some("%".into()), ..all() }, &[])?;
    Ok(())
}

/// Reports of harm are found by the memory they are about, regardless of the other contents of the
/// task.
pub(crate) fn harms(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let record = |number: u32| RecordId::parse(format!("mem-00000000-0000-7000-8000-9{number:011}"));
    let says = |memory: &MemoryId, number: u32, of: u32, at: Option<i64>| {
        let mut task = task(memory, number)?;
        task.feedback.harmful.insert(record(of)?, "it misleads\0".to_owned());
        if let Some(at) = at {
            task.feedback.harms.insert(record(of)?, Harm { at: time(at), by_human: false });
        }
        Ok(task)
    };
    let mut web = says(&memory, 4, 1, Some(5))?;
    web.actor = ActorId::parse("acme/shop-web")?;
    let tasks = [
        says(&memory, 2, 1, Some(5))?,
        says(&memory, 1, 1, None)?,
        says(&memory, 3, 2, Some(5))?,
        web,
        says(&other, 5, 1, Some(5))?,
    ];
    put(bench, &tasks)?;
    let by = |of: u32, actor: &str, after: Option<i64>, most| {
        let (memory, record, actor) = (memory.clone(), record(of)?, ActorId::parse(actor)?);
        let after = after.map(time);
        let found = bench.read(move |tx| tx.tasks().harmed_by(&memory, &record, &actor, after, most))?;
        Ok(found.iter().map(TaskId::to_string).collect::<Vec<_>>())
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    same("all of an actor, by id", by(1, "acme/shop", None, 9)?, ids(&["t-001", "t-002"]));
    same("at most", by(1, "acme/shop", None, 1)?, ids(&["t-001"]));
    same("said later", by(1, "acme/shop", Some(4), 9)?, ids(&["t-002"]));
    same("not at that moment", by(1, "acme/shop", Some(5), 9)?, Vec::new());
    same("of another record", by(2, "acme/shop", None, 9)?, ids(&["t-003"]));
    same("of another actor", by(1, "acme/shop-web", None, 9)?, ids(&["t-004"]));
    same("of none", by(3, "acme/shop", None, 9)?, Vec::new());
    let later = says(&memory, 2, 1, Some(7))?;
    put(bench, &[later])?;
    same("as it is now, once", by(1, "acme/shop", Some(6), 9)?, ids(&["t-002"]));
    let (of, who) = (memory.clone(), ActorId::parse("acme/shop")?);
    bench.write(move |tx| tx.tasks_mut().forget_actor(&of, &who).map(drop))?;
    same("forgotten", by(1, "acme/shop", None, 9)?, Vec::new());
    same("that one alone", by(1, "acme/shop-web", None, 9)?, ids(&["t-004"]));
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut other = task(&memory, 2)?;
    other.actor = ActorId::parse("acme/other")?;
    put(bench, &[task(&memory, 1)?, other])?;
    let (of, who) = (memory.clone(), ActorId::parse("acme/shop")?);
    same("forgotten", bench.write(move |tx| tx.tasks_mut().forget_actor(&of, &who))?, 1);
    same("that one alone", ids(bench, TaskQuery::all(memory.clone(), 9))?, vec!["t-002".to_owned()]);
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    same("hidden at once", get(bench, &memory, "t-002")?, None);
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", ids(bench, TaskQuery::all(again, 9))?, Vec::new());
    Ok(())
}
