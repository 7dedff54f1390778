//! The identity of users in operations memory, over HTTP: the same at each interface, never
//! another, none without a key, and shared learning within a team.

use serde_json::{Value, json};

use crate::operations::Operations;

/// A name with all characters that an email address may contain and a path may not.
const CAROL: &str = "carol.o'neil+x@example.com";
/// This name as a path segment, the only form that the AgentCore wire accepts.
const CAROL_WRITTEN: &str = "x--carol_2eo_27neil_2bx_40example_2ecom";

fn style(key: &str) -> Value {
    json!({"preference_type": "style", "preference_value": {key: "short"}})
}

fn found(operations: &Operations, kind: &str, actor: &str) -> Vec<Value> {
    let body = json!({"types": [kind], "actor": actor, "query": ""});
    operations.to_memory("retrieve", &body)["results"].as_array().unwrap().clone()
}

#[test]
fn a_user_whose_name_is_an_address_is_one_by_every_door() {
    let operations = Operations::of(CAROL);
    let of_carol = |kind: &str, session: Value, data: Value| {
        let body = json!({"memory_type": kind, "actor_id": CAROL, "session_id": session, "data": data});
        assert_eq!(operations.to_memory("save", &body)["saved"], json!(true));
    };
    of_carol("preference", Value::Null, style("saved"));
    operations.post("/v1/tools/save_preference", &json!({"content": style("by_tool"), "context": "chat"}));
    operations.wire_event(CAROL_WRITTEN, "preferences-default", &style("by_wire").to_string());
    let file = json!({CAROL: {"preferences": [style("applied")]}});
    let applied = operations.to_memory("preferences:apply", &json!({"users": file}));
    assert_eq!(applied["changed"], json!(1), "{applied}");
    of_carol("investigation", json!("s-0"), json!({"incident_id": "inc-saved", "query": "api is slow"}));
    let by_wire = json!({"incident_id": "inc-wire", "query": "api is slow", "key_findings": ["a leak"]});
    operations.wire_event(CAROL_WRITTEN, "s-wire", &by_wire.to_string());
    let operations = operations.restarted();

    let begun =
        operations.post("/v1/investigations", &json!({"query": "api is slow", "incident_id": "inc-begun"}));
    let wanted = json!({"applied": "short", "by_tool": "short", "by_wire": "short", "saved": "short"});
    assert_eq!(begun["context"]["user_preferences"][0]["preference_value"], wanted, "{begun}");
    let past = begun["context"]["past_investigations"].as_array().unwrap();
    assert_eq!(past.len(), 2, "{begun}");
    operations.post(
        "/v1/tools/save_investigation",
        &json!({"finding": "latency at 1.5s", "category": "observation"}),
    );
    let item = json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}});
    let text = format!("```\n{}\n```", json!({"infrastructure_knowledge": [item]}));
    let done = json!({"root_cause": "a leak", "agent_results": {"logs-agent": {"text": text}}});
    operations.post("/v1/investigations/inc-begun/complete", &done);
    let operations = operations.restarted();

    // Data written through one interface is readable through each other.
    let mut incidents: Vec<Value> = found(&operations, "investigations", CAROL)
        .iter()
        .map(|one| one["content"]["incident_id"].clone())
        .collect();
    incidents.sort_by_key(Value::to_string);
    assert_eq!(incidents, ["inc-begun", "inc-saved", "inc-wire"]);
    assert_eq!(found(&operations, "preferences", CAROL)[0]["content"]["preference_value"], wanted);
    let shown = format!("/v1/memories/{}/preferences/carol.o'neil%2Bx%40example.com", operations.memory);
    let shown = operations.get(&shown);
    assert_eq!(
        (&shown["user_id"], &shown["preferences"][0]["preference_value"]),
        (&json!(CAROL), &wanted),
        "{shown}"
    );
    let mut mine: Vec<(Value, Value)> = ["preferences", "infrastructure", "investigations"]
        .iter()
        .flat_map(|kind| {
            let own = operations.get(&format!("/v1/me/records?type={kind}"));
            own["records"].as_array().unwrap().clone()
        })
        .map(|line| (line["memory_type"].clone(), line["actor_id"].clone()))
        .collect();
    mine.dedup();
    let (infrastructure, investigations) = (json!("infrastructure"), json!("investigations"));
    let expect = [
        (json!("preferences"), json!(CAROL)),
        (infrastructure, json!("logs-agent")),
        (investigations, json!(CAROL)),
    ];
    assert_eq!(mine, expect);
    for (place, many) in [("users", 4), ("investigations", 3)] {
        let path = format!("/memories/{}/memoryRecords", operations.memory);
        let namespace = format!("/sre/{place}/{CAROL_WRITTEN}/");
        let listed = operations.post(&path, &json!({ "namespacePath": namespace }));
        assert_eq!(listed["memoryRecordSummaries"].as_array().unwrap().len(), many, "{listed}");
    }
    // A similar name is another user.
    for other in
        ["carol-o-neil-x-example-com", "carol.o'neil+y@example.com", "Carol.o'neil+x@example.com", "carol"]
    {
        for kind in ["preferences", "investigations"] {
            assert_eq!(found(&operations, kind, other), Vec::<Value>::new(), "{other}");
        }
    }
}

