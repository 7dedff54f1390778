//! Snapshots of indexes in the data folder: used at the next start, never outdated, and removed
//! when their contents are erased.
#![expect(clippy::unwrap_used, reason = "a failure of the folder under test is the test's failure")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_model::MemoryId;
use loci_model::ports::search::IndexInfo;
use loci_model::ports::store::{Checkpoint, RecordChange, SnapshotFiles, Store, StoreExt};
use loci_model::record::RecordState;
use loci_store_sqlite::{SqliteOptions, SqliteStore, restore};
use loci_testkit_ports::{block_on, samples};

const RECORDS: u32 = 30;

fn open(folder: &Path) -> Arc<dyn Store> {
    SqliteStore::open(SqliteOptions { snapshot_passages_min: 10, ..SqliteOptions::new(folder) }).unwrap()
}

fn insert(store: &Arc<dyn Store>, memory: &MemoryId, numbers: std::ops::Range<u32>, text: &str) {
    let (memory, text) = (memory.clone(), text.to_owned());
    block_on(store.write(move |tx| {
        for number in numbers.clone() {
            tx.records_mut().insert(&samples::record(&memory, number, &format!("{text} {number}"))?)?;
        }
        Ok(())
    }))
    .unwrap();
}

/// Returns a store with a memory of some records, searched once, and saved.
fn saved(folder: &Path) -> (Arc<dyn Store>, MemoryId) {
    let store = open(folder);
    let memory = samples::memory("notes").unwrap();
    let id = memory.id.clone();
    block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
    insert(&store, &id, 1..RECORDS + 1, "tea and a xyzzyword");
    info(&store, &id, false);
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(file(folder, &id).is_file());
    (store, id)
}

fn file(folder: &Path, memory: &MemoryId) -> PathBuf {
    folder.join("index").join(format!("{memory}.snap"))
}

fn info(store: &Arc<dyn Store>, memory: &MemoryId, rebuilt: bool) -> IndexInfo {
    block_on(store.search().info(memory, rebuilt)).unwrap()
}

fn equals_a_rebuild(store: &Arc<dyn Store>, memory: &MemoryId, passages: u64) {
    let (held, rebuilt) = (info(store, memory, false), info(store, memory, true));
    assert_eq!((held.passages, held.digest, held.sequence), (passages, rebuilt.digest, rebuilt.sequence));
}

/// Erases one record now.
fn erase(store: &Arc<dyn Store>, memory: &MemoryId, number: u32) {
    let memory = memory.clone();
    block_on(store.write(move |tx| {
        let change =
            RecordChange { state: RecordState::Erased, reason: "asked".into(), at: samples::time(1) };
        tx.records_mut().set_state(&memory, &samples::record_id(number)?, &change)?;
        tx.records_mut().erase_deleted(&memory, samples::time(2), 0, 9).map(drop)
    }))
    .unwrap();
}

/// Changes the tables behind the store: unchanged results then prove that the tables were not read.
fn falsify(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("loci.db")).unwrap();
    assert!(connection.execute("UPDATE records SET text = 'something else'", []).unwrap() > 0);
}

#[test]
fn the_next_start_begins_with_the_snapshot_and_takes_later_changes_in() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    let before = info(&store, &memory, false);
    drop(store);
    let store = open(place.path());
    equals_a_rebuild(&store, &memory, u64::from(RECORDS));
    insert(&store, &memory, 100..105, "a late text");
    drop(store);
    let store = open(place.path());
    equals_a_rebuild(&store, &memory, u64::from(RECORDS) + 5);
    drop(store);
    falsify(place.path());
    let store = open(place.path());
    let (held, rebuilt) = (info(&store, &memory, false), info(&store, &memory, true));
    assert_ne!(held.digest, rebuilt.digest, "the texts were read again: the snapshot was not used");
    assert_eq!(held.sequence, before.sequence + 5);
}

#[test]
#[cfg(unix)]
fn only_the_owner_may_look_at_a_snapshot() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let (_store, memory) = saved(place.path());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.path().join("index")), 0o700);
    assert_eq!(mode(&file(place.path(), &memory)), 0o600);
}

#[test]
fn a_snapshot_that_cannot_be_used_is_removed_and_the_index_rebuilt() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    drop(store);
    let path = file(place.path(), &memory);
    let whole = std::fs::read(&path).unwrap();
    for damage in 0..5 {
        let mut bytes = whole.clone();
        match damage {
            0 => bytes.truncate(bytes.len() / 2),
            1 => bytes.clear(),
            2 => *bytes.last_mut().unwrap() ^= 1,
            3 => bytes[20] ^= 1,
            _ => bytes.push(0),
        }
        std::fs::write(&path, bytes).unwrap();
        let store = open(place.path());
        equals_a_rebuild(&store, &memory, u64::from(RECORDS));
        assert!(!path.exists());
    }
    // A complete file of another database.
    let other = tempfile::tempdir().unwrap();
    let (store, same) = saved(other.path());
    drop(store);
    assert_eq!(same, memory);
    std::fs::copy(file(other.path(), &same), &path).unwrap();
    let store = open(place.path());
    equals_a_rebuild(&store, &memory, u64::from(RECORDS));
    assert!(!path.exists());
}

