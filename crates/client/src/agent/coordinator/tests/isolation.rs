//! Foreign code that panics harms only its own store, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};

use futures::FutureExt;
use futures::executor::block_on;

use crate::agent::coordinator::*;
use crate::agent::tests::test_runtime::{StandingClock, surroundings};
use crate::agent::tests::test_store::{ReceivedContents, TestStore};
use crate::agent::{MemoryManager, Message};

fn each_turn() -> ExtractionConfig {
    ExtractionConfig { triggers: Some(vec![Arc::new(Invocation)]), ..ExtractionConfig::default() }
}

fn manager(odd: TestStore) -> (MemoryManager, Arc<StandingClock>, [ReceivedContents; 2]) {
    let standing = surroundings();
    let sound = TestStore::taking("sound").extracting(each_turn());
    let kept = [odd.kept.clone(), sound.kept.clone()];
    let builder = MemoryManager::builder(standing.outside).store(odd).store(sound);
    let builder = builder.on_quarantine(|_| panic!("a callback"));
    (block_on(builder.build()).unwrap(), standing.clock, kept)
}

#[test]
fn a_store_that_panics_is_tried_again_and_the_others_run_on() {
    let calls = AtomicU32::new(0);
    let panics = move || {
        assert!(calls.fetch_add(1, Ordering::SeqCst) > 0, "a store");
        std::future::ready(()).boxed()
    };
    let (manager, clock, kept) =
        manager(TestStore::taking("odd").extracting(each_turn()).taking_its_time(panics));
    let coordinator = manager.coordinator().clone();
    let mut running = Box::pin(coordinator.run());
    let mut context = Context::from_waker(Waker::noop());
    for said in ["m0", "m1"] {
        manager.message_added(&Message::user(said)).unwrap();
        manager.invocation_ended();
        assert!(running.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!((kept[0].texts().len(), kept[1].texts()), (0, vec!["m0".to_owned(), "m1".to_owned()]));
    let unsaved = coordinator.unsaved();
    assert_eq!(unsaved[0].error.as_ref().unwrap().to_string(), "the store panicked");
    clock.advance(60_000);
    assert!(running.as_mut().poll(&mut context).is_pending());
    assert_eq!(kept[0].texts(), ["m0", "m1"]);
}

/// Panics at its first call, and fires after that.
struct OddTrigger(AtomicU32);

impl ExtractionTrigger for OddTrigger {
    fn fires(&self, _: Turns) -> bool {
        assert!(self.0.fetch_add(1, Ordering::SeqCst) > 0, "a trigger");
        true
    }
}

#[test]
fn a_trigger_that_panics_fires_not_and_the_others_do() {
    let trigger = Arc::new(OddTrigger(AtomicU32::new(0)));
    let config = ExtractionConfig { triggers: Some(vec![trigger]), ..each_turn() };
    let (manager, _, kept) = manager(TestStore::taking("odd").extracting(config));
    for said in [1, 2] {
        manager.message_added(&Message::user("m")).unwrap();
        manager.invocation_ended();
        block_on(manager.coordinator().save_due());
        assert_eq!(kept.each_ref().map(|kept| kept.texts().len()), [if said == 1 { 0 } else { 2 }, said]);
    }
}

/// Keeps messages and panics at one of them.
struct Odd(AtomicU32);

impl MessageFilter for Odd {
    fn keep(&self, message: &Message) -> Option<Message> {
        assert!(message.joined_text() != "m1" || self.0.fetch_sub(1, Ordering::SeqCst) == 0, "a filter");
        Some(Message::user(format!("kept {}", message.joined_text())))
    }
}

#[test]
fn a_message_that_the_filter_cannot_take_is_quarantined_and_filtered_when_it_is_tried_again() {
    let filter = Arc::new(Odd(AtomicU32::new(u32::MAX)));
    let config = ExtractionConfig { filter: Some(filter.clone()), ..each_turn() };
    let (manager, _, kept) = manager(TestStore::taking("odd").extracting(config));
    for said in ["m0", "m1", "m2"] {
        manager.message_added(&Message::user(said)).unwrap();
    }
    for _ in 0..12 {
        block_on(manager.coordinator().flush());
    }
    assert_eq!(kept[0].texts(), ["kept m0", "kept m2"]);
    assert_eq!(kept[1].texts(), ["m0", "m1", "m2"]);
    assert!(manager.coordinator().unsaved().is_empty());
    assert_eq!(manager.coordinator().quarantined().unwrap().len(), 1);
    filter.0.store(0, Ordering::SeqCst);
    assert!(block_on(manager.coordinator().retry_quarantined()).unwrap().is_empty());
    assert_eq!(kept[0].texts(), ["kept m0", "kept m2", "kept m1"]);
}
