//! Tools through the native API and through MCP: equal names, arguments, errors.

use serde_json::{Value, json};

use crate::fixture::World;

fn native(world: &World, name: &str, arguments: Value, headers: &[(&str, &str)]) -> (u16, Value) {
    let answer = world.send("POST", &format!("/v1/tools/{name}"), headers, arguments.to_string());
    (answer.status.as_u16(), answer.json())
}

#[test]
fn what_one_door_stores_the_other_finds() {
    let world = World::new();
    world.memory("notes");
    let (status, stored) = native(
        &world,
        "add_memory",
        json!({ "entries": ["Anna likes tea", "Anna likes tea", "Ben likes coffee"] }),
        &[],
    );
    assert_eq!((status, &stored), (200, &json!({ "stored": 2 })));
    let again = native(&world, "add_memory", json!({ "entries": ["Anna likes tea"] }), &[]);
    assert_eq!(again, (200, json!({ "stored": 0, "known": 1 })));
    let asked = json!({ "query": "what does Anna like", "maxSearchResults": 1 });
    let (_, found) = native(&world, "search_memory", asked.clone(), &[]);
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["results"][0]["content"], "Anna likes tea");
    assert_eq!(found["results"][0]["storeName"], "notes");
    assert_eq!(found["results"][0]["store_name"], "notes");
    let over_mcp =
        world.modern("/mcp", "tools/call", json!({ "name": "search_memory", "arguments": asked })).json();
    assert_eq!(over_mcp["result"]["structuredContent"], found);
    let text = over_mcp["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), found);
}

