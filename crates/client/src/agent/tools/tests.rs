//! The tools as a model uses them: their bytes, their errors, their results.

use futures::FutureExt;
use futures::executor::block_on;
use serde_json::{Value, json};

use super::*;
use crate::agent::tests::test_runtime::surroundings;
use crate::agent::tests::test_store::TestStore;
use crate::agent::{Entry, MemoryManager, MemoryManagerBuilder};

const SEARCH: &str = r#"{"name":"search_memory","description":"Search long-term memory for facts, preferences, or context from previous conversations. Use when you need background about the user or topic that may have been discussed before.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to search for"},"maxSearchResults":{"type":"number","description":"Maximum number of results per store"},"stores":{"type":"array","items":{"type":"string"},"description":"Filter to specific stores by name. Omit to search all available stores."}},"required":["query"],"additionalProperties":false}}"#;
const ADD: &str = r#"{"name":"add_memory","description":"Add facts, preferences, or decisions to long-term memory so they are remembered across conversations. Use when the user shares something worth recalling later.","inputSchema":{"type":"object","properties":{"entries":{"type":"array","minItems":1,"items":{"type":"string"},"description":"Data to add to long-term memory"},"stores":{"type":"array","items":{"type":"string"},"description":"Target specific stores by name. Omit to add to all writable stores."}},"required":["entries"],"additionalProperties":false}}"#;

fn manager(shape: impl FnOnce(MemoryManagerBuilder) -> MemoryManagerBuilder) -> MemoryManager {
    let builder = MemoryManager::builder(surroundings().outside).add_tool(Some(AddToolOptions::default()));
    block_on(shape(builder).build()).unwrap()
}

fn two() -> MemoryManager {
    let found = Entry { metadata: json!({"k": 1}).as_object().unwrap().clone(), ..Entry::new("a", "x") };
    manager(|builder| {
        builder
            .store(TestStore::adding("a").described("Facts").found(vec![found]))
            .store(TestStore::reading("b").described("Documents"))
    })
}

#[test]
fn tools_are_listed_byte_for_byte() {
    let plain = manager(|builder| builder.store(TestStore::adding("a")));
    let listed: Vec<String> = plain.tools().iter().map(|tool| tool.listed().to_string()).collect();
    assert_eq!(listed, [SEARCH, ADD]);
}

#[test]
fn stores_with_a_description_are_told_of() {
    let tools = two().tools();
    let suffix =
        |at: usize| tools[at].description.split_once("\n\n").map(|(_, suffix)| suffix.to_owned()).unwrap();
    assert_eq!(
        suffix(0),
        "Available memory stores:\n- a: Facts\n- b: Documents\n\nName stores to search only those, or leave `stores` out to search all of them."
    );
    assert_eq!(
        suffix(1),
        "Available writable stores:\n- a: Facts\n\nName stores to add only to those, or leave `stores` out to add to all of them."
    );
}

#[test]
fn names_words_and_switches() {
    let named = SearchToolOptions { name: Some("recall".into()), description: Some("Recalls.".into()) };
    let tools = manager(|b| b.store(TestStore::adding("a")).search_tool(Some(named)).add_tool(None)).tools();
    assert_eq!(
        (tools.len(), tools[0].name.as_str(), tools[0].description.as_str()),
        (1, "recall", "Recalls.")
    );
    let none = manager(|b| b.store(TestStore::adding("a")).search_tool(None).add_tool(None));
    assert!(none.tools().is_empty());
    let extended = manager(|b| b.store(TestStore::adding("a")).extended_tools(true)).tools();
    let members: Vec<&str> =
        extended[0].input_schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["query", "maxSearchResults", "stores", "filter", "as_of", "budget_tokens"]);
}

#[test]
fn search_answers_and_errors() {
    let tool = two().search_memory_tool().unwrap();
    let check = |arguments: Value, expect: Result<Value, &str>| {
        let got = block_on(tool.call(arguments.clone())).map(ToolAnswer::into_value);
        assert_eq!(got.map_err(|error| error.0), expect.map_err(str::to_owned), "{arguments}");
    };
    let hit = json!([{"content": "x", "storeName": "a", "store_name": "a", "metadata": {"k": 1}}]);
    check(json!({"query": "q"}), Ok(hit.clone()));
    check(json!({"query": "q", "stores": []}), Ok(hit.clone()));
    check(json!({"query": "q", "maxSearchResults": 5.0}), Ok(hit.clone()));
    check(json!({"query": "q", "max_search_results": 2, "stores": ["a", "a"]}), Ok(hit.clone()));
    check(
        json!({"query": "q", "maxSearchResults": 101}),
        Ok(json!({"results": hit, "warnings": ["maxSearchResults was cut to 100"]})),
    );
    check(
        json!({"query": "q", "stores": ["a", "zz"]}),
        Ok(json!({"results": hit, "warnings": ["no such store, left out: zz"]})),
    );
    check(json!({"query": "q", "stores": ["zz"]}), Err("no such store: zz. Available stores: a, b"));
    for wrong in [json!(0), json!(-1), json!(2.5), json!("3")] {
        check(
            json!({"query": "q", "maxSearchResults": wrong}),
            Err("maxSearchResults must be a positive whole number"),
        );
        check(
            json!({"query": "q", "max_search_results": wrong}),
            Err("max_search_results must be a positive whole number"),
        );
    }
    check(json!({}), Err("query must be a text that is not empty"));
    check(
        json!({"query": "q", "as_of": "x"}),
        Err("as_of is no argument of this tool; known: query, maxSearchResults, max_search_results, stores"),
    );
}

#[test]
fn add_answers_and_errors() {
    let store = TestStore::adding("a");
    let kept = store.kept.clone();
    let tool = manager(|b| b.store(store).store(TestStore::reading("b"))).add_memory_tool().unwrap();
    let check = |arguments: Value, expect: Result<Value, &str>| {
        let got = block_on(tool.call(arguments.clone())).map(ToolAnswer::into_value);
        assert_eq!(got.map_err(|error| error.0), expect.map_err(str::to_owned), "{arguments}");
    };
    check(json!({"entries": ["x", "y"]}), Ok(json!({"stored": 2})));
    check(json!({"entries": []}), Err("entries must be a list of texts that are not empty"));
    check(json!({"entries": [" "]}), Err("entries must be a list of texts that are not empty"));
    check(json!({"entries": ["x"], "stores": ["b"]}), Err("no such store: b. Available stores: a"));
    assert_eq!(kept.added(), ["x", "y"]);
    kept.fail_adds(true);
    check(
        json!({"entries": ["x", "y"]}),
        Err("2 of 2 entries were not stored: failed to add to store(s): a"),
    );
}

#[test]
fn add_without_waiting_needs_an_executor() {
    let options = AddToolOptions { wait_for_writes: false, ..AddToolOptions::default() };
    let built = |outside| {
        let builder = MemoryManager::builder(outside).store(TestStore::adding("a"));
        block_on(builder.add_tool(Some(options.clone())).build())
    };
    let error = built(surroundings().outside).unwrap_err().to_string();
    assert_eq!(error, "add_memory: wait_for_writes = false needs an executor");
    let with = surroundings().outside.with_executor(|work| assert!(work.now_or_never().is_some()));
    let tool = built(with).unwrap().add_memory_tool().unwrap();
    let answer = block_on(tool.call(json!({"entries": ["x"]}))).unwrap();
    assert_eq!(answer.into_value(), json!({"accepted": 1}));
}
