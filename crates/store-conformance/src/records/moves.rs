//! Records restored from the archive, moved with their template, and read by strategy and
//! provenance.

use loci_model::ports::store::RecordPage;
use loci_model::record::derivation::{MakingMode, RecordDerivation};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::{
    ActorId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, SessionId, StrategyId,
};

use super::states::{set, supersede};
use crate::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(crate) fn restored(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = samples::record(&memory, 1, "one")?;
    bench.put(&one)?;
    let restore = |id: &RecordId, at: i64| {
        let (memory, id) = (memory.clone(), id.clone());
        bench.change(move |records| records.restore(&memory, &id, "reverted", time(at)))
    };
    same("an active one stays", restore(&one.id, 5)?, false);
    same("none there", restore(&samples::record_id(9)?, 5)?, false);
    same("superseded", supersede(bench, &memory, &one.id)?, true);
    same("taken back, once", (restore(&one.id, 10)?, restore(&one.id, 11)?), (true, false));
    let expect = Record { sequence: 3, state_reason: Some("reverted".into()), ..one.clone() };
    same("as it was", bench.get(&memory, &one.id)?, Some(expect));
    for (state, expect) in [
        (RecordState::Archived, true),
        (RecordState::Quarantined, true),
        (RecordState::RolledBack, true),
        (RecordState::Candidate, true),
        (RecordState::Invalid, false),
        (RecordState::Stale, false),
        (RecordState::Expired, false),
        (RecordState::Erased, false),
    ] {
        set(bench, &memory, &one.id, state, time(20))?;
        same(state.as_str(), restore(&one.id, 21)?, expect);
    }
    Ok(())
}

/// Returns the ids in a namespace, by number.
fn in_namespace(bench: &Bench, memory: &MemoryId, namespace: &str) -> Result<Vec<String>> {
    let mut scope = RecordScope::whole(memory.clone(), time(1_000));
    scope.namespaces = vec![NamespaceFilter::new(&Namespace::parse(namespace)?, NamespaceMatch::Exact)];
    let page = RecordPage { scope, after: None, limit: 99 };
    let mut texts: Vec<String> =
        bench.records(move |records| records.list(&page))?.into_iter().map(|record| record.text).collect();
    texts.sort();
    Ok(texts)
}

pub(crate) fn moved(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for (number, text) in (1..).zip(["one", "two", "three", "four"]) {
        bench.put(&samples::record(&memory, number, text)?)?;
    }
    let first = samples::record(&memory, 1, "one")?;
    let next = Record { version: 2, text: "one more".into(), updated_at: time(9), ..first.clone() };
    bench.change(move |records| records.put_version(&next).map(drop))?;
    set(bench, &memory, &samples::record_id(2)?, RecordState::Superseded, time(10))?;
    set(bench, &memory, &samples::record_id(3)?, RecordState::Erased, time(10))?;
    let group = |namespace: &'static str| {
        let memory = memory.clone();
        bench.records(move |records| {
            let strategy = StrategyId::parse("facts")?;
            records.group_sequence(&memory, Some(&strategy), &Namespace::parse(namespace)?)
        })
    };
    same("no group yet", group("/people/ann/")?, 0);
    let place = memory.clone();
    let count = bench.change(move |records| {
        let ids = (1..=9).map(samples::record_id).collect::<Result<Vec<_>>>()?;
        let to = Namespace::parse("people/ann")?;
        Ok((records.move_to(&place, &ids, &to)?, records.move_to(&place, &ids, &to)?))
    })?;
    same("all but the erased one, once", count, (3, 0));
    same(
        "where they are",
        in_namespace(bench, &memory, "/people/ann/")?,
        vec!["four".to_owned(), "one more".into()],
    );
    same("where they were", in_namespace(bench, &memory, "/facts/")?, Vec::<String>::new());
    let one = bench.get(&memory, &first.id)?;
    same(
        "the same record",
        one.as_ref().map(|one| (one.version, one.state, one.namespace.as_str().to_owned(), one.updated_at)),
        Some((2, RecordState::Active, "people/ann".to_owned(), time(9))),
    );
    let ended = bench.get(&memory, &samples::record_id(2)?)?;
    same("an ended one keeps its state", ended.map(|ended| ended.state), Some(RecordState::Superseded));
    same("both groups moved on", (group("/people/ann/")? > 7, group("/facts/")? > 7), (true, true));
    let place = memory.clone();
    let sequence = bench.read(move |tx| tx.memories().sequence(&place))?;
    same("the memory's sequence", sequence, 10);
    Ok(())
}

