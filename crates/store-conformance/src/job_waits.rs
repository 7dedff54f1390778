//! Jobs that wait for an external answer, and windows of rounds.

use loci_model::job::{DueRule, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use loci_model::ports::store::{JobFailure, JobQuery};
use loci_model::{ActorId, JobId, Result, SessionId, StrategyId};

use super::events::{actor, insert, session};
use super::jobs::{ask, claim, failure, finish, get, job};
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(super) fn waiting(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    ask(bench, job(&memory, "a", "k", 1)?)?;
    let wait = |host: &'static str| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().wait(&memory, &id, host, time(3)))
    };
    let wake = |now: i64| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().wake(&memory, &id, time(now)))
    };
    same("a pending one does not wait", (wait("h")?, wake(2)?), (false, false));
    same("taken", claim(bench, "h", 2)?, Some("a".to_owned()));
    same("only its holder sends it back", (wait("other")?, wait("h")?, wait("h")?), (false, true, false));
    let waits = get(bench, &memory, "a")?;
    same(
        "it is pending and waits",
        waits.map(|job| (job.state, job.waits, job.lease_host, job.attempts)),
        Some((JobState::Pending, true, None, 0)),
    );
    let counts = || {
        let memory = memory.clone();
        bench.read(move |tx| tx.jobs().counts(&memory, None, None, &[JobKind::EXTRACT]))
    };
    let waiting = JobCounts { pending: 1, waiting: 1, failed: 0 };
    same("counted apart", (counts()?, counts()?.runnable()), (waiting, 0));
    same("it is not taken", claim(bench, "h", 9_999)?, None);
    same("it is not next", bench.read(|tx| tx.jobs().next_due(&[]))?, None);
    let place = memory.clone();
    same("nor made due", bench.write(move |tx| tx.jobs_mut().make_due(&place, None, None, time(0)))?, 0);
    same("asked for again, it is the same", ask(bench, job(&memory, "b", "k", 20)?)?, "a".to_owned());
    same("and still waits", claim(bench, "h", 9_999)?, None);
    same("woken, once", (wake(10)?, wake(11)?), (true, false));
    same("due at once", (claim(bench, "h", 9)?, claim(bench, "h", 10)?), (None, Some("a".to_owned())));
    finish(bench, &memory, "a", "h", None)?;
    let again = get(bench, &memory, "a")?;
    same(
        "what was asked meanwhile is done",
        again.map(|job| (job.state, job.waits)),
        Some((JobState::Pending, false)),
    );

    same("taken again", claim(bench, "h", 20)?, Some("a".to_owned()));
    same("an answer that comes while it runs", (wake(30)?, wait("h")?), (true, true));
    let again = get(bench, &memory, "a")?;
    same(
        "is not waited for",
        again.map(|job| (job.state, job.waits, job.rerun, job.due)),
        Some((JobState::Pending, false, false, time(30))),
    );
    Ok(())
}

pub(super) fn waking_all(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("notes")?, bench.memory("other")?);
    for place in [&memory, &other] {
        ask(bench, job(place, "a", "k", 1)?)?;
        same("taken", claim(bench, "h", 2)?, Some("a".to_owned()));
        let (place, id) = (place.clone(), JobId::parse("a")?);
        same("waits", bench.write(move |tx| tx.jobs_mut().wait(&place, &id, "h", time(3)))?, true);
    }
    let wake = |memory: Option<&loci_model::MemoryId>| {
        let memory = memory.cloned();
        bench.write(move |tx| tx.jobs_mut().wake_all(memory.as_ref(), time(5)))
    };
    same("of one memory", (wake(Some(&memory))?, wake(Some(&memory))?), (1, 0));
    same("it is taken again", (claim(bench, "h", 4)?, claim(bench, "h", 5)?), (None, Some("a".to_owned())));
    same("what runs is left alone", (wake(None)?, wake(None)?), (1, 0));
    same("of all", claim(bench, "h", 5)?, Some("a".to_owned()));
    Ok(())
}

