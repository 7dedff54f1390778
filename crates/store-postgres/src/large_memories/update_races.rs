//! Tests of a passage update that runs concurrently with the deletion of the memory.

use std::sync::Arc;
use std::thread;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::ports::store::{Store, StoreExt};
use loci_testkit_ports::{block_on, samples};

use super::follow::{Progress, share};
use crate::PostgresStore;
use crate::connection::{Connection, ConnectionParameters};
use crate::options::PostgresOptions;
use crate::tx::{Mode, PgTx};

#[test]
fn a_purge_waits_for_who_writes_passages() {
    let server = PostgresServer::shared().unwrap();
    let url = server.fresh_database().unwrap();
    let options = PostgresOptions::parse(&url).unwrap();
    let sql = |statement: &str| {
        let database = url.rsplit('/').next().unwrap();
        server
            .sql(database, &format!("SET search_path = loci, public; {statement}"))
            .unwrap()
            .trim()
            .to_owned()
    };
    let store: Arc<dyn Store> = PostgresStore::open(options.clone()).unwrap();
    let memory = samples::memory("purged").unwrap();
    let (id, record) = (memory.id.clone(), samples::record(&memory.id, 1, "some words of a memory").unwrap());
    block_on(store.write(move |tx| {
        tx.memories_mut().insert(&memory)?;
        tx.records_mut().insert(&record).map(drop)
    }))
    .unwrap();
    let mut connection = Connection::new(ConnectionParameters::new(options).unwrap()).unwrap();
    let tx = PgTx::new(&mut connection, Mode::Write);
    assert!(matches!(share(&tx, &id, 1).unwrap(), Progress::Done(_)));
    assert_eq!(tx.rows("SELECT 1 FROM passages", &[]).unwrap().len(), 1, "written, and not committed");
    let (same, memory) = (store.clone(), id.clone());
    block_on(store.write(move |tx| tx.memories_mut().delete(&memory, samples::time(1)).map(drop))).unwrap();
    let purging = thread::spawn(move || {
        block_on(same.write(move |tx| {
            while !tx.memories_mut().purge(&id, 100)? {}
            Ok(())
        }))
        .unwrap();
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    while !purging.is_finished() && sql(waits) == "0" {}
    tx.commit().unwrap();
    purging.join().unwrap();
    for table in ["passages", "term_counts", "great", "memories"] {
        assert_eq!(sql(&format!("SELECT count(*) FROM {table}")), "0", "{table}");
    }
}
