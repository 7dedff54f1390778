//! Rules of the manager about foreign code in stores, about ignored configuration, and about its
//! warnings.

use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use serde_json::json;

use super::log::logged;
use super::test_runtime::surroundings;
use super::test_store::TestStore;
use crate::agent::coordinator::{ExtractionConfig, Interval, Invocation, MessageFilter};
use crate::agent::injection::{InjectionFormat, InjectionOptions, InjectionTrigger};
use crate::agent::stores::{FileStore, FileStoreOptions};
use crate::agent::*;

fn build(stores: Vec<TestStore>) -> MemoryManager {
    let builder = MemoryManager::builder(surroundings().outside);
    block_on(stores.into_iter().fold(builder, |builder, store| builder.store(store)).build()).unwrap()
}

#[test]
fn stores_are_made_ready_in_their_order_and_an_error_ends_it() {
    let starts: Arc<Mutex<Vec<String>>> = Arc::default();
    let store = |name: &str| TestStore::adding(name).noting_its_start(&starts);
    let builder = MemoryManager::builder(surroundings().outside);
    let builder =
        builder.store(store("b")).store(store("a")).store(store("broken").not_ready()).store(store("c"));
    let error = block_on(builder.build()).unwrap_err();
    assert_eq!(error.to_string(), "store 'broken' could not be initialised: no connection");
    assert_eq!(*starts.lock().unwrap(), ["b", "a", "broken"]);
}

#[test]
fn a_store_that_may_not_be_written_to_never_is() {
    let mut reading = TestStore::adding("r");
    reading.can.writable = false;
    let (kept, writing) = (reading.kept.clone(), TestStore::adding("w"));
    let written = writing.kept.clone();
    let manager = build(vec![reading, writing]);
    block_on(manager.add("x", &AddOptions::default())).unwrap();
    assert_eq!((kept.add_calls().len(), written.added()), (0, vec!["x".to_owned()]));
}

#[test]
fn explicit_opt_outs_are_silent_and_extraction_without_writing_warns() {
    let check = |writable: bool, extraction: Option<ExtractionConfig>, expect: &[&str]| {
        let options = FileStoreOptions { writable, extraction, ..FileStoreOptions::new("notes") };
        let (store, lines) = logged(|| FileStore::new(options).unwrap());
        assert_eq!(lines, expect);
        assert_eq!(store.extraction().is_some(), writable && expect.is_empty() && store.capabilities().add);
    };
    let warning =
        "WARN store=<notes> | extraction is configured on a store that is not writable, and left out";
    check(false, Some(ExtractionConfig::default()), &[warning]);
    check(true, Some(ExtractionConfig::default()), &[]);
    let options = FileStoreOptions { writable: false, ..FileStoreOptions::new("notes") };
    let (store, lines) = logged(|| FileStore::new(options).unwrap());
    assert!(lines.is_empty() && store.extraction().is_none());
    // A manager over such stores logs nothing, either.
    let (_, lines) = logged(|| build(vec![TestStore::reading("r"), TestStore::adding("w")]));
    assert!(lines.is_empty(), "{lines:?}");
}

#[test]
fn injection_can_be_switched_off() {
    let store = TestStore::reading("r").found(vec![Entry::new("r", "x")]);
    let kept = store.kept.clone();
    let builder = MemoryManager::builder(surroundings().outside).store(store).injection(None);
    let injected = block_on(block_on(builder.build()).unwrap().inject(&[Message::user("q")], &json!({})));
    assert_eq!((injected.appended_blocks, kept.questions().len()), (0, 0));
}

#[test]
fn tools_of_stores_follow_those_of_the_manager_in_the_order_of_the_stores() {
    let builder = MemoryManager::builder(surroundings().outside)
        .add_tool(Some(AddToolOptions::default()))
        .store(TestStore::adding("b").offering("b_history"))
        .store(TestStore::reading("silent"))
        .store(TestStore::adding("a").offering("a_history"));
    let manager = block_on(builder.build()).unwrap();
    for _ in 0..2 {
        let names: Vec<String> = manager.tools().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["search_memory", "add_memory", "b_history", "a_history"]);
    }
}

