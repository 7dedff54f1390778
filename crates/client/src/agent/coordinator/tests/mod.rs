//! The coordinator with a manual clock: triggers, order, failures, backoff, permanent failures and
//! retries.

mod crash_recovery;
mod disk;
mod drop_without_close;
mod isolation;
mod skew;

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use futures::executor::block_on;
use futures::future::BoxFuture;

use super::*;
use crate::agent::tests::test_runtime::{ManualRuntime, StandingClock, surroundings};
use crate::agent::tests::test_store::{ReceivedContents, TestStore};
use crate::agent::{Block, MemoryManager, Message, NewEntry, StoreError};

/// A manager over stores that save after each invocation.
struct Talk {
    manager: MemoryManager,
    clock: Arc<StandingClock>,
    said: usize,
}

impl Talk {
    fn with(stores: Vec<TestStore>) -> Self {
        let ManualRuntime { clock, outside } = surroundings();
        let builder = stores.into_iter().fold(MemoryManager::builder(outside), |b, store| b.store(store));
        Self { manager: block_on(builder.build()).unwrap(), clock, said: 0 }
    }

    /// Records `count` messages: `m0`, `m1`, …
    fn say(&mut self, count: usize) -> &mut Self {
        for _ in 0..count {
            self.manager.message_added(&Message::user(format!("m{}", self.said))).unwrap();
            self.said += 1;
        }
        self
    }

    fn turn(&self) -> &Self {
        self.manager.invocation_ended();
        block_on(self.manager.coordinator().save_due());
        self
    }

    fn flush(&self) -> Vec<UnsavedStore> {
        block_on(self.manager.coordinator().flush())
    }

    /// Advances the clock by 60 seconds.
    fn later(&self) -> &Self {
        self.clock.advance(60_000);
        self
    }
}

fn each_turn() -> ExtractionConfig {
    ExtractionConfig { triggers: Some(vec![Arc::new(Invocation)]), ..ExtractionConfig::default() }
}

fn store() -> (TestStore, ReceivedContents) {
    let store = TestStore::taking("s").extracting(each_turn());
    let kept = store.kept.clone();
    (store, kept)
}

fn texts(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|at| format!("m{at}")).collect()
}

fn ranges(kept: &ReceivedContents) -> Vec<String> {
    let range = |token: String| token.split_once('-').map(|(_, range)| range.to_owned()).unwrap();
    kept.tokens().into_iter().map(range).collect()
}

#[test]
fn the_default_is_every_fifth_turn() {
    let store = TestStore::taking("s").extracting(ExtractionConfig::default());
    let kept = store.kept.clone();
    let mut talk = Talk::with(vec![store]);
    for turn in 1..=11 {
        talk.say(2).turn();
        assert_eq!(kept.texts().len(), (turn / 5) * 10, "after turn {turn}");
    }
    assert!(talk.flush().is_empty());
    assert_eq!(kept.texts(), texts(0..22));
    assert_eq!(ranges(&kept), ["0-9", "10-19", "20-21"]);
}

#[test]
fn triggers_compose_with_or() {
    let never = Interval { turns: NonZeroU32::new(100).unwrap() };
    let config =
        ExtractionConfig { triggers: Some(vec![Arc::new(never), Arc::new(Invocation)]), ..each_turn() };
    let store = TestStore::taking("s").extracting(config);
    let kept = store.kept.clone();
    Talk::with(vec![store]).say(1).turn();
    assert_eq!(kept.texts(), ["m0"]);
}

#[test]
fn what_is_not_stored_is_rolled_back_and_stays_in_order() {
    let (store, kept) = store();
    let mut down = true;
    let mut talk = Talk::with(vec![store]);
    kept.answer(move |_, _| std::mem::take(&mut down).then(|| Err(StoreError::transient("down"))));
    talk.say(2).turn();
    assert_eq!((kept.texts().len(), talk.manager.coordinator().unsaved()[0].messages), (0, 2));
    talk.say(1).turn();
    assert_eq!(kept.tokens().len(), 1, "the retry waits");
    talk.later().turn();
    assert_eq!(kept.texts(), texts(0..3));
    assert_eq!(ranges(&kept), ["0-1", "0-1", "2-2"]);
}

#[test]
fn after_ten_failures_every_third_request_is_tried() {
    let (store, kept) = store();
    let down = Arc::new(Mutex::new(true));
    let mut talk = Talk::with(vec![store]);
    let is_down = Arc::clone(&down);
    kept.answer(move |_, _| is_down.lock().unwrap().then(|| Err(StoreError::transient("down"))));
    talk.say(1);
    let mut tries = Vec::new();
    for _ in 0..19 {
        let before = kept.tokens().len();
        talk.later().turn();
        tries.push(kept.tokens().len() - before);
    }
    let mut expect = vec![1; 10];
    expect.extend([0, 0, 1, 0, 0, 1, 0, 0, 1]);
    assert_eq!(tries, expect);
    // A flush ignores backoff and the wait; success resets both.
    assert_eq!(talk.flush()[0].messages, 1);
    assert_eq!(kept.tokens().len(), 14);
    *down.lock().unwrap() = false;
    assert!(talk.flush().is_empty());
    talk.say(1).turn();
    assert_eq!(kept.texts(), texts(0..2));
}

