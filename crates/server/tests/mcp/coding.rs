//! The tools of the family `coding`: calls of the native API under another name, with equal
//! members, rejections and grants.

use serde_json::{Value, json};

use crate::facts::shop;
use crate::fixture::World;

/// A task of the shop that has a learning, is completed and has a report; and a rule from a review.
pub(super) struct Shop {
    pub(super) world: World,
    /// The code memory.
    memory: String,
    /// The rule.
    pub(super) rule: String,
    /// The learning of the task.
    pub(super) note: String,
}

impl Shop {
    pub(super) fn new() -> Self {
        let world = shop();
        let mut shop = Self { world, memory: String::new(), rule: String::new(), note: String::new() };
        shop.task(
            "t-001",
            json!({ "repo": "acme/shop", "user": "anna", "description": "Refuse carts that are too full" }),
        );
        let memories = shop.asked("GET", "/v1/memories", Value::Null);
        shop.memory = memories["memories"][0]["id"].as_str().unwrap().to_owned();
        shop.rule = shop.put("/acme/shop/review-rules/", "Every endpoint has a test.");
        let noted = shop.tool(
            "memory_note",
            json!({ "task_id": "t-001", "text": "src/limits.rs: MAX_ITEMS bounds a cart." }),
        );
        shop.note = noted["learning"]["id"].as_str().unwrap().to_owned();
        let end = json!({ "status": "completed", "summary": "Carts refuse what is too much.", "files_changed": ["src/cart.rs"],
            "pr": { "number": 57 } });
        shop.asked("POST", "/v1/tasks/t-001/complete", end);
        shop
    }

    pub(super) fn task(&self, id: &str, mut new: Value) {
        new["task_id"] = id.into();
        self.asked("POST", "/v1/tasks", new);
    }

    /// Creates a record without a task.
    fn put(&self, namespace: &str, text: &str) -> String {
        let record = json!({ "requestIdentifier": "r", "namespaces": [namespace], "content": { "text": text }, "timestamp": 1,
            "metadata": { "pr": { "numberValue": 42 }, "reviewer": { "stringValue": "alice" } } });
        let path = format!("/memories/{}/memoryRecords/batchCreate", self.memory);
        let made = self.asked("POST", &path, json!({ "records": [record] }));
        made["successfulRecords"][0]["memoryRecordId"].as_str().unwrap().to_owned()
    }

    pub(super) fn answered(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let headers = [("content-type", "application/json")];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.world.send(method, path, &headers, body);
        (answer.status.as_u16(), answer.json())
    }

    pub(super) fn asked(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.answered(method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    pub(super) fn tool(&self, name: &str, arguments: Value) -> Value {
        self.asked("POST", &format!("/v1/tools/{name}"), arguments)
    }

    /// Returns the status of a rejection, its code and its field.
    fn refused(&self, name: &str, arguments: Value) -> (u16, String, Option<String>) {
        let (status, answer) = self.answered("POST", &format!("/v1/tools/{name}"), arguments);
        let error = &answer["error"];
        let word = |member: &str| error[member].as_str().map(str::to_owned);
        (status, word("code").unwrap_or_else(|| panic!("{name}: {answer}")), word("field"))
    }

    pub(super) fn over_mcp(&self, name: &str, arguments: &Value) -> Value {
        let call = json!({ "name": name, "arguments": arguments });
        let answer = self.world.modern("/mcp/p/coding", "tools/call", call).json();
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{name}: {answer}");
        result["structuredContent"].clone()
    }
}

fn joined(mut left: Value, right: Value) -> Value {
    let (Some(all), Value::Object(more)) = (left.as_object_mut(), right) else { panic!("two objects") };
    all.extend(more);
    left
}

/// Returns a response without its generated id.
fn undrawn(mut answer: Value) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("exposure_id");
    }
    answer
}

