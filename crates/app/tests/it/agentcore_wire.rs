//! Transfers a memory through AgentCore's wire from one server to another. Lossless data returns
//! with an equal checksum, nothing is duplicated, and lossy data is reported.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let (status, answer) = send(server, "POST", path, "", &body.to_string());
    assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
    answer
}

/// Creates a memory with two strategies, whose ids differ on each server.
fn memory(server: &Server) -> String {
    let strategies = json!([
        { "kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/" },
        { "kind": "user_preference", "name": "prefs", "namespace": "/prefs/{actorId}/" },
    ]);
    let made = post(server, "/v1/memories", &json!({ "name": "notes", "strategies": strategies }));
    made["id"].as_str().unwrap().to_owned()
}

fn event(server: &Server, memory: &str, body: &Value) -> String {
    let made = post(server, &format!("/v1/memories/{memory}/events"), body);
    made["event"]["id"].as_str().unwrap().to_owned()
}

fn said(text: &str, time: &str) -> Value {
    json!({ "actor": "org/user:1", "session": "s1", "time": time,
        "payload": [{ "message": { "role": "user", "text": text } }] })
}

/// Stores a conversation with all kinds of payload, nested branches, and records with all fields of
/// the wire.
fn fill(server: &Server, memory: &str) {
    let first =
        event(server, memory, &said("I always drink tea in the morning.", "2026-01-02T03:04:05.678Z"));
    // Key order, number spelling and both kinds of documents, which `Value` preserves.
    let odd: Value = serde_json::from_str(
        r#"{"actor":"org/user:1","session":"s1","time":"2026-01-02T03:04:05.678Z","metadata":{"tool":"a b/c:d"},
            "payload":[{"json":{"z":1.10,"a":[null,{"b":"é"}]}},{"blob":"text"},{"blob":null},
                       {"message":{"role":"tool","text":"done"}}]}"#,
    )
    .unwrap();
    event(server, memory, &odd);
    let later = event(server, memory, &said("Let us try it the other way.", "2026-01-03T00:00:00Z"));
    let mut branched = said("On a branch, told before its start.", "2026-01-02T12:00:00Z");
    branched["branch"] = json!({ "name": "try", "root": later });
    let on_branch = event(server, memory, &branched);
    branched["branch"] = json!({ "name": "again", "root": on_branch });
    event(server, memory, &branched);
    branched["branch"] = json!({ "name": "third", "root": first });
    event(server, memory, &branched);
    for actor in 0..3 {
        let body = json!({ "actor": format!("a{actor}"), "session": "x", "payload": [] });
        event(server, memory, &body);
    }
    let (_, shown) = send(server, "GET", &format!("/v1/memories/{memory}"), "", "");
    let strategy = |name: &str| {
        let strategies = shown["strategies"].as_array().unwrap();
        strategies.iter().find(|strategy| strategy["name"] == name).unwrap()["id"].clone()
    };
    let record = |n: usize| {
        json!({ "namespace": "/made/here", "text": format!("Made by hand: {n}"), "timestamp": "2026-02-03T04:05:06.007Z",
            "strategy": strategy("facts"), "metadata": { "n": n, "tags": ["a", "b"], "source": "a/b" } })
    };
    let mut records: Vec<_> = (0..90).map(record).collect();
    records.push(json!({ "namespace": "made/without/a/slash", "text": "A rule.", "kind": "rule" }));
    records.push(
        json!({ "namespace": "/p", "text": "Tea.", "kind": "preference", "strategy": strategy("prefs") }),
    );
    records
        .push(json!({ "namespace": "/p", "text": "A fact of preferences.", "strategy": strategy("prefs") }));
    post(server, &format!("/v1/memories/{memory}/records"), &json!({ "records": records }));
    post(server, &format!("/v1/memories/{memory}/extraction:wait"), &json!({}));
}

fn counts(report: &Value) -> [u64; 3] {
    ["created", "updated", "unchanged"].map(|key| report[key].as_u64().unwrap())
}

fn arguments<'a>(does: &'a str, server: &'a Server, there: &'a str) -> Vec<&'a str> {
    vec![does, "--format", "agentcore", "--memory", "notes", "--endpoint", &server.url, there]
}