/// Requests another user's data by each operation and tool that takes a name or a record. Each row
/// contains the statuses of the rejection.
#[test]
fn a_key_speaks_for_nobody_else() {
    let operations = Operations::of("tester");
    let memory = operations.memory.clone();
    let (alice, bob) =
        (operations.key("alice", &["read", "write"]), operations.key("bob", &["read", "write"]));
    let of_memory = |path: &str| format!("/v1/memories/{memory}/{path}");
    let save = of_memory("save");
    operations.post_as(&bob, &save, &json!({"memory_type": "preference", "data": style("tone")}));
    let contact = json!({"preference_type": "escalation", "preference_value": {"contact": "b@example.com"}});
    operations.post_as(&bob, &save, &json!({"memory_type": "preference", "data": contact}));
    operations.post_as(
        &bob,
        "/v1/investigations",
        &json!({"query": "api is down", "incident_id": "inc-bob"}),
    );
    let own = operations.send(&bob, "GET", "/v1/me/records", &Value::Null).1;
    let records: Vec<Value> = own["records"].as_array().unwrap().clone();
    // The active record has no state.
    let id = |state: Option<&str>| {
        let is_it = |one: &&Value| {
            one["memory_type"] == "preferences" && one.get("state").and_then(Value::as_str) == state
        };
        let one = records.iter().find(is_it).unwrap_or_else(|| panic!("{state:?} in {own}"));
        one["record_id"].as_str().unwrap().to_owned()
    };
    let (active, waits) = (id(None), id(Some("pending_confirmation")));
    let before = operations.send(&bob, "GET", "/v1/me/records?type=preferences", &Value::Null).1;

    let check = |allowed: &[u16], method: &str, path: &str, body: Value| {
        let (status, answer) = operations.send(&alice, method, path, &body);
        assert!(allowed.contains(&status), "{method} {path} {body}: {status} {answer}");
        let told = answer.to_string();
        assert!(!told.contains("b@example.com") && !told.contains("short"), "{method} {path}: {answer}");
    };
    // Tools.
    let tool = |name: &str| format!("/v1/tools/{name}");
    for actor in ["bob", "logs-agent", "kubernetes"] {
        let said = json!({"preference": "long reports", "categories": ["style"], "actor_id": actor});
        check(&[400, 403], "POST", &tool("save_preference"), said);
        let said = json!({"content": style("tone"), "context": "chat", "user_id": actor});
        check(&[400, 403], "POST", &tool("save_preference"), said);
        let mut content = style("tone");
        content["user_id"] = json!(actor);
        check(&[400, 403], "POST", &tool("save_preference"), json!({"content": content, "context": "chat"}));
        let said =
            json!({"content": {"query": "why", "user_id": actor}, "context": "chat", "session_id": "s"});
        check(&[400, 403], "POST", &tool("save_investigation"), said);
        let said = json!({"finding": "a leak", "category": "root_cause", "actor_id": actor});
        check(&[400, 403], "POST", &tool("save_investigation"), said);
    }
    let asked = json!({"memory_type": "preferences", "query": "", "actor_id": "bob"});
    check(&[403], "POST", &tool("retrieve_memory"), asked);
    // Saves and hooks.
    for kind in ["preference", "investigation"] {
        let data = if kind == "preference" { style("tone") } else { json!({"query": "why"}) };
        let said = json!({"memory_type": kind, "actor_id": "bob", "session_id": "s-1", "data": data});
        check(&[403], "POST", &save, said);
    }
    let human = json!({"memory_type": "preference", "by": "human", "data": style("tone")});
    check(&[403], "POST", &save, human);
    check(&[403], "POST", "/v1/investigations", json!({"query": "why", "user_id": "bob"}));
    check(&[403], "POST", "/v1/investigations/inc-bob/outcome", json!({"root_cause_confirmed": true}));
    // Preferences and a user's own records.
    check(&[403], "POST", &of_memory("retrieve"), json!({"types": ["preferences"], "actor": "bob"}));
    check(&[403], "GET", &of_memory("preferences/bob"), Value::Null);
    check(&[403], "GET", &of_memory("preferences/bob/history"), Value::Null);
    check(&[200], "GET", &of_memory("preferences"), Value::Null);
    let file = json!({"users": {"bob": {"preferences": [style("tone")]}}});
    check(&[403], "POST", &of_memory("preferences:apply"), file);
    for verb in ["confirm", "reject"] {
        let path = format!("/v1/preferences/{waits}/{verb}");
        check(&[403, 404], "POST", &path, json!({ "memory": memory }));
    }
    // Operations of all memories, and those of the wire.
    let (place, everywhere) = (json!(["/sre/users/bob/preferences"]), json!(["/"]));
    check(&[403], "POST", &of_memory("records:list"), json!({ "namespaces": place }));
    check(&[200], "POST", &of_memory("records:list"), json!({ "namespace_paths": everywhere }));
    let find = json!({"memory": memory, "query": "reports", "namespaces": place});
    check(&[403], "POST", "/v1/search", find);
    check(&[200], "POST", "/v1/search", json!({"memory": memory, "query": "reports"}));
    for id in [&active, &waits] {
        check(&[404], "GET", &of_memory(&format!("records/{id}")), Value::Null);
        check(&[404], "GET", &of_memory(&format!("records/{id}/history")), Value::Null);
        check(&[404], "GET", &format!("/v1/records/{id}/sources?memory={memory}"), Value::Null);
        check(&[404], "DELETE", &of_memory(&format!("records/{id}")), Value::Null);
    }
    check(&[403], "GET", &of_memory("events?actor=bob&session=preferences-default"), Value::Null);
    let typed = json!({"actor": "bob", "session": "s-1",
        "payload": [{"message": {"role": "assistant", "text": style("tone").to_string()}}]});
    check(&[403], "POST", &of_memory("events"), typed);
    check(&[200], "GET", "/v1/me/records", Value::Null);
    let corrected = json!({"record_id": active, "data": style("tone")});
    check(&[404], "PATCH", "/v1/me/records", corrected);
    let (status, gone) =
        operations.send(&alice, "DELETE", "/v1/me/records", &json!({"ids": [active, waits]}));
    assert_eq!((status, &gone["deleted"]), (200, &json!(0)), "{gone}");
    assert_eq!(gone["failed"].as_array().unwrap().len(), 2, "{gone}");

    let after = operations.send(&bob, "GET", "/v1/me/records?type=preferences", &Value::Null).1;
    assert_eq!(after, before, "nothing of Bob's was changed");
    let own = operations.send(&alice, "GET", "/v1/me/records", &Value::Null).1;
    assert_eq!(own["records"], json!([]), "nothing that was refused was stored");
}