#[test]
fn what_the_filter_empties_is_passed_and_touches_no_failure() {
    let (store, kept) = store();
    let mut talk = Talk::with(vec![store]);
    kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    talk.say(1).turn();
    kept.answer(|_, _| None);
    talk.later().turn();
    let tool = Block::ToolUse { id: "1".into(), name: "t".into(), input: serde_json::json!({}) };
    let call = Message { content: vec![tool.clone()], ..Message::assistant("") };
    talk.manager.message_added(&call).unwrap();
    talk.turn();
    assert!(talk.manager.coordinator().unsaved().is_empty());
    assert_eq!(kept.texts(), ["m0"]);
    // Of a message with text and a tool call, the text is kept; the message has its own sequence
    // number.
    let both = Message { content: vec![tool, Block::Text("said".into())], ..Message::assistant("") };
    talk.manager.message_added(&both).unwrap();
    talk.turn();
    assert_eq!(
        (kept.texts().last().unwrap().as_str(), ranges(&kept).last().unwrap().as_str()),
        ("said", "2-2")
    );
}

#[test]
fn one_poison_message_of_sixteen_is_quarantined_and_the_rest_stored() {
    let (store, kept) = store();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = Arc::clone(&told);
    let builder = MemoryManager::builder(surroundings().outside)
        .store(store)
        .on_quarantine(move |item| tells.lock().unwrap().push(item.error.clone()));
    let manager = block_on(builder.build()).unwrap();
    kept.answer(|batch, _| {
        let poisoned = batch.messages.iter().any(|message| message.message.joined_text() == "m2");
        poisoned.then(|| Err(StoreError::permanent("refused")))
    });
    for at in 0..16 {
        manager.message_added(&Message::user(format!("m{at}"))).unwrap();
    }
    manager.invocation_ended();
    block_on(manager.coordinator().save_due());
    assert_eq!(kept.texts(), texts(0..16).into_iter().filter(|text| text != "m2").collect::<Vec<_>>());
    assert!(manager.coordinator().unsaved().is_empty());
    let quarantined = manager.coordinator().quarantined().unwrap();
    let QuarantinedContent::Message { sequence: 2, message } = &quarantined[0].content else { panic!() };
    assert_eq!((quarantined.len(), message.joined_text().as_str()), (1, "m2"));
    assert_eq!(*told.lock().unwrap(), ["refused"]);
    // The item is retried on demand, and leaves the quarantine when it is stored.
    assert_eq!(block_on(manager.coordinator().retry_quarantined()).unwrap().len(), 1);
    kept.answer(|_, _| None);
    assert!(block_on(manager.coordinator().retry_quarantined()).unwrap().is_empty());
    assert_eq!(kept.texts().last().unwrap(), "m2");
}

#[test]
fn an_unknown_outcome_is_sent_again_as_it_was() {
    let (store, kept) = store();
    let mut first = true;
    let mut talk = Talk::with(vec![store]);
    kept.answer(move |batch, inside| {
        // The server stores the batch, and the answer is lost.
        std::mem::take(&mut first).then(|| {
            inside.store(batch);
            Err(StoreError::transient("timeout"))
        })
    });
    talk.say(4).turn();
    talk.say(2);
    assert!(talk.flush().is_empty());
    assert_eq!(ranges(&kept), ["0-3", "0-3", "4-5"]);
    assert_eq!(kept.texts(), texts(0..6));
}

#[test]
fn partial_outcomes_come_again_alone() {
    let (store, kept) = store();
    let mut first = true;
    let mut talk = Talk::with(vec![store]);
    kept.answer(move |batch, inside| {
        let failing = std::mem::take(&mut first);
        Some(Ok(inside.store_but(batch, |text| {
            (failing && (text == "m1" || text == "m3")).then(|| StoreError::transient("busy"))
        })))
    });
    talk.say(5).turn();
    talk.flush();
    assert_eq!(ranges(&kept), ["0-4", "1-1", "3-3"]);
    assert_eq!(kept.texts(), ["m0", "m2", "m4", "m1", "m3"]);
}

