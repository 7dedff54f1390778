//! Names and texts that must be equal at each interface, and data that none stores. Names contain
//! the numbers of the acceptance tests of coding agents' memory.

use loci_testkit_ports::secret_samples::secrets;
use serde_json::{Value, json};

use crate::fact_repository::Shop;
use crate::native::send;
use crate::program::{Home, Server};

/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";
const DOTTED: &str = "vercel/next.js";

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let (status, answer) = send(server, "POST", path, "", &body.to_string());
    assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
    answer
}

#[test]
fn a03_a_repository_with_a_full_stop_works_at_every_door() {
    let home = Home::new();
    let server = home.serve(&[]);
    post(&server, "/v1/repos", &json!({ "name": DOTTED }));
    post(
        &server,
        "/v1/tasks",
        &json!({ "task_id": "t-001", "repo": "Vercel/Next.js", "description": "Ports" }),
    );
    let text = "**Ports:** the tests of `next.js` need port 3000.";
    let noted = post(&server, "/v1/tasks/t-001/notes", &json!({ "text": text }));
    let id = noted["learning"]["id"].clone();
    let event = json!({ "events": [{ "seq": 1, "type": "decision", "content": "We take port 3000." }] });
    post(&server, "/v1/sessions/t-001/events", &event);
    let found = post(
        &server,
        "/v1/repos/vercel/next.js/search",
        &json!({ "query": "port 3000", "task_id": "t-001" }),
    );
    assert_eq!(found["results"][0]["record"]["id"], id, "{found}");
    post(
        &server,
        "/v1/tasks",
        &json!({ "task_id": "t-002", "repo": DOTTED, "description": "Which port do tests need" }),
    );
    let hydrated = post(&server, "/v1/tasks/t-002/hydrate", &json!({ "timeout_ms": 30_000 }));
    assert_eq!(hydrated["knowledge"][0]["id"], id, "{hydrated}");

    // By the tools of agents, and on the command line.
    let tool = post(
        &server,
        "/v1/tools/memory_search",
        &json!({ "repo": DOTTED, "query": "port 3000", "task_id": "t-001" }),
    );
    assert!(tool.to_string().contains(id.as_str().unwrap()), "{tool}");
    let output = home.run(&["attribution", "--repo", DOTTED, "--json"]);
    let led: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(led["items"].as_array().unwrap().len(), 2, "{led}");

    // By the generic API of memories: the actor is the repository, the session the task.
    let (_, memories) = send(&server, "GET", "/v1/memories", "", "");
    let memory = memories["memories"][0]["id"].as_str().unwrap_or_else(|| panic!("{memories}")).to_owned();
    let of = |path: &str| format!("/memories/{memory}{path}");
    let events =
        post(&server, &of("/actor/vercel%2Fnext.js/sessions/t-001"), &json!({ "includePayloads": true }));
    assert!(events.to_string().contains("We take port 3000."), "{events}");
    let new = json!({ "actorId": DOTTED, "sessionId": "t-002", "eventTimestamp": 1_795_219_200,
        "payload": [{ "conversational": { "role": "USER", "content": { "text": "Take 3001." } } }] });
    assert_eq!(post(&server, &of("/events"), &new)["event"]["actorId"], DOTTED);
    let actors = post(&server, &of("/actors"), &json!({}));
    assert_eq!(actors["actorSummaries"], json!([{ "actorId": DOTTED }]), "{actors}");
    let wanted =
        json!({ "namespace": "/vercel/next.js/knowledge", "searchCriteria": { "searchQuery": "port 3000" } });
    let records = post(&server, &of("/retrieve"), &wanted);
    assert_eq!(records["memoryRecordSummaries"][0]["memoryRecordId"], id, "{records}");
}

#[test]
fn a92_no_kind_of_secret_is_kept_in_the_spool() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination to /orders"]);
    for sample in secrets() {
        assert_eq!(
            shop.run(&["task", "note", "t-001", &sample.said, "--url", NOWHERE]).0,
            0,
            "{}",
            sample.kind
        );
    }
    let kept = std::fs::read_to_string(shop.path().join(".git/loci/spool.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), secrets().len(), "{kept}");
    for (line, sample) in kept.lines().zip(secrets()) {
        let kind = sample.kind;
        assert!(
            !line.contains(&sample.secret) && line.contains(&format!("[REDACTED:{kind}]")),
            "{kind}: {line}"
        );
    }
}
