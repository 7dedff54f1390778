//! Texts that are difficult for PostgreSQL: with zero characters, and longer than an index row.

use std::sync::Arc;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::RecordState;
use loci_model::record::telemetry::StateChange;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit_ports::{block_on, samples};

#[test]
fn zero_characters_and_long_subtypes_are_kept() {
    let server = PostgresServer::shared().expect("a server");
    let mut options =
        PostgresOptions::parse(&server.fresh_database().expect("a database")).expect("an address");
    options.partitions = 0;
    let store = PostgresStore::open(options).expect("a store") as Arc<dyn Store>;
    let memory = samples::memory("texts").expect("a memory");
    let id = memory.id.clone();
    // Nothing repeats, so that the text cannot be compressed.
    let long: String = (0x4e00..0x4e00 + 4_096).filter_map(char::from_u32).collect();
    for (number, subtype) in [(1, "a\0b".to_owned()), (2, long), (3, "\0".to_owned())] {
        let (memory, id) = (memory.clone(), id.clone());
        let found = block_on(store.write(move |tx| {
            if number == 1 {
                tx.memories_mut().insert(&memory)?;
            }
            let mut record = samples::record(&id, number, "a text")?;
            record.subtype = Some(subtype.clone());
            tx.records_mut().insert(&record)?;
            tx.telemetry_mut().append(&StateChange {
                memory: id.clone(),
                record: record.id.clone(),
                at: samples::time(1),
                version: 1,
                from: Some(RecordState::Active),
                to: RecordState::Quarantined,
                reason: "a\0reason".to_owned(),
                by: "\0".to_owned(),
            })?;
            let found =
                tx.records().with_subtype(&id, record.strategy.as_ref(), &record.namespace, &subtype)?;
            Ok(found.into_iter().map(|found| found.id == record.id).collect::<Vec<_>>())
        }));
        assert_eq!(found.expect("a write"), [true], "{number}");
    }
    let named = block_on(store.read(|tx| tx.memories().by_name("tex\0ts"))).expect("a read");
    assert_eq!(named, None);
}