#[test]
fn a_store_that_is_down_keeps_its_memory_bounded_and_harms_no_other() {
    let (broken, broken_kept) = store();
    broken_kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let sound = TestStore::taking("sound").extracting(each_turn());
    let kept = sound.kept.clone();
    let mut talk = Talk::with(vec![broken, sound]);
    for _ in 0..200 {
        talk.say(100).turn();
    }
    assert_eq!(kept.texts().len(), 20_000);
    let coordinator = talk.manager.coordinator();
    assert_eq!((coordinator.in_memory("s"), coordinator.in_memory("sound")), (10_000, 0));
    let unsaved = coordinator.unsaved();
    assert_eq!((unsaved.len(), unsaved[0].dropped), (1, 10_000));
}

#[test]
fn ten_thousand_messages_with_failures_and_a_poison_message() {
    let (store, kept) = store();
    let mut calls = 0;
    let mut talk = Talk::with(vec![store]);
    kept.answer(move |batch, inside| {
        calls += 1;
        let poisoned = batch.messages.iter().any(|message| message.message.joined_text() == "m4711");
        match calls % 7 {
            0 => Some(Err(StoreError::transient("down"))),
            3 => {
                // The batch is stored and the answer lost. A batch with the refused message is
                // never stored.
                if !poisoned {
                    inside.store(batch);
                }
                Some(Err(StoreError::transient("timeout")))
            }
            5 => Some(Err(StoreError::unclassified("odd"))),
            _ => poisoned.then(|| Err(StoreError::permanent("refused"))),
        }
    });
    while talk.said < 10_000 {
        talk.say(20).later().turn();
    }
    while !talk.flush().is_empty() {}
    let expect: Vec<String> = texts(0..10_000).into_iter().filter(|text| text != "m4711").collect();
    assert_eq!(kept.texts(), expect, "everything once, in order");
    let quarantined = talk.manager.coordinator().quarantined().unwrap();
    assert_eq!(quarantined.len(), 1);
}

#[test]
fn run_saves_when_asked_and_tries_again_by_itself() {
    let (store, kept) = store();
    let mut down = true;
    let mut talk = Talk::with(vec![store]);
    kept.answer(move |_, _| std::mem::take(&mut down).then(|| Err(StoreError::transient("down"))));
    let coordinator = talk.manager.coordinator().clone();
    let mut running = Box::pin(coordinator.run());
    let mut context = Context::from_waker(Waker::noop());
    let mut poll = || running.as_mut().poll(&mut context).is_ready();
    assert!(!poll());
    talk.say(1);
    assert!(!poll() && kept.tokens().is_empty());
    talk.manager.invocation_ended();
    assert!(!poll());
    assert_eq!((kept.tokens().len(), kept.texts().len()), (1, 0));
    talk.later();
    assert!(!poll());
    assert_eq!(kept.texts(), ["m0"]);
    block_on(talk.manager.coordinator().close());
    assert!(poll());
}

