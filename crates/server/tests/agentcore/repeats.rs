//! A repeated statement, over the AgentCore API.

use serde_json::{Value, json};

use crate::fixture::World;
use crate::provisional_pages::ask;

const DAY_S: i64 = 86_400;

/// A value that is stated again is the newest by its `timestamp`, in every read. `createdAt` is the
/// time of its record, and stays.
#[test]
fn what_is_repeated_has_the_time_of_its_last_telling() {
    let mut world = World::new();
    let facts = json!({ "name": "facts", "namespaceTemplates": ["/users/{actorId}/facts/"] });
    let made = json!({
        "name": "facts", "eventExpiryDuration": 30, "memoryStrategies": [{ "semanticMemoryStrategy": facts }]
    });
    let made = ask(&mut world, "/memories/create", &made);
    let memory = made["memory"]["id"].as_str().unwrap().to_owned();
    let began = made["memory"]["createdAt"].as_i64().unwrap();
    let (here, gone) = ("Alex is assigned to Payments.", "Alex is not assigned to Payments any more.");
    for (day, text) in [here, gone, here].into_iter().enumerate() {
        let said = json!({ "conversational": { "role": "USER", "content": { "text": text } } });
        let event = json!({
            "actorId": "alice", "sessionId": format!("s-{day}"), "payload": [said],
            "eventTimestamp": began + DAY_S * i64::try_from(day).unwrap()
        });
        ask(&mut world, &format!("/memories/{memory}/events"), &event);
        world.direct(&format!("jobs {memory}"));
        world.direct(&format!("advance {}", DAY_S * 1_000));
    }
    let namespace = "/users/alice/facts/";
    let query = json!({ "searchQuery": "is Alex assigned to Payments", "topK": 5 });
    for (path, body) in [
        ("memoryRecords", json!({ "namespace": namespace })),
        ("retrieve", json!({ "namespace": namespace, "searchCriteria": query })),
    ] {
        let answer = ask(&mut world, &format!("/memories/{memory}/{path}"), &body);
        let records = answer["memoryRecordSummaries"].as_array().unwrap();
        assert_eq!(records.len(), 2, "{path}: {answer}");
        let times = |text: &str| {
            let found = records.iter().find(|record| record["content"]["text"] == text).unwrap();
            let day = |time: &Value| (time.as_i64().unwrap() - began) / DAY_S;
            (day(&found["createdAt"]), day(&found["timestamp"]))
        };
        assert_eq!((times(here), times(gone)), ((0, 2), (1, 1)), "{path}: {answer}");
    }
}
