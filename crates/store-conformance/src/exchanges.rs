//! Exchanges with models: once per question, leases, answers, and erasure.

use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply, Usage};
use loci_model::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId};

use super::jobs::{ask, claim, finish, job};
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

fn insert(bench: &Bench, exchange: &Exchange) -> Result<bool> {
    let exchange = exchange.clone();
    bench.write(move |tx| tx.exchanges_mut().insert(&exchange))
}

fn get(bench: &Bench, exchange: &Exchange) -> Result<Option<Exchange>> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.read(move |tx| tx.exchanges().get(&memory, &id))
}

/// Returns a byte of the digest of the next open exchange, which identifies samples.
fn next(bench: &Bench, memories: &[MemoryId], steps: &'static [Step], now: i64) -> Result<Option<u8>> {
    let memories = memories.to_vec();
    let found = bench.read(move |tx| tx.exchanges().next_open(&memories, steps, time(now)))?;
    Ok(found.map(|exchange| exchange.digest[0]))
}

fn lease(bench: &Bench, exchange: &Exchange, holder: &'static str, now: i64) -> Result<bool> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.write(move |tx| tx.exchanges_mut().lease(&memory, &id, holder, time(now), time(now + 10)))
}

fn reply() -> StoredReply {
    StoredReply {
        text: "[{\"fact\":\"Anna lives in Oslo.\"}]".into(),
        model: Some("m".into()),
        usage: Usage { input_tokens: 7, output_tokens: 5 },
    }
}

fn answer(bench: &Bench, exchange: &Exchange) -> Result<bool> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.write(move |tx| tx.exchanges_mut().answer(&memory, &id, &reply()))
}

fn reopen(bench: &Bench, exchange: &Exchange) -> Result<bool> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.write(move |tx| tx.exchanges_mut().reopen(&memory, &id))
}

fn revise(bench: &Bench, exchange: &Exchange) -> Result<bool> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.write(move |tx| tx.exchanges_mut().revise(&memory, &id, "mended"))
}

fn fail(bench: &Bench, exchange: &Exchange) -> Result<bool> {
    let (memory, id) = (exchange.memory.clone(), exchange.id.clone());
    bench.write(move |tx| tx.exchanges_mut().fail(&memory, &id, Some("no credit")))
}