#[test]
fn the_same_as_the_native_api() {
    let shop = Shop::new();
    let known = json!({ "text": "src/limits.rs: MAX_ITEMS bounds a cart.", "topic": "src/limits.rs", "category": "convention" });
    let said = json!({ "used": [shop.note], "harmful": [{ "id": shop.rule, "reason": "No longer so" }] });
    let task = json!({ "task_id": "t-001" });
    // Without the block, because its fence is generated each time.
    let asked = json!({ "render": "none", "query": "carts and MAX_ITEMS", "paths": ["src/**"], "budget_tokens": 900 });
    // The tool and its arguments; method, path and body of the same call, and a member that must
    // not be empty.
    let rows = [
        (
            "memory_hydrate",
            joined(task.clone(), asked.clone()),
            "POST",
            "/v1/tasks/t-001/hydrate",
            asked,
            "/rules/0/text",
        ),
        (
            "memory_note",
            joined(task.clone(), known.clone()),
            "POST",
            "/v1/tasks/t-001/notes",
            known,
            "/learning/id",
        ),
        (
            "memory_feedback",
            joined(task.clone(), said.clone()),
            "POST",
            "/v1/tasks/t-001/feedback",
            said,
            "/harmful/0/reason",
        ),
        (
            "rules_list",
            json!({ "repo": "acme/shop", "q": "ENDPOINT" }),
            "GET",
            "/v1/repos/acme/shop/rules?q=ENDPOINT",
            Value::Null,
            "/rules/0/id",
        ),
        (
            "task_history",
            json!({ "repo": "acme/shop", "user": "anna", "status": "completed", "since": "2020-01-01T00:00:00Z" }),
            "GET",
            "/v1/tasks?repo=acme/shop&user=anna&status=completed&since=2020-01-01T00:00:00Z",
            Value::Null,
            "/tasks/0/task_id",
        ),
        (
            "attribution_lookup",
            json!({ "repo": "acme/shop", "task": "t-001" }),
            "GET",
            "/v1/attribution?repo=acme/shop&task=t-001",
            Value::Null,
            "/items/0/told/summary",
        ),
    ];
    for (name, arguments, method, path, body, says) in rows {
        // The first call makes the change. The following responses are those of a repeated call.
        shop.tool(name, arguments.clone());
        let native = undrawn(shop.asked(method, path, body));
        assert!(
            native.pointer(says).is_some_and(|said| said.as_str() != Some("")),
            "{name}: no {says} in {native}"
        );
        assert_eq!(undrawn(shop.tool(name, arguments.clone())), native, "{name}");
        assert_eq!(undrawn(shop.over_mcp(name, &arguments)), native, "{name}");
    }
}

#[test]
fn a_task_is_shown_what_it_may_see() {
    let shop = Shop::new();
    shop.task(
        "t-002",
        json!({ "repo": "acme/shop", "description": "How many items a cart takes, MAX_ITEMS" }),
    );
    let shown = shop.tool("memory_hydrate", json!({ "task_id": "t-002" }));
    let rendered = shown["rendered"].as_str().unwrap();
    assert!(
        rendered.contains("Every endpoint has a test.") && rendered.contains("MAX_ITEMS bounds"),
        "{shown}"
    );
    let exposure = shown["exposure_id"].as_str().unwrap();
    let row = shop.asked("GET", &format!("/v1/exposures/{exposure}"), Value::Null);
    assert_eq!(row["task_id"], "t-002", "what the tool shows is written down");

    // The control group: nothing is shown, and the selection is recorded.
    shop.task("t-003", json!({ "repo": "acme/shop", "description": "The same", "memory_arm": "off" }));
    let hidden = shop.tool("memory_hydrate", json!({ "task_id": "t-003", "query": "MAX_ITEMS of a cart" }));
    assert!(
        !hidden.to_string().contains("endpoint") && !hidden.to_string().contains("bounds a cart"),
        "{hidden}"
    );
    assert_eq!((&hidden["arm"], &hidden["status"]["rules"]), (&json!("off"), &json!("disabled")));
    let exposure = hidden["exposure_id"].as_str().unwrap();
    let row = shop.asked("GET", &format!("/v1/exposures/{exposure}"), Value::Null);
    let decisions: Vec<&Value> =
        row["records"].as_array().unwrap().iter().map(|one| &one["decision"]).collect();
    assert!(decisions.contains(&&json!("shadow")) && !decisions.contains(&&json!("shown")), "{row}");

    // A memory that two tasks rate as harmful is not shown to the next.
    for task in ["t-001", "t-002"] {
        shop.tool("memory_feedback", json!({ "task_id": task, "harmful": [{ "id": shop.rule }] }));
    }
    let after = shop.tool("memory_hydrate", json!({ "task_id": "t-002", "render": "json" }));
    assert_eq!((&after["rules"], after.get("rendered")), (&json!([]), None), "{after}");
}

