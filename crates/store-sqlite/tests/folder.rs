//! The data folder: its access, its schema, its host, a full disk, backup and restore.
#![expect(clippy::unwrap_used, reason = "a failure of the folder under test is the test's failure")]

use std::path::Path;
use std::sync::Arc;

use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::scope::RecordScope;
use loci_model::trees::mirror::{MirrorReport, MirrorState};
use loci_model::trees::tree_entry::owner_of;
use loci_model::{ErrorKind, MemoryId};
use loci_store_sqlite::{SqliteOptions, SqliteStore, restore};
use loci_testkit_ports::{block_on, samples};

fn open(folder: &Path) -> Arc<dyn Store> {
    SqliteStore::open(SqliteOptions::new(folder)).unwrap()
}

/// Writes a memory of `count` records.
fn fill(store: &Arc<dyn Store>, count: u32) -> MemoryId {
    let memory = samples::memory("notes").unwrap();
    let id = memory.id.clone();
    block_on(store.write(move |tx| {
        tx.memories_mut().insert(&memory)?;
        (1..=count).try_for_each(|number| {
            tx.records_mut().insert(&samples::record(&memory.id, number, "a text to find")?).map(|_| ())
        })
    }))
    .unwrap();
    id
}

fn count(store: &Arc<dyn Store>, memory: &MemoryId) -> u64 {
    let scope = RecordScope::whole(memory.clone(), samples::time(9_999));
    block_on(store.read(move |tx| tx.records().count(&scope))).unwrap()
}

#[test]
#[cfg(unix)]
fn only_the_owner_may_look() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("deep/data");
    let store = open(&folder);
    fill(&store, 1);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

/// The file locks of a process are released when any handle of the file is closed. A process that
/// opens a folder twice must not lose those that SQLite holds for the first store, because another
/// process could then remove its log.
#[test]
#[cfg(target_os = "linux")]
fn a_second_store_leaves_the_locks_of_the_first() {
    use std::os::unix::fs::MetadataExt;
    let place = tempfile::tempdir().unwrap();
    let first = open(place.path());
    let memory = fill(&first, 1);
    let inode = std::fs::metadata(place.path().join("loci.db")).unwrap().ino().to_string();
    let locks = || {
        let all = std::fs::read_to_string("/proc/locks").unwrap();
        let of_file = |line: &&str| line.contains("POSIX") && line.contains(&format!(":{inode} "));
        all.lines().filter(of_file).count()
    };
    let held = locks();
    assert!(held > 0, "SQLite holds a lock while the database is open");
    let refused = restore(Path::new("/nowhere"), place.path(), false);
    assert!(refused.is_err());
    assert!(SqliteStore::open(SqliteOptions::new(place.path())).is_ok());
    assert_eq!((locks(), count(&first, &memory)), (held, 1));
}

#[test]
fn a_newer_schema_is_refused() {
    let place = tempfile::tempdir().unwrap();
    drop(open(place.path()));
    let connection = rusqlite::Connection::open(place.path().join("loci.db")).unwrap();
    connection.pragma_update(None, "user_version", 1_000).unwrap();
    let error = SqliteStore::open(SqliteOptions::new(place.path())).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("upgrade loci"), "{}", error.message);
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("loci.db"), "not a database at all, but long enough to look".repeat(50))
        .unwrap();
    let error = SqliteStore::open(SqliteOptions::new(place.path())).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("restore a backup"), "{}", error.message);
}

#[test]
fn one_host_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let (one, two) = (open(place.path()), open(place.path()));
    assert!(one.try_host().unwrap());
    assert!(one.try_host().unwrap());
    assert!(!two.try_host().unwrap());
    one.release_host();
    assert!(two.try_host().unwrap());
    drop(two);
    assert!(one.try_host().unwrap());
    assert!(block_on(one.info(true)).unwrap().is_host);
}

#[test]
fn a_full_disk_writes_nothing_and_spares_the_rest() {
    let place = tempfile::tempdir().unwrap();
    let options = SqliteOptions { file_bytes_max: Some(600_000), ..SqliteOptions::new(place.path()) };
    let store: Arc<dyn Store> = SqliteStore::open(options).unwrap();
    let memory = fill(&store, 5);
    let place_of = memory.clone();
    let big = "x".repeat(2_000_000);
    let error = block_on(store.write(move |tx| {
        tx.records_mut().insert(&samples::record(&place_of, 100, "small")?)?;
        tx.records_mut().insert(&samples::record(&place_of, 101, &big)?)
    }))
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("disk"), "{}", error.message);
    assert_eq!(count(&store, &memory), 5);
    // Writes that fit succeed as before.
    let place_of = memory.clone();
    block_on(store.write(move |tx| tx.records_mut().insert(&samples::record(&place_of, 102, "small")?)))
        .unwrap();
    assert_eq!(count(&store, &memory), 6);
}