/// The messages that a job must read again are kept while other jobs with its key continue.
pub(super) fn reading_again(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    ask(bench, job(&memory, "a", "k", 1)?)?;
    same("taken", claim(bench, "h", 1)?, Some("a".to_owned()));
    let event = samples::event(&memory, "ann", "s1", 1)?;
    let message = JobMessage { event: event.id.clone(), message: 2 };
    let arrival = insert(bench, &event)?;
    let set = |host: &'static str, messages: Vec<JobMessage>| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().set_messages(&memory, &id, host, &messages))
    };
    let kept = || Ok::<_, loci_model::Error>(get(bench, &memory, "a")?.map(|job| job.messages.len()));
    same(
        "by its holder",
        (set("other", vec![message.clone()])?, set("h", vec![message.clone()])?),
        (false, true),
    );
    same("kept", kept()?, Some(1));
    same("and cleared", (set("h", Vec::new())?, kept()?), (true, Some(0)));
    let fell_back = JobFailure { messages: vec![message], ..failure(None) };
    let fail = |id: &str| {
        let (place, id, failure) = (memory.clone(), JobId::parse(id)?, fell_back.clone());
        bench.write(move |tx| tx.jobs_mut().fail(&place, &id, "h", &failure))
    };
    let restart = |id: &str| {
        let (place, id) = (memory.clone(), JobId::parse(id)?);
        bench.write(move |tx| tx.jobs_mut().restart(&place, &id, time(6)))
    };
    same("failed", fail("a")?, true);
    same("a younger one", ask(bench, job(&memory, "b", "k", 7)?)?, "b".to_owned());
    same("started again", restart("a")?, true);
    let state = |id: &str| Ok::<_, loci_model::Error>(get(bench, &memory, id)?.map(|job| job.state));
    same("what is not read yet is the younger one's", state("a")?, Some(JobState::Done));
    same("taken", claim(bench, "h", 7)?, Some("b".to_owned()));
    same("failed too", fail("b")?, true);
    same("a younger one yet", ask(bench, job(&memory, "c", "k", 7)?)?, "c".to_owned());
    let place = memory.clone();
    bench.write(move |tx| {
        let strategy = StrategyId::parse("facts")?;
        tx.events_mut().set_progress(&place, &strategy, &actor()?, &session()?, arrival)
    })?;
    same("started again", restart("b")?, true);
    same("it runs beside the younger one", claim(bench, "h", 6)?, Some("b".to_owned()));
    let owed = get(bench, &memory, "b")?.map(|job| job.messages.len());
    same("with its messages", owed, Some(1));
    same("both are there", claim(bench, "h", 7)?, Some("c".to_owned()));
    Ok(())
}

pub(super) fn kinds(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    ask(bench, job(&memory, "a", "k", 1)?)?;
    let of_kind = |id: &str, kind: JobKind| -> Result<NewJob> {
        let key = id.to_owned();
        Ok(NewJob {
            kind,
            actor: None,
            session: None,
            due_rule: DueRule::Later,
            ..job(&memory, id, &key, 500)?
        })
    };
    ask(bench, of_kind("r", JobKind::REFLECT)?)?;
    ask(bench, of_kind("o", JobKind::HANDOVER)?)?;
    ask(bench, of_kind("p", JobKind::PURGE)?)?;
    // A kind defined by a product and unknown to stores.
    let brought = JobKind::named("brought_by_a_product");
    ask(bench, of_kind("q", brought.clone())?)?;
    let counts = |kinds: &[JobKind]| {
        let (place, kinds) = (memory.clone(), kinds.to_vec());
        let counts = bench.read(move |tx| tx.jobs().counts(&place, None, None, &kinds));
        counts.map(|counts| counts.pending)
    };
    let awaited = counts(&[JobKind::EXTRACT, JobKind::REFLECT])?;
    same("those that are waited for, and all", (awaited, counts(&[])?), (2, 5));
    same("with one of its own word", counts(&[JobKind::EXTRACT, brought.clone()])?, 2);
    same("that alone", counts(std::slice::from_ref(&brought))?, 1);
    let open = |kind: JobKind| {
        let place = memory.clone();
        bench.read(move |tx| tx.jobs().has_open(&place, &kind))
    };
    same("open by its word", (open(brought.clone())?, open(JobKind::named("other"))?), (true, false));
    same("it comes back", get(bench, &memory, "q")?.map(|job| job.kind), Some(brought.clone()));
    let listed = |kinds: &[JobKind]| {
        let (memory, kinds) = (memory.clone(), kinds.to_vec());
        bench.read(move |tx| {
            let query = JobQuery { kinds: kinds.clone(), limit: 9, ..JobQuery::default() };
            Ok(tx.jobs().list(&memory, &query)?.len())
        })
    };
    same("listed by kinds", (listed(&[])?, listed(&[JobKind::REFLECT, JobKind::EXTRACT])?), (5, 2));
    same("by one kind", (listed(&[JobKind::PURGE])?, listed(&[JobKind::EMBED])?), (1, 0));
    same("by a word of its own", listed(&[brought, JobKind::PURGE])?, 2);
    Ok(())
}