#[test]
fn nobody_is_let_in_without_a_key() {
    let operations = Operations::of("tester");
    let alice = operations.key("alice", &["read", "write"]);
    let nothing = operations.home.json(&[
        "key",
        "create",
        "dave",
        "--grant",
        r#"{"memory":"other-0123456789","capabilities":["read","write"]}"#,
    ]);
    let dave = nothing["token"].as_str().unwrap();
    operations.post_as(&alice, "/v1/investigations", &json!({"query": "why", "incident_id": "inc-1"}));
    let memory = operations.memory.clone();
    let check = |method: &str, path: &str, body: Value| {
        for (token, refused) in [("", [401, 401]), ("loci_unknown", [401, 401]), (dave, [403, 404])] {
            let (status, answer) = operations.send(token, method, path, &body);
            assert!(refused.contains(&status), "{method} {path} by {token:?}: {status} {answer}");
            assert!(answer["error"]["message"].is_string(), "{answer}");
        }
    };
    let named = |mut body: Value| {
        body["memory"] = json!(memory);
        body
    };
    check("POST", "/v1/investigations", named(json!({"query": "why"})));
    let answered = json!({"agent": "logs-agent", "text": "it leaks"});
    check("POST", "/v1/investigations/inc-1/agent-response", named(answered));
    check("POST", "/v1/investigations/inc-1/messages", named(json!({"messages": []})));
    check("POST", "/v1/investigations/inc-1/complete", named(json!({})));
    check("POST", "/v1/investigations/inc-1/outcome", named(json!({})));
    check(
        "POST",
        &format!("/v1/memories/{memory}/save"),
        json!({"memory_type": "preference", "data": style("a")}),
    );
    check("POST", &format!("/v1/memories/{memory}/retrieve"), json!({"types": ["preferences"]}));
    check("GET", &format!("/v1/memories/{memory}/preferences"), Value::Null);
    check("GET", &format!("/v1/memories/{memory}/preferences/alice"), Value::Null);
    check("GET", &format!("/v1/memories/{memory}/history?service=api"), Value::Null);
    check("GET", &format!("/v1/me/records?memory={memory}"), Value::Null);
    check("GET", &format!("/v1/sre/stats?memory={memory}"), Value::Null);
    for (name, arguments) in [
        ("save_preference", json!({"content": style("a"), "context": "chat"})),
        ("save_investigation", json!({"finding": "a leak", "category": "root_cause"})),
        ("retrieve_memory", json!({"memory_type": "preferences", "query": ""})),
    ] {
        check("POST", &format!("/v1/tools/{name}"), arguments);
    }
}