#[test]
fn the_extended_tool_hands_on_what_is_asked() {
    let mut store = TestStore::reading("r").found(vec![Entry::new("r", "aaaa aaaa"), Entry::new("r", "b")]);
    (store.can.filters, store.can.as_of) = (true, true);
    let kept = store.kept.clone();
    let builder = MemoryManager::builder(surroundings().outside).store(store).extended_tools(true);
    let tool = block_on(builder.build()).unwrap().tools().remove(0);
    let filter = json!([{"key": "mood", "operator": "equals_to", "value": "good"}]);
    let asked = json!({
        "query": "q", "filter": filter, "as_of": "1970-01-01T00:00:01Z", "budget_tokens": 2
    });
    let answer = block_on(tool.call(asked)).unwrap().into_value();
    assert_eq!(answer, json!([{"content": "b", "storeName": "r", "store_name": "r"}]));
    let query = kept.inside().queries.remove(0);
    assert_eq!((serde_json::to_value(query.filter).unwrap(), query.as_of_ms), (filter, Some(1000)));
    assert_eq!(query.budget_tokens, Some(2));
    for wrong in [json!({"filter": "x"}), json!({"as_of": "yesterday"}), json!({"budget_tokens": 0})] {
        let mut asked = json!({"query": "q"});
        asked.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let name = wrong.as_object().unwrap().keys().next().unwrap().clone();
        let error = block_on(tool.call(asked)).unwrap_err();
        assert!(error.0.contains(&name), "{error}");
    }
}

#[test]
fn of_stores_that_are_named_to_the_add_tool_the_known_ones_are_written_to() {
    let store = TestStore::adding("a");
    let kept = store.kept.clone();
    let builder = MemoryManager::builder(surroundings().outside);
    let builder =
        builder.add_tool(Some(AddToolOptions::default())).store(store).store(TestStore::reading("r"));
    let tool = block_on(builder.build()).unwrap().tools().remove(1);
    let answer = block_on(tool.call(json!({"entries": ["x"], "stores": ["zz", "a", "r"]}))).unwrap();
    assert_eq!(answer.into_value(), json!({"stored": 1, "warnings": ["no such store, left out: zz, r"]}));
    assert_eq!(kept.added(), ["x"]);
}

#[test]
fn every_store_that_keeps_nothing_is_warned_of() {
    let [a, b, c] = ["a", "b", "c"].map(TestStore::adding);
    let kept = [a.kept.clone(), c.kept.clone()];
    kept.iter().for_each(|kept| kept.fail_adds(true));
    let manager = build(vec![a, b, c]);
    let (error, lines) = logged(|| block_on(manager.add("x", &AddOptions::default())).unwrap_err());
    assert_eq!(error.to_string(), "failed to add to store(s): a, c");
    assert_eq!(
        lines,
        [
            "WARN store=<a>, reason=<down> | store add failed",
            "WARN store=<c>, reason=<down> | store add failed"
        ]
    );
}

#[test]
fn a_store_that_panics_harms_no_other() {
    let odd = TestStore::reading("odd").taking_its_time(|| panic!("a store"));
    let manager = build(vec![odd, TestStore::reading("ok").found(vec![Entry::new("ok", "x")])]);
    let details = block_on(manager.search_detailed("q", &SearchOptions::default())).unwrap();
    assert_eq!((details.entries.len(), details.failures.len()), (1, 1));
    assert_eq!(details.failures[0].error.to_string(), "the store panicked");
    let injected = block_on(manager.inject(&[Message::user("q")], &json!({})));
    assert_eq!(injected.appended_blocks, 1);
    let adding = build(vec![TestStore::adding("a")]);
    let error = block_on(adding.add("panic", &AddOptions::default())).unwrap_err();
    assert_eq!(error.to_string(), "failed to add to store(s): a");
}

#[test]
fn a_callback_that_panics_injects_nothing() {
    let talk = [Message::user("q")];
    let options: [InjectionOptions; 3] = [
        InjectionOptions {
            trigger: InjectionTrigger::When(Arc::new(|_| panic!("a trigger"))),
            ..InjectionOptions::default()
        },
        InjectionOptions { query: Some(Arc::new(|_| panic!("a query"))), ..InjectionOptions::default() },
        InjectionOptions {
            format: InjectionFormat::Custom(Arc::new(|_| panic!("a format"))),
            ..InjectionOptions::default()
        },
    ];
    let inject = |options: InjectionOptions, estimator: Estimator| {
        let store = TestStore::reading("r").found(vec![Entry::new("r", "x")]);
        let builder = MemoryManager::builder(surroundings().outside).store(store);
        let manager = block_on(builder.injection(Some(options)).estimator(estimator).build()).unwrap();
        block_on(manager.inject(&talk, &json!({})))
    };
    for options in options {
        let injected = inject(options, Estimator::Mixed);
        assert_eq!((injected.appended_blocks, &injected.messages[..]), (0, &talk[..]));
    }
    let estimator = Estimator::Custom(Arc::new(|_| panic!("an estimator")));
    assert_eq!(inject(InjectionOptions::default(), estimator).messages, talk);
}

