//! The rules of the manager and their error texts; searches over several stores; additions.

pub(super) mod log;
mod rules;
pub(crate) mod test_runtime;
pub(super) mod test_store;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::task;

use futures::executor::block_on;
use futures::future::BoxFuture;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::coordinator::{ExtractError, ExtractionConfig, ExtractionTrigger, Extractor, Invocation};
use super::*;
use test_runtime::{ManualRuntime, surroundings};
use test_store::TestStore;

fn build(shape: impl FnOnce(MemoryManagerBuilder) -> MemoryManagerBuilder) -> Result<MemoryManager, String> {
    let builder = shape(MemoryManager::builder(surroundings().outside));
    block_on(builder.build()).map_err(|error| error.to_string())
}

struct Nothing;

impl Extractor for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn extract<'a>(&'a self, _: &'a [Message]) -> BoxFuture<'a, Result<Vec<NewEntry>, ExtractError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[test]
fn rules_of_construction() {
    let check = |stores: Vec<TestStore>, expect: Result<(), &str>| {
        let got = build(|builder| stores.into_iter().fold(builder, MemoryManagerBuilder::store)).map(drop);
        assert_eq!(got, expect.map_err(str::to_owned));
    };
    let with = ExtractionConfig::default;
    let own = || ExtractionConfig { extractor: Some(Arc::new(Nothing)), ..with() };
    let silent = || ExtractionConfig { triggers: Some(Vec::new()), ..with() };
    check(vec![], Err("MemoryManager: at least one store is required"));
    check(vec![TestStore::reading("a"), TestStore::adding("a")], Err("duplicate store name 'a'"));
    let mut none = TestStore::reading("a");
    none.can.writable = true;
    check(vec![none], Err("store 'a' is writable but has neither add nor add_messages"));
    let mut read_only = TestStore::adding("a");
    read_only.can.writable = false;
    check(vec![read_only], Ok(()));
    check(
        vec![TestStore::reading("a").extracting(with())],
        Err("store 'a' has extraction but is not writable"),
    );
    check(
        vec![TestStore::taking("a").extracting(silent())],
        Err("store 'a' has extraction without a trigger"),
    );
    check(
        vec![TestStore::adding("a").extracting(with())],
        Err("store 'a' has extraction without an extractor and has no add_messages"),
    );
    check(
        vec![TestStore::taking("a").extracting(own())],
        Err("store 'a' has extraction with an extractor but has no add"),
    );
    check(vec![TestStore::adding("a").extracting(own())], Ok(()));
    check(vec![TestStore::taking("a").extracting(with())], Ok(()));
    check(vec![TestStore::adding("a").not_ready()], Err("store 'a' could not be initialised: no connection"));
    let fallback = build(|b| b.store(TestStore::adding("a").extracting(with())).extractor(Nothing)).map(drop);
    assert_eq!(fallback, Ok(()));
}

#[test]
fn tools_and_injection_are_on_off_on() {
    let manager = build(|builder| builder.store(TestStore::adding("a"))).unwrap();
    let names: Vec<String> = manager.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["search_memory"]);
    assert!(manager.parts.injection.is_some());
}

#[test]
fn the_list_of_the_add_tool_is_checked() {
    let check = |stores: Option<&[&str]>, expect: Result<&[&str], &str>| {
        let stores = stores.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let got = build(|builder| {
            builder
                .store(TestStore::reading("r"))
                .store(TestStore::adding("w"))
                .store(TestStore::taking("t"))
                .add_tool(Some(AddToolOptions { stores, ..AddToolOptions::default() }))
        });
        let got = got.map(|manager| manager.parts.add_tool.clone().and_then(|tool| tool.stores));
        let expect = expect.map(|names| Some(names.iter().map(|name| (*name).to_owned()).collect()));
        assert_eq!(got, expect.map_err(str::to_owned));
    };
    check(None, Ok(&["w"]));
    check(Some(&["w"]), Ok(&["w"]));
    check(Some(&["x"]), Err("add_memory: store 'x' not found"));
    check(Some(&["r"]), Err("add_memory: store 'r' is read-only"));
    check(Some(&["t"]), Err("add_memory: store 't' has no add"));
    check(Some(&[]), Err("add_memory: no writable store with add"));
}

