//! Fills a store with data of every kind through the ports, for tests that move or compare whole
//! stores.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::event::{Branch, Event, PayloadItem, Role, RunPlace};
use loci_model::facts::fact::FactEventKind;
use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::job::exchange::{Exchange, StoredReply, Usage};
use loci_model::job::{DueRule, JobKind, JobMessage, JobWindow, NewJob};
use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::memory::Memory;
use loci_model::ports::store::{
    Confirmation, DeliveryClaim, DeliveryOutcome, JobFailure, PassageVector, RecordChange, Store, StoreExt,
    SupersedeChange, Tx,
};
use loci_model::principal::key::AccessKey;
use loci_model::principal::{Grant, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::Source;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{
    AccessKeyId, ActorId, BranchName, DeliveryId, Document, EventId, JobId, MemoryId, Namespace, Result,
    SessionId, StrategyId,
};

use crate::documents::parked_objects::object;
use loci_testkit_ports::exposure_samples;
use loci_testkit_ports::fact_samples;
use loci_testkit_ports::samples::{self, time};
use loci_testkit_ports::task_samples;

/// Writes a memory with that name and data of every kind, and a key and a token of the server.
///
/// # Errors
/// Errors of the store.
pub fn fill(store: &Arc<dyn Store>, name: &str) -> Result<MemoryId> {
    let memory = Memory {
        description: Some("has \"everything\" \u{1F600}".into()),
        stream: Some(Document::parse(r#"{"b":1.50,"a":[1,null]}"#)?),
        tags: BTreeMap::from([("team".to_owned(), "a".to_owned())]),
        ..samples::memory(name)?
    };
    let (id, name) = (memory.id.clone(), name.to_owned());
    let place = id.clone();
    loci_testkit_ports::block_on(store.write(move |tx| {
        tx.memories_mut().insert(&memory)?;
        events(tx, &place)?;
        records(tx, &place)?;
        facts(tx, &place)?;
        for number in [2, 1, 3] {
            tx.tasks_mut().put(&task_samples::task(&place, number)?)?;
            tx.exposures_mut().put(&exposure_samples::exposure(&place, number)?)?;
            tx.commits_mut().put(&task_samples::commit(&place, number)?)?;
            tx.prompts_mut().put(&task_samples::prompt(&place, number)?)?;
            // A shelf whose entries imports keep unchanged.
            let entry = LedgerEntry { shelf: Shelf::PROGRESS, ..task_samples::entry(&place, number)? };
            tx.ledger_mut().put(&entry)?;
            tx.parked_mut().put(&object(&place, &format!("o{number}"), &[0, 255], 99))?;
            tx.task_sessions_mut().put(&task_samples::session(&place, number)?)?;
            tx.task_sessions_mut().put_item(&task_samples::session_item(&place, number, 2)?)?;
        }
        jobs(tx, &place)?;
        exchanges(tx, &place)?;
        deliveries(tx, &place)?;
        tokens(tx, place.as_str(), 3)?;
        tokens(tx, "server", 2)?;
        keys(tx, &name)
    }))?;
    Ok(id)
}

/// Writes `count` records in addition to those of [`fill`].
///
/// # Errors
/// Errors of the store.
pub fn more_records(store: &Arc<dyn Store>, memory: &MemoryId, count: u32) -> Result<()> {
    for first in (0..count).step_by(500) {
        let memory = memory.clone();
        loci_testkit_ports::block_on(store.write(move |tx| {
            for number in first..count.min(first + 500) {
                let text = format!("The {number}th thing that Ann said about lake {}", number % 97);
                tx.records_mut().insert(&samples::record(&memory, 1_000 + number, &text)?)?;
            }
            Ok(())
        }))?;
    }
    Ok(())
}

fn events(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let (ann, s1) = (ActorId::parse("ann")?, SessionId::parse("s1")?);
    for number in 1..=7 {
        let mut event = samples::event(memory, "ann", "s1", number)?;
        event.metadata = BTreeMap::from([("n".to_owned(), number.to_string())]);
        tx.events_mut().insert(&event)?;
    }
    let side = Branch { name: BranchName::parse("side")?, root: Some(EventId::compose(time(2).millis(), 0)) };
    tx.events_mut().insert_branch(memory, &ann, &s1, &side)?;
    let run = RunPlace { run: "r\"1".into(), first: 1, last: 2 };
    tx.events_mut().insert(&Event {
        branch: side,
        run: Some(run.clone()),
        payload: vec![
            PayloadItem::Conversational { role: Role::Tool, text: "a\0b \u{1F600}".into() },
            PayloadItem::Json(Document::parse(r#"{"x":1.50,"y":"\u0000"}"#)?),
            PayloadItem::Blob(Document::parse("1e400")?),
        ],
        ..samples::event(memory, "ann", "s1", 20)?
    })?;
    tx.events_mut().note_turns(memory, &ann, &s1, &run.run, &[(1, "d1".into()), (2, "d2".into())])?;
    tx.events_mut().note_turns(memory, &ann, &s1, "r2", &[(u64::from(u32::MAX), "d3".into())])?;
    // An event of an unlisted session; then one that is deleted, and one that is swept.
    tx.events_mut().insert(&Event { hidden: true, ..samples::event(memory, "bob", "quiet", 30)? })?;
    let gone = EventId::compose(time(3).millis(), 0);
    tx.events_mut().delete(memory, &ann, &s1, &gone, time(40))?;
    let old = Event { expires: time(9), ..samples::event(memory, "bob", "s2", 8)? };
    tx.events_mut().insert(&old)?;
    tx.events_mut().sweep(time(10), 9)?;
    tx.events_mut().set_progress(memory, &StrategyId::parse("facts")?, &ann, &s1, 5)?;
    tx.events_mut().set_progress(memory, &StrategyId::parse("prefs")?, &ann, &s1, 2)
}

fn records(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let event = samples::event(memory, "ann", "s1", 1)?;
    let mut turn = samples::turn(&event, 1)?;
    turn.trust = 0.1 + 0.2;
    turn.metadata = BTreeMap::from([
        ("third".to_owned(), MetadataValue::Number(1.0 / 3.0)),
        ("tiny".to_owned(), MetadataValue::Number(5.123_456_789_012_345e-17)),
        ("list".to_owned(), MetadataValue::StringList(vec!["a".into(), "b\0".into()])),
    ]);
    tx.records_mut().insert(&turn)?;
    for number in 2..=6 {
        let text = format!("Ann went to lake number {number}");
        tx.records_mut().insert(&samples::record(memory, number, &text)?)?;
    }
    let words: Vec<String> = (0..300).map(|number| format!("word{number}")).collect();
    tx.records_mut().insert(&Record {
        kind: RecordKind::Document,
        path: Some("docs/a.md".into()),
        namespace: Namespace::parse("docs//of/ann")?,
        strategy: None,
        expires_at: Some(time(9_999)),
        expiry_days: Some(3),
        ..samples::record(memory, 7, &words.join(" "))?
    })?;
    versions_and_states(tx, memory)?;
    vectors(tx, memory)
}

fn versions_and_states(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let second =
        Record { version: 2, updated_at: time(50), ..samples::record(memory, 2, "Ann went to Oslo")? };
    tx.records_mut().put_version(&second)?;
    let third = Record { version: 3, updated_at: time(60), text: "Ann went to Rome".into(), ..second };
    tx.records_mut().put_version(&third)?;
    let by = SupersedeChange {
        by: samples::record_id(4)?,
        reason: "newer".into(),
        valid_to: time(70),
        at: time(71),
    };
    tx.records_mut().supersede(memory, &samples::record_id(3)?, &by)?;
    let change = |state, at| RecordChange { state, reason: "asked \"for\"".into(), at: time(at) };
    let deleted = change(RecordState::Erased, 80);
    tx.records_mut().set_state(memory, &samples::record_id(5)?, &deleted)?;
    tx.records_mut().erase_deleted(memory, time(90), 0, 9)?;
    tx.records_mut().set_state(memory, &samples::record_id(6)?, &change(RecordState::Quarantined, 81))?;
    tx.records_mut().set_state(memory, &samples::record_id(6)?, &change(RecordState::Erased, 82))?;
    let confirmed = Source { event: EventId::compose(time(2).millis(), 0), message: 0, part: 0 };
    let confirmation = Confirmation { sources: &[confirmed], stated_at: time(82), run: None, at: time(83) };
    tx.records_mut().confirm(memory, &samples::record_id(4)?, &confirmation)?;
    for (number, from, to) in
        [(3, None, RecordState::Active), (3, Some(RecordState::Active), RecordState::Superseded)]
    {
        tx.telemetry_mut().append(&StateChange {
            memory: memory.clone(),
            record: samples::record_id(number)?,
            version: 1,
            from,
            to,
            reason: "because".into(),
            by: "loci".into(),
            at: time(71),
        })?;
    }
    Ok(())
}

/// Writes two facts, one of them moved, an erased one, and their events.
fn facts(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    for (number, key) in [(2, "acme/b"), (1, "acme/a")] {
        tx.repositories_mut().put(&fact_samples::repository(memory, number, key)?)?;
    }
    for number in [2, 1] {
        let mut fact = fact_samples::fact(memory, 1, number, "src/lib.rs")?;
        fact.counters.retrieved = 7;
        fact.counters.retrieved_swept = 5;
        for citation in &mut fact.detail.citations {
            citation.earlier_paths.push(format!("old/{number}.rs"));
        }
        tx.facts_mut().put(&fact)?;
    }
    let kinds = [
        FactEventKind::Retrieved,
        FactEventKind::Created,
        FactEventKind::RejectedStore,
        FactEventKind::Applied,
    ];
    for (number, kind) in (1..).zip(kinds) {
        let record = Some(number).filter(|number| *number < 3);
        let mut event = fact_samples::fact_event(memory, number, kind, record)?;
        event.cause = Some("wh\0y".into());
        tx.fact_events_mut().append(&[event])?;
    }
    tx.verdicts_mut().put(memory, &[fact_samples::kept_verdict(1, fact_samples::object(1), 1)?])
}

fn vectors(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    // Records with vectors of one model for all passages, of two models, and for one of several
    // passages.
    for (number, version, part, model) in
        [(1, 1, 0, "m"), (2, 3, 0, "m"), (4, 1, 0, "n"), (7, 1, 0, "m"), (7, 1, 1, "n")]
    {
        let seed = number * 31 + part;
        let vector = (0..16).map(|at| ((at * 37 + seed * 101) % 251) as f32 / 251.0 - 0.5).collect();
        let record = samples::record_id(number)?;
        let row = PassageVector { record, version, part, model: model.to_owned(), vector };
        tx.records_mut().put_vectors(memory, &[row])?;
    }
    Ok(())
}

fn new_job(memory: &MemoryId, id: &str, key: &str, due: i64) -> Result<NewJob> {
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

/// Writes jobs: one done, one failed, one waiting, one running that was requested again, one
/// pending.
fn jobs(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let own = [memory.clone()];
    let window = JobWindow { from: 1, to: 5, notice: Some("n".into()), opened_at: time(3) };
    for (place, id) in (1_i64..).zip(["job-done", "job-failed", "job-waits", "job-runs"]) {
        tx.jobs_mut().enqueue(&new_job(memory, id, id, place)?, time(0))?;
        let claimed = tx.jobs_mut().claim("host", &own, time(10), 60_000)?.map(|job| job.id);
        let id = claimed.unwrap_or(JobId::parse(id)?);
        tx.jobs_mut().set_window(memory, &id, "host", Some(&window))?;
        match place {
            1 => tx.jobs_mut().finish(memory, &id, "host", None, time(11))?,
            2 => {
                let message = JobMessage { event: EventId::compose(time(1).millis(), 0), message: 0 };
                let failure = JobFailure {
                    reason: "model_error: it\0 said \"no\"".into(),
                    messages: vec![message],
                    retry_at: None,
                    fallback: true,
                    at: time(12),
                };
                tx.jobs_mut().fail(memory, &id, "host", &failure)?
            }
            3 => tx.jobs_mut().wait(memory, &id, "host", time(13))?,
            _ => {
                tx.jobs_mut().enqueue(&new_job(memory, "job-again", "job-runs", 500)?, time(14))?;
                true
            }
        };
    }
    tx.jobs_mut().enqueue(&new_job(memory, "job-pending", "job-pending", 600)?, time(15))?;
    Ok(())
}

fn exchanges(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    // The order differs from that of the ids.
    for number in [9, 3, 5, 4] {
        tx.exchanges_mut().insert(&Exchange {
            model: Some("gpt".into()),
            ..samples::exchange(memory, "job-waits", number)?
        })?;
    }
    let id = |number| samples::exchange(memory, "job-waits", number).map(|exchange| exchange.id);
    let reply = StoredReply {
        text: "[\"yes\"]".into(),
        model: Some("gpt-1".into()),
        usage: Usage { input_tokens: 7, output_tokens: 1 },
    };
    tx.exchanges_mut().answer(memory, &id(3)?, &reply)?;
    tx.exchanges_mut().lease(memory, &id(5)?, "agent", time(20), time(30))?;
    tx.exchanges_mut().fail(memory, &id(4)?, Some("no\0body"))?;
    Ok(())
}

fn deliveries(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    // The order differs from that of the ids.
    for (id, direction) in [
        ("d9", DeliveryDirection::Out),
        ("d1", DeliveryDirection::Out),
        ("d5", DeliveryDirection::Out),
        ("d5", DeliveryDirection::In),
    ] {
        tx.deliveries_mut().insert(&Delivery {
            id: DeliveryId::parse(id)?,
            memory: memory.clone(),
            direction,
            target: "hook".into(),
            order_key: memory.to_string(),
            body: Document::parse(r#"{"say":1.0}"#)?,
            state: DeliveryState::Pending,
            attempts: 0,
            due: time(1),
            last_error: None,
            created_at: time(1),
        })?;
    }
    let out = DeliveryDirection::Out;
    let claim =
        DeliveryClaim { direction: out, target: "hook", holder: "host", now: time(5), until: time(60) };
    tx.deliveries_mut().claim(&claim, 9)?;
    let outcome = DeliveryOutcome { state: DeliveryState::Failed, due: time(6), error: Some("re\0fused") };
    tx.deliveries_mut().set_state(memory, out, &DeliveryId::parse("d9")?, "host", &outcome)?;
    Ok(())
}

fn tokens(tx: &mut dyn Tx, place: &str, count: i64) -> Result<()> {
    for number in 0..count {
        let scope = TokenScope {
            place: place.to_owned(),
            operation: "CreateEvent".into(),
            token: format!("t{number}"),
        };
        let answer = TokenAnswer {
            parameters: format!("0123{number}"),
            answer: Document::parse(r#"{"id":1.50}"#)?,
            expires: time(5_000 + number),
        };
        tx.idempotency_mut().put(&scope, &answer)?;
    }
    Ok(())
}

fn keys(tx: &mut dyn Tx, name: &str) -> Result<()> {
    tx.keys_mut().insert(&AccessKey {
        id: AccessKeyId::parse(format!("LOCI{:0>12}", name.to_uppercase()))?,
        principal: Principal {
            name: name.to_owned(),
            grants: vec![Grant { capabilities: BTreeSet::new(), ..Grant::everything() }],
        },
        secret_sealed: [&b"sealed:"[..], &[1, 2, 255]].concat(),
        token_digest: format!("digest of {name}"),
        created_at: time(1),
        rotated_at: Some(time(2)),
        revoked_at: None,
    })
}
