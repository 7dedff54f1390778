//! Operations agents through the binary: a memory that exists after each start, and saving over
//! HTTP.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

const ENSURE: [&str; 5] = ["memory", "ensure", "sre_agent_memory", "--profile", "sre"];

#[test]
fn a_memory_is_there_at_every_start_and_its_id_beside() {
    let home = Home::new();
    let first = home.json(&ENSURE);
    assert_eq!(
        (&first["created"], &first["added"], &first["warnings"]),
        (&json!(true), &json!([]), &json!([]))
    );
    let names: Vec<&str> =
        first["strategies"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["user_preferences", "infrastructure_knowledge", "investigation_summaries"]);
    let id = first["memory_id"].as_str().unwrap();
    let file = home.path(".memory_id");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{id}\n"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let server = home.serve(&[]);
    assert_eq!(home.ok(&ENSURE), format!("{id}\n"));
    let (status, again) = send(&server, "PUT", "/v1/memories/sre_agent_memory", "", r#"{"profile":"sre"}"#);
    assert_eq!((status, &again["memory_id"], &again["created"]), (200, &json!(id), &json!(false)));
    let (status, other) = send(&server, "PUT", "/v1/memories/sre_agent_memory_test?update=1", "", "{}");
    assert_eq!((status, &other["created"]), (201, &json!(true)), "{other}");
    let check = |path: &str, body: &str, field: &str| {
        let (status, answer) = send(&server, "PUT", path, "", body);
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
    };
    check("/v1/memories/no-name", "{}", "name");
    check("/v1/memories/other", r#"{"profile":"none-such"}"#, "profile");
    check("/v1/memories/other?update=perhaps", "{}", "update");
    check("/v1/memories/other", r#"{"strategy":[]}"#, "strategy");
}

#[test]
fn what_is_saved_is_there_after_a_restart() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/memories/{memory}/save");
    let server = home.serve(&[]);
    let save = |body: Value| send(&server, "POST", &path, "", &body.to_string());
    let check = |body: Value, action: &str, records: usize| {
        let (status, answer) = save(body);
        assert_eq!((status, &answer["action"]), (200, &json!(action)), "{answer}");
        assert_eq!(answer["records"].as_array().unwrap().len(), records, "{answer}");
    };
    let contact = |by: &str| {
        json!({
            "memory_type": "preference", "actor_id": "Alice", "by": by,
            "data": {"preference_type": "escalation", "preference_value": {"contact": "a@example.com", "delay_minutes": 5}},
        })
    };
    check(contact("agent"), "pending_confirmation", 2);
    check(contact("human"), "superseded", 2);
    let fact = json!({
        "memory_type": "infrastructure", "actor_id": "kubernetes", "session_id": "s-1",
        "data": {"service_name": "api", "knowledge_type": "baseline", "knowledge_data": {"memory": "400Mi"}},
    });
    check(fact.clone(), "added", 1);
    check(fact, "duplicate", 1);
    let investigation = json!({
        "memory_type": "investigations", "actor_id": "Alice", "session_id": "s-1", "data": {"query": "why?"},
    });
    check(investigation, "added", 1);
    let refused = |body: Value, field: &str| {
        let (status, answer) = save(body);
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
    };
    refused(json!({"memory_type": "rumours", "data": {}}), "memory_type");
    refused(json!({"memory_type": "infrastructure", "actor_id": "a", "data": {}}), "session_id");
    refused(json!({"memory_type": "preferences", "data": {"preference_value": 1}}), "data.preference_value");
    assert!(server.stop(), "{}", home.log());
    let listed = home.json(&["record", "list", "--memory", "sre_agent_memory"]);
    let texts: Vec<Value> = listed["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| serde_json::from_str(record["text"].as_str().unwrap()).unwrap())
        .collect();
    assert!(texts.iter().any(|text| text["knowledge_data"] == json!({"memory": "400Mi"})), "{listed}");
    assert!(
        texts.iter().any(|text| text["preference_value"] == json!({"contact": "a@example.com"})),
        "{listed}"
    );
}

#[test]
fn tools_are_printed_in_the_form_of_each_vendor() {
    let home = Home::new();
    let names = |format: &str, place: &str| {
        let shown = home.json(&["tools", "print", "--family", "sre", "--format", format]);
        let all = shown.as_array().unwrap().iter();
        all.map(|one| one.pointer(place).unwrap().as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expect = ["save_preference", "save_infrastructure", "save_investigation", "retrieve_memory"];
    assert_eq!(names("mcp", "/name"), expect);
    assert_eq!(names("openai", "/function/name"), expect);
    assert_eq!(names("anthropic", "/name"), expect);
}