#[test]
fn which_stores_are_asked_and_for_how_much() {
    let check = |options: SearchOptions, expect: Result<[&[u32]; 2], &str>| {
        let (a, b) = (TestStore::reading("a"), TestStore::reading("b").giving(7));
        let kept = [a.kept.clone(), b.kept.clone()];
        let manager = build(|builder| builder.store(a).store(b)).unwrap();
        let got = block_on(manager.search("q", &options)).map_err(|error| error.to_string());
        let got = got.map(|_| kept.map(|kept| kept.limits()));
        assert_eq!(got, expect.map(|all| all.map(<[u32]>::to_vec)).map_err(str::to_owned));
    };
    let stores = |names: &[&str]| SearchOptions {
        stores: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..SearchOptions::default()
    };
    let limit = |limit| SearchOptions { max_search_results: Some(limit), ..SearchOptions::default() };
    check(SearchOptions::default(), Ok([&[3], &[7]]));
    check(limit(9), Ok([&[9], &[9]]));
    check(limit(0), Err("max_search_results must be a positive whole number"));
    let budget = SearchOptions { budget_tokens: Some(0), ..SearchOptions::default() };
    check(budget, Err("budget_tokens must be a positive whole number"));
    for least in [-0.01, 1.01, f32::NAN, f32::INFINITY] {
        let options = SearchOptions { relevance_min: Some(least), ..SearchOptions::default() };
        check(options, Err("relevance_min must be a number between 0 and 1"));
    }
    check(stores(&[]), Ok([&[], &[]]));
    check(stores(&["b", "b"]), Ok([&[], &[7]]));
    check(stores(&["b", "x"]), Err("store 'x' not found"));
}

/// Fields of spans and messages of events, as text.
#[derive(Clone, Default)]
struct RecordedTrace(Arc<Mutex<BTreeMap<String, String>>>);

impl RecordedTrace {
    fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap().get(name).cloned()
    }
}

impl Visit for RecordedTrace {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.lock().unwrap().insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl<S: tracing::Subscriber> Layer<S> for RecordedTrace {
    fn on_new_span(&self, about: &tracing::span::Attributes<'_>, _: &tracing::Id, _: Context<'_, S>) {
        about.record(&mut self.clone());
    }

    fn on_record(&self, _: &tracing::Id, values: &tracing::span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }

    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }

    fn on_follows_from(&self, _: &tracing::Id, followed: &tracing::Id, _: Context<'_, S>) {
        self.0.lock().unwrap().insert("follows".to_owned(), format!("{followed:?}"));
    }
}

#[test]
fn one_fails_one_is_slow_one_answers() {
    let seen = RecordedTrace::default();
    let ManualRuntime { clock, outside } = surroundings();
    let slow = outside.clock.clone();
    let stores = [
        TestStore::reading("broken").failing("down"),
        TestStore::reading("slow")
            .found(vec![Entry::new("slow", "b")])
            .taking_its_time(move || slow.sleep(100)),
        TestStore::reading("ok").found(vec![Entry::new("ok", "a secret")]),
    ];
    let kept = stores.each_ref().map(|store| store.kept.clone());
    let details =
        tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), || {
            let builder = stores.into_iter().fold(MemoryManager::builder(outside), |b, store| b.store(store));
            let manager = block_on(builder.build()).unwrap();
            let options = SearchOptions::default();
            let mut searching = Box::pin(manager.search_detailed("a private question", &options));
            let mut poll = || searching.as_mut().poll(&mut task::Context::from_waker(task::Waker::noop()));
            assert!(poll().is_pending());
            // No store waits for the slow one: all are searched concurrently.
            assert_eq!(kept.each_ref().map(|kept| kept.questions().len()), [1, 1, 1]);
            clock.advance(99);
            assert!(poll().is_pending(), "its answer is waited for");
            clock.advance(1);
            let task::Poll::Ready(details) = poll() else { panic!("still waits") };
            details.unwrap()
        });
    let found: Vec<&str> = details.entries.iter().map(|entry| entry.store_name.as_str()).collect();
    assert_eq!(found, ["slow", "ok"], "in the order of the stores, not of their answers");
    let failed: Vec<&str> = details.failures.iter().map(|failure| failure.store_name.as_str()).collect();
    assert_eq!(failed, ["broken"]);
    let fields = [
        ("memory.store.names", r#""[\"broken\",\"slow\",\"ok\"]""#),
        ("memory.store.count", "3"),
        ("memory.result.count", "2"),
        ("memory.store.failure_count", "1"),
        ("message", "store=<broken>, reason=<down> | store search failed"),
    ];
    for (name, expect) in fields {
        assert_eq!(seen.get(name).as_deref(), Some(expect), "{name}");
    }
    let all = format!("{:?}", seen.0.lock().unwrap());
    assert!(!all.contains("secret") && !all.contains("private"), "content is never logged: {all}");
}

#[test]
fn what_injection_leaves_out_is_in_its_span() {
    let seen = RecordedTrace::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), || {
        let found = ["short", &"x".repeat(9000), "short, too"].map(|text| Entry::new("a", text));
        let manager = build(|builder| builder.store(TestStore::reading("a").found(found.into()))).unwrap();
        let injected = block_on(manager.inject(&[Message::user("q")], &serde_json::json!({})));
        assert_eq!((injected.entries.len(), injected.skipped), (2, 1));
    });
    let fields = [
        ("memory.max_entries", "5"),
        ("memory.injected", "true"),
        ("memory.entry.count", "3"),
        ("memory.inject.skipped", "1"),
    ];
    for (name, expect) in fields {
        assert_eq!(seen.get(name).as_deref(), Some(expect), "{name}");
    }
    let tokens: usize = seen.get("memory.inject.tokens").unwrap().parse().unwrap();
    assert!((1..=2000).contains(&tokens));
    let seen = RecordedTrace::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), || {
        let format = injection::InjectionFormat::Custom(Arc::new(|_| Err("no".into())));
        let options = injection::InjectionOptions { format, ..injection::InjectionOptions::default() };
        let store = TestStore::reading("a").found(vec![Entry::new("a", "x")]);
        let manager = build(|builder| builder.store(store).injection(Some(options))).unwrap();
        block_on(manager.inject(&[Message::user("q")], &serde_json::json!({})));
    });
    let told = ["memory.inject.format_error", "memory.injected"].map(|name| seen.get(name).unwrap());
    assert_eq!(told, ["true", "false"]);
}