pub(super) fn questions_and_answers(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let other = bench.memory("other")?;
    let first = Exchange { model: Some("big".into()), ..samples::exchange(&memory, "a", 1)? };
    let second = Exchange { step: Step::Consolidate, ..samples::exchange(&memory, "a", 2)? };
    let elsewhere = samples::exchange(&other, "a", 3)?;
    for exchange in [&second, &first, &elsewhere] {
        same("asked", insert(bench, exchange)?, true);
    }
    let repeated = Exchange { digest: first.digest, ..samples::exchange(&memory, "a", 9)? };
    same("the same question of the job", insert(bench, &repeated)?, false);
    same("of another job", insert(bench, &Exchange { job: JobId::parse("b")?, ..repeated.clone() })?, true);
    same("every member comes back", get(bench, &first)?, Some(first.clone()));
    let digest = |exchange: &Exchange| {
        let (memory, job, digest) = (exchange.memory.clone(), exchange.job.clone(), exchange.digest);
        bench.read(move |tx| tx.exchanges().by_digest(&memory, &job, &digest))
    };
    same("by its digest", digest(&second)?, Some(second.clone()));
    same("no such question", digest(&Exchange { digest: [77; 32], ..second.clone() })?, None);
    let place = memory.clone();
    let of_job = bench.read(move |tx| tx.exchanges().of_job(&place, &JobId::parse("a")?))?;
    same("of a job, as they were asked", of_job, vec![second.clone(), first.clone()]);

    same("the oldest", next(bench, &[], &[], 5)?, Some(1));
    same("of another step", next(bench, &[], &[Step::Consolidate], 5)?, Some(2));
    same("of another memory", next(bench, std::slice::from_ref(&other), &[], 5)?, Some(3));
    same("of no memory there is", next(bench, &[MemoryId::parse("gone-0000000000")?], &[], 5)?, None);
    same("leased", lease(bench, &first, "one", 5)?, true);
    same("not to two", lease(bench, &first, "two", 14)?, false);
    same("not offered", next(bench, &[], &[], 14)?, Some(2));
    same("offered again", next(bench, &[], &[], 15)?, Some(1));
    same("an unanswered one is not revised", revise(bench, &first)?, false);
    same("given back, once", (reopen(bench, &first)?, reopen(bench, &first)?), (true, false));
    same("to another", lease(bench, &first, "two", 15)?, true);
    let held = get(bench, &first)?;
    same(
        "who has it",
        held.map(|held| (held.state, held.leased_by, held.lease_until, held.attempts)),
        Some((ExchangeState::Leased, Some("two".to_owned()), Some(time(25)), 2)),
    );
    same("answered, once", (answer(bench, &first)?, answer(bench, &first)?), (true, false));
    let answered = get(bench, &first)?;
    same(
        "with the answer",
        answered.map(|answered| (answered.state, answered.reply, answered.lease_until)),
        Some((ExchangeState::Answered, Some(reply()), None)),
    );
    same("nobody else's turn", lease(bench, &first, "one", 99)?, false);
    same("an answered one is not given back", reopen(bench, &first)?, false);
    same("a bad answer, once", (revise(bench, &first)?, revise(bench, &first)?), (true, false));
    let open = get(bench, &first)?;
    same(
        "open again, its next turn, with its attempts",
        open.map(|open| (open.state, open.reply, open.attempts, open.turn, open.input)),
        Some((ExchangeState::Open, None, 2, first.turn + 1, "mended".to_owned())),
    );
    same("found as before", digest(&first)?.map(|found| found.id), Some(first.id.clone()));
    same("an open one is open", reopen(bench, &first)?, false);
    same("given up, once", (fail(bench, &first)?, fail(bench, &first)?), (true, false));
    let failed = get(bench, &first)?;
    same(
        "with what was said",
        failed.map(|failed| (failed.state, failed.reply.map(|said| said.text))),
        Some((ExchangeState::Failed, Some("no credit".to_owned()))),
    );
    same("not asked any more", (next(bench, &[], &[], 99)?, answer(bench, &first)?), (Some(2), false));
    Ok(())
}

