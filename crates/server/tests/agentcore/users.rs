//! Users of operations memory over HTTP: the owner of the key determines whose preferences are read
//! and written. An agent with one key for all users has `impersonate`.

use std::collections::BTreeSet;

use loci_model::MemoryId;
use loci_model::principal::{Capability, Grant, Principal};
use serde_json::{Value, json};

use crate::isolation::Server;

type Caller = (Principal, String);

struct World {
    server: Server,
    memory: String,
}

impl World {
    fn new() -> Self {
        let server = Server::bare();
        let (_, made) = server.open("PUT", "/v1/memories/sre_agent_memory", r#"{"profile":"sre"}"#);
        let memory = made["memory_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        Self { server, memory }
    }

    fn key(&self, name: &str, capabilities: &[Capability]) -> Caller {
        let memory = Some(MemoryId::parse(self.memory.as_str()).unwrap());
        let capabilities = BTreeSet::from_iter(capabilities.iter().copied());
        let grants = vec![Grant { memory, capabilities, ..Grant::everything() }];
        self.server.key_of(Principal { name: name.to_owned(), grants })
    }

    fn ask(&self, caller: &Caller, method: &str, path: &str, body: &Value) -> (u16, String) {
        self.server.ask(caller, method, &format!("/memories/{}/{path}", self.memory), &body.to_string())
    }

    /// Sends a preference of Bob's in the form of an agent of the source design.
    fn say(&self, caller: &Caller) -> (u16, String) {
        let text = "{'preference_type': 'style', 'preference_value': {'reports': 'short'}}";
        let said = json!({"conversational": {"content": {"text": text}, "role": "ASSISTANT"}});
        let event = json!({"actorId": "Bob", "sessionId": "preferences-default",
            "eventTimestamp": self.server.now_seconds(), "payload": [said]});
        self.ask(caller, "POST", "events", &event)
    }
}

#[test]
fn one_users_preferences_are_not_anothers() {
    let world = World::new();
    let both = [Capability::Read, Capability::Write];
    let (alice, bob) = (world.key("Alice", &both), world.key("Bob", &both));
    let agent = world.key("agent", &[Capability::Read, Capability::Write, Capability::Impersonate]);
    assert_eq!(world.say(&bob).0, 201);
    let place = "/sre/users/Bob/preferences";
    let list = json!({ "namespace": place });
    let (status, listed) = world.ask(&bob, "POST", "memoryRecords", &list);
    assert_eq!(status, 200);
    let listed: Value = serde_json::from_str(listed.lines().last().unwrap()).unwrap();
    let id = listed["memoryRecordSummaries"][0]["memoryRecordId"].as_str().unwrap();
    let record = format!("memoryRecord/{id}");
    let gone = json!({"records": [{ "memoryRecordId": id }]});
    let retrieve = json!({"namespace": place, "searchCriteria": {"searchQuery": "short reports", "topK": 5}});
    let everywhere =
        json!({"namespacePath": "/", "searchCriteria": {"searchQuery": "short reports", "topK": 5}});
    let events = "actor/Bob/sessions/preferences-default";
    let rows = [
        ("POST", "retrieve", &retrieve, 403),
        ("POST", "memoryRecords", &list, 403),
        ("POST", "retrieve", &everywhere, 200),
        ("GET", record.as_str(), &Value::Null, 404),
        ("POST", events, &json!({}), 403),
        ("POST", "memoryRecords/batchDelete", &gone, 200),
    ];
    for (method, path, body, expect) in rows {
        let (status, answer) = world.ask(&alice, method, path, body);
        assert_eq!(status, expect, "{method} {path}: {answer}");
        assert!(status != 403 || answer.contains("AccessDeniedException"), "{answer}");
        assert!(!answer.contains("short"), "{method} {path}: {answer}");
    }
    let (status, answer) = world.say(&alice);
    assert!(status == 403 && answer.contains("impersonate"), "what would help is told: {answer}");
    // The single key of an agent for all users, and the user's own.
    for caller in [&agent, &bob] {
        for (method, path, body, _) in &rows[..5] {
            let (status, answer) = world.ask(caller, method, path, body);
            assert!(status == 200 && answer.contains("short"), "{method} {path}: {answer}");
        }
        assert_eq!(world.say(caller).0, 201);
    }
}
