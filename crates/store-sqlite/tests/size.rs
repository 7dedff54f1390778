//! Measures the disk space of a record of 300 bytes, with its event, token, telemetry and vector.

use std::sync::Arc;

use loci_model::Document;
use loci_model::event::{Event, PayloadItem, Role};
use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ports::ids::{IdSource, uuid4, uuid7};
use loci_model::ports::store::{Checkpoint, PassageVector, Store, StoreExt};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{EventId, Namespace, RecordId};
use loci_store_sqlite::{SqliteOptions, SqliteStore};
use loci_testkit_ports::{SeededIds, block_on, samples};

const RECORDS: u32 = 2_000;
const BYTES_MAX: u64 = 2_560;

/// Returns about 300 bytes of words.
fn text(ids: &SeededIds) -> String {
    (0..9).map(|_| uuid4(ids).replace('-', " ")).collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

#[test]
fn a_record_with_all_that_hangs_on_it() {
    let place = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteOptions::new(place.path())).unwrap();
    let store: Arc<dyn Store> = store;
    let memory = samples::memory("notes").unwrap();
    let id = memory.id.clone();
    block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
    for batch in 0..RECORDS / 50 {
        let memory = id.clone();
        block_on(store.write(move |tx| {
            for number in batch * 50..(batch + 1) * 50 {
                let ids = SeededIds::new(u64::from(number) << 32);
                let at = samples::time(i64::from(number));
                let (actor, session) = (format!("user-{}", number / 200), format!("session-{}", number / 20));
                let event = Event {
                    id: EventId::compose(at.millis(), number),
                    payload: vec![PayloadItem::Conversational { role: Role::User, text: text(&ids) }],
                    ..samples::event(&memory, &actor, &session, i64::from(number))?
                };
                tx.events_mut().insert(&event)?;
                let token = TokenScope {
                    place: memory.to_string(),
                    operation: "CreateEvent".into(),
                    token: uuid4(&ids),
                };
                let answer = TokenAnswer {
                    parameters: ids
                        .random()
                        .iter()
                        .chain(&ids.random())
                        .map(|byte| format!("{byte:02x}"))
                        .collect(),
                    answer: Document::parse(&format!(
                        "{{\"eventId\":\"{}\",\"sessionId\":\"{session}\"}}",
                        event.id
                    ))?,
                    expires: at.plus_days(1),
                };
                tx.idempotency_mut().put(&token, &answer)?;
                let record = Record {
                    id: RecordId::compose(&uuid7(&ids, at.millis()))?,
                    namespace: Namespace::parse(format!("/strategies/facts/actors/{actor}/"))?,
                    ..samples::turn(&event, number)?
                };
                tx.records_mut().insert(&record)?;
                tx.telemetry_mut().append(&StateChange {
                    memory: memory.clone(),
                    record: record.id.clone(),
                    version: 1,
                    from: None,
                    to: RecordState::Active,
                    reason: "extracted".into(),
                    by: "loci".into(),
                    at,
                })?;
                let vector = (0..384).map(|place| ((place * 37 + number) % 101) as f32 - 50.0).collect();
                let vector = PassageVector {
                    record: record.id,
                    version: 1,
                    part: 0,
                    model: "minilm-int8".into(),
                    vector,
                };
                tx.records_mut().put_vectors(&memory, &[vector])?;
            }
            Ok(())
        }))
        .unwrap();
    }
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    let each = block_on(store.info(false)).unwrap().bytes / u64::from(RECORDS);
    println!("bytes per record: {each}");
    assert!(each <= BYTES_MAX, "{each} bytes");
}