pub(super) fn waking_running(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for (id, session, strategy) in [("a", "s1", "facts"), ("b", "s2", "facts"), ("c", "s1", "other")] {
        let (session, strategy) = (Some(SessionId::parse(session)?), Some(StrategyId::parse(strategy)?));
        ask(bench, NewJob { session, strategy, ..job(&memory, id, id, 1)? })?;
        same("taken", claim(bench, "h", 1)?, Some(id.to_owned()));
    }
    ask(bench, job(&memory, "d", "d", 1)?)?;
    ask(bench, NewJob { kind: JobKind::HANDOVER, ..job(&memory, "e", "e", 0)? })?;
    same("of another kind", claim(bench, "h", 1)?, Some("e".to_owned()));
    let wake = |strategy: Option<&'static str>, session: Option<&'static str>, now: i64| {
        let memory = memory.clone();
        bench.write(move |tx| {
            let strategy = strategy.map(StrategyId::parse).transpose()?;
            let actor = ActorId::parse("ann")?;
            let session = session.map(SessionId::parse).transpose()?;
            let session = session.as_ref().map(|session| (&actor, session));
            tx.jobs_mut().wake_running(&memory, strategy.as_ref(), session, time(now))
        })
    };
    let woken = |id: &str| {
        let job = get(bench, &memory, id)?;
        Ok::<_, loci_model::Error>(job.map(|job| (job.rerun, job.updated_at)))
    };
    same("of a session", wake(None, Some("s1"), 5)?, 2);
    same("which says so", (woken("a")?, woken("c")?), (Some((true, time(5))), Some((true, time(5)))));
    same("the other's is not", woken("b")?, Some((false, time(1))));
    same("of a strategy", (wake(Some("facts"), None, 6)?, woken("b")?), (2, Some((true, time(6)))));
    same("of all", (wake(None, None, 7)?, wake(Some("none"), None, 8)?), (3, 0));
    finish(bench, &memory, "a", "h", None)?;
    same("it runs again", get(bench, &memory, "a")?.map(|job| job.state), Some(JobState::Pending));
    Ok(())
}

pub(super) fn windows(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for (id, due) in [("a", 1), ("b", 2), ("c", 3)] {
        ask(bench, job(&memory, id, id, due)?)?;
    }
    let window = JobWindow { from: 4, to: 9, notice: Some("n-1".into()), opened_at: time(5) };
    let set = |host: &'static str, window: Option<JobWindow>| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().set_window(&memory, &id, host, window.as_ref()))
    };
    let kept = || Ok::<_, loci_model::Error>(get(bench, &memory, "a")?.and_then(|job| job.window));
    same("not held by anyone", set("h", Some(window.clone()))?, false);
    same("taken", claim(bench, "h", 1)?, Some("a".to_owned()));
    same("by its holder", (set("other", None)?, set("h", Some(window.clone()))?), (false, true));
    same("read back", kept()?, Some(window.clone()));
    let (place, id) = (memory.clone(), JobId::parse("a")?);
    let failed = bench.write(move |tx| tx.jobs_mut().fail(&place, &id, "h", &failure(Some(time(2)))))?;
    same("a failed try keeps it", (failed, kept()?), (true, Some(window)));
    same(
        "two are taken",
        (claim(bench, "h", 2)?, claim(bench, "h", 2)?),
        (Some("a".into()), Some("b".into())),
    );
    same("a third by another", claim(bench, "other", 3)?, Some("c".to_owned()));
    same("cleared", (set("h", None)?, kept()?), (true, None));
    Ok(())
}