#[test]
fn a_memory_goes_through_the_wire_and_on_with_an_equal_checksum() {
    let homes = [Home::new(), Home::new(), Home::new()];
    let servers = [homes[0].serve(&[]), homes[1].serve(&[]), homes[2].serve(&[])];
    let ids = [memory(&servers[0]), memory(&servers[1]), memory(&servers[2])];
    fill(&servers[0], &ids[0]);
    let dry = homes[0].json(&[&arguments("export", &servers[1], &ids[1])[..], &["--dry-run"]].concat());
    let out = homes[0].json(&arguments("export", &servers[1], &ids[1]));
    let all = out["created"].as_u64().unwrap();
    assert!(all > 9 + 93, "what strategies made goes along: {out}");
    assert_eq!((&dry["checksum"], counts(&dry)), (&out["checksum"], [0, 0, 0]), "{dry}");
    assert_eq!(out["problems"], json!([]), "{out}");
    assert!(out["lossy"].to_string().contains("the messages that records were made from"), "{out}");
    assert_eq!(counts(&homes[0].json(&arguments("export", &servers[1], &ids[1]))), [0, 0, all]);

    let dry = homes[2].json(&[&arguments("import", &servers[1], &ids[1])[..], &["--dry-run"]].concat());
    assert_eq!((counts(&dry), dry["items"].as_u64()), ([0, 0, 0], Some(all)), "{dry}");
    let into = homes[2].json(&arguments("import", &servers[1], &ids[1]));
    assert_eq!((counts(&into), &into["problems"]), ([all, 0, 0], &json!([])), "{into}");
    assert_eq!(counts(&homes[2].json(&arguments("import", &servers[1], &ids[1]))), [0, 0, all]);

    post(&servers[1], &format!("/v1/memories/{}/extraction:wait", ids[1]), &json!({}));
    let third = homes[2].json(&[&arguments("export", &servers[1], &ids[1])[..], &["--dry-run"]].concat());
    assert_eq!(third["checksum"], out["checksum"], "{third}");
    assert_eq!(third["items"].as_u64(), Some(all), "no strategy read the events again: {third}");
}

#[test]
fn what_changed_is_changed_and_what_came_from_here_stays_there() {
    let homes = [Home::new(), Home::new()];
    let servers = [homes[0].serve(&[]), homes[1].serve(&[])];
    let ids = [memory(&servers[0]), memory(&servers[1])];
    let records = format!("/v1/memories/{}/records", ids[0]);
    let made = post(
        &servers[0],
        &records,
        &json!({ "records": [
        { "namespace": "/n", "text": "one" }, { "namespace": "/n", "text": "two" }, { "namespace": "/n", "text": "three" }
    ] }),
    );
    event(&servers[0], &ids[0], &said("Hello.", "2026-01-02T03:04:05Z"));
    let out = arguments("export", &servers[1], &ids[1]);
    let records_alone = [&out[..], &["--parts", "records"]].concat();
    assert_eq!(counts(&homes[0].json(&records_alone)), [3, 0, 0]);
    assert_eq!(counts(&homes[0].json(&out)), [1, 0, 3]);
    let id = made["items"][0]["id"].as_str().unwrap();
    let (status, _) = send(
        &servers[0],
        "PATCH",
        &records,
        "",
        &json!({ "records": [{ "id": id, "text": "one and a half" }] }).to_string(),
    );
    assert_eq!(status, 200);
    let gone = made["items"][1]["id"].as_str().unwrap();
    assert_eq!(send(&servers[0], "DELETE", &format!("{records}/{gone}"), "", "").0, 200);
    let again = homes[0].json(&out);
    assert_eq!(counts(&again), [0, 1, 2], "{again}");
    assert!(again["skipped"].to_string().contains("there it stays"), "{again}");
    // An import back into the source memory duplicates nothing.
    let back = homes[0].json(&arguments("import", &servers[1], &ids[1]));
    assert_eq!(counts(&back), [0, 0, 0], "{back}");
    assert!(back["skipped"].to_string().contains("it came from this memory"), "{back}");
}

