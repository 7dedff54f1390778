//! Fact events by record, and their counts; and the detection of rows that are inconsistent with
//! the facts, in every store.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::{EngineParts, EngineSettings};
use loci_model::facts::fact::{Fact, FactCounters, FactEvent, FactEventKind};
use loci_model::facts::verdict::Verdict;
use loci_model::ports::store::Tx;
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::{MemoryId, Result};
use loci_products::Loci;
use loci_verified::TelemetryRule;

use super::facts::put;
use crate::{Bench, same};
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::fact_samples::{fact, fact_event, kept_verdict, object};
use loci_testkit_ports::samples::{record_id, time};
use loci_testkit_ports::{ManualClock, SeededIds, block_on};

pub(crate) fn pages(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = fact(&memory, 1, 4, "a.rs")?;
    put(bench, &[one, fact(&other, 1, 8, "a.rs")?])?;
    let event = |number: u32, kind, record: Option<u32>| fact_event(&memory, number, kind, record);
    let events = [
        event(1, FactEventKind::Created, Some(2))?,
        event(2, FactEventKind::Retrieved, Some(2))?,
        event(3, FactEventKind::Retrieved, Some(2))?,
        event(4, FactEventKind::Deleted, Some(6))?,
        event(5, FactEventKind::RejectedStore, None)?,
        event(6, FactEventKind::VerifiedValid, None)?,
    ];
    let all = events.to_vec();
    bench.write(move |tx| tx.fact_events_mut().append(&all))?;
    let records = |after: Option<u32>, limit: usize| {
        let of = memory.clone();
        bench.read(move |tx| tx.fact_events().records(&of, after.map(record_id).transpose()?.as_ref(), limit))
    };
    let numbers =
        |numbers: &[u32]| numbers.iter().map(|number| record_id(*number)).collect::<Result<Vec<_>>>();
    same("facts, and what is told of", records(None, 9)?, numbers(&[2, 4, 6])?);
    same("at most", records(None, 2)?, numbers(&[2, 4])?);
    same("behind", records(Some(4), 9)?, numbers(&[6])?);
    let of = memory.clone();
    let counts = bench.read(move |tx| tx.fact_events().counts(&of, &record_id(2)?))?;
    same("counted", counts, vec![(FactEventKind::Created, 1), (FactEventKind::Retrieved, 2)]);
    let unbound = |after: Option<String>, limit: usize| {
        let of = memory.clone();
        bench.read(move |tx| tx.fact_events().of_no_record(&of, after.as_deref(), limit))
    };
    same("of no record", unbound(None, 9)?, events[4..].to_vec());
    same("the first", unbound(None, 1)?, events[4..5].to_vec());
    same("behind it", unbound(events.get(4).map(|event| event.id.clone()), 9)?, events[5..].to_vec());
    let of = memory.clone();
    let kept = bench.write(move |tx| {
        let kept = [
            kept_verdict(2, object(1), 30)?,
            kept_verdict(2, object(2), 20)?,
            kept_verdict(4, object(1), 10)?,
        ];
        tx.verdicts_mut().put(&of, &kept)?;
        tx.verdicts().of_record(&of, &record_id(2)?)
    })?;
    same("kept, by time", kept.iter().map(|kept| kept.at).collect(), vec![time(20), time(30)]);
    Ok(())
}

/// Returns a fact as stored, without history.
fn plain(memory: &MemoryId, number: u32) -> Result<Fact> {
    let mut one = Fact { counters: FactCounters::default(), ..fact(memory, 1, number, "a.rs")? };
    one.detail.gone = None;
    one.detail.invalidated = None;
    Ok(one)
}

fn row(memory: &MemoryId, number: u32, kind: FactEventKind, cause: Option<&str>) -> Result<FactEvent> {
    let event = fact_event(memory, 100 + number, kind, Some(number / 10))?;
    Ok(FactEvent { cause: cause.map(str::to_owned), details: None, ..event })
}

/// Writes two facts with consistent rows.
fn stored(bench: &Bench, memory: &MemoryId) -> Result<()> {
    put(bench, &[plain(memory, 1)?, plain(memory, 2)?])?;
    let created = FactEventKind::Created;
    let rows = [row(memory, 10, created, Some("active"))?, row(memory, 20, created, Some("active"))?];
    bench.write(move |tx| tx.fact_events_mut().append(&rows))
}

/// A state that no write of the engine creates.
type Plant = fn(&mut dyn Tx, &MemoryId) -> Result<()>;