#[test]
fn a_write_that_panics_leaves_nothing_and_the_next_one_works() {
    let place = tempfile::tempdir().unwrap();
    let store = open(place.path());
    let memory = fill(&store, 1);
    let place_of = memory.clone();
    let panicked: loci_model::Result<()> = block_on(store.write(move |tx| {
        tx.records_mut().insert(&samples::record(&place_of, 2, "lost")?)?;
        panic!("a bug in a closure");
    }));
    assert_eq!(panicked.unwrap_err().kind, ErrorKind::Bug);
    assert_eq!(count(&store, &memory), 1);
    let read: loci_model::Result<()> = block_on(store.read(|_| panic!("a bug in a read")));
    assert_eq!(read.unwrap_err().kind, ErrorKind::Bug);
    assert_eq!(count(&store, &memory), 1);
}

#[test]
fn a_backup_holds_what_was_written_and_nothing_erased() {
    let place = tempfile::tempdir().unwrap();
    let store = open(&place.path().join("data"));
    let memory = fill(&store, 3);
    let secret = "the-secret-word-that-must-go";
    let place_of = memory.clone();
    block_on(store.write(move |tx| {
        tx.records_mut().insert(&samples::record(&place_of, 9, secret)?)?;
        let change = loci_model::ports::store::RecordChange {
            state: loci_model::record::RecordState::Erased,
            reason: "asked".into(),
            at: samples::time(1),
        };
        tx.records_mut().set_state(&place_of, &samples::record_id(9)?, &change)?;
        tx.records_mut().erase_deleted(&place_of, samples::time(2), 0, 9).map(drop)
    }))
    .unwrap();
    let path = place.path().join("backup.db");
    let report = block_on(store.backup(path.clone())).unwrap();
    assert_eq!(report.bytes, std::fs::metadata(&path).unwrap().len());
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    assert_eq!(block_on(store.backup(path.clone())).unwrap_err().kind, ErrorKind::Conflict);
    for name in ["data/loci.db-copy", "data/loci.db"] {
        let error = block_on(store.backup(place.path().join(name))).unwrap_err();
        assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("path")), "{name}");
    }
    assert!(!place.path().join("data/loci.db-copy").exists());
    let leftovers = std::fs::read_dir(place.path()).unwrap().count();
    assert_eq!(leftovers, 2, "the folder and the backup, nothing partial");

    let other = place.path().join("other");
    restore(&path, &other, false).unwrap();
    let restored = open(&other);
    assert_eq!(count(&restored, &memory), 3);
    let identity = |store: &Arc<dyn Store>| block_on(store.read(|tx| tx.memories().identity_of_store()));
    assert_eq!(identity(&store).unwrap(), identity(&store).unwrap());
    assert_ne!(identity(&store).unwrap(), identity(&restored).unwrap());
    assert_eq!(restore(&path, &other, true).unwrap_err().kind, ErrorKind::Conflict, "in use");
    drop(restored);
    assert_eq!(restore(&path, &other, false).unwrap_err().kind, ErrorKind::Conflict, "holds data");
    restore(&path, &other, true).unwrap();
    assert_eq!(count(&open(&other), &memory), 3);
}

#[test]
fn what_was_agreed_on_with_mirrors_is_of_another_store_behind_a_restore() {
    let place = tempfile::tempdir().unwrap();
    let store = open(&place.path().join("data"));
    let memory = fill(&store, 1);
    // An earlier version stored no identity.
    for known in [None, Some(block_on(store.read(|tx| tx.memories().identity_of_store())).unwrap())] {
        let state = MirrorState {
            memory: memory.clone(),
            mirror: "team".to_owned(),
            is_started: true,
            syncs: 7,
            laid: None,
            holder: Some("here".to_owned()),
            outdated_by: 2,
            renewed_to: 2,
            store: known.clone(),
            joined: None,
            rendered: None,
            report: MirrorReport::default(),
            at: samples::time(1),
            actor: owner_of(None).unwrap(),
        };
        let put = state.clone();
        block_on(store.write(move |tx| tx.ledger_mut().put_noun(&put))).unwrap();
        let name = if known.is_some() { "new" } else { "old" };
        let (backup, folder) = (place.path().join(format!("{name}.db")), place.path().join(name));
        block_on(store.backup(backup.clone())).unwrap();
        restore(&backup, &folder, false).unwrap();
        let of = memory.clone();
        let read = block_on(open(&folder).read(move |tx| {
            let state = tx.ledger().noun::<MirrorState>(&of, "team")?;
            Ok((state, tx.memories().identity_of_store()?))
        }));
        let (found, identity) = read.unwrap();
        let found = found.unwrap();
        assert!(found.is_of_other_store(&identity), "{found:?}");
        assert_eq!(MirrorState { store: known, ..found }, state);
    }
}

