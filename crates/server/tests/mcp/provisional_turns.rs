//! Turns that wait for extraction, found by the native API and the tools without a setting; and
//! feedback on records.

use serde_json::{Value, json};

use super::fixture::World;

/// Returns the response to a request of the native API.
fn asked(world: &World, method: &str, path: &str, body: Value) -> Value {
    let answered = world.send(method, path, &[("content-type", "application/json")], body.to_string());
    assert!(answered.status.is_success(), "{path}: {}", answered.text);
    answered.json()
}

#[test]
fn what_is_not_extracted_yet_says_so_at_every_door() {
    let world = World::new();
    let strategies = json!([{ "kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/" }]);
    let made = asked(&world, "POST", "/v1/memories", json!({ "name": "notes", "strategies": strategies }));
    let memory = made["id"].as_str().unwrap().to_owned();
    let said = json!([{ "message": { "role": "user", "text": "My boat lies in Trieste" } }]);
    let event = json!({ "actor": "alice", "session": "s", "payload": said });
    asked(&world, "POST", &format!("/v1/memories/{memory}/events"), event);
    let question = json!({ "memory": memory, "query": "where is my boat", "explain": true });
    let answer = asked(&world, "POST", "/v1/search", question.clone());
    let stored = json!({ "memory": memory, "query": "where is my boat", "read_your_writes": false });
    let stored = asked(&world, "POST", "/v1/search", stored);
    assert_eq!((&stored["hits"], &stored["degraded"][0]), (&json!([]), &json!("extraction_pending")));
    let hit = &answer["hits"][0];
    assert_eq!(
        (&hit["provisional"], &hit["record"]["text"]),
        (&json!(true), &json!("My boat lies in Trieste"))
    );
    assert_eq!(hit["record"]["provenance"]["sources"][0]["message"], 0, "{hit}");
    assert_eq!(answer["degraded"][0], "extraction_pending", "{answer}");
    let tool = asked(&world, "POST", "/v1/tools/search_memory", json!({ "query": "where is my boat" }));
    let metadata = &tool["results"][0]["metadata"];
    assert_eq!(metadata["x-amz-agentcore-memory-provisional"], "true", "{tool}");
    let question = json!({ "store": "notes", "kinds": ["fact"], "query": "where is my boat" });
    let tool = asked(&world, "POST", "/v1/tools/memory_search", question);
    let found = &tool["results"][0];
    assert_eq!((&found["provisional"], &found["id"]), (&json!(true), &hit["record"]["id"]), "{tool}");
    let id = hit["record"]["id"].as_str().unwrap();
    let path = format!("/v1/memories/{memory}/records/{id}/feedback");
    let unknown = world.send(
        "POST",
        &path,
        &[("content-type", "application/json")],
        json!({ "verdict": "useful" }).to_string(),
    );
    assert_eq!(unknown.status, 404, "{}", unknown.text);
}

#[test]
fn what_is_said_of_a_record_is_counted() {
    let world = World::new();
    let memory = world.memory("notes");
    let record = json!({ "records": [{ "namespace": "/a/", "text": "The boat is red" }] });
    let made = asked(&world, "POST", &format!("/v1/memories/{memory}/records"), record);
    let id = made["items"][0]["id"].as_str().unwrap();
    let path = format!("/v1/memories/{memory}/records/{id}/feedback");
    let say = |body: Value| asked(&world, "POST", &path, body);
    let counts = |said: Value| (said["useful"].clone(), said["wrong"].clone(), said["state"].clone());
    let expect = |useful: u64, wrong: u64, state: &str| (json!(useful), json!(wrong), json!(state));
    assert_eq!(counts(say(json!({ "verdict": "useful" }))), expect(1, 0, "active"));
    // With any rights, a caller counts as a person only if it declares so.
    assert_eq!(counts(say(json!({ "verdict": "wrong" }))), expect(0, 1, "active"));
    assert_eq!(counts(say(json!({ "verdict": "wrong", "by": "agent" }))), expect(0, 1, "active"));
    let history = asked(&world, "GET", &format!("/v1/memories/{memory}/records/{id}/history"), Value::Null);
    assert_eq!(history["feedback"], json!({ "useful": 0, "wrong": 1 }), "{history}");
    let held = say(json!({ "verdict": "wrong", "reason": "it is blue", "by": "human" }));
    assert_eq!(held["state_reason"], "called wrong by an administrator", "{held}");
    assert_eq!(counts(held), expect(0, 1, "quarantined"));
    for (body, field) in [
        (json!({}), Value::Null),
        (json!({ "verdict": "bad" }), Value::Null),
        (json!({ "verdict": "wrong", "reason": "x".repeat(501) }), json!("reason")),
    ] {
        let refused = world.send("POST", &path, &[("content-type", "application/json")], body.to_string());
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(field.is_null() || refused.json()["error"]["field"] == field, "{}", refused.text);
    }
}