#[test]
fn one_of_a_team_starts_with_what_another_learned() {
    let operations = Operations::of("tester");
    let (alice, carol) =
        (operations.key("alice", &["read", "write"]), operations.key("carol", &["read", "write"]));
    let learn = |service: &str, scope: &str| {
        let begun = json!({"query": format!("{service} restarts"), "scope": scope, "services": [service]});
        let begun = operations.post_as(&alice, "/v1/investigations", &begun);
        let path = format!("/v1/investigations/{}", begun["incident_id"].as_str().unwrap());
        let item =
            json!({"service_name": service, "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}});
        let text = format!("```\n{}\n```", json!({"infrastructure_knowledge": [item]}));
        let taken = json!({"agent": "sre-agent-kubernetes", "text": text});
        let taken = operations.post_as(&alice, &format!("{path}/agent-response"), &taken);
        let job = format!("{path}/agent-response/{}?wait_ms=20000", taken["job_id"].as_str().unwrap());
        let (_, read) = operations.send(&alice, "GET", &job, &Value::Null);
        assert_eq!((&read["state"], read["saved"].as_array().unwrap().len()), (&json!("done"), 1), "{read}");
        let done = json!({"root_cause": format!("{service} leaks"), "status": "completed"});
        operations.post_as(&alice, &format!("{path}/complete"), &done);
        begun
    };
    let (shared, kept) = (learn("api-server", "team"), learn("ledger", "private"));
    let operations = operations.restarted();
    let begun =
        operations.post_as(&carol, "/v1/investigations", &json!({"query": "api-server and ledger restart"}));
    let known = begun["context"]["infrastructure_by_agent"]["kubernetes-agent"].as_array().unwrap();
    let [one] = known.as_slice() else { panic!("{begun}") };
    let content = &one["content"];
    assert_eq!(
        (&content["service_name"], &content["discovered_by"]),
        (&json!("api-server"), &json!("kubernetes-agent"))
    );
    let [past] = begun["context"]["past_investigations"].as_array().unwrap().as_slice() else {
        panic!("{begun}")
    };
    let content = &past["content"];
    assert_eq!(
        (&content["incident_id"], &content["user_id"], &content["root_cause"]),
        (&shared["incident_id"], &json!("alice"), &json!("api-server leaks"))
    );
    let block = begun["rendered"].as_str().unwrap();
    assert!(block.contains("From kubernetes-agent (1 items):") && block.contains("alice"), "{block}");
    assert!(!begun.to_string().contains(kept["incident_id"].as_str().unwrap()), "{begun}");
    assert!(!begun.to_string().contains("ledger leaks"), "{begun}");
    // The session's owner is in the record that she received.
    let asked = json!({"types": ["infrastructure"], "query": "api-server"});
    let path = format!("/v1/memories/{}/retrieve", operations.memory);
    let found = operations.post_as(&carol, &path, &asked);
    let [result] = found["results"].as_array().unwrap().as_slice() else { panic!("{found}") };
    let origin = &result["provenance"];
    assert_eq!(result["record_id"], one["record_id"]);
    assert_eq!(
        (&origin["agent"], &origin["session_id"]),
        (&json!("kubernetes-agent"), &shared["session_id"]),
        "{origin}"
    );
    // Alice sees both.
    let begun =
        operations.post_as(&alice, "/v1/investigations", &json!({"query": "api-server and ledger restart"}));
    let known = begun["context"]["infrastructure_by_agent"]["kubernetes-agent"].as_array().unwrap();
    assert_eq!(known.len(), 2, "{begun}");
}