#[test]
fn content_is_in_traces_where_that_is_wanted() {
    let seen = RecordedTrace::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), || {
        let store = TestStore::reading("ok").found(vec![Entry::new("ok", "a secret")]);
        let manager = build(|builder| builder.store(store).capture_content(true)).unwrap();
        block_on(manager.search("a private question", &SearchOptions::default())).unwrap();
    });
    assert_eq!(seen.get("query").as_deref(), Some(r#""a private question""#));
    assert_eq!(seen.get("results").as_deref(), Some(r#""[\"a secret\"]""#));
}

#[test]
fn a_save_is_linked_to_the_span_that_asked_for_it() {
    let seen = RecordedTrace::default();
    let agent = tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), || {
        let triggers: Vec<Arc<dyn ExtractionTrigger>> = vec![Arc::new(Invocation)];
        let config = ExtractionConfig { triggers: Some(triggers), ..ExtractionConfig::default() };
        let manager = build(|builder| builder.store(TestStore::taking("t").extracting(config))).unwrap();
        manager.message_added(&Message::user("hello")).unwrap();
        let agent = tracing::info_span!("agent");
        agent.in_scope(|| manager.invocation_ended());
        block_on(manager.coordinator().save_due());
        agent.id().unwrap()
    });
    assert_eq!(seen.get("follows"), Some(format!("{agent:?}")));
}

#[test]
fn nothing_and_failed_can_be_told_apart() {
    let manager = build(|builder| {
        ["a", "b", "c"]
            .into_iter()
            .fold(builder, |builder, name| builder.store(TestStore::reading(name).failing("down")))
    })
    .unwrap();
    assert!(block_on(manager.search("q", &SearchOptions::default())).unwrap().is_empty());
    let details = block_on(manager.search_detailed("q", &SearchOptions::default())).unwrap();
    let names: Vec<&str> = details.failures.iter().map(|failure| failure.store_name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn conditions_are_never_dropped_in_silence() {
    let manager = build(|b| b.store(TestStore::reading("a").found(vec![Entry::new("a", "x")]))).unwrap();
    let as_of = SearchOptions { as_of_ms: Some(0), ..SearchOptions::default() };
    let relevant = SearchOptions { relevance_min: Some(0.5), ..SearchOptions::default() };
    for options in [as_of, relevant] {
        let details = block_on(manager.search_detailed("q", &options)).unwrap();
        assert_eq!((details.entries.len(), details.failures.len()), (0, 1), "{options:?}");
    }
}

#[test]
fn a_budget_of_a_search() {
    let texts = ["aaaa aaaa", "bbbb bbbb bbbb bbbb bbbb", "cccc"];
    let found = texts.iter().map(|text| Entry::new("a", *text)).collect();
    let manager = build(|builder| builder.store(TestStore::reading("a").found(found))).unwrap();
    let options = SearchOptions { budget_tokens: Some(5), ..SearchOptions::default() };
    let got = block_on(manager.search("q", &options)).unwrap();
    let got: Vec<&str> = got.iter().map(|entry| entry.content.as_str()).collect();
    assert_eq!(got, ["aaaa aaaa", "cccc"]);
}

#[test]
fn additions() {
    let (a, b) = (TestStore::adding("a"), TestStore::adding("b"));
    let kept = [a.kept.clone(), b.kept.clone()];
    let manager = build(|builder| {
        builder.store(a).store(b).store(TestStore::reading("r")).store(TestStore::taking("t"))
    })
    .unwrap();
    let check = |content: &str, stores: Option<&[&str]>, expect: Result<(), &str>| {
        let stores = stores.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let options = AddOptions { stores, ..AddOptions::default() };
        let got = block_on(manager.add(content, &options)).map_err(|error| error.to_string());
        assert_eq!(got, expect.map_err(str::to_owned), "{content}");
    };
    check("one", None, Ok(()));
    check("two", Some(&["b"]), Ok(()));
    check("x", Some(&["b", "zz"]), Err("store 'zz' not found"));
    check("x", Some(&["b", "r"]), Err("store 'r' is read-only"));
    check("x", Some(&["t"]), Err("store 't' takes messages only: it has no add"));
    check("x", Some(&[]), Err("no writable store matched"));
    check(" \n", None, Err("content must not be empty"));
    kept[0].fail_adds(true);
    check("three", None, Err("failed to add to store(s): a"));
    assert_eq!(kept[0].added(), ["one"]);
    assert_eq!(kept[1].added(), ["one", "two", "three"]);
}
