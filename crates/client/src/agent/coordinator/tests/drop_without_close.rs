//! A manager that is dropped without `close`: its task ends, its spool is free, and a write in
//! progress is not cut off.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use futures::executor::block_on;
use futures::future::BoxFuture;

use crate::agent::coordinator::*;
use crate::agent::runtime::Randomness;
use crate::agent::tests::test_runtime::{StandingClock, surroundings};
use crate::agent::tests::test_store::{ReceivedContents, TestStore};
use crate::agent::{MemoryManager, Message, RuntimeContext, StoreError};

struct Fixed(u64);

impl Randomness for Fixed {
    fn bits(&self) -> u64 {
        self.0
    }
}

/// The tasks that an executor received.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Vec<BoxFuture<'static, ()>>>>);

impl Tasks {
    /// Polls the tasks. Returns the number of tasks that have not ended.
    fn poll(&self) -> usize {
        let mut tasks = self.0.lock().unwrap();
        tasks.retain_mut(|task| task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        tasks.len()
    }
}

/// A manager whose writes take ten milliseconds of a manual clock.
fn manager(
    spool: &Path,
    kept: &ReceivedContents,
    run: u64,
    tasks: Option<&Tasks>,
) -> (MemoryManager, Arc<StandingClock>) {
    let standing = surroundings();
    let mut outside = RuntimeContext { randomness: Arc::new(Fixed(run)), ..standing.outside };
    if let Some(tasks) = tasks.cloned() {
        outside = outside.with_executor(move |task| tasks.0.lock().unwrap().push(task));
    }
    let slow = outside.clock.clone();
    let config =
        ExtractionConfig { triggers: Some(vec![Arc::new(Invocation)]), ..ExtractionConfig::default() };
    let store = TestStore::taking("s").extracting(config).with(kept.clone());
    let store = store.taking_its_time(move || slow.sleep(10));
    let builder = MemoryManager::builder(outside).store(store).spool(spool);
    (block_on(builder.build()).unwrap(), standing.clock)
}

fn say(manager: &MemoryManager, texts: &[&str]) {
    for text in texts {
        manager.message_added(&Message::user(*text)).unwrap();
    }
}

/// Returns the messages that the next manager over a spool sends.
fn sent_by_next(spool: &Path, kept: &ReceivedContents) -> Vec<String> {
    let tasks = Tasks::default();
    let (next, clock) = manager(spool, kept, 9, Some(&tasks));
    for _ in 0..10 {
        tasks.poll();
        clock.advance(10);
    }
    assert!(next.coordinator().unsaved().is_empty());
    assert_eq!(std::fs::read_dir(spool.join("runs")).unwrap().count(), 1, "only its own run is left");
    kept.texts()
}

#[test]
fn a_task_that_waits_ends_and_its_spool_is_free() {
    let (spool, kept, tasks) = (tempfile::tempdir().unwrap(), ReceivedContents::default(), Tasks::default());
    let (manager, clock) = manager(spool.path(), &kept, 1, Some(&tasks));
    kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    say(&manager, &["m0", "m1"]);
    manager.invocation_ended();
    tasks.poll();
    clock.advance(10);
    assert_eq!((tasks.poll(), kept.tokens().len()), (1, 1), "it waits for the next try");
    let clone = manager.clone();
    drop(manager);
    assert_eq!(tasks.poll(), 1, "somebody holds it still");
    let coordinator = clone.coordinator().clone();
    drop(clone);
    assert_eq!((tasks.poll(), coordinator.unsaved()[0].messages), (1, 2));
    drop(coordinator);
    // The next manager need not wait until the executor has noticed.
    kept.answer(|_, _| None);
    assert_eq!(sent_by_next(spool.path(), &kept), ["m0", "m1"]);
    assert_eq!(tasks.poll(), 0);
    assert_eq!(kept.tokens().len(), 2, "the first task tries nothing more: {:?}", kept.tokens());
    assert!(kept.tokens()[1].ends_with("0000000000000001-0-1"), "under its old run: {:?}", kept.tokens());
}

#[test]
fn a_write_in_progress_is_brought_to_its_end_and_nothing_is_begun_behind_it() {
    let (spool, kept, tasks) = (tempfile::tempdir().unwrap(), ReceivedContents::default(), Tasks::default());
    let (manager, clock) = manager(spool.path(), &kept, 1, Some(&tasks));
    say(&manager, &["m0"]);
    manager.invocation_ended();
    assert_eq!((tasks.poll(), kept.tokens().len(), kept.texts().len()), (1, 1, 0), "it is on its way");
    say(&manager, &["m1"]);
    drop(manager);
    assert_eq!(tasks.poll(), 1, "the write is not cut off");
    clock.advance(10);
    assert_eq!((tasks.poll(), kept.texts()), (0, vec!["m0".to_owned()]));
    assert_eq!(sent_by_next(spool.path(), &kept), ["m0", "m1"]);
    let ranges: Vec<String> =
        kept.tokens().iter().map(|token| token.split_once('-').unwrap().1.to_owned()).collect();
    assert_eq!(ranges, ["0-0", "1-1"], "what was noted is not sent again");
}

#[test]
fn a_write_that_its_caller_left_is_carried_on_by_the_task() {
    let (spool, kept, tasks) = (tempfile::tempdir().unwrap(), ReceivedContents::default(), Tasks::default());
    let (manager, clock) = manager(spool.path(), &kept, 1, Some(&tasks));
    say(&manager, &["m0"]);
    {
        let mut flushing = Box::pin(manager.coordinator().flush());
        assert!(flushing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    drop(manager);
    assert_eq!((tasks.poll(), kept.texts().len()), (1, 0));
    clock.advance(10);
    assert_eq!((tasks.poll(), kept.texts()), (0, vec!["m0".to_owned()]));
    assert_eq!(sent_by_next(spool.path(), &kept), ["m0"]);
}

#[test]
fn what_nobody_drives_any_more_is_sent_again_by_the_next() {
    // A write whose caller is dropped, without a task; and a task that its executor drops during a
    // write.
    for with_task in [false, true] {
        let (spool, kept, tasks) =
            (tempfile::tempdir().unwrap(), ReceivedContents::default(), Tasks::default());
        let (manager, _) = manager(spool.path(), &kept, 1, with_task.then_some(&tasks));
        say(&manager, &["m0", "m1"]);
        {
            let mut flushing = Box::pin(manager.coordinator().flush());
            assert!(flushing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!((kept.tokens().len(), kept.texts().len()), (1, 0));
        drop(manager);
        tasks.0.lock().unwrap().clear();
        assert_eq!(sent_by_next(spool.path(), &kept), ["m0", "m1"], "{with_task}");
        assert_eq!(kept.tokens()[0], kept.tokens()[1], "the same range under the same token");
    }
}