#[test]
fn what_does_not_fit_is_told_and_the_rest_goes() {
    let homes = [Home::new(), Home::new()];
    let servers = [homes[0].serve(&[]), homes[1].serve(&[])];
    let ids = [memory(&servers[0]), memory(&servers[1])];
    let mut odd = said("With metadata.", "2026-01-02T03:04:05Z");
    odd["metadata"] = json!({ "fits": "yes", "hash": "#1" });
    odd["extraction"] = json!("skip");
    event(&servers[0], &ids[0], &odd);
    let mut long = said(&"x".repeat(100_001), "2026-01-02T03:04:06Z");
    long["extraction"] = json!("skip");
    event(&servers[0], &ids[0], &long);
    let output = homes[0].run(&[&arguments("export", &servers[1], &ids[1])[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), counts(&report)), (Some(1), [1, 0, 0]), "{report}");
    assert!(report["problems"].to_string().contains("at most 100000 characters"), "{report}");
    assert!(report["skipped"].to_string().contains("metadata hash of an event"), "{report}");
    // Without records, the strategies of the target extract them from the events.
    let alone = [&arguments("import", &servers[0], &ids[0])[..], &["--parts", "events"]].concat();
    assert_eq!(counts(&homes[1].json(&alone)), [2, 0, 0]);
}

#[test]
fn a_killed_import_goes_on() {
    let homes = [Home::new(), Home::new()];
    let servers = [homes[0].serve(&[]), homes[1].serve(&[])];
    let ids = [memory(&servers[0]), memory(&servers[1])];
    let record = |n: usize| json!({ "namespace": "/n", "text": format!("number {n}") });
    for part in 0..3 {
        let records: Vec<_> = (0..100).map(|n| record(part * 100 + n)).collect();
        post(&servers[0], &format!("/v1/memories/{}/records", ids[0]), &json!({ "records": records }));
    }
    for n in 0..100 {
        let mut body = said(&format!("Turn {n}."), "2026-01-02T03:04:05Z");
        body["extraction"] = json!("skip");
        event(&servers[0], &ids[0], &body);
    }
    let arguments = arguments("import", &servers[0], &ids[0]);
    let mut child = homes[1].command(&arguments).spawn().unwrap();
    let path = format!("/v1/memories/{}/actors", ids[1]);
    while send(&servers[1], "GET", &path, "", "").1["actors"] == json!([]) {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [created, updated, unchanged] = counts(&homes[1].json(&arguments));
    assert!(unchanged > 0 && updated == 0 && created + unchanged == 400, "{created} {unchanged}");
    assert_eq!(counts(&homes[1].json(&arguments)), [0, 0, 400]);
}

#[test]
fn what_is_missing_is_named() {
    let home = Home::new();
    let server = home.serve(&[]);
    memory(&server);
    let check = |code: i32, further: &[&str], expect: &str| {
        let arguments = [&["import", "--format", "agentcore", "--memory", "notes"][..], further].concat();
        let said = home.fails(code, &arguments);
        assert!(said.contains(expect), "{said}");
    };
    check(2, &["m-0123456789"], "say --endpoint URL");
    check(2, &["m-0123456789", "--region", "eu-west-1"], "AWS_ACCESS_KEY_ID");
    check(2, &["m-0123456789", "--endpoint", "nowhere"], "must be a URL");
    check(3, &["m-0123456789", "--endpoint", &server.url], "ResourceNotFoundException");
    let said = home.fails(2, &["import", "--format", "mem0", "--memory", "notes", "--region", "x", "file"]);
    assert!(said.contains("go with --format agentcore"), "{said}");
    let said = home.fails(2, &["export", "--memory", "notes", "--dry-run"]);
    assert!(said.contains("--dry-run"), "{said}");
}

/// Ids with slashes and colons are encoded in signed paths.
#[test]
fn a_signed_import_is_let_in_and_no_other() {
    let (home, other) = (Home::new(), Home::new());
    let (server, here) = (home.serve(&[]), other.serve(&[]));
    let there = memory(&server);
    memory(&here);
    let mut body = said("Hello.", "2026-01-02T03:04:05Z");
    body["extraction"] = json!("skip");
    event(&server, &there, &body);
    let key = home.json(&["key", "create", "admin"]);
    let word = |name: &str| key[name].as_str().unwrap().to_owned();
    let check = |id: &str, secret: &str, expect: Option<i32>| {
        let mut command = other.command(&[&arguments("import", &server, &there)[..], &["--json"]].concat());
        command.env("AWS_ACCESS_KEY_ID", id).env("AWS_SECRET_ACCESS_KEY", secret);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), expect, "{said}");
        assert!(!said.contains(secret), "{said}");
        output.stdout
    };
    let (id, secret) = (word("access_key_id"), word("secret_access_key"));
    let report: Value = serde_json::from_slice(&check(&id, &secret, Some(0))).unwrap();
    assert_eq!(counts(&report), [1, 0, 0], "{report}");
    check(&id, "another-secret", Some(1));
}