/// Exchanges that quote records are removed by step and strategy; unneeded ones while they are
/// unanswered.
pub(super) fn quoting(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for (number, id, strategy) in [(0, "a", "facts"), (1, "b", "other")] {
        let strategy = Some(StrategyId::parse(strategy)?);
        ask(bench, loci_model::job::NewJob { strategy, ..job(&memory, id, id, 1)? })?;
        for (at, step) in (1..).zip([Step::Extract, Step::Consolidate, Step::Consolidate, Step::Reflect]) {
            insert(bench, &Exchange { step, ..samples::exchange(&memory, id, 4 * number + at)? })?;
        }
    }
    let left = |id: &'static str| {
        let memory = memory.clone();
        let found = bench.read(move |tx| tx.exchanges().of_job(&memory, &JobId::parse(id)?))?;
        Ok::<_, loci_model::Error>(found.into_iter().map(|one| one.step).collect::<Vec<_>>())
    };
    same("answered", answer(bench, &samples::exchange(&memory, "a", 2)?)?, true);
    let place = memory.clone();
    let unanswered = bench.write(move |tx| {
        tx.exchanges_mut().drop_unanswered(&place, &JobId::parse("a")?, Step::Consolidate)
    })?;
    let expect = vec![Step::Extract, Step::Consolidate, Step::Reflect];
    same("of the step, unanswered", (unanswered, left("a")?), (1, expect));
    let drop = |strategy: Option<&'static str>, steps: &'static [Step]| {
        let memory = memory.clone();
        let dropped = bench.write(move |tx| {
            let strategy = strategy.map(StrategyId::parse).transpose()?;
            tx.exchanges_mut().drop_of_steps(&memory, strategy.as_ref(), steps)
        })?;
        Ok::<_, loci_model::Error>(dropped.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    same("of the strategy, once a job", drop(Some("other"), &[Step::Consolidate])?, vec!["b".to_owned()]);
    same("the rest stays", left("b")?, vec![Step::Extract, Step::Reflect]);
    let quoting = &[Step::Consolidate, Step::Reflect];
    same("of any, answered too", drop(None, quoting)?, vec!["a".to_owned(), "b".to_owned()]);
    same("what was read stays", (left("a")?, left("b")?), (vec![Step::Extract], vec![Step::Extract]));
    same("nothing is left", drop(None, quoting)?, Vec::new());
    Ok(())
}

pub(super) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for (number, (id, actor, strategy)) in
        (0..).zip([("a", "ann", "facts"), ("b", "bob", "facts"), ("c", "ann", "other")])
    {
        let (actor, strategy) = (Some(ActorId::parse(actor)?), Some(StrategyId::parse(strategy)?));
        ask(bench, loci_model::job::NewJob { actor, strategy, ..job(&memory, id, id, 1)? })?;
        insert(bench, &samples::exchange(&memory, id, 2 * number + 1)?)?;
        insert(bench, &samples::exchange(&memory, id, 2 * number + 2)?)?;
    }
    let left = || {
        let memory = memory.clone();
        bench.read(move |tx| {
            let of = |id: &str| Ok(tx.exchanges().of_job(&memory, &JobId::parse(id)?)?.len());
            Ok::<_, loci_model::Error>((of("a")?, of("b")?, of("c")?))
        })
    };
    same("two of each", left()?, (2, 2, 2));
    let sweep = || bench.write(|tx| tx.exchanges_mut().sweep(time(9_999), 99));
    same("those of open jobs stay", sweep()?, 0);
    same("taken", claim(bench, "h", 1)?, Some("a".to_owned()));
    finish(bench, &memory, "a", "h", None)?;
    same("those of a done job go", (sweep()?, left()?), (2, (0, 2, 2)));
    let place = memory.clone();
    let dropped = bench.write(move |tx| {
        let (ann, bob) = (ActorId::parse("ann")?, ActorId::parse("bob")?);
        let session = SessionId::parse("s1")?;
        let of_other = tx.exchanges_mut().drop_of_session(&place, &ann, &SessionId::parse("s2")?)?;
        Ok((of_other, tx.exchanges_mut().drop_of_session(&place, &bob, &session)?))
    })?;
    same("those of a session", (dropped, left()?), ((vec![], vec![JobId::parse("b")?]), (0, 0, 2)));
    let place = memory.clone();
    bench
        .write(move |tx| tx.jobs_mut().cancel(&place, Some(&StrategyId::parse("facts")?), None).map(drop))?;
    same("another strategy's stay", left()?, (0, 0, 2));
    let place = memory.clone();
    bench.write(move |tx| tx.jobs_mut().cancel(&place, None, Some(&ActorId::parse("ann")?)).map(drop))?;
    same("an actor's go with the jobs", left()?, (0, 0, 0));
    insert(bench, &samples::exchange(&memory, "d", 50)?)?;
    let place = memory.clone();
    let dropped = bench.write(move |tx| tx.exchanges_mut().drop_of_job(&place, &JobId::parse("d")?))?;
    same("a job's", dropped, 1);
    insert(bench, &samples::exchange(&memory, "e", 51)?)?;
    let place = memory.clone();
    let purged = bench.write(move |tx| {
        tx.memories_mut().delete(&place, time(50))?;
        tx.memories_mut().purge(&place, 9_999)
    })?;
    same("a memory's go with it", purged, true);
    same("none is offered", next(bench, &[], &[], 9_999)?, None);
    same("none is left", sweep()?, 0);
    Ok(())
}