#[test]
fn whoever_knows_the_repository_alone_is_shown_it() {
    let mut shop = Shop::new();
    let asked = json!({ "repo": "acme/shop", "query": "MAX_ITEMS of a cart" });
    let before = shop.asked("GET", "/v1/tasks/t-001/explain", Value::Null);
    let whole = shop.tool("memory_hydrate", asked.clone());
    assert_eq!(whole["rules"][0]["id"], shop.rule.as_str(), "{whole}");
    assert_eq!(whole["rules"][0]["sources"], json!([{ "pr": 42, "reviewer": "alice" }]), "{whole}");
    let episode = &whole["episodes"][0];
    assert_eq!((&episode["files"], &episode["pr"]), (&json!(["src/cart.rs"]), &json!(57)), "{whole}");
    assert_eq!(whole["knowledge"][0]["id"], shop.note.as_str(), "{whole}");
    // Without a task, so that it is not left out as the task's own.
    assert_eq!(whole["episodes"][0]["task_id"], "t-001", "{whole}");
    assert!(whole.get("task_id").is_none() && whole.get("exposure_id").is_none(), "{whole}");
    let told = whole["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one.as_str().unwrap().starts_with("NOT_LOGGED"));
    assert!(told && whole["degraded"] == false, "{whole}");
    assert_eq!(shop.asked("GET", "/v1/tasks/t-001/explain", Value::Null), before, "nothing is written down");

    let part = json!([{ "memory": shop.memory, "namespace": "/acme/shop/", "capabilities": ["read"] }]);
    let reader = shop.world.token_of(part);
    shop.world.peer = loci_server::auth::gate::Peer::Network;
    shop.world.token = Some(reader);
    assert_eq!(shop.tool("memory_hydrate", asked)["rules"], whole["rules"], "reading is enough");
    let refused = shop.refused("memory_hydrate", json!({ "task_id": "t-001" }));
    assert_eq!(refused.1, "NOT_FOUND", "a task is written down to");
    shop.world.token = None;
}

#[test]
fn pages_go_on_where_they_ended() {
    let shop = Shop::new();
    for number in 0..3 {
        shop.put("/acme/shop/review-rules/", &format!("Rule {number} of src/cart.rs."));
        shop.task(&format!("t-1{number}"), json!({ "repo": "acme/shop", "description": "Another" }));
    }
    for (name, list, id) in [("rules_list", "rules", "id"), ("task_history", "tasks", "task_id")] {
        let mut asked = json!({ "repo": "acme/shop", "limit": 3 });
        let first = shop.tool(name, asked.clone());
        asked["cursor"] = first["next_cursor"].clone();
        let rest = shop.tool(name, asked);
        let ids = |page: &Value| {
            page[list].as_array().unwrap().iter().map(|one| one[id].to_string()).collect::<Vec<_>>()
        };
        let (first, last) = (ids(&first), ids(&rest));
        assert_eq!((first.len(), last.len()), (3, 1), "{name}");
        assert!(!first.contains(&last[0]) && rest.get("next_cursor").is_none(), "{name}: {rest}");
    }
}

#[test]
fn rules_are_found_by_what_is_said_of_them() {
    let shop = Shop::new();
    let found = |filter: Value| {
        let listed = shop.tool("rules_list", joined(json!({ "repo": "acme/shop" }), filter));
        listed["rules"].as_array().unwrap().len()
    };
    let rule = shop.tool("rules_list", json!({ "repo": "acme/shop" }))["rules"][0].clone();
    assert_eq!((&rule["text"], &rule["state"]), (&json!("Every endpoint has a test."), &json!("active")));
    let (at, long_ago) = (&rule["created_at"], "2001-01-01T00:00:00Z");
    for (filter, expect) in [
        (json!({ "since": at }), 1),
        (json!({ "until": at }), 0),
        (json!({ "since": long_ago, "q": "has a TEST" }), 1),
        (json!({ "until": long_ago }), 0),
        (json!({ "scope": "src/**" }), 0),
        (json!({ "state": "candidate" }), 0),
        (json!({ "q": "a zebra" }), 0),
    ] {
        assert_eq!(found(filter.clone()), expect, "{filter}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_name() {
    let shop = Shop::new();
    let field = |name: &str| Some(name.to_owned());
    for (name, arguments, expect) in [
        ("memory_hydrate", json!({}), (400, "INVALID_ARGUMENT", field("task_id"))),
        (
            "memory_hydrate",
            json!({ "task_id": "t-001", "repo": "acme/shop" }),
            (400, "INVALID_ARGUMENT", field("task_id")),
        ),
        ("memory_hydrate", json!({ "task_id": "t-404" }), (404, "NOT_FOUND", field("task_id"))),
        ("memory_hydrate", json!({ "repo": "acme/other" }), (404, "REPO_UNKNOWN", field("repo"))),
        (
            "memory_hydrate",
            json!({ "repo": "acme/shop", "commit": "--all" }),
            (400, "INVALID_ARGUMENT", field("ref")),
        ),
        (
            "memory_hydrate",
            json!({ "repo": "acme/shop", "include": ["everything"] }),
            (400, "INVALID_ARGUMENT", field("include[0]")),
        ),
        ("memory_note", json!({ "task_id": "t-404", "text": "x" }), (404, "NOT_FOUND", field("task_id"))),
        ("memory_note", json!({ "text": "x" }), (400, "INVALID_ARGUMENT", field("task_id"))),
        ("memory_feedback", json!({}), (400, "INVALID_ARGUMENT", field("task_id"))),
        ("memory_note", json!({ "task_id": "t-001" }), (400, "INVALID_ARGUMENT", field("text"))),
        (
            "memory_note",
            json!({ "task_id": "t-001", "text": "x", "category": "advice" }),
            (400, "INVALID_ARGUMENT", field("category")),
        ),
        (
            "memory_feedback",
            json!({ "task_id": "t-001", "used": ["no id"] }),
            (400, "INVALID_ARGUMENT", field("used[0]")),
        ),
        (
            "memory_feedback",
            json!({ "task_id": "t-001", "by": "human" }),
            (400, "INVALID_ARGUMENT", field("by")),
        ),
        ("rules_list", json!({ "repo": "acme/other" }), (404, "REPO_UNKNOWN", field("repo"))),
        (
            "rules_list",
            json!({ "repo": "acme/shop", "state": "erased" }),
            (400, "INVALID_ARGUMENT", field("state")),
        ),
        ("task_history", json!({}), (400, "INVALID_ARGUMENT", field("repo"))),
        (
            "task_history",
            json!({ "repo": "acme/shop", "cursor": "zz" }),
            (400, "INVALID_ARGUMENT", field("cursor")),
        ),
        ("attribution_lookup", json!({ "commit": "no commit" }), (400, "INVALID_ARGUMENT", field("commit"))),
        (
            "related_files",
            json!({ "repo": "acme/other", "paths": ["a"] }),
            (404, "REPO_UNKNOWN", field("repo")),
        ),
        (
            "related_files",
            json!({ "repo": "acme/shop", "paths": [] }),
            (400, "INVALID_ARGUMENT", field("paths")),
        ),
    ] {
        let (status, code, named) = shop.refused(name, arguments.clone());
        assert_eq!((status, code.as_str(), named), expect, "{name} {arguments}");
    }
}

#[test]
fn a_key_reaches_its_own_repository_alone() {
    let mut shop = Shop::new();
    shop.asked("POST", "/v1/repos", json!({ "name": "acme/till" }));
    shop.task("t-900", json!({ "repo": "acme/till", "description": "Count coins" }));
    let part = |capabilities: Value| json!([{ "memory": shop.memory, "namespace": "/acme/shop/", "capabilities": capabilities }]);
    let (reader, writer) =
        (shop.world.token_of(part(json!(["read"]))), shop.world.token_of(part(json!(["read", "write"]))));
    let listed = |shop: &Shop| -> Vec<String> {
        let answer = shop.world.modern("/mcp/p/coding", "tools/list", json!({})).json();
        let tools = answer["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    shop.world.peer = loci_server::auth::gate::Peer::Network;
    shop.world.token = Some(reader);
    let reads = listed(&shop);
    assert!(
        reads.contains(&"task_history".to_owned()) && reads.contains(&"rules_list".to_owned()),
        "{reads:?}"
    );
    assert!(
        !reads.contains(&"memory_note".to_owned()) && !reads.contains(&"memory_feedback".to_owned()),
        "{reads:?}"
    );
    assert_eq!(shop.tool("task_history", json!({ "repo": "acme/shop" }))["tasks"][0]["task_id"], "t-001");
    assert_eq!(shop.tool("rules_list", json!({ "repo": "acme/shop" }))["rules"][0]["id"], shop.rule.as_str());
    assert_eq!(shop.refused("memory_note", json!({ "task_id": "t-001", "text": "x" })).1, "FORBIDDEN");
    shop.world.token = Some(writer);
    assert!(listed(&shop).contains(&"memory_note".to_owned()));
    shop.tool("memory_feedback", json!({ "task_id": "t-001", "helpful": [shop.note] }));
    for (name, arguments, code) in [
        ("memory_note", json!({ "task_id": "t-900", "text": "src/coins.rs: Coins are cents." }), "NOT_FOUND"),
        ("memory_feedback", json!({ "task_id": "t-900", "used": [shop.note] }), "NOT_FOUND"),
        ("memory_hydrate", json!({ "task_id": "t-900" }), "NOT_FOUND"),
        ("memory_hydrate", json!({ "repo": "acme/till" }), "REPO_UNKNOWN"),
        ("rules_list", json!({ "repo": "acme/till" }), "REPO_UNKNOWN"),
        ("task_history", json!({ "repo": "acme/till" }), "REPO_UNKNOWN"),
        ("attribution_lookup", json!({ "repo": "acme/till" }), "REPO_UNKNOWN"),
    ] {
        assert_eq!(shop.refused(name, arguments).1, code, "{name}");
    }
    let found = shop.tool("attribution_lookup", json!({ "task": "t-900" }));
    assert_eq!(found["items"], json!([]), "the task of another repository is as one that is not there");
}
