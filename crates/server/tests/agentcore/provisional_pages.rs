//! Pages of one retrieval while its turns become records: none is lost, and none is returned twice.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use http::Request;
use serde_json::{Value, json};

use crate::fixture::World;

const NAMESPACE: &str = "/users/dora/facts/";

pub(crate) fn ask(world: &mut World, path: &str, body: &Value) -> Value {
    let request = Request::builder().method("POST").uri(path).header("host", "127.0.0.1:8411");
    let request = request.header("content-type", "application/json").body(Body::from(body.to_string()));
    let response = world.serve(request.unwrap());
    let status = response.status();
    let bytes = world.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
    assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&bytes));
    serde_json::from_slice(&bytes).unwrap()
}

fn say(world: &mut World, memory: &str, texts: &[&str]) {
    let said = |text: &&str| json!({ "conversational": { "role": "USER", "content": { "text": text } } });
    let payload: Vec<Value> = texts.iter().map(said).collect();
    let event = json!({
        "actorId": "dora", "sessionId": "s-3", "eventTimestamp": 1_795_219_200, "payload": payload
    });
    ask(world, &format!("/memories/{memory}/events"), &event);
}

/// Returns the ids and texts of a page, and the token of the next.
fn page(world: &mut World, memory: &str, token: Option<&Value>) -> (Vec<(String, String)>, Option<Value>) {
    let mut asked = json!({
        "searchCriteria": { "searchQuery": "what is in Trieste", "topK": 3 },
        "namespace": NAMESPACE, "maxResults": 1
    });
    if let Some(token) = token {
        asked["nextToken"] = token.clone();
    }
    let answer = ask(world, &format!("/memories/{memory}/retrieve"), &asked);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let hits = answer["memoryRecordSummaries"].as_array().unwrap().iter();
    let hits = hits.map(|hit| (text(&hit["memoryRecordId"]), text(&hit["content"]["text"]))).collect();
    (hits, answer.get("nextToken").cloned())
}

#[test]
fn turns_that_are_extracted_between_pages_are_on_one_of_them() {
    let mut world = World::new();
    let facts = json!({ "name": "facts", "namespaceTemplates": ["/users/{actorId}/facts/"] });
    let made = json!({
        "name": "facts", "eventExpiryDuration": 30, "memoryStrategies": [{ "semanticMemoryStrategy": facts }]
    });
    let made = ask(&mut world, "/memories/create", &made);
    let memory = made["memory"]["id"].as_str().unwrap().to_owned();
    world.direct(&format!("settings {memory} {{\"read_your_writes\":true}}"));
    let turns = [
        "My boat lies in Trieste, near the lighthouse",
        "My bicycle stands in Trieste, near the station",
        "My sister lives in Trieste, near the market",
    ];
    say(&mut world, &memory, &turns);
    let (mut shown, mut token) = page(&mut world, &memory, None);
    assert!(shown[0].0.starts_with("mem-provisional-"), "{shown:?}");
    world.direct(&format!("jobs {memory}"));
    for round in 0..2 {
        // New turns would rank before the remaining ones.
        let more = [0, 1, 2, 3].map(|n| format!("What is in Trieste: office {round}{n} is in Trieste"));
        say(&mut world, &memory, &more.each_ref().map(String::as_str));
        let (next, rest) = page(&mut world, &memory, token.as_ref());
        assert_eq!(next.len(), 1, "a page is lost in round {round}");
        assert!(!next[0].0.starts_with("mem-provisional-"), "{next:?}");
        shown.extend(next);
        token = rest;
    }
    assert_eq!(token, None);
    let texts: BTreeSet<&str> = shown.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!((texts, shown.len()), (BTreeSet::from(turns), 3));
}