#[test]
fn a_damaged_backup_is_refused_before_anything_is_touched() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let store = open(&data);
    let memory = fill(&store, 500);
    let path = place.path().join("backup.db");
    block_on(store.backup(path.clone())).unwrap();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..half + 8_192].fill(0xaa);
    let damaged = place.path().join("damaged.db");
    std::fs::write(&damaged, bytes).unwrap();
    std::fs::write(place.path().join("text.db"), "hello").unwrap();
    for bad in [damaged, place.path().join("text.db"), place.path().join("nothing.db")] {
        assert!(restore(&bad, &data, true).is_err(), "{}", bad.display());
    }
    assert_eq!(count(&open(&data), &memory), 500);
}

#[test]
fn the_last_handle_may_be_dropped_by_a_write() {
    let place = tempfile::tempdir().unwrap();
    let store = open(place.path());
    let memory = fill(&store, 1);
    let held = Arc::clone(&store);
    let (started, wait) = std::sync::mpsc::channel::<()>();
    let write = store.write_boxed(Box::new(move |_| {
        // Runs only after all other references to the store are dropped.
        let _ = wait.recv();
        let _ = &held;
        Ok(())
    }));
    drop(write);
    drop(store);
    drop(started);
    assert_eq!(count(&open(place.path()), &memory), 1);
}

#[test]
fn a_purge_in_small_steps_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let store = open(place.path());
    let id = fill(&store, 20);
    let memory = id.clone();
    block_on(store.write(move |tx| {
        let mut event = samples::event(&memory, "ann", "s1", 1)?;
        event.metadata = (0..5).map(|key| (format!("key{key}"), "value".to_owned())).collect();
        tx.events_mut().insert(&event)?;
        let turns: Vec<_> = (0..9).map(|turn| (turn, "digest".to_owned())).collect();
        tx.events_mut().note_turns(&memory, &event.actor, &event.session, "run", &turns)?;
        for number in 1..=20 {
            let change = loci_model::record::telemetry::StateChange {
                memory: memory.clone(),
                record: samples::record_id(number)?,
                version: 1,
                from: None,
                to: loci_model::record::RecordState::Active,
                reason: "test".into(),
                by: "test".into(),
                at: samples::time(1),
            };
            tx.telemetry_mut().append(&change)?;
        }
        tx.memories_mut().delete(&memory, samples::time(2)).map(drop)
    }))
    .unwrap();
    let step = || {
        let memory = id.clone();
        block_on(store.write(move |tx| tx.memories_mut().purge(&memory, 7))).unwrap()
    };
    let steps = (1..100).find(|_| step());
    assert!(steps.is_some_and(|steps| (9..15).contains(&steps)), "{steps:?}");
    let database = rusqlite::Connection::open(place.path().join("loci.db")).unwrap();
    let mut tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    // The id of the database belongs to no memory.
    for table in tables.iter().filter(|table| !table.starts_with("sqlite_") && *table != "identity") {
        let sql = format!("SELECT count(*) FROM {table}");
        let rows: i64 = database.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

/// An index follows the changes after its sequence number. A memory that was purged and exists
/// again, such as after an import, starts from the beginning.
#[test]
fn who_held_the_index_of_a_memory_reads_one_of_the_same_id_anew() {
    let place = tempfile::tempdir().unwrap();
    let (here, elsewhere) = (open(place.path()), open(place.path()));
    let id = fill(&here, 3);
    let held = |store: &Arc<dyn Store>, rebuilt| block_on(store.search().info(&id, rebuilt)).unwrap();
    assert_eq!((held(&here, false).passages, held(&elsewhere, false).passages), (3, 3));
    let memory = samples::memory("notes").unwrap();
    block_on(here.write(move |tx| {
        tx.memories_mut().delete(&memory.id, samples::time(2))?;
        tx.memories_mut().purge(&memory.id, 1_000)?;
        tx.memories_mut().insert(&memory)?;
        (11..=15).try_for_each(|number| {
            tx.records_mut().insert(&samples::record(&memory.id, number, "another text")?).map(|_| ())
        })
    }))
    .unwrap();
    for store in [&here, &elsewhere] {
        assert_eq!(held(store, false).digest, held(store, true).digest);
        assert_eq!(held(store, false).passages, 5);
    }
}