/// Adding a text again updates its time, in listings and in the AgentCore API.
#[test]
fn what_is_added_again_has_the_time_of_its_last_telling() {
    let world = World::new();
    world.memory("notes");
    let add = |entries: Value| native(&world, "add_memory", json!({ "entries": entries }), &[]).1;
    add(json!(["The release manager is Priya"]));
    world.test.clock().advance_ms(60_000);
    add(json!(["The release manager is Tom"]));
    let records = || {
        let listed = world.send("POST", "/v1/memories/notes/records:list", &[], "{}".to_owned()).json();
        let records = listed["records"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
        let of = |record: &Value| {
            let text = record["text"].as_str().unwrap();
            (text.rsplit(' ').next().unwrap().to_owned(), record["timestamp"].as_str().unwrap().to_owned())
        };
        records.iter().map(of).collect::<Vec<_>>()
    };
    let before = records();
    assert_eq!(before.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Tom", "Priya"]);
    world.test.clock().advance_ms(60_000);
    assert_eq!(add(json!(["The release manager is Priya"])), json!({ "stored": 0, "known": 1 }));
    let after = records();
    let time =
        |of: &[(String, String)], name: &str| of.iter().find(|(known, _)| known == name).unwrap().1.clone();
    assert!(time(&after, "Priya") > time(&after, "Tom"), "{after:?}");
    assert_eq!((after.len(), time(&after, "Tom")), (2, time(&before, "Tom")));
}

#[test]
fn a_search_of_a_memory_gives_passages() {
    let world = World::new();
    world.memory("notes");
    native(&world, "add_memory", json!({ "entries": ["Anna likes tea", "Ben likes coffee"] }), &[]);
    let find = |kinds: Value| {
        let asked = json!({ "store": "notes", "query": "what does Anna like", "kinds": kinds, "limit": 1 });
        native(&world, "memory_search", asked, &[]).1
    };
    let found = find(json!(["fact", "preference"]));
    assert_eq!(found["results"][0]["passage"], "Anna likes tea", "{found}");
    assert_eq!(found["results"][0]["kind"], "fact");
    assert_eq!(found["memories"], json!([]), "nothing of it is verified");
    assert_eq!(find(json!(["document"]))["results"], json!([]));
    // Each error names the field, and the known ones.
    for (asked, field, part) in [
        (json!({ "store": "notes", "query": "tea", "filters": { "path": "a" } }), "filters", "repo"),
        (json!({ "query": "tea" }), "repo", "repo and store are missing"),
        (json!({ "repo": "a/b", "store": "notes", "query": "tea" }), "store", "exclude each other"),
        (json!({ "memory": "notes", "query": "tea" }), "memory", "there are repo, store, query"),
        (json!({ "repo": "a/b", "filters": { "file": "a" } }), "filters.file", "there are pr, commit"),
        (
            json!({ "repo": "a/b", "filters": { "status": "open" } }),
            "filters.status",
            "one of active, candidate",
        ),
    ] {
        let (status, error) = native(&world, "memory_search", asked, &[]);
        let error = &error["error"];
        assert_eq!((status, error["field"].as_str()), (400, Some(field)), "{error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    let (status, error) = native(&world, "search_notes", json!({}), &[]);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(status == 404 && message.starts_with("there is no tool search_notes"), "{error}");
}

#[test]
fn errors_have_the_same_code_at_both_doors() {
    let world = World::new();
    world.memory("notes");
    let check = |name: &str, arguments: Value, status: u16, code: &str, part: &str| {
        let (got, error) = native(&world, name, arguments.clone(), &[]);
        let error = &error["error"];
        assert_eq!((got, error["code"].as_str()), (status, Some(code)), "{name} {arguments}: {error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
        let answer =
            world.modern("/mcp", "tools/call", json!({ "name": name, "arguments": arguments })).json();
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert_eq!(result["structuredContent"]["code"], code);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{code}: ")) && text.contains(part), "{text}");
    };
    check("search_memory", json!({}), 400, "INVALID_ARGUMENT", "query is missing");
    check(
        "search_memory",
        json!({ "query": "x", "limit": 1 }),
        400,
        "INVALID_ARGUMENT",
        "limit is not known",
    );
    check(
        "search_memory",
        json!({ "query": "x", "maxSearchResults": 0 }),
        400,
        "INVALID_ARGUMENT",
        "positive",
    );
    check(
        "search_memory",
        json!({ "query": "x", "stores": ["none"] }),
        400,
        "INVALID_ARGUMENT",
        "there are notes",
    );
    check("add_memory", json!({ "entries": [] }), 400, "INVALID_ARGUMENT", "at least 1 items");
    check("add_memory", json!({ "entries": [" "] }), 400, "INVALID_ARGUMENT", "must not be blank");
    assert_eq!(native(&world, "no_such_tool", json!({}), &[]).0, 404);
    assert_eq!(world.send("POST", "/v1/tools/search_memory", &[], "[]".to_owned()).status.as_u16(), 400);
}

#[test]
fn the_memory_is_the_one_meant() {
    let world = World::new();
    let entries = json!({ "entries": ["x marks the spot"] });
    assert_eq!(native(&world, "add_memory", entries.clone(), &[]).0, 404, "no memory yet");
    world.memory("first");
    let second = world.memory("second");
    let (status, error) = native(&world, "add_memory", entries.clone(), &[]);
    assert_eq!((status, error["error"]["field"].as_str()), (400, Some("X-Loci-Memory")));
    for (header, expect) in [("second", 1), (second.as_str(), 0)] {
        let (status, stored) = native(&world, "add_memory", entries.clone(), &[("x-loci-memory", header)]);
        assert_eq!((status, stored["stored"].as_i64()), (200, Some(expect)), "{header}: {stored}");
    }
    let find = |headers: &[(&str, &str)], arguments: Value| {
        let (_, found) = native(&world, "search_memory", arguments, headers);
        found["results"].as_array().unwrap().len()
    };
    assert_eq!(find(&[], json!({ "query": "spot" })), 1, "all memories are searched");
    assert_eq!(find(&[("x-loci-memory", "first")], json!({ "query": "spot" })), 0);
    assert_eq!(find(&[], json!({ "query": "spot", "stores": ["first"] })), 0);
    assert_eq!(find(&[], json!({ "query": "spot", "stores": ["first", "second", "third"] })), 1);
    // The only memory of a caller is its default.
    let grants = json!([{ "memory": second, "capabilities": ["read", "write"] }]);
    let world = world.with_token(grants);
    let (_, stored) = native(&world, "add_memory", json!({ "entries": ["y"] }), &[]);
    assert_eq!(stored["stored"], 1, "{stored}");
}

#[test]
fn the_list_says_what_may_be_called() {
    let world = World::new();
    let names = |world: &World, query: &str| {
        let answer = world.send("GET", &format!("/v1/tools{query}"), &[], String::new()).json();
        answer["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&world, "?profile=recall"), ["search_memory", "add_memory"]);
    assert_eq!(world.send("GET", "/v1/tools?profile=x", &[], String::new()).status.as_u16(), 400);
    let world = world.with_token(json!([{ "capabilities": ["read"] }]));
    assert_eq!(names(&world, "?profile=recall"), ["search_memory"]);
}
