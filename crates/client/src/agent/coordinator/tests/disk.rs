//! A full or damaged spool disk: every message still goes to all stores, and lost messages are
//! counted.

use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::executor::block_on;

use crate::agent::coordinator::*;
use crate::agent::tests::test_runtime::{StandingClock, surroundings};
use crate::agent::tests::test_store::{ReceivedContents, TestStore};
use crate::agent::{MemoryManager, Message, StoreError};

/// A manager over a spool, with stores that save after each invocation.
fn manager(spool: &Path, names: &[&str]) -> (MemoryManager, Arc<StandingClock>, Vec<ReceivedContents>) {
    let standing = surroundings();
    let triggers: Vec<Arc<dyn ExtractionTrigger>> = vec![Arc::new(Invocation)];
    let config = ExtractionConfig { triggers: Some(triggers), ..ExtractionConfig::default() };
    let mut builder = MemoryManager::builder(standing.outside).spool(spool);
    let mut kept = Vec::new();
    for name in names {
        let store = TestStore::taking(name).extracting(config.clone());
        kept.push(store.kept.clone());
        builder = builder.store(store);
    }
    (block_on(builder.build()).unwrap(), standing.clock, kept)
}

/// Makes the store fail until the flag is false.
fn down(kept: &ReceivedContents) -> Arc<Mutex<bool>> {
    let down = Arc::new(Mutex::new(true));
    let is_down = Arc::clone(&down);
    kept.answer(move |_, _| is_down.lock().unwrap().then(|| Err(StoreError::transient("down"))));
    down
}

fn say(manager: &MemoryManager, range: std::ops::Range<usize>) -> Result<(), StoreError> {
    let said = range.map(|at| manager.message_added(&Message::user(format!("m{at}"))));
    said.fold(Ok(()), Result::and)
}

fn turn(manager: &MemoryManager) {
    manager.invocation_ended();
    block_on(manager.coordinator().save_due());
}

#[test]
fn a_full_disk_and_a_full_store_keep_nothing_from_the_others() {
    let spool = tempfile::tempdir().unwrap();
    let (manager, _, kept) = manager(spool.path(), &["broken", "sound"]);
    let _down = down(&kept[0]);
    manager.coordinator().limit_room(Some(0), Some(0));
    assert!(say(&manager, 0..10_000).is_err());
    turn(&manager);
    // The first store has no room for another message, and the dropped one cannot be recorded.
    assert!(say(&manager, 10_000..10_002).is_err());
    turn(&manager);
    assert_eq!(kept[1].texts().len(), 10_002);
    let unsaved = manager.coordinator().unsaved();
    assert_eq!((unsaved.len(), unsaved[0].messages, unsaved[0].dropped), (1, 10_000, 2));
}

#[test]
fn half_a_line_is_taken_back() {
    let spool = tempfile::tempdir().unwrap();
    let (manager, clock, kept) = manager(spool.path(), &["s"]);
    let down = down(&kept[0]);
    say(&manager, 0..10_000).unwrap();
    say(&manager, 10_000..10_005).unwrap();
    manager.coordinator().limit_room(Some(10), None);
    // The message fits neither on disk nor in memory.
    assert!(say(&manager, 10_005..10_006).is_err());
    manager.coordinator().limit_room(None, None);
    say(&manager, 10_006..10_010).unwrap();
    *down.lock().unwrap() = false;
    clock.advance(60_000);
    let unsaved = block_on(manager.coordinator().flush());
    let expect: Vec<String> = (0..10_010).filter(|at| *at != 10_005).map(|at| format!("m{at}")).collect();
    assert_eq!(kept[0].texts(), expect);
    assert_eq!((unsaved.len(), unsaved[0].messages, unsaved[0].dropped), (1, 0, 1));
}

#[test]
fn lines_that_cannot_be_read_are_passed_over_and_counted() {
    let spool = tempfile::tempdir().unwrap();
    let (manager, _, kept) = manager(spool.path(), &["s"]);
    let down = down(&kept[0]);
    say(&manager, 0..10_010).unwrap();
    let run = std::fs::read_dir(spool.path().join("runs")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(run.join("messages.jsonl")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[5] = "{\"sequ"; // Memory has this one.
    lines[10_003] = "{\"sequence\":10003,\"mess";
    std::fs::write(run.join("messages.jsonl"), lines.join("\n") + "\n").unwrap();
    *down.lock().unwrap() = false;
    let unsaved = block_on(manager.coordinator().flush());
    let expect: Vec<String> = (0..10_010).filter(|at| *at != 10_003).map(|at| format!("m{at}")).collect();
    assert_eq!(kept[0].texts(), expect);
    assert_eq!((unsaved.len(), unsaved[0].messages, unsaved[0].dropped), (1, 0, 1));
}

#[test]
fn what_cannot_be_put_into_quarantine_is_kept() {
    let spool = tempfile::tempdir().unwrap();
    let (manager, clock, kept) = manager(spool.path(), &["s"]);
    kept[0].answer(|batch, _| {
        let poisoned = batch.messages.iter().any(|message| message.message.joined_text() == "m1");
        poisoned.then(|| Err(StoreError::permanent("refused")))
    });
    // A file in the place of the quarantine directory makes every write to it fail.
    let quarantine = spool.path().join("quarantine");
    std::fs::remove_dir(&quarantine).unwrap();
    std::fs::write(&quarantine, "").unwrap();
    say(&manager, 0..4).unwrap();
    let unsaved = block_on(manager.coordinator().flush());
    assert_eq!(kept[0].texts(), ["m0", "m2", "m3"], "the others do not wait for it");
    assert_eq!((unsaved.len(), unsaved[0].messages), (1, 1));
    assert_eq!(unsaved[0].error.as_ref().unwrap().to_string(), "the quarantine cannot be used");
    let tries = kept[0].tokens().len();
    turn(&manager);
    assert_eq!(kept[0].tokens().len(), tries, "the next try waits");
    // The quarantine is writable again.
    std::fs::remove_file(&quarantine).unwrap();
    std::fs::create_dir(&quarantine).unwrap();
    clock.advance(60_000);
    turn(&manager);
    assert!(manager.coordinator().unsaved().is_empty());
    assert_eq!(manager.coordinator().quarantined().unwrap().len(), 1);
}

#[test]
fn what_is_said_after_the_end_is_refused() {
    let spool = tempfile::tempdir().unwrap();
    let (manager, _, kept) = manager(spool.path(), &["s"]);
    say(&manager, 0..1).unwrap();
    assert!(block_on(manager.coordinator().close()).is_empty());
    let error = say(&manager, 1..2).unwrap_err();
    assert_eq!(error.to_string(), "the memory manager is closed and keeps nothing more: build another one");
    assert!(manager.coordinator().unsaved().is_empty());
    assert_eq!(kept[0].texts(), ["m0"]);
}
