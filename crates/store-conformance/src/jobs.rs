//! Jobs: one per key, leases, failures, order.

use loci_model::job::{DueRule, Job, JobCounts, JobKind, JobState, NewJob};
use loci_model::ports::store::{JobFailure, JobQuery};
use loci_model::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

use super::{Bench, same};
use loci_testkit_ports::samples::time;

pub(super) fn job(memory: &MemoryId, id: &str, key: &str, due: i64) -> Result<NewJob> {
    Ok(NewJob {
        id: JobId::parse(id)?,
        memory: memory.clone(),
        kind: JobKind::EXTRACT,
        unique_key: key.to_owned(),
        strategy: Some(StrategyId::parse("facts")?),
        actor: Some(ActorId::parse("ann")?),
        session: Some(SessionId::parse("s1")?),
        due: time(due),
        due_rule: DueRule::Earlier,
    })
}

pub(super) fn ask(bench: &Bench, job: NewJob) -> Result<String> {
    bench.write(move |tx| Ok(tx.jobs_mut().enqueue(&job, time(0))?.to_string()))
}

pub(super) fn get(bench: &Bench, memory: &MemoryId, id: &str) -> Result<Option<Job>> {
    let (memory, id) = (memory.clone(), JobId::parse(id)?);
    bench.read(move |tx| tx.jobs().get(&memory, &id))
}

pub(super) fn claim(bench: &Bench, host: &'static str, now: i64) -> Result<Option<String>> {
    bench
        .write(move |tx| Ok(tx.jobs_mut().claim(host, &[], time(now), 10_000)?.map(|job| job.id.to_string())))
}

fn free_leases(bench: &Bench, host: &'static str, now: i64) -> Result<usize> {
    bench.write(move |tx| tx.jobs_mut().free_leases(host, time(now)))
}

pub(super) fn finish(
    bench: &Bench,
    memory: &MemoryId,
    id: &str,
    host: &'static str,
    again: Option<Timestamp>,
) -> Result<bool> {
    let (memory, id) = (memory.clone(), JobId::parse(id)?);
    bench.write(move |tx| tx.jobs_mut().finish(&memory, &id, host, again, time(50)))
}

/// Returns a failed attempt, with the deterministic fallback if it is given up.
pub(super) fn failure(retry_at: Option<Timestamp>) -> JobFailure {
    JobFailure {
        reason: "MODEL: no answer".into(),
        messages: vec![],
        retry_at,
        fallback: retry_at.is_none(),
        at: time(41),
    }
}

pub(super) fn one_per_key(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let place = memory.clone();
    let open = |kind| {
        let place = place.clone();
        bench.read(move |tx| tx.jobs().has_open(&place, &kind))
    };
    same("nothing open", open(JobKind::EXTRACT)?, false);
    same("made", ask(bench, job(&memory, "a", "k", 10)?)?, "a".to_owned());
    same("one waits", (open(JobKind::EXTRACT)?, open(JobKind::EMBED)?), (true, false));
    same("the same job", ask(bench, job(&memory, "b", "k", 5)?)?, "a".to_owned());
    let due = |id: &str| Ok::<_, loci_model::Error>(get(bench, &memory, id)?.map(|job| job.due));
    same("the earlier time", due("a")?, Some(time(5)));
    ask(bench, NewJob { due_rule: DueRule::Later, ..job(&memory, "b", "k", 20)? })?;
    same("the later time", due("a")?, Some(time(20)));
    same("another key", ask(bench, job(&memory, "c", "other", 20)?)?, "c".to_owned());
    same("next due", bench.read(|tx| tx.jobs().next_due(&[]))?, Some(time(20)));
    same("none is due", claim(bench, "h", 19)?, None);
    same("ties by id", claim(bench, "h", 20)?, Some("a".to_owned()));
    same("asked for while it runs", ask(bench, job(&memory, "d", "k", 30)?)?, "a".to_owned());
    same("and again", ask(bench, job(&memory, "d", "k", 25)?)?, "a".to_owned());
    ask(bench, NewJob { due_rule: DueRule::Later, ..job(&memory, "d", "k", 30)? })?;
    same("one runs", open(JobKind::EXTRACT)?, true);
    same("ends", finish(bench, &memory, "a", "h", None)?, true);
    let again = get(bench, &memory, "a")?;
    same(
        "runs again",
        again.map(|job| (job.state, job.rerun, job.due)),
        Some((JobState::Pending, false, time(30))),
    );
    same("the other is first", claim(bench, "h", 30)?, Some("c".to_owned()));
    same("then it", claim(bench, "h", 30)?, Some("a".to_owned()));
    same("done", finish(bench, &memory, "a", "h", None)?, true);
    same("is done", get(bench, &memory, "a")?.map(|job| job.state), Some(JobState::Done));
    same("again, by its own wish", finish(bench, &memory, "c", "h", Some(time(60)))?, true);
    same(
        "waits",
        get(bench, &memory, "c")?.map(|job| (job.state, job.due)),
        Some((JobState::Pending, time(60))),
    );
    same("the key is free", ask(bench, job(&memory, "e", "k", 70)?)?, "e".to_owned());
    let place = memory.clone();
    let made_due = bench.write(move |tx| tx.jobs_mut().make_due(&place, None, None, time(55)))?;
    same("made due", made_due, 2);
    same("next due now", bench.read(|tx| tx.jobs().next_due(&[]))?, Some(time(55)));
    same("swept", bench.write(|tx| tx.jobs_mut().sweep(JobState::Done, time(51), 9))?, 1);
    let (place, strategy) = (memory.clone(), StrategyId::parse("facts")?);
    same("cancelled", bench.write(move |tx| tx.jobs_mut().cancel(&place, Some(&strategy), None))?, 2);
    same("nothing open any more", open(JobKind::EXTRACT)?, false);
    Ok(())
}

