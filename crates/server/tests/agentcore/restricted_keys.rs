//! Keys that are bound to metadata and an age. Two servers that differ only in data that the key's
//! values and age exclude, next to its own in the same namespace, actor and session, give equal
//! responses. Data written by such a key is its own for every kind of read.

use std::collections::BTreeSet;

use axum::body::Body;
use http::Request;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId, Namespace};
use serde_json::{Value, json};

use crate::isolation::{ANY, Server, fill, run_on};
use crate::isolation_rows::{READER, RequestRow};
use crate::sign::{Pair, Payload, Signer};

/// Requests with grants on alice's events and on `/users/alice/`, both bound to `team=red` and to
/// thirty days.
const BOUND: &[RequestRow] = &[
    // Events of a session in which others write too.
    (200, "POST", "/memories/{mine}/actor/alice/sessions/shared", ""),
    (
        200,
        "POST",
        "/memories/{mine}/actor/alice/sessions/shared",
        r#"{"includePayloads":true,"maxResults":1}"#,
    ),
    (
        200,
        "POST",
        "/memories/{mine}/actor/alice/sessions/shared",
        r#"{"filter":{"eventMetadata":[{"left":{"metadataKey":"team"},"operator":"EQUALS_TO","right":{"metadataValue":{"stringValue":"blue"}}}]}}"#,
    ),
    (200, "POST", "/memories/{mine}/actor/alice/sessions/blueonly", ""),
    (404, "GET", "/memories/{mine}/actor/alice/sessions/shared/events/{%blueevent}", ""),
    (404, "GET", "/memories/{mine}/actor/alice/sessions/shared/events/{%plainevent}", ""),
    (404, "GET", "/memories/{mine}/actor/alice/sessions/shared/events/{%oldevent}", ""),
    (404, "DELETE", "/memories/{mine}/actor/alice/sessions/shared/events/{%blueevent}", ""),
    (404, "DELETE", "/memories/{mine}/actor/alice/sessions/shared/events/{%oldevent}", ""),
    (403, "GET", "/memories/{mine}/actor/bob/sessions/shared/events/{%blueevent}", ""),
    (200, "POST", "/memories/{mine}/actor/alice/sessions", ""),
    (200, "POST", "/memories/{mine}/actor/alice/sessions", r#"{"maxResults":1}"#),
    (200, "POST", "/memories/{mine}/actors", ""),
    // Writes: contradicting values are rejected, and so is a branch from an invisible event.
    (
        403,
        "POST",
        "/memories/{mine}/events",
        r#"{"actorId":"alice","sessionId":"shared","eventTimestamp":{now},"payload":[],"metadata":{"team":{"stringValue":"blue"}}}"#,
    ),
    (
        403,
        "POST",
        "/memories/{mine}/events",
        r#"{"actorId":"alice","sessionId":"shared","eventTimestamp":1,"payload":[]}"#,
    ),
    (
        403,
        "POST",
        "/memories/{mine}/events",
        r#"{"actorId":"bob","sessionId":"shared","eventTimestamp":{now},"payload":[]}"#,
    ),
    (
        400,
        "POST",
        "/memories/{mine}/events",
        r#"{"actorId":"alice","sessionId":"shared","eventTimestamp":{now},"payload":[],"branch":{"name":"b","rootEventId":"{blueevent}"}}"#,
    ),
    (
        403,
        "POST",
        "/memories/{mine}/ingest",
        r#"{"source":{"inline":{"payload":[{"json":{"content":1}}]}},"contentTimestamp":1,"actorId":"alice"}"#,
    ),
    // Records of its namespace: by search, by list, by id.
    (
        200,
        "POST",
        "/memories/{mine}/retrieve",
        r#"{"namespacePath":"/","searchCriteria":{"searchQuery":"zebra green tea"}}"#,
    ),
    (
        200,
        "POST",
        "/memories/{mine}/retrieve",
        r#"{"namespace":"/users/alice/","searchCriteria":{"searchQuery":"zebra","topK":100}}"#,
    ),
    (
        200,
        "POST",
        "/memories/{mine}/retrieve",
        r#"{"namespacePath":"/","searchCriteria":{"searchQuery":"zebra","metadataFilters":[{"left":{"metadataKey":"team"},"operator":"EQUALS_TO","right":{"metadataValue":{"stringValue":"blue"}}}]}}"#,
    ),
    (
        200,
        "POST",
        "/memories/{mine}/retrieve",
        r#"{"namespace":"/users/bob/","searchCriteria":{"searchQuery":"zebra"}}"#,
    ),
    (200, "POST", "/memories/{mine}/memoryRecords", r#"{"namespacePath":"/"}"#),
    (200, "POST", "/memories/{mine}/memoryRecords", r#"{"namespace":"/users/alice/","maxResults":1}"#),
    (404, "GET", "/memories/{mine}/memoryRecord/{bluerecord}", ""),
    (404, "GET", "/memories/{mine}/memoryRecord/{plainrecord}", ""),
    (404, "GET", "/memories/{mine}/memoryRecord/{oldrecord}", ""),
    (404, "DELETE", "/memories/{mine}/memoryRecords/{bluerecord}", ""),
    (404, "DELETE", "/memories/{mine}/memoryRecords/{oldrecord}?namespace=%2Fusers%2Falice%2F", ""),
    (
        200,
        "POST",
        "/memories/{mine}/memoryRecords/batchDelete",
        r#"{"records":[{"memoryRecordId":"{bluerecord}"},{"memoryRecordId":"{plainrecord}"},{"memoryRecordId":"{oldrecord}"}]}"#,
    ),
    (
        200,
        "POST",
        "/memories/{mine}/memoryRecords/batchUpdate",
        r#"{"records":[{"memoryRecordId":"{bluerecord}","timestamp":{now},"content":{"text":"mine now"}},{"memoryRecordId":"{oldrecord}","timestamp":{now}}]}"#,
    ),
    // The native API.
    (404, "GET", "/v1/memories/{mine}/records/{bluerecord}", ""),
    (404, "GET", "/v1/memories/{mine}/records/{oldrecord}/history", ""),
    (404, "GET", "/v1/memories/{mine}/records/{bluerecord}/history", ""),
    (404, "DELETE", "/v1/memories/{mine}/records/{bluerecord}", ""),
    (404, "POST", "/v1/memories/{mine}/records/{bluerecord}/revert", "{}"),
    (404, "POST", "/v1/memories/{mine}/records/{bluerecord}/feedback", r#"{"verdict":"wrong"}"#),
    (200, "POST", "/v1/memories/{mine}/records/{alicerecord}/feedback", r#"{"verdict":"useful"}"#),
    (
        200,
        "PATCH",
        "/v1/memories/{mine}/records",
        r#"{"records":[{"id":"{plainrecord}","text":"mine now"}]}"#,
    ),
    (200, "DELETE", "/v1/memories/{mine}/records", r#"{"ids":["{bluerecord}","{oldrecord}"]}"#),
    (200, "POST", "/v1/memories/{mine}/records:list", "{}"),
    (200, "POST", "/v1/memories/{mine}/records:list", r#"{"states":["active","superseded","archived"]}"#),
    (200, "POST", "/v1/search", r#"{"memory":"{mine}","query":"which zebra is blue","explain":true}"#),
    (200, "POST", "/v1/search", r#"{"memory":"{mine}","query":"zebra","as_of":"2027-01-01T00:00:00Z"}"#),
    (200, "POST", "/v1/tools/search_memory", r#"{"query":"zebra"}"#),
    // Data about a namespace as a whole needs grants on all of it.
    (403, "GET", "/v1/memories/{mine}/tree?namespace=%2Fusers%2Falice%2F", ""),
    (403, "GET", "/v1/memories/{mine}/tree/changes?namespace=%2Fusers%2Falice%2F", ""),
    (403, "GET", "/v1/memories/{mine}/files/knowledge/facts/zebra.md?namespace=%2Fusers%2Falice%2F", ""),
    (403, "GET", "/v1/memories/{mine}/objects", ""),
    (403, "GET", "/v1/memories/{mine}/export", ""),
    (403, "POST", "/memories/{mine}/extractionJobs", r#"{"filter":{"actorId":"alice"}}"#),
    (403, "POST", "/v1/memories/{mine}/extraction:wait", r#"{"timeout_ms":0}"#),
    (403, "DELETE", "/memories/{mine}/delete", ""),
];

/// Returns a principal with grants on alice's events and records, bound to a team and to thirty
/// days.
fn bound_to(server: &Server, teams: &[&str]) -> (Principal, String) {
    bound_by(server, &[("team", teams)])
}

/// Returns a principal with these grants, bound by some keys.
fn bound_by(server: &Server, pairs: &[(&str, &[&str])]) -> (Principal, String) {
    let memory = Some(MemoryId::parse(server.name("mine")).unwrap());
    let texts =
        |values: &[&str]| -> BTreeSet<String> { values.iter().map(|text| (*text).to_owned()).collect() };
    let part = Grant {
        memory,
        metadata: pairs.iter().map(|(key, values)| ((*key).to_owned(), texts(values))).collect(),
        max_age_days: Some(30),
        capabilities: [Capability::Read, Capability::Write].into(),
        ..Grant::everything()
    };
    let actor = Grant { actor: Some(ActorId::parse("alice").unwrap()), ..part.clone() };
    let place = Grant { namespace: Some(Namespace::parse("/users/alice/").unwrap()), ..part };
    server.key_of(Principal { name: format!("bound to {pairs:?}"), grants: vec![actor, place] })
}

fn event(session: &str, text: &str, at: f64, team: Option<&str>) -> String {
    let metadata = team.map_or_else(|| json!({}), |team| json!({ "team": { "stringValue": team } }));
    json!({
        "actorId": "alice", "sessionId": session, "eventTimestamp": at, "metadata": metadata,
        "payload": [{ "conversational": { "role": "USER", "content": { "text": text } } }],
    })
    .to_string()
}

fn record(text: &str, at: f64, team: Option<&str>) -> String {
    let mut record = json!({
        "requestIdentifier": "r", "namespaces": ["/users/alice/"], "content": { "text": text }, "timestamp": at,
    });
    if let Some(team) = team {
        record["metadata"] = json!({ "team": { "stringValue": team } });
    }
    json!({ "records": [record] }).to_string()
}

/// Creates a server with a memory in which alice's red team has a part; with `crowded`, others have
/// the rest.
fn server(crowded: bool) -> Server {
    let mut server = Server::bare();
    let mine = server.make("mine");
    let now = server.now_seconds();
    server.keep_text("now", now.to_string());
    let events = format!("/memories/{mine}/events");
    let records = format!("/memories/{mine}/memoryRecords/batchCreate");
    server.admin("POST", &events, &event("shared", "I like green tea", now - 60.0, Some("red")));
    let own =
        server.admin("POST", &records, &record("alice of the red team likes green tea", now, Some("red")));
    server.keep("alicerecord", &own, "/successfulRecords/0/memoryRecordId");
    server.run_jobs();
    server.caller = bound_to(&server, &["red"]);
    if crowded {
        for (name, at, team) in [
            ("blueevent", now - 50.0, Some("blue")),
            ("plainevent", now - 40.0, None),
            ("oldevent", 1.0, Some("red")),
        ] {
            let made = server.admin("POST", &events, &event("shared", &format!("a zebra, {name}"), at, team));
            server.keep(name, &made, "/event/eventId");
        }
        server.admin("POST", &events, &event("blueonly", "another zebra", now, Some("blue")));
        for (name, at, team) in
            [("bluerecord", now, Some("blue")), ("plainrecord", now, None), ("oldrecord", 1.0, Some("red"))]
        {
            let made = server.admin("POST", &records, &record(&format!("a zebra, {name}"), at, team));
            server.keep(name, &made, "/successfulRecords/0/memoryRecordId");
        }
        server.crowd(&mine);
        server.admin(
            "POST",
            &events,
            &event("shared", "a zebra that is still to be read", now, Some("blue")),
        );
    }
    server
}

#[test]
fn a_bound_key_learns_of_nothing_beside_its_own() {
    // A verdict on its own record is stored; nothing else changes anything.
    let is_kept = |row: &&RequestRow| row.3.contains("useful");
    let (kept, others): (Vec<&RequestRow>, Vec<&RequestRow>) = BOUND.iter().partition(is_kept);
    let rows = |rows: Vec<&RequestRow>| rows.into_iter().copied().collect::<Vec<RequestRow>>();
    run_on(&rows(others), true, server, |server| &server.caller);
    run_on(&rows(kept), false, server, |server| &server.caller);
}

#[test]
fn a_bound_key_learns_of_nothing_by_any_operation() {
    // Its writes from the table are its own: nothing else is stored, and nothing hidden is
    // returned.
    let any = |row: &RequestRow| (ANY, row.1, row.2, row.3);
    // The number of open jobs of its sessions is visible, for events of any writer, because a
    // waiting caller needs it.
    let is_wait = |row: &&RequestRow| row.2.ends_with("extraction:wait") && row.3.contains("alice");
    let rows: Vec<RequestRow> = READER.iter().filter(|row| !is_wait(row)).map(any).collect();
    run_on(&rows, false, server, |server| &server.caller);
}

fn told(server: &Server, caller: &(Principal, String), method: &str, path: &str, body: &str) -> (u16, Value) {
    let (status, answer) = server.ask(caller, method, &fill(path, &server.names), &fill(body, &server.names));
    (status, serde_json::from_str(answer.lines().last().unwrap()).unwrap_or(Value::Null))
}

fn texts(answer: &Value) -> Vec<String> {
    let list = answer["memoryRecordSummaries"].as_array().unwrap();
    let mut texts: Vec<String> =
        list.iter().map(|one| one["content"]["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn what_two_keys_of_one_actor_write_is_apart() {
    let server = server(false);
    let (red, blue) = (&server.caller, &bound_to(&server, &["blue"]));
    let now = server.now_seconds();
    let path = "/memories/{mine}/events";
    // Unmodified clients: the request does not name its owner.
    for (caller, text) in [(red, "I keep bees in Oslo"), (blue, "I keep bees in Bern")] {
        let (status, made) = told(&server, caller, "POST", path, &event("talk", text, now, None));
        assert_eq!(status, 201, "{made}");
        let event = &made["event"];
        let id = event["eventId"].as_str().unwrap().replace('#', "%23");
        let at = format!("/memories/{{mine}}/actor/alice/sessions/talk/events/{id}");
        let (mine, others) = if std::ptr::eq(caller, red) { (red, blue) } else { (blue, red) };
        assert_eq!(told(&server, mine, "GET", &at, "").0, 200);
        assert_eq!(told(&server, others, "GET", &at, "").0, 404);
        assert_eq!(told(&server, others, "DELETE", &at, "").0, 404);
    }
    server.run_jobs();
    let ask = r#"{"namespacePath":"/","searchCriteria":{"searchQuery":"who keeps bees","topK":10}}"#;
    for (caller, own, others) in [(red, "Oslo", "Bern"), (blue, "Bern", "Oslo")] {
        let (_, listed) = told(&server, caller, "POST", "/memories/{mine}/actor/alice/sessions/talk", "{}");
        assert_eq!(listed["events"].as_array().unwrap().len(), 1, "{listed}");
        for (path, body) in [
            ("/memories/{mine}/retrieve", ask),
            ("/memories/{mine}/memoryRecords", r#"{"namespacePath":"/"}"#),
        ] {
            let (_, found) = told(&server, caller, "POST", path, body);
            let found = texts(&found);
            assert!(found.iter().any(|text| text.contains(own)), "{path} of {own}: {found:?}");
            assert!(!found.iter().any(|text| text.contains(others)), "{path} of {own}: {found:?}");
        }
    }
}

#[test]
fn a_wider_key_takes_nothing_out_of_a_narrower_ones_view() {
    let server = server(false);
    let wide = &server.caller;
    let narrow = &bound_by(&server, &[("team", &["red"]), ("project", &["x"])]);
    let now = server.now_seconds();
    let first = "Our beehives by the river need fresh wooden frames before heavy autumn storms arrive";
    let again = "Our beehives by the river need fresh wooden frames before heavy autumn storms arrive again";
    let mut seen = Vec::new();
    // A nearly equal text supersedes, and an equal one only confirms, but never the record of a key
    // that this one does not see.
    for (caller, text) in [(narrow, first), (wide, again), (wide, first), (narrow, again)] {
        let (status, made) =
            told(&server, caller, "POST", "/memories/{mine}/events", &event("hives", text, now, None));
        assert_eq!(status, 201, "{made}");
        server.run_jobs();
        let listed = |caller| {
            let path = "/memories/{mine}/memoryRecords";
            let (_, found) = told(&server, caller, "POST", path, r#"{"namespacePath":"/"}"#);
            let found = texts(&found);
            found.into_iter().filter(|text| text.contains("beehives")).count()
        };
        seen.push((listed(narrow), listed(wide)));
    }
    // The wider key sees the narrower one's record in addition to its own.
    assert_eq!(seen, [(1, 1), (1, 2), (1, 2), (1, 2)]);
}

#[test]
fn records_stay_where_their_key_sees_them() {
    let server = server(false);
    let (red, now) = (&server.caller, server.now_seconds());
    let create = "/memories/{mine}/memoryRecords/batchCreate";
    let update = "/memories/{mine}/memoryRecords/batchUpdate";
    let (_, made) = told(&server, red, "POST", create, &record("bees hum", now, None));
    let id = made["successfulRecords"][0]["memoryRecordId"].as_str().unwrap();
    let at = format!("/memories/{{mine}}/memoryRecord/{id}");
    assert_eq!(
        told(&server, red, "GET", &at, "").1["memoryRecord"]["metadata"]["team"]["stringValue"],
        "red"
    );
    let failure = |answer: &Value| {
        let failed = &answer["failedRecords"][0];
        (failed["errorCode"].clone(), failed["errorMessage"].as_str().unwrap_or_default().to_owned())
    };
    let (_, answer) = told(&server, red, "POST", create, &record("bees sting", now, Some("blue")));
    assert!(failure(&answer).1.contains("metadata.team"), "{answer}");
    let (_, answer) = told(&server, red, "POST", create, &record("bees once stung", 1.0, None));
    assert!(failure(&answer).1.contains("timestamp"), "{answer}");
    for (change, member) in [
        (json!({ "metadata": { "team": { "stringValue": "blue" } } }), "metadata.team"),
        (json!({ "timestamp": 1 }), "timestamp"),
        (json!({ "namespaces": ["/users/bob/"] }), "namespace"),
    ] {
        let mut item = json!({ "memoryRecordId": id, "timestamp": now });
        item.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let (_, answer) = told(&server, red, "POST", update, &json!({ "records": [item] }).to_string());
        assert!(failure(&answer).1.contains(member), "{answer}");
    }
    // Replaced metadata keeps the bound value.
    let item =
        json!({ "memoryRecordId": id, "timestamp": now, "metadata": { "hive": { "stringValue": "two" } } });
    let (_, answer) = told(&server, red, "POST", update, &json!({ "records": [item] }).to_string());
    assert_eq!(answer["successfulRecords"].as_array().unwrap().len(), 1, "{answer}");
    let (_, shown) = told(&server, red, "GET", &at, "");
    assert_eq!(shown["memoryRecord"]["metadata"]["team"]["stringValue"], "red", "{shown}");
}

#[test]
fn a_key_of_several_values_says_which() {
    let server = server(false);
    let (both, now) = (&bound_to(&server, &["red", "green"]), server.now_seconds());
    let path = "/memories/{mine}/events";
    let (status, answer) = told(&server, both, "POST", path, &event("s", "bees", now, None));
    assert_eq!(status, 400, "{answer}");
    assert!(
        answer["message"].as_str().unwrap().contains("metadata.team must be one of: green, red"),
        "{answer}"
    );
    let (status, answer) = told(&server, both, "POST", path, &event("s", "bees", now, Some("green")));
    assert_eq!(status, 201, "{answer}");
    let (status, answer) = told(&server, both, "POST", path, &event("s", "bees", now, Some("blue")));
    assert_eq!(status, 403, "{answer}");
    assert_eq!(
        told(&server, &server.caller, "POST", "/memories/{mine}/actor/alice/sessions/s", "{}").1["events"],
        json!([])
    );
}

#[test]
fn what_was_young_grows_old() {
    let server = server(false);
    let (red, now) = (&server.caller, server.now_seconds());
    let list = |body: &str| {
        let (_, found) = told(&server, red, "POST", "/memories/{mine}/memoryRecords", body);
        let (_, events) = told(&server, red, "POST", "/memories/{mine}/actor/alice/sessions/shared", "{}");
        (texts(&found).len(), events["events"].as_array().unwrap().len())
    };
    told(&server, red, "POST", "/memories/{mine}/events", &event("shared", "bees", now, None));
    assert_eq!(list(r#"{"namespacePath":"/"}"#), (1, 2));
    server.advance_days(29);
    assert_eq!(list(r#"{"namespacePath":"/"}"#), (1, 2));
    server.advance_days(2);
    assert_eq!(list(r#"{"namespacePath":"/"}"#), (0, 0));
}

#[test]
fn what_a_key_may_not_be_bound_to() {
    let server = server(false);
    let check = |grant: Value, field: &str| {
        let body = json!({ "name": "odd", "grants": [grant] }).to_string();
        let (status, answer) = server.open("POST", "/v1/keys", &body);
        assert_eq!((status, answer["error"]["field"].as_str()), (400, Some(field)), "{answer}");
    };
    check(json!({ "metadata": { "team": [] } }), "metadata");
    check(json!({ "metadata": { "": ["red"] } }), "metadata");
    check(json!({ "metadata": { "x-amz-agentcore-memory-createdAt": ["red"] } }), "metadata");
    check(json!({ "metadata": { "team": ["r;d"] } }), "metadata");
    check(
        json!({ "metadata": { "a": ["1"], "b": ["1"], "c": ["1"], "d": ["1"], "e": ["1"], "f": ["1"] } }),
        "metadata",
    );
    check(json!({ "max_age_days": 0 }), "max_age_days");
    check(json!({ "max_age_days": 36501 }), "max_age_days");
    check(json!({ "max_age_days": 1, "capabilities": ["agent"] }), "capabilities");
    let good =
        json!({ "name": "team", "grants": [{ "metadata": { "team": ["red"] }, "max_age_days": 36500 }] });
    assert_eq!(server.open("POST", "/v1/keys", &good.to_string()).0, 201);
    let (_, keys) = server.open("GET", "/v1/keys", "");
    let listed = keys["keys"].as_array().unwrap().iter().find(|key| key["name"] == "team").unwrap();
    assert_eq!(listed["grants"][0]["metadata"], json!({ "team": ["red"] }), "{listed}");
    assert_eq!(listed["grants"][0]["max_age_days"], 36500, "{listed}");
}

#[test]
fn signed_clients_of_two_keys_see_their_own() {
    let server = server(false);
    let now = server.now_seconds();
    let pair = |team: &str| server.pair(bound_to(&server, &[team]).0);
    let (red, blue) = (pair("red"), pair("blue"));
    let send = |pair: &Pair, path: &str, body: &str| {
        let signer = Signer { pair, service: "bedrock-agentcore", amz_date: server.amz_date() };
        let path = fill(path, &server.names);
        let request = signer.request("POST", &path, &[], body.as_bytes(), Payload::Whole);
        let (status, bytes) = server.send(request);
        (status, serde_json::from_slice::<Value>(&bytes).unwrap())
    };
    for (pair, text) in [(&red, "bees in Oslo"), (&blue, "bees in Bern")] {
        assert_eq!(send(pair, "/memories/{mine}/events", &event("talk", text, now, None)).0, 201);
        let path = "/memories/{mine}/memoryRecords/batchCreate";
        assert_eq!(send(pair, path, &record(text, now, None)).1["failedRecords"], json!([]));
    }
    let ask = r#"{"namespacePath":"/","searchCriteria":{"searchQuery":"bees"}}"#;
    for (pair, own, others) in [(&red, "Oslo", "Bern"), (&blue, "Bern", "Oslo")] {
        for (path, body) in [
            ("/memories/{mine}/retrieve", ask),
            ("/memories/{mine}/memoryRecords", r#"{"namespacePath":"/"}"#),
            ("/memories/{mine}/actor/alice/sessions/talk", r#"{"includePayloads":true}"#),
        ] {
            let (status, answer) = send(pair, path, body);
            let answer = answer.to_string();
            assert_eq!(status, 200, "{path}: {answer}");
            assert!(answer.contains(own) && !answer.contains(others), "{path} of {own}: {answer}");
        }
    }
}

#[test]
fn tools_of_agents_are_bound_too() {
    let server = server(false);
    let (red, blue) = (bound_to(&server, &["red"]), bound_to(&server, &["blue"]));
    let call = |caller: &(Principal, String), name: &str, arguments: Value| {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments },
        });
        let request = Request::builder()
            .method("POST")
            .uri("/mcp")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2025-11-25")
            .header("authorization", format!("Bearer {}", caller.1));
        let (status, bytes) = server.send(request.body(Body::from(body.to_string())).unwrap());
        assert_eq!(status, 200);
        String::from_utf8(bytes).unwrap()
    };
    for (caller, text) in [(&red, "bees in Oslo"), (&blue, "bees in Bern")] {
        let said = call(caller, "add_memory", json!({ "entries": [text] }));
        assert!(!said.contains(r#""isError":true"#), "{said}");
    }
    for (caller, own, others) in [(&red, "Oslo", "Bern"), (&blue, "Bern", "Oslo")] {
        let said = call(caller, "search_memory", json!({ "query": "bees" }));
        assert!(said.contains(own) && !said.contains(others), "{said}");
    }
}