#[test]
fn what_is_erased_is_gone_from_the_folder_when_the_write_is_acknowledged() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    let path = file(place.path(), &memory);
    let holds = |word: &str| {
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    };
    insert(&store, &memory, 50..51, "the plughsecret");
    std::fs::remove_file(&path).unwrap();
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(holds("plughsecret") && holds("xyzzyword"));
    erase(&store, &memory, 50);
    assert!(!path.exists());
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(!holds("plughsecret") && holds("xyzzyword"));
    equals_a_rebuild(&store, &memory, u64::from(RECORDS));
    drop(store);
    equals_a_rebuild(&open(place.path()), &memory, u64::from(RECORDS));
}

#[test]
fn a_snapshot_that_an_erasure_removed_waits_for_the_next_unless_the_process_ends() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    let path = file(place.path(), &memory);
    let minutes = |minutes: u64| Checkpoint::Underway { monotonic_us: 1 + minutes * 60_000_000 };
    // One record per minute becomes due for erasure.
    let written: Vec<u64> = (1..=18)
        .filter(|minute| {
            erase(&store, &memory, u32::try_from(*minute).unwrap());
            assert!(!path.exists());
            block_on(store.checkpoint(minutes(*minute))).unwrap();
            path.exists()
        })
        .collect();
    // The first one is due, because the file written by `saved` has the time of another clock.
    assert_eq!(written, [1, 11]);
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(path.exists());
    equals_a_rebuild(&store, &memory, u64::from(RECORDS) - 18);
}

#[test]
fn a_deleted_memory_leaves_no_snapshot() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    let id = memory.clone();
    block_on(store.write(move |tx| tx.memories_mut().delete(&id, samples::time(5)))).unwrap();
    assert!(!file(place.path(), &memory).exists());
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(!file(place.path(), &memory).exists());
}

#[test]
fn a_restored_database_does_not_use_what_was_saved_of_a_later_state() {
    let place = tempfile::tempdir().unwrap();
    let (data, backup) = (place.path().join("data"), place.path().join("backup.db"));
    let (store, memory) = saved(&data);
    block_on(store.backup(backup.clone())).unwrap();
    insert(&store, &memory, 200..260, "of the other history");
    std::fs::remove_file(file(&data, &memory)).unwrap();
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    let later = std::fs::read(file(&data, &memory)).unwrap();
    drop(store);
    restore(&backup, &data, true).unwrap();
    assert!(!file(&data, &memory).exists());
    // Not even if the file is put back, after as many changes.
    std::fs::create_dir(data.join("index")).unwrap();
    std::fs::write(file(&data, &memory), later).unwrap();
    let store = open(&data);
    insert(&store, &memory, 300..380, "of this history");
    equals_a_rebuild(&store, &memory, u64::from(RECORDS) + 80);
}

#[test]
fn few_passages_and_few_changes_are_not_saved() {
    let place = tempfile::tempdir().unwrap();
    let (store, memory) = saved(place.path());
    let saved_at = || std::fs::metadata(file(place.path(), &memory)).unwrap().modified().unwrap();
    let first = saved_at();
    insert(&store, &memory, 60..70, "a few more");
    info(&store, &memory, false);
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert_eq!(saved_at(), first);
    let other = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(other.path())).unwrap();
    let small = samples::memory("small").unwrap();
    let id = small.id.clone();
    block_on(store.write(move |tx| tx.memories_mut().insert(&small))).unwrap();
    insert(&store, &id, 1..RECORDS, "tea");
    info(&store, &id, false);
    block_on(store.checkpoint(Checkpoint::Last)).unwrap();
    assert!(!other.path().join("index").exists());
}

#[test]
fn a_survey_names_what_cannot_be_used() {
    let place = tempfile::tempdir().unwrap();
    let survey = |store: &Arc<dyn Store>| block_on(store.info(false)).unwrap().snapshots;
    let empty = open(place.path());
    assert_eq!(survey(&empty), SnapshotFiles::default(), "no folder yet");
    drop(empty);
    let (store, memory) = saved(place.path());
    let bytes = std::fs::metadata(file(place.path(), &memory)).unwrap().len();
    assert_eq!(survey(&store), SnapshotFiles { count: 1, bytes, unusable: Vec::new() });
    let folder = place.path().join("index");
    for name in ["notes.txt", "gone-0123456789.snap", "gone-0123456789.snap.partial"] {
        std::fs::write(folder.join(name), "abc").unwrap();
    }
    let whole = std::fs::read(file(place.path(), &memory)).unwrap();
    let head = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let check = |at: usize, reason: &str| {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(file(place.path(), &memory), changed).unwrap();
        let found = survey(&store);
        assert_eq!((found.count, found.bytes), (2, bytes + 9));
        let expected = [
            "gone-0123456789.snap (its memory is gone)".to_owned(),
            "gone-0123456789.snap.partial (left unfinished)".to_owned(),
            format!("{memory}.snap ({reason})"),
            "notes.txt (not of Loci)".to_owned(),
        ];
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found.unusable, expected);
    };
    check(20, "it is not of this memory in this database");
    check(head, "the index snapshot is damaged: it is no snapshot");
    check(head + 20, "the index snapshot is damaged: the head's checksum is wrong");
    assert!(file(place.path(), &memory).is_file(), "nothing is removed");
}