pub(super) fn leases_and_failures(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let other = bench.memory("other")?;
    ask(bench, job(&memory, "a", "k", 1)?)?;
    let wanted = other.clone();
    let none =
        bench.write(move |tx| tx.jobs_mut().claim("h", std::slice::from_ref(&wanted), time(5), 10_000))?;
    same("of another memory", none, None);
    same("taken", claim(bench, "one", 1)?, Some("a".to_owned()));
    same("leased", claim(bench, "two", 10)?, None);
    same("the lease ran out", claim(bench, "two 7", 11)?, Some("a".to_owned()));
    same("one's own jobs stay, whichever claim's", free_leases(bench, "two", 12)?, 0);
    same("a new host frees the old one's jobs", free_leases(bench, "three", 12)?, 1);
    same("not another claim's", finish(bench, &memory, "a", "two 7", None)?, false);
    same("freed", claim(bench, "two", 12)?, Some("a".to_owned()));
    same("the first lost it", finish(bench, &memory, "a", "one", None)?, false);
    let renew = |host: &'static str| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().renew(&memory, &id, host, time(40)))
    };
    same("not renewed for the first", renew("one")?, false);
    same("renewed for the second", renew("two")?, true);
    same("held", claim(bench, "three", 30)?, None);
    let counts = |session: Option<&'static str>| {
        let memory = memory.clone();
        bench.read(move |tx| {
            let session = session.map(SessionId::parse).transpose()?;
            tx.jobs().counts(&memory, None, session.as_ref(), &[JobKind::EXTRACT])
        })
    };
    same("counted", counts(None)?, JobCounts { pending: 1, ..JobCounts::default() });
    same("not of another session", counts(Some("s2"))?, JobCounts::default());
    let fail = |host: &'static str, retry_at: Option<Timestamp>| {
        let (memory, id) = (memory.clone(), JobId::parse("a")?);
        bench.write(move |tx| tx.jobs_mut().fail(&memory, &id, host, &failure(retry_at)))
    };
    same("only its holder fails it", fail("one", None)?, false);
    same("tried again", fail("two", Some(time(45)))?, true);
    same("asked for meanwhile, it is the same", ask(bench, job(&memory, "b", "k", 1)?)?, "a".to_owned());
    same("at its time all the same", claim(bench, "two", 44)?, None);
    same("taken again", claim(bench, "two", 45)?, Some("a".to_owned()));
    same("given up", fail("two", None)?, true);
    let failed = get(bench, &memory, "a")?;
    same(
        "listed as failed",
        failed.as_ref().map(|job| (job.state, job.attempts, job.fallback)),
        Some((JobState::Failed, 4, true)),
    );
    same("with a reason", failed.and_then(|job| job.failure_reason), Some("MODEL: no answer".into()));
    same("counted as failed", counts(Some("s1"))?, JobCounts { failed: 1, ..JobCounts::default() });
    let place = memory.clone();
    let listed = bench.read(move |tx| {
        let query = JobQuery { state: Some(JobState::Failed), limit: 9, ..JobQuery::default() };
        Ok(tx.jobs().list(&place, &query)?.len())
    })?;
    same("in the list", listed, 1);
    let restart = |id: &'static str| {
        let (memory, id) = (memory.clone(), JobId::parse(id)?);
        bench.write(move |tx| tx.jobs_mut().restart(&memory, &id, time(60)))
    };
    same("no such job", restart("z")?, false);
    same("restarted", restart("a")?, true);
    same("at once", claim(bench, "two", 60)?, Some("a".to_owned()));
    same("a running one stays", restart("a")?, true);
    same("running", get(bench, &memory, "a")?.map(|job| job.state), Some(JobState::Running));
    Ok(())
}

pub(super) fn sweeping_and_making_due(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    ask(bench, job(&memory, "a", "k", 1)?)?;
    same("taken", claim(bench, "two", 1)?, Some("a".to_owned()));
    let (place, id) = (memory.clone(), JobId::parse("a")?);
    same("failed", bench.write(move |tx| tx.jobs_mut().fail(&place, &id, "two", &failure(None)))?, true);
    let sweep = |state, before| bench.write(move |tx| tx.jobs_mut().sweep(state, time(before), 9));
    same("failed, not done", sweep(JobState::Done, 90)?, 0);
    same("not yet, then gone", (sweep(JobState::Failed, 41)?, sweep(JobState::Failed, 42)?), (0, 1));
    same(
        "open ones stay",
        (ask(bench, job(&memory, "b", "k", 1)?)?, sweep(JobState::Pending, 90)?),
        ("b".to_owned(), 0),
    );
    same("it runs", claim(bench, "two", 1)?, Some("b".to_owned()));
    let make_due = || {
        let memory = memory.clone();
        bench.write(move |tx| tx.jobs_mut().make_due(&memory, None, None, time(95)))
    };
    same("nothing but a job under way", make_due()?, 0);
    same("asked for again", ask(bench, job(&memory, "c", "k", 300)?)?, "b".to_owned());
    same(
        "is due when it ends",
        (make_due()?, finish(bench, &memory, "b", "two", Some(time(400)))?),
        (1, true),
    );
    same("then", get(bench, &memory, "b")?.map(|job| job.due), Some(time(95)));
    Ok(())
}
