//! The conformance suite on this store.

use std::sync::{Arc, Mutex};

use loci_model::ports::store::Store;
use loci_store_sqlite::{SqliteOptions, SqliteStore};

#[test]
fn conformance() {
    let folders = Mutex::new(Vec::new());
    loci_store_conformance::run(&|| {
        let folder = tempfile::tempdir().expect("a folder");
        let store = SqliteStore::open(SqliteOptions::new(folder.path().join("data"))).expect("a store");
        folders.lock().expect("unpoisoned").push(folder);
        store as Arc<dyn Store>
    });
}
