//! The end of the process between any two steps: nothing is lost, and nothing is stored twice.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::executor::block_on;

use crate::agent::coordinator::*;
use crate::agent::runtime::Randomness;
use crate::agent::tests::test_runtime::surroundings;
use crate::agent::tests::test_store::{Inside, ReceivedContents, TestStore};
use crate::agent::{MemoryManager, Message, RuntimeContext, StoreError};

struct Fixed(u64);

impl Randomness for Fixed {
    fn bits(&self) -> u64 {
        self.0
    }
}

/// A process with the number `run`, over a spool.
fn process(spool: &Path, kept: ReceivedContents, run: u64) -> MemoryManager {
    let outside = RuntimeContext { randomness: Arc::new(Fixed(run)), ..surroundings().outside };
    let triggers: Vec<Arc<dyn ExtractionTrigger>> = vec![Arc::new(Invocation)];
    let config = ExtractionConfig { triggers: Some(triggers), ..ExtractionConfig::default() };
    let store = TestStore::taking("s").extracting(config).with(kept);
    block_on(MemoryManager::builder(outside).store(store).spool(spool).build()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for found in fs::read_dir(from).unwrap() {
        let found = found.unwrap();
        let to = to.join(found.file_name());
        if found.file_type().unwrap().is_dir() {
            copy(&found.path(), &to);
        } else {
            fs::copy(found.path(), to).unwrap();
        }
    }
}

/// The state after a crash: the spool, and the contents of the store.
struct Moment {
    spool: tempfile::TempDir,
    inside: Inside,
    said: usize,
}

fn say(manager: &MemoryManager, from: usize, to: usize) {
    for at in from..to {
        manager.message_added(&Message::user(format!("m{at}"))).unwrap();
    }
}

#[test]
fn killed_between_any_two_steps() {
    let moments: Arc<Mutex<Vec<Moment>>> = Arc::default();
    let spool = tempfile::tempdir().unwrap();
    let spool_path = spool.path().to_owned();
    let said = Arc::new(Mutex::new(0));
    let (at, seen) = (Arc::clone(&moments), Arc::clone(&said));
    let moment = move |inside: &Inside| {
        let copied = tempfile::tempdir().unwrap();
        copy(&spool_path, copied.path());
        at.lock().unwrap().push(Moment {
            spool: copied,
            inside: inside.clone(),
            said: *seen.lock().unwrap(),
        });
    };
    let kept = ReceivedContents::default();
    let manager = process(spool.path(), kept.clone(), 1);
    let taken = moment.clone();
    let mut calls = 0;
    kept.answer(move |batch, inside| {
        taken(inside); // Begun, and not sent.
        calls += 1;
        let answer = match calls {
            1 => Err(StoreError::transient("down")),
            2 => {
                inside.store(batch);
                Err(StoreError::transient("the answer is lost"))
            }
            5 => Ok(inside.store_but(batch, |text| (text == "m7").then(|| StoreError::transient("busy")))),
            _ if batch.messages.iter().any(|message| message.message.joined_text() == "m4") => {
                Err(StoreError::permanent("refused"))
            }
            _ => Ok(inside.store(batch)),
        };
        taken(inside); // Sent, and not noted.
        Some(answer)
    });
    for from in [0, 3, 6, 9] {
        say(&manager, from, from + 3);
        *said.lock().unwrap() = from + 3;
        moment(&kept.inside());
        manager.invocation_ended();
        block_on(manager.coordinator().save_due());
        moment(&kept.inside());
        block_on(manager.coordinator().flush());
        moment(&kept.inside());
    }
    let moments = std::mem::take(&mut *moments.lock().unwrap());
    assert!(moments.len() > 20, "{}", moments.len());
    for (number, moment) in moments.into_iter().enumerate() {
        check_recovered(number, moment);
    }
}

fn check_recovered(number: usize, moment: Moment) {
    let before = moment.inside.texts.clone();
    let kept = ReceivedContents::of(moment.inside);
    kept.answer(|batch, inside| {
        let poisoned = batch.messages.iter().any(|message| message.message.joined_text() == "m4");
        Some(if poisoned { Err(StoreError::permanent("refused")) } else { Ok(inside.store(batch)) })
    });
    let manager = process(moment.spool.path(), kept.clone(), 2);
    manager.message_added(&Message::user("new")).unwrap();
    assert!(block_on(manager.coordinator().close()).is_empty());
    // All other messages follow the stored ones, in the order in which they were recorded.
    let said = (0..moment.said).filter(|at| *at != 4).map(|at| format!("m{at}"));
    let rest = said.filter(|text| !before.contains(text));
    let expect: Vec<String> = before.iter().cloned().chain(rest).chain(["new".to_owned()]).collect();
    assert_eq!(kept.texts(), expect, "moment {number}");
    let poisoned = usize::from(moment.said > 4);
    assert_eq!(manager.coordinator().quarantined().unwrap().len(), poisoned, "moment {number}");
    let left = fs::read_dir(moment.spool.path().join("runs")).unwrap().count();
    assert_eq!(left, 0, "moment {number}: runs that are done are removed");
}

#[test]
fn half_a_line_at_the_end_loses_nothing_else() {
    let spool = tempfile::tempdir().unwrap();
    let kept = ReceivedContents::default();
    kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let manager = process(spool.path(), kept, 1);
    say(&manager, 0, 3);
    block_on(manager.coordinator().flush());
    let copied = tempfile::tempdir().unwrap();
    copy(spool.path(), copied.path());
    let run = fs::read_dir(copied.path().join("runs")).unwrap().next().unwrap().unwrap().path();
    for file in ["messages.jsonl", "journal.jsonl"] {
        let mut text = fs::read(run.join(file)).unwrap();
        text.extend_from_slice(b"{\"sequence\":3,\"mess");
        fs::write(run.join(file), text).unwrap();
    }
    let kept = ReceivedContents::default();
    let manager = process(copied.path(), kept.clone(), 2);
    assert!(block_on(manager.coordinator().flush()).is_empty());
    assert_eq!(kept.texts(), ["m0", "m1", "m2"]);
    assert!(kept.tokens()[0].ends_with("0000000000000001-0-2"), "under its old run: {:?}", kept.tokens());
}

#[test]
fn what_was_left_is_sent_at_the_start() {
    let spool = tempfile::tempdir().unwrap();
    let down = ReceivedContents::default();
    down.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let first = process(spool.path(), down, 1);
    say(&first, 0, 2);
    let copied = tempfile::tempdir().unwrap();
    copy(spool.path(), copied.path());
    let kept = ReceivedContents::default();
    let second = process(copied.path(), kept.clone(), 2);
    // No message is recorded, and no trigger fires.
    block_on(second.coordinator().save_due());
    assert_eq!(kept.texts(), ["m0", "m1"]);
}

#[test]
fn a_run_that_another_process_has_is_left_alone() {
    let spool = tempfile::tempdir().unwrap();
    let down = ReceivedContents::default();
    down.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let first = process(spool.path(), down, 1);
    say(&first, 0, 2);
    let kept = ReceivedContents::default();
    let second = process(spool.path(), kept.clone(), 2);
    block_on(second.coordinator().flush());
    assert!(kept.texts().is_empty());
}

#[test]
fn more_than_memory_holds_goes_through_the_spool() {
    let spool = tempfile::tempdir().unwrap();
    let kept = ReceivedContents::default();
    let down = Arc::new(Mutex::new(true));
    let is_down = Arc::clone(&down);
    kept.answer(move |_, _| is_down.lock().unwrap().then(|| Err(StoreError::transient("down"))));
    let manager = process(spool.path(), kept.clone(), 1);
    say(&manager, 0, 10_050);
    assert_eq!(manager.coordinator().in_memory("s"), 10_000);
    block_on(manager.coordinator().flush());
    say(&manager, 10_050, 10_100);
    *down.lock().unwrap() = false;
    assert!(block_on(manager.coordinator().flush()).is_empty());
    let expect: Vec<String> = (0..10_100).map(|at| format!("m{at}")).collect();
    assert_eq!(kept.texts(), expect);
    assert_eq!(manager.coordinator().quarantined().unwrap().len(), 0);
}

/// Returns the spool of a process that could send none of `count` messages.
fn left_by(count: usize, run: u64) -> tempfile::TempDir {
    let (spool, copied) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let down = ReceivedContents::default();
    down.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let manager = process(spool.path(), down, run);
    say(&manager, 0, count);
    // A part of them was being sent.
    assert_eq!(block_on(manager.coordinator().flush())[0].messages, count);
    copy(spool.path(), copied.path());
    copied
}

#[test]
fn a_spool_larger_than_memory_is_recovered_piece_by_piece() {
    let spool = left_by(12_345, 1);
    let kept = ReceivedContents::default();
    let down = Arc::new(Mutex::new(true));
    let most = Arc::new(Mutex::new(0));
    let manager = process(spool.path(), kept.clone(), 2);
    let (is_down, seen, coordinator) = (Arc::clone(&down), Arc::clone(&most), manager.coordinator().clone());
    kept.answer(move |_, _| {
        let mut most = seen.lock().unwrap();
        *most = coordinator.in_memory("s").max(*most);
        is_down.lock().unwrap().then(|| Err(StoreError::transient("down")))
    });
    let coordinator = manager.coordinator();
    assert_eq!((coordinator.in_memory("s"), coordinator.unsaved()[0].messages), (0, 12_345));
    // The store is still down, and more messages are recorded than memory holds.
    say(&manager, 12_345, 24_000);
    block_on(coordinator.flush());
    assert_eq!((coordinator.in_memory("s"), coordinator.unsaved()[0].messages), (10_000, 24_000));
    *down.lock().unwrap() = false;
    assert!(block_on(coordinator.flush()).is_empty());
    let expect: Vec<String> = (0..24_000).map(|at| format!("m{at}")).collect();
    assert_eq!(kept.texts(), expect);
    assert_eq!(*most.lock().unwrap(), 10_000, "at no time more than the limit");
    assert!(kept.tokens()[0].ends_with("0000000000000001-0-499"), "as it was sent: {}", kept.tokens()[0]);
}

#[test]
fn several_runs_are_recovered_in_their_order() {
    let spool = left_by(7, 1);
    copy(left_by(5, 2).path(), spool.path());
    let kept = ReceivedContents::default();
    let manager = process(spool.path(), kept.clone(), 3);
    say(&manager, 100, 101);
    assert!(block_on(manager.coordinator().close()).is_empty());
    let expect: Vec<String> = (0..7).chain(0..5).chain([100]).map(|at| format!("m{at}")).collect();
    assert_eq!(kept.texts(), expect);
    assert_eq!(fs::read_dir(spool.path().join("runs")).unwrap().count(), 0);
}

#[test]
fn what_is_lost_between_start_and_sending_is_counted_and_holds_nothing_up() {
    let spool = left_by(1003, 1);
    let kept = ReceivedContents::default();
    let manager = process(spool.path(), kept.clone(), 2);
    let mut runs: Vec<_> =
        fs::read_dir(spool.path().join("runs")).unwrap().map(|run| run.unwrap().path()).collect();
    runs.sort();
    let text = fs::read_to_string(runs[0].join("messages.jsonl")).unwrap();
    // The second piece is lost as a whole, and one message of the third; the lengths are unchanged.
    let lines: Vec<String> = (0..)
        .zip(text.lines())
        .map(|(at, line)| match at {
            500..=999 | 1001 => "x".repeat(line.len()),
            _ => line.to_owned(),
        })
        .collect();
    fs::write(runs[0].join("messages.jsonl"), lines.join("\n") + "\n").unwrap();
    let unsaved = block_on(manager.coordinator().flush());
    let expect: Vec<String> = (0..500).chain([1000, 1002]).map(|at| format!("m{at}")).collect();
    assert_eq!(kept.texts(), expect);
    assert_eq!((unsaved.len(), unsaved[0].messages, unsaved[0].dropped), (1, 0, 501));
}

/// Makes one entry, and records its calls.
struct Once(Arc<Mutex<Vec<&'static str>>>, &'static str);

impl Extractor for Once {
    fn name(&self) -> &str {
        "once"
    }

    fn extract<'a>(
        &'a self,
        _: &'a [Message],
    ) -> futures::future::BoxFuture<'a, Result<Vec<crate::agent::NewEntry>, ExtractError>> {
        self.0.lock().unwrap().push(self.1);
        Box::pin(async { Ok(vec![crate::agent::NewEntry::text(self.1)]) })
    }
}

#[test]
fn what_was_extracted_is_not_extracted_again() {
    let spool = tempfile::tempdir().unwrap();
    let asked: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let start = |spool: &Path, run: u64, says: &'static str| {
        let outside = RuntimeContext { randomness: Arc::new(Fixed(run)), ..surroundings().outside };
        let extractor = Arc::new(Once(Arc::clone(&asked), says));
        let config = ExtractionConfig { extractor: Some(extractor), ..ExtractionConfig::default() };
        let store = TestStore::adding("s").extracting(config);
        let kept = store.kept.clone();
        (block_on(MemoryManager::builder(outside).store(store).spool(spool).build()).unwrap(), kept)
    };
    let (manager, kept) = start(spool.path(), 1, "first");
    kept.fail_adds(true);
    say(&manager, 0, 2);
    assert_eq!(block_on(manager.coordinator().flush()).len(), 1);
    let copied = tempfile::tempdir().unwrap();
    copy(spool.path(), copied.path());
    let (manager, kept) = start(copied.path(), 2, "second");
    assert!(block_on(manager.coordinator().flush()).is_empty());
    assert_eq!((kept.added(), asked.lock().unwrap().clone()), (vec!["first".to_owned()], vec!["first"]));
}