pub(crate) fn of_a_strategy(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let made = |number: u32, mode: MakingMode, session: &str| -> Result<Record> {
        let mut record = samples::record(&memory, number, "text")?;
        record.provenance.actor = Some(ActorId::parse("ann")?);
        record.provenance.session = Some(SessionId::parse(session)?);
        record.making = Some(Box::new(RecordDerivation { mode, ..RecordDerivation::default() }));
        Ok(record)
    };
    let other =
        Record { strategy: Some(StrategyId::parse("other")?), ..made(5, MakingMode::Fallback, "s1")? };
    for record in [
        made(1, MakingMode::Fallback, "s1")?,
        made(2, MakingMode::Model, "s1")?,
        made(3, MakingMode::Fallback, "s2")?,
        made(4, MakingMode::Fallback, "s1")?,
        other,
        samples::record(&memory, 6, "of nobody")?,
        made(7, MakingMode::Fallback, "s1")?,
    ] {
        bench.put(&record)?;
    }
    set(bench, &memory, &samples::record_id(4)?, RecordState::Superseded, time(50))?;
    set(bench, &memory, &samples::record_id(6)?, RecordState::Erased, time(50))?;
    let place = memory.clone();
    let by_making = bench.records(move |records| {
        let (ann, session) = (ActorId::parse("ann")?, SessionId::parse("s1")?);
        records.by_making(&place, &StrategyId::parse("facts")?, &ann, &session, MakingMode::Fallback)
    })?;
    let ids: Vec<_> = by_making.into_iter().map(|record| record.id).collect();
    same("by making, active ones", ids, vec![samples::record_id(1)?, samples::record_id(7)?]);
    let page = |after: Option<u32>, limit: usize| {
        let memory = memory.clone();
        bench.records(move |records| {
            let after = after.map(samples::record_id).transpose()?;
            let found = records.of_strategy(&memory, &StrategyId::parse("facts")?, after.as_ref(), limit)?;
            Ok(found.into_iter().map(|record| record.id).collect::<Vec<_>>())
        })
    };
    let ids = |numbers: &[u32]| {
        numbers.iter().map(|number| samples::record_id(*number)).collect::<Result<Vec<_>>>()
    };
    same("of a strategy", page(None, 9)?, ids(&[1, 2, 3, 4, 7])?);
    same("behind one, so many", page(Some(2), 2)?, ids(&[3, 4])?);
    Ok(())
}

pub(crate) fn changed(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("notes")?, bench.memory("other")?);
    for number in 1..=4 {
        let namespace = if number == 3 { "facts/ann" } else { "/facts/" };
        let strategy = if number == 4 { None } else { Some(StrategyId::parse("facts")?) };
        let record = samples::record(&memory, number, "text")?;
        bench.put(&Record { namespace: Namespace::parse(namespace)?, strategy, ..record })?;
    }
    bench.put(&Record { namespace: Namespace::parse("facts")?, ..samples::record(&other, 9, "text")? })?;
    let since = |after: u64, limit: usize| {
        let memory = memory.clone();
        bench.records(move |records| {
            let found = records.changed_since(&memory, &Namespace::parse("facts")?, after, limit)?;
            Ok(found.into_iter().map(|record| (record.sequence, record.id)).collect::<Vec<_>>())
        })
    };
    let pairs = |pairs: &[(u64, u32)]| {
        let pair = |(sequence, number): &(u64, u32)| Ok((*sequence, samples::record_id(*number)?));
        pairs.iter().map(pair).collect::<Result<Vec<_>>>()
    };
    same("all, of that namespace alone, by sequence", since(0, 9)?, pairs(&[(1, 1), (2, 2), (4, 4)])?);
    same("so many", since(0, 2)?, pairs(&[(1, 1), (2, 2)])?);
    same("behind one", since(1, 1)?, pairs(&[(2, 2)])?);
    same("nothing new", since(4, 9)?, Vec::new());
    set(bench, &memory, &samples::record_id(1)?, RecordState::Erased, time(50))?;
    same("a change of state", since(4, 9)?, pairs(&[(5, 1)])?);
    let (of, ids) = (memory.clone(), [samples::record_id(2)?]);
    bench.change(move |records| records.move_to(&of, &ids, &Namespace::parse("elsewhere")?))?;
    same("what left is not there", since(0, 9)?, pairs(&[(4, 4), (5, 1)])?);
    let nowhere = bench.records(|records| {
        let nowhere = MemoryId::compose("none", "0000000000")?;
        Ok(records.changed_since(&nowhere, &Namespace::parse("facts")?, 0, 9)?.len())
    })?;
    same("of no memory", nowhere, 0);
    Ok(())
}

pub(crate) fn rewritten(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let first = samples::record(&memory, 1, "said in private")?;
    bench.put(&first)?;
    let second = Record { version: 2, text: "said".into(), updated_at: time(5), ..first.clone() };
    let next = second.clone();
    bench.change(move |records| records.put_version(&next))?;
    let rewrite = |record: Record| bench.change(move |records| records.rewrite(&record));
    let without = Record { text: String::new(), ..first.clone() };
    same("an earlier version", rewrite(without.clone())?, true);
    same("not the current one", rewrite(second.clone())?, false);
    same("none that is not there", rewrite(Record { version: 3, ..without.clone() })?, false);
    same("nothing of no record", rewrite(Record { id: samples::record_id(9)?, ..without })?, false);
    let (of, id) = (memory.clone(), first.id.clone());
    let texts = bench.records(move |records| {
        Ok(records.history(&of, &id)?.into_iter().map(|one| (one.version, one.text)).collect::<Vec<_>>())
    })?;
    same("what it said is gone", texts, vec![(1, String::new())]);
    same("the current one stays", bench.get(&memory, &first.id)?.map(|one| one.text), Some("said".into()));
    Ok(())
}