const PLANTS: &[(TelemetryRule, &str, Plant)] = &[
    (TelemetryRule::T1, "a state without its row", |tx, memory| {
        tx.facts_mut().put(&Fact { status: RecordState::Expired, ..plain(memory, 1)? })
    }),
    (TelemetryRule::T1, "a row without its state", |tx, memory| {
        tx.fact_events_mut().append(&[row(memory, 11, FactEventKind::Quarantined, None)?])
    }),
    (TelemetryRule::T1, "a use that is counted, and not told", |tx, memory| {
        let mut one = plain(memory, 1)?;
        one.counters.applied = 1;
        tx.facts_mut().put(&one)
    }),
    (TelemetryRule::T1, "a confirmation that is told, and not counted", |tx, memory| {
        tx.fact_events_mut().append(&[row(memory, 11, FactEventKind::Refreshed, Some("refresh"))?])
    }),
    (TelemetryRule::T1, "a fact of which nothing is told", |tx, memory| {
        tx.records_mut().insert(&loci_testkit_ports::samples::record(memory, 3, "the answer is 42")?)?;
        tx.facts_mut().put(&plain(memory, 3)?)
    }),
    (TelemetryRule::T2, "returned without a row", |tx, memory| {
        tx.facts_mut().count_retrieved(memory, &[record_id(1)?])
    }),
    (TelemetryRule::T2, "a row without a return", |tx, memory| {
        tx.fact_events_mut().append(&[row(memory, 11, FactEventKind::Retrieved, None)?])
    }),
    (TelemetryRule::T3, "a verification without its row", |tx, memory| {
        tx.verdicts_mut().put(memory, &[kept_verdict(1, object(3), 50)?])
    }),
    (TelemetryRule::T3, "a row of another verdict", |tx, memory| {
        let wrong = row(memory, 11, FactEventKind::VerifiedValid, None)?;
        tx.fact_events_mut().append(&[FactEvent { verdict: Some(Verdict::Unverifiable), ..wrong }])
    }),
    (TelemetryRule::T3, "a verification that was not made, without its reason", |tx, memory| {
        let skipped = row(memory, 11, FactEventKind::VerificationSkipped, None)?;
        tx.fact_events_mut().append(&[FactEvent { verdict: Some(Verdict::Unverifiable), ..skipped }])
    }),
    (TelemetryRule::T4, "a place given to one that did not take it", |tx, memory| {
        let by = format!("{{\"by\":\"{}\"}}", record_id(2)?);
        let gone = row(memory, 11, FactEventKind::Superseded, None)?;
        let details = Some(loci_model::Document::parse(&by)?);
        superseded(tx, memory)?;
        tx.fact_events_mut().append(&[FactEvent { details, at: time(9_999), ..gone }])
    }),
    (TelemetryRule::T5, "created twice", |tx, memory| {
        tx.fact_events_mut().append(&[row(memory, 11, FactEventKind::Created, Some("active"))?])
    }),
    (TelemetryRule::T5, "a refusal without its reason", |tx, memory| {
        let refused = row(memory, 11, FactEventKind::RejectedStore, None)?;
        tx.fact_events_mut().append(&[FactEvent { record: None, ..refused }])
    }),
    (TelemetryRule::T6, "declared wrong, and not told", |tx, memory| {
        let mut one = plain(memory, 1)?;
        one.detail.invalidated = Some(("ann".to_owned(), time(77)));
        tx.facts_mut().put(&one)
    }),
    (TelemetryRule::T7, "gone without a row", |tx, memory| {
        tx.fact_events_mut().append(&[row(memory, 71, FactEventKind::Retrieved, None)?])
    }),
    (TelemetryRule::T7, "gone with words left", |tx, memory| {
        let details = Some(loci_model::Document::parse("{\"subject\":\"a secret\"}")?);
        let gone = row(memory, 71, FactEventKind::Deleted, Some("erased"))?;
        tx.fact_events_mut().append(&[FactEvent { details, ..gone }])
    }),
];

/// Makes the first fact and its record superseded.
fn superseded(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let state = RecordState::Superseded;
    let change = loci_model::ports::store::RecordChange { state, reason: "planted".to_owned(), at: time(90) };
    tx.records_mut().set_state(memory, &record_id(1)?, &change)?;
    tx.facts_mut().put(&Fact { status: state, ..plain(memory, 1)? })
}

pub(crate) fn planted(bench: &Bench) -> Result<()> {
    let parts = EngineParts::quiet(
        bench.store.clone(),
        None,
        Arc::new(ManualClock::default()),
        Arc::new(SeededIds::new(1)),
        Arc::new(OpenVault),
    );
    let engine = Loci::new(parts, EngineSettings::default());
    let caller = Principal::administrator("doctor");
    for (number, (rule, what, plant)) in PLANTS.iter().enumerate() {
        let memory = bench.memory(&format!("memory{number}"))?;
        stored(bench, &memory)?;
        let clean = block_on(engine.verified.telemetry_check(&caller, &memory))?;
        same(what, (clean.records, clean.violations.len()), (2, 0));
        let of = memory.clone();
        let plant = *plant;
        bench.write(move |tx| plant(tx, &of))?;
        let report = block_on(engine.verified.telemetry_check(&caller, &memory))?;
        let rules: BTreeSet<TelemetryRule> = report.violations.iter().map(|one| one.rule).collect();
        same(what, rules, BTreeSet::from([*rule]));
        let named = |one: &loci_verified::TelemetryViolation| one.record.is_some() || one.event.is_some();
        same(what, report.violations.iter().all(named), true);
    }
    Ok(())
}
