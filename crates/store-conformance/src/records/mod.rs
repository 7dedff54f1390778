//! Records: versions, history, lookups, export and import.

pub(super) mod lists;
pub(super) mod moves;
pub(super) mod states;

use std::collections::BTreeMap;

use loci_model::event::{Role, RunPlace};
use loci_model::memory::prompt::PromptId;
use loci_model::ports::store::Confirmation;
use loci_model::record::derivation::{Decided, Evidence, MakingMode, RecordDerivation};
use loci_model::record::findings::Findings;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::{
    ActorId, BranchName, ErrorKind, EventId, Namespace, RecordId, Result, SessionId, StrategyId,
};

use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(super) fn versions_and_history(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let first = samples::record(&memory, 1, "Anna lives in Oslo.")?;
    same("sequence", bench.put(&first)?, 1);
    same("the same id", bench.put(&first).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    let second =
        Record { version: 2, text: "Anna lives in Bergen.".into(), updated_at: time(5), ..first.clone() };
    let put = |record: &Record| {
        let record = record.clone();
        bench.change(move |records| records.put_version(&record))
    };
    same("a version", put(&second)?, 2);
    same(
        "a version that does not follow",
        put(&second).map_err(|error| error.kind),
        Err(ErrorKind::Conflict),
    );
    same("current", bench.get(&memory, &first.id)?, Some(Record { sequence: 2, ..second }));
    let (place, id) = (memory.clone(), first.id.clone());
    let history = bench.records(move |records| records.history(&place, &id))?;
    same("history", history, vec![Record { sequence: 1, ..first.clone() }]);
    let place = memory.clone();
    same("the memory's sequence", bench.read(move |tx| tx.memories().sequence(&place))?, 2);
    let ids = [samples::record_id(9)?, first.id.clone(), samples::record_id(2)?];
    bench.put(&samples::record(&memory, 2, "two")?)?;
    let place = memory.clone();
    let many = bench.records(move |records| records.get_many(&place, &ids))?;
    same(
        "many, in order, absent ones left out",
        many.iter().map(|record| record.id.clone()).collect::<Vec<_>>(),
        vec![first.id, samples::record_id(2)?],
    );
    Ok(())
}

pub(super) fn every_member_comes_back(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let full = Record {
        version: 1,
        sequence: 1,
        id: RecordId::parse("mem-UPPER_case-and-other-0123456789abcdef01")?,
        kind: RecordKind::Document,
        subtype: Some("guide".into()),
        title: Some("A title".into()),
        path: Some("docs/a.md".into()),
        description: Some("short".into()),
        scope: Some("crates/a".into()),
        citations: Some("c-1".into()),
        namespace: Namespace::parse("facts//of/ann")?,
        strategy: None,
        index_text: Some("what is indexed".into()),
        metadata: BTreeMap::from([
            ("n".to_owned(), MetadataValue::Number(1.5)),
            ("s".to_owned(), MetadataValue::String("\"quoted\" \u{1F600}".into())),
            ("l".to_owned(), MetadataValue::StringList(vec!["a".into(), "b".into()])),
        ]),
        provenance: Provenance {
            actor: Some(ActorId::parse("org/user:1")?),
            session: Some(SessionId::parse("s1")?),
            branch: Some(BranchName::parse("side")?),
            sources: vec![
                Source { event: EventId::compose(5, 1), message: 2, part: 3 },
                Source { event: EventId::parse("12#abcdef")?, message: 0, part: 0 },
            ],
            verbatim: true,
            role: Some(Role::Tool),
            run: Some(RunPlace { run: "r".into(), first: 1, last: u64::MAX }),
            bound: ["s".to_owned()].into(),
        },
        origin: RecordOrigin::BatchCreated,
        trust: 0.25,
        tier: TrustTier::External,
        making: Some(Box::new(RecordDerivation {
            prompt: Some(PromptId::parse("semantic.extract@1+custom:0a1b2c3d")?),
            model: Some("m".into()),
            mode: MakingMode::Pull,
            decided: Some(Decided {
                action: "add".into(),
                by: "deterministic@1".into(),
                reason: "new".into(),
            }),
            evidence: Some(Evidence { hits: 3, of: 5, predicate: "tests first".into() }),
        })),
        derived_from: vec![samples::record_id(5)?, samples::record_id(6)?],
        findings: Findings { injection: 0.5, reasons: vec!["override".into()], masked: vec!["jwt".into()] },
        state: RecordState::Candidate,
        state_reason: Some("held".into()),
        superseded_by: Some(samples::record_id(7)?),
        supersedes: vec![samples::record_id(8)?],
        valid_to: Some(time(9)),
        expires_at: Some(time(99)),
        expiry_days: Some(31),
        ..samples::record(&memory, 1, "text\0with \"every\" member\n")?
    };
    bench.put(&full)?;
    same("every member", bench.get(&memory, &full.id)?, Some(full.clone()));
    let next = Record { version: 2, sequence: 2, ..full.clone() };
    let put = next.clone();
    bench.change(move |records| records.put_version(&put))?;
    let (place, id) = (memory.clone(), full.id.clone());
    same("in history", bench.records(move |records| records.history(&place, &id))?, vec![full.clone()]);
    same("in the next", bench.get(&memory, &full.id)?, Some(next));
    Ok(())
}

pub(super) fn lookups(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let strategy = StrategyId::parse("facts")?;
    let facts = Namespace::parse("facts")?; // another spelling of /facts/
    let source = Source { event: EventId::compose(1, 0), message: 1, part: 0 };
    let mut one = samples::record(&memory, 1, "Anna likes  tea.\n")?;
    one.provenance.sources = vec![source.clone()];
    (one.expiry_days, one.expires_at) = (Some(3), Some(time(4).plus_days(3)));
    let two = Record { subtype: Some("drink".into()), ..samples::record(&memory, 2, "Anna likes tea.")? };
    let elsewhere =
        Record { namespace: Namespace::parse("/other/")?, ..samples::record(&memory, 3, "Anna likes tea.")? };
    let of_none = Record { strategy: None, ..samples::record(&memory, 4, "Anna likes tea.")? };
    let held = Record { state: RecordState::Candidate, ..samples::record(&memory, 5, "Anna likes tea.")? };
    for record in [&two, &one, &elsewhere, &of_none, &held] {
        bench.put(record)?;
    }
    let (place, who, at) = (memory.clone(), strategy.clone(), facts.clone());
    let found =
        bench.records(move |records| records.same_text(&place, Some(&who), &at, " Anna likes tea. "))?;
    same("same text, oldest first", found, vec![one.id.clone(), two.id.clone()]);
    let (place, at) = (memory.clone(), facts.clone());
    let found = bench.records(move |records| records.same_text(&place, None, &at, "Anna likes tea."))?;
    same("of no strategy", found, vec![of_none.id.clone()]);
    let (place, who, at) = (memory.clone(), strategy.clone(), facts.clone());
    let found = bench.records(move |records| records.with_subtype(&place, Some(&who), &at, "drink"))?;
    same(
        "by subtype",
        found.iter().map(|record| record.id.clone()).collect::<Vec<_>>(),
        vec![two.id.clone()],
    );

    let by_source = |source: &Source, strategy: &str| {
        let (place, source, strategy) = (memory.clone(), source.clone(), StrategyId::parse(strategy)?);
        bench.records(move |records| records.by_source(&place, &strategy, &source))
    };
    same("by source", by_source(&source, "facts")?, Some(one.id.clone()));
    same("of another strategy", by_source(&source, "others")?, None);
    let other = Source { part: 1, ..source.clone() };
    same("another part", by_source(&other, "facts")?, None);
    repeated(bench, &one, &other)?;
    same("a source that was added", by_source(&other, "facts")?, Some(one.id.clone()));

    let group = || {
        let (place, who, at) = (memory.clone(), strategy.clone(), facts.clone());
        bench.records(move |records| records.group_sequence(&place, Some(&who), &at))
    };
    let before = group()?;
    bench.put(&Record { namespace: Namespace::parse("/other/")?, ..samples::record(&memory, 6, "x")? })?;
    same("another group does not move it", group()?, before);
    bench.put(&samples::record(&memory, 7, "y")?)?;
    same("its own does", group()? > before, true);
    Ok(())
}

/// A record of one source that other statements repeat.
fn repeated(bench: &Bench, one: &Record, other: &Source) -> Result<()> {
    let (place, id, added) = (one.memory.clone(), one.id.clone(), other.clone());
    let said_again = |stated_at: i64, at: i64| {
        let (place, id, added) = (place.clone(), id.clone(), [added.clone()]);
        bench.change(move |records| {
            let (stated_at, at) = (time(stated_at), time(at));
            let confirmation = Confirmation { sources: &added, stated_at, run: None, at };
            records.confirm(&place, &id, &confirmation)
        })
    };
    said_again(0, 50)?;
    let state =
        || Ok(bench.get(&one.memory, &one.id)?.map(|record| (record.provenance.sources, record.expires_at)));
    let sources = one.provenance.sources.iter().chain([other]).cloned().collect();
    let confirmed = Some((sources, Some(time(50).plus_days(3))));
    same("sources, and a new beginning", state()?, confirmed.clone());
    let timestamp = || Ok(bench.get(&one.memory, &one.id)?.map(|record| record.timestamp));
    same("an earlier statement leaves its time", timestamp()?, Some(one.timestamp));
    said_again(0, 60)?;
    same("the same again changes nothing", state()?, confirmed);
    said_again(55, 60)?;
    same("a later statement is its time", timestamp()?, Some(time(55)));
    let stored = bench.get(&one.memory, &one.id)?;
    same("its version stays", stored.map(|record| record.version), Some(one.version));
    Ok(())
}

pub(super) fn export_and_import(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let first = samples::record(&memory, 1, "one")?;
    bench.put(&first)?;
    for version in 2..=3 {
        let next = Record {
            version,
            text: format!("one, {version}"),
            updated_at: time(i64::from(version)),
            ..first.clone()
        };
        bench.change(move |records| records.put_version(&next))?;
    }
    bench.put(&samples::record(&memory, 2, "two")?)?;
    let page = |memory: &loci_model::MemoryId, after: Option<(RecordId, u32)>, limit: usize| {
        let memory = memory.clone();
        bench.records(move |records| records.export(&memory, after.as_ref(), limit))
    };
    let all = page(&memory, None, 99)?;
    let names = |records: &[Record]| {
        records.iter().map(|record| (record.id.clone(), record.version)).collect::<Vec<_>>()
    };
    let (one, two) = (first.id.clone(), samples::record_id(2)?);
    same(
        "all versions",
        names(&all),
        vec![(one.clone(), 1), (one.clone(), 2), (one.clone(), 3), (two.clone(), 1)],
    );
    same(
        "a page",
        names(&page(&memory, Some((one.clone(), 1)), 2)?),
        vec![(one.clone(), 2), (one.clone(), 3)],
    );
    same("behind a whole record", names(&page(&memory, Some((one.clone(), 3)), 2)?), vec![(two, 1)]);

    for (name, is_reversed) in [("forth", false), ("back", true)] {
        let copy = bench.memory(name)?;
        let mut rows: Vec<Record> =
            all.iter().map(|record| Record { memory: copy.clone(), ..record.clone() }).collect();
        if is_reversed {
            rows.reverse();
        }
        for row in rows {
            let is_current = row.id != one || row.version == 3;
            bench.change(move |records| records.import(&row, is_current))?;
        }
        let plain = |records: Vec<Record>| {
            records.into_iter().map(|record| Record { sequence: 0, ..record }).collect::<Vec<_>>()
        };
        let expect = all.iter().map(|record| Record { memory: copy.clone(), ..record.clone() }).collect();
        same(name, plain(page(&copy, None, 99)?), plain(expect));
    }
    Ok(())
}
