//! Moves all data of a folder into a database and back, and from one database to another,
//! interrupted at every write.
#![expect(clippy::unwrap_used, reason = "a failure of the stores under test is the test's failure")]

use std::sync::{Arc, Mutex};

use loci_engine_testkit::postgres::PostgresServer;
use loci_engine_testkit::test_location::TestLocation;
use loci_model::ErrorKind;
use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};

fn database(server: &PostgresServer) -> Arc<dyn Store> {
    let options = PostgresOptions::parse(&server.fresh_database().unwrap()).unwrap();
    PostgresStore::open(options).unwrap()
}

#[test]
fn from_a_folder_and_back() {
    let server = PostgresServer::shared().unwrap();
    let places = Mutex::new(Vec::new());
    let folder = || {
        let place = TestLocation::sqlite().unwrap();
        let store = place.open().unwrap();
        places.lock().unwrap().push(place);
        store
    };
    loci_engine_testkit::store_transfer::run(&folder, &|| database(server)).unwrap();
}

#[test]
fn from_a_database_and_back() {
    let server = PostgresServer::shared().unwrap();
    loci_engine_testkit::store_transfer::run(&|| database(server), &|| database(server)).unwrap();
}

#[test]
fn what_is_no_store_is_not_made_into_one() {
    let server = PostgresServer::shared().unwrap();
    let url = server.fresh_database().unwrap();
    let open = |existing_only| {
        let mut options = PostgresOptions::parse(&format!("{url}?schema=mistyped&partitions=1")).unwrap();
        options.existing_only = existing_only;
        PostgresStore::open(options).map(drop)
    };
    let refused = open(true).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NotFound);
    assert!(refused.message.contains("mistyped"), "{}", refused.message);
    let database = url.rsplit('/').next().unwrap();
    let count = "SELECT count(*) FROM pg_namespace WHERE nspname = 'mistyped'";
    assert_eq!(server.sql(database, count).unwrap().trim(), "0");
    open(false).unwrap();
    open(true).unwrap();
}