/// Keeps nothing of a message but its text.
struct Plain;

impl MessageFilter for Plain {
    fn keep(&self, message: &Message) -> Option<Message> {
        Some(Message::text(message.role, message.joined_text()))
    }
}

#[test]
fn a_message_arrives_with_all_that_was_said_of_it() {
    let taken: Arc<Mutex<Vec<Message>>> = Arc::default();
    let arrived = |filter: Option<Arc<dyn MessageFilter>>, message: &Message| {
        let store =
            TestStore::taking("t").extracting(ExtractionConfig { filter, ..ExtractionConfig::default() });
        let takes = Arc::clone(&taken);
        store.kept.answer(move |batch, _| {
            takes.lock().unwrap().extend(batch.messages.iter().map(|message| message.message.clone()));
            None
        });
        let outside = surroundings();
        outside.clock.advance(5);
        let manager = block_on(MemoryManager::builder(outside.outside).store(store).build()).unwrap();
        manager.message_added(message).unwrap();
        assert!(block_on(manager.coordinator().flush()).is_empty());
        taken.lock().unwrap().remove(0)
    };
    let mut said = Message { id: Some("m-1".into()), at_ms: Some(77), ..Message::assistant("x") };
    said.metadata.insert("k".into(), json!({"of": 1}));
    assert_eq!(arrived(None, &said), said);
    // The store receives the output of the filter; a message without a time gets the current one.
    let without = Message { at_ms: None, ..said.clone() };
    assert_eq!(arrived(None, &without), Message { at_ms: Some(5), ..said.clone() });
    assert_eq!(arrived(Some(Arc::new(Plain)), &said), Message::assistant("x"));
}

#[test]
fn saves_that_fail_are_warned_of_and_from_the_tenth_on_are_errors() {
    let triggers: Vec<Arc<dyn coordinator::ExtractionTrigger>> = vec![Arc::new(Invocation)];
    let config = ExtractionConfig { triggers: Some(triggers), ..ExtractionConfig::default() };
    let store = TestStore::taking("t").extracting(config);
    store.kept.answer(|_, _| Some(Err(StoreError::transient("down"))));
    let manager = build(vec![store]);
    manager.message_added(&Message::user("x")).unwrap();
    let ((), lines) = logged(|| (0..11).for_each(|_| drop(block_on(manager.coordinator().flush()))));
    let warning = "WARN store=<t>, reason=<down> | memory save failed".to_owned();
    let error = "ERROR store=<t>, reason=<down> | memory save failed, in backoff".to_owned();
    let expect: Vec<String> =
        (1..=11).map(|at| if at < 10 { warning.clone() } else { error.clone() }).collect();
    assert_eq!(lines, expect);
}

#[test]
fn counters_of_turns_are_of_each_store() {
    let every = |turns: u32| -> ExtractionConfig {
        let interval = Interval { turns: std::num::NonZeroU32::new(turns).unwrap() };
        ExtractionConfig { triggers: Some(vec![Arc::new(interval)]), ..ExtractionConfig::default() }
    };
    let stores = [2, 3].map(|turns| TestStore::taking(&format!("t{turns}")).extracting(every(turns)));
    let kept = stores.each_ref().map(|store| store.kept.clone());
    let manager = build(stores.into());
    for turn in 1..=6_usize {
        manager.message_added(&Message::user("x")).unwrap();
        manager.invocation_ended();
        block_on(manager.coordinator().save_due());
        assert_eq!(kept.each_ref().map(|kept| kept.texts().len()), [turn / 2 * 2, turn / 3 * 3], "{turn}");
    }
}

#[test]
fn flush_and_extract_says_of_each_store_where_it_stands() {
    let waited = ExtractionWaited { complete: false, pending: 2, failed: 1 };
    let stores = [
        TestStore::taking("knows").extracting(ExtractionConfig::default()).waiting(waited),
        TestStore::taking("does-not").extracting(ExtractionConfig::default()),
    ];
    let kept = stores.each_ref().map(|store| store.kept.clone());
    let manager = build(stores.into());
    manager.message_added(&Message::user("x")).unwrap();
    let (unsaved, waits) = block_on(manager.coordinator().flush_and_extract(10));
    assert!(unsaved.is_empty());
    assert_eq!(kept.map(|kept| kept.texts().len()), [1, 1]);
    let told: Vec<(&str, Result<ExtractionWaited, String>)> = waits
        .iter()
        .map(|(name, wait)| (name.as_str(), wait.clone().map_err(|error| error.to_string())))
        .collect();
    assert_eq!(told, [("knows", Ok(waited)), ("does-not", Err("it does not say".to_owned()))]);
}