#[test]
fn a_write_in_progress_outlives_its_caller() {
    let ManualRuntime { clock, outside } = surroundings();
    let slow = outside.clock.clone();
    let store = TestStore::taking("s").extracting(each_turn()).taking_its_time(move || slow.sleep(10));
    let kept = store.kept.clone();
    let manager = block_on(MemoryManager::builder(outside).store(store).build()).unwrap();
    manager.message_added(&Message::user("m0")).unwrap();
    let coordinator = manager.coordinator().clone();
    let mut context = Context::from_waker(Waker::noop());
    {
        // This caller is dropped during the write.
        let mut flushing = Box::pin(coordinator.flush());
        assert!(flushing.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!((kept.tokens().len(), kept.texts().len()), (1, 0));
    clock.advance(10);
    assert!(block_on(coordinator.flush()).is_empty());
    assert_eq!((kept.texts(), kept.tokens().len()), (texts(0..1), 1));
}

#[test]
fn a_write_that_fails_behind_its_callers_back_is_told() {
    let ManualRuntime { clock, outside } = surroundings();
    let slow = outside.clock.clone();
    let store = TestStore::taking("s").extracting(each_turn()).taking_its_time(move || slow.sleep(10));
    let kept = store.kept.clone();
    kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let manager = block_on(MemoryManager::builder(outside).store(store).build()).unwrap();
    manager.message_added(&Message::user("m0")).unwrap();
    let coordinator = manager.coordinator().clone();
    let mut context = Context::from_waker(Waker::noop());
    {
        let mut flushing = Box::pin(coordinator.flush());
        assert!(flushing.as_mut().poll(&mut context).is_pending());
    }
    clock.advance(10);
    // The next caller joins the save, tries once more itself and gets the reason of the failure.
    let mut next = Box::pin(coordinator.flush());
    assert!(next.as_mut().poll(&mut context).is_pending());
    assert_eq!((kept.tokens().len(), kept.texts().len()), (2, 0));
    clock.advance(10);
    let std::task::Poll::Ready(unsaved) = next.as_mut().poll(&mut context) else { panic!("still waits") };
    assert_eq!((unsaved[0].messages, unsaved[0].error.as_ref().unwrap().to_string()), (1, "down".to_owned()));
    assert_eq!(ranges(&kept), ["0-0", "0-0"]);
}

#[test]
fn two_who_flush_share_one_save() {
    let ManualRuntime { clock, outside } = surroundings();
    let slow = outside.clock.clone();
    let store = TestStore::taking("s").extracting(each_turn()).taking_its_time(move || slow.sleep(10));
    let kept = store.kept.clone();
    let manager = block_on(MemoryManager::builder(outside).store(store).build()).unwrap();
    manager.message_added(&Message::user("m0")).unwrap();
    let mut context = Context::from_waker(Waker::noop());
    let mut both = [manager.coordinator(); 2].map(|coordinator| Box::pin(coordinator.flush()));
    assert!(both.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
    // A message recorded meanwhile is saved next, in a save that both callers wait for.
    manager.message_added(&Message::user("m1")).unwrap();
    assert_eq!(kept.tokens().len(), 1);
    clock.advance(10);
    assert!(both.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
    assert_eq!(ranges(&kept), ["0-0", "1-1"]);
    clock.advance(10);
    assert!(both.iter_mut().all(|one| one.as_mut().poll(&mut context).is_ready()));
    assert_eq!((kept.texts(), kept.tokens().len()), (texts(0..2), 2));
}

/// The answers of a model, in order.
struct Scripted(Mutex<Vec<&'static str>>);

impl LanguageModel for Scripted {
    fn complete<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<String, StoreError>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.is_empty() { "[]" } else { answers.remove(0) };
        Box::pin(async move { Ok(answer.to_owned()) })
    }
}

fn extracting(answers: &[&'static str]) -> (Talk, ReceivedContents) {
    let extractor = ModelExtractor(Scripted(Mutex::new(answers.to_vec())));
    let config = ExtractionConfig { extractor: Some(Arc::new(extractor)), ..each_turn() };
    let store = TestStore::adding("s").extracting(config);
    let kept = store.kept.clone();
    (Talk::with(vec![store]), kept)
}

#[test]
fn only_entries_that_failed_are_added_again() {
    let made = r#"[{"content":"a"},{"content":"b"},{"content":"c"},{"content":"d"}]"#;
    let (mut talk, kept) = extracting(&[made, "never asked"]);
    kept.fail_adds_of(&["b", "d"]);
    talk.say(2).turn();
    assert_eq!((kept.add_calls(), kept.added()), (strings("abcd"), strings("ac")));
    assert_eq!(
        talk.manager.coordinator().unsaved()[0].messages,
        2,
        "the messages are not done before all is"
    );
    kept.fail_adds_of(&["d"]);
    talk.later().turn();
    assert_eq!(kept.add_calls(), strings("abcdbd"));
    kept.fail_adds_of(&[]);
    talk.later().turn();
    assert_eq!((kept.add_calls(), kept.added()), (strings("abcdbdd"), strings("acbd")));
    assert!(talk.manager.coordinator().unsaved().is_empty());
    talk.later().turn();
    assert_eq!(kept.add_calls().len(), 7, "nothing comes after the end");
}

fn strings(letters: &str) -> Vec<String> {
    letters.chars().map(String::from).collect()
}

#[test]
fn answers_without_sense_are_retried_twice_then_quarantined() {
    let (mut talk, kept) = extracting(&["no", "no", "no", r#"[{"content":"later"}]"#]);
    talk.say(2).turn();
    talk.later().turn();
    assert!(talk.manager.coordinator().quarantined().unwrap().is_empty());
    talk.later().turn();
    assert_eq!(talk.manager.coordinator().quarantined().unwrap().len(), 2);
    assert!(talk.manager.coordinator().unsaved().is_empty() && kept.added().is_empty());
    talk.say(1).turn();
    assert_eq!(kept.added(), ["later"]);
}

#[test]
fn an_empty_answer_is_an_answer() {
    let (mut talk, kept) = extracting(&["[]", r#"[{"content":"later"}]"#]);
    talk.say(2).turn();
    assert!(talk.manager.coordinator().unsaved().is_empty() && kept.add_calls().is_empty());
    assert!(talk.manager.coordinator().quarantined().unwrap().is_empty());
    talk.say(1).turn();
    assert_eq!(kept.added(), ["later"]);
}

#[test]
fn an_entry_that_is_refused_is_quarantined_alone() {
    let (mut talk, kept) = extracting(&[r#"[{"content":"a"},{"content":"poison"}]"#]);
    talk.say(1).turn();
    assert_eq!(kept.added(), ["a"]);
    let quarantined = talk.manager.coordinator().quarantined().unwrap();
    assert_eq!(quarantined[0].content, QuarantinedContent::Entry(NewEntry::text("poison")));
    assert_eq!(block_on(talk.manager.coordinator().retry_quarantined()).unwrap().len(), 1);
}
