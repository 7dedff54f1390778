//! Moves all data of a folder into another one, interrupted at every write.

use std::sync::{Arc, Mutex};

use loci_model::ErrorKind;
use loci_model::ports::store::Store;
use loci_store_sqlite::{SqliteOptions, SqliteStore};

#[test]
fn into_another_folder_and_back() {
    let folders = Mutex::new(Vec::new());
    let open = || {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(SqliteOptions::new(folder.path().join("data"))).unwrap();
        folders.lock().unwrap().push(folder);
        store as Arc<dyn Store>
    };
    loci_engine_testkit::store_transfer::run(&open, &open).unwrap();
}

#[test]
fn what_is_no_store_is_not_made_into_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    let existing = || SqliteOptions { existing_only: true, ..SqliteOptions::new(&folder) };
    let refused = || SqliteStore::open(existing()).map(drop).unwrap_err();
    assert_eq!(refused().kind, ErrorKind::NotFound);
    assert!(!folder.exists());
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("loci.db"), "").unwrap();
    assert!(refused().message.contains("no data folder"), "{}", refused().message);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing beside what was there");
    drop(SqliteStore::open(SqliteOptions::new(&folder)).unwrap());
    assert!(SqliteStore::open(existing()).is_ok());
}
