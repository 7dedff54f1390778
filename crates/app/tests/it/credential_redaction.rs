//! Credentials in texts of agents, people and alerts are in no file, no log line and no export,
//! regardless of the interface.

use std::path::Path;

use loci_testkit_ports::credentials::{Credential, credentials};
use serde_json::{Value, json};

use crate::alerts::{firing, post, settled};
use crate::operations::Operations;

const SECRET: &str = "the secret of alerts";
const CONFIG: &str = "[[hook]]\nsource = \"alertmanager\"\nsecrets_env = [\"ALERTS\"]\n";

/// Collects the files beneath a folder, with their content.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if let Ok(bytes) = std::fs::read(&path) {
            found.push((path.display().to_string(), bytes));
        }
    }
}

/// Returns a knowledge block with this text.
fn block(name: &str, said: &str) -> String {
    let item = json!({"service_name": name, "knowledge_type": "config", "knowledge_data": {"note": said},
        "evidence": [{"tool_call_id": "tc_1", "tool": "logs", "quote": said}]});
    format!("```\n{}\n```", json!({"infrastructure_knowledge": [item]}))
}

/// Sends one credential through each interface that accepts single items.
fn say(operations: &Operations, at: usize, said: &str) {
    let data = json!({"service_name": format!("saved-{at}"), "knowledge_type": "config", "knowledge_data": {"note": said}});
    let save = |kind: &str, data: Value| json!({"memory_type": kind, "actor_id": "alice", "session_id": "s-1", "data": data});
    operations.to_memory("save", &save("infrastructure", data));
    let style = json!({"preference_type": "style", "preference_value": {format!("note {at}"): said}, "context": said});
    operations.to_memory("save", &save("preferences", style.clone()));
    let looked = json!({"incident_id": format!("saved-{at}"), "query": said, "root_cause": said, "key_findings": [said],
        "timeline": [{"time": null, "event": said}], "actions_taken": [{"what": said, "result": said}]});
    operations.to_memory("save", &save("investigations", looked));

    let tool = |name: &str, arguments: Value| operations.post(&format!("/v1/tools/{name}"), &arguments);
    tool("save_preference", json!({"preference": said, "categories": ["style"]}));
    let told = json!({"preference_type": "workflow", "preference_value": {format!("tool {at}"): said}});
    tool("save_preference", json!({"content": told, "context": said}));
    tool(
        "save_infrastructure",
        json!({"service_name": "api", "knowledge": said, "knowledge_type": "pattern"}),
    );
    tool("save_investigation", json!({"finding": said, "category": "observation"}));
    tool("retrieve_memory", json!({"memory_type": "infrastructure", "query": said}));

    let begun = json!({"query": said, "incident_id": format!("inc-{at}"), "session_id": format!("s-{at}"),
        "alert": {"source": "x", "fingerprint": format!("f-{at}"), "labels": {"note": said}, "summary": said}});
    operations.post("/v1/investigations", &begun);
    let path = format!("/v1/investigations/inc-{at}");
    let answered = json!({"agent": "logs-agent", "text": format!("{said}\n{}", block("answered", said)),
        "tool_calls": [{"id": "tc_1", "name": "get_logs", "output": said, "output_ref": said}]});
    let taken = operations.post(&format!("{path}/agent-response"), &answered);
    let job = taken["job_id"].as_str().unwrap();
    let read = operations.get(&format!("{path}/agent-response/{job}?wait_ms=20000"));
    assert_eq!(read["state"], "done", "{read}");
    let turn = ["USER", "ASSISTANT", "TOOL"].map(|role| json!({"role": role, "text": said}));
    operations.post(&format!("{path}/messages"), &json!({ "messages": turn }));
    let done = json!({"query": said, "final_response": format!("## Findings\n- {said}"), "root_cause": said,
        "status": "completed", "actions": [said], "timeline": [{"time": null, "event": said}],
        "agent_results": {"metrics-agent": {"text": format!("{said}\n{}", block("ended", said)),
            "tool_calls": [{"id": "tc_1", "name": "get_logs", "output": said}]}}});
    operations.post(&format!("{path}/complete"), &done);
    let outcome = json!({"root_cause_confirmed": true, "root_cause": said, "fix": said});
    operations.post(&format!("{path}/outcome"), &outcome);
    operations.wire_event("alice", &format!("s-{at}"), said);
    operations.wire_event("alice", "preferences-default", &style.to_string());
}

/// Returns alerts whose texts contain credentials, in one delivery.
fn alerts(all: &[Credential]) -> Value {
    let mut body = firing("f");
    let one = body["alerts"][0].clone();
    let alert = |(at, Credential { said, .. }): (usize, &Credential)| {
        let mut alert = one.clone();
        alert["fingerprint"] = json!(format!("alert-{at}"));
        let annotations = json!({"summary": said, "description": said});
        alert["annotations"] = annotations;
        alert["labels"]["note"] = json!(said);
        alert
    };
    body["alerts"] = all.iter().enumerate().map(alert).collect();
    body
}

/// Returns a few excerpts that contain a secret, each with some preceding text that shows its
/// origin.
fn lines(text: &str, all: &[Credential]) -> String {
    let place = |line: &str| all.iter().find_map(|one| line.find(&one.secret));
    let part = |line: &str| {
        let before = line[..place(line)?].chars().count();
        Some(line.chars().skip(before.saturating_sub(300)).take(400).collect::<String>())
    };
    text.lines().filter_map(part).take(8).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_credential_is_kept_by_whatever_door_it_came() {
    let all = credentials();
    assert_eq!(all.len(), 40);
    let operations =
        Operations::configured(CONFIG, &[("USER", "alice"), ("ALERTS", SECRET), ("LOCI_LOG_LEVEL", "trace")]);
    operations.post("/v1/investigations", &json!({"query": "what is said in it"}));
    for (at, Credential { said, .. }) in all.iter().enumerate() {
        say(&operations, at, said);
    }
    let bearer = format!("Authorization: Bearer {SECRET}\r\n");
    let (status, taken) = post(&operations.server, "alertmanager", &bearer, &alerts(&all).to_string());
    assert_eq!((status, &taken["state"]), (202, &json!("queued")), "{taken}");
    // Each alert is a delivery.
    assert_eq!(settled(&operations.server), all.len());
    let applied: Vec<Value> = all
        .iter()
        .enumerate()
        .map(|(at, one)| json!({"preference_type": "style", "preference_value": {format!("file {at}"): one.said}}))
        .collect();
    operations.to_memory("preferences:apply", &json!({"users": {"bob": {"preferences": applied}}}));
    operations.to_memory("extraction:wait", &json!({"timeout_ms": 240_000}));

    let exports = [
        ("sre export", operations.home.ok(&["sre", "export"])),
        ("export", operations.home.ok(&["export", "--memory", "sre_agent_memory"])),
    ];
    for (name, text) in &exports {
        assert!(text.contains("[REDACTED:"), "what is masked is there, in {name}: {text:.2000}");
    }
    let Operations { home, server, .. } = operations;
    assert!(server.stop(), "{}", home.log());
    let mut found = Vec::new();
    files(&home.path("data"), &mut found);
    assert!(found.iter().any(|(name, _)| name.ends_with("loci.db")), "the store is there");
    found.push(("log".to_owned(), std::fs::read(home.path("log")).unwrap()));
    found.extend(exports.map(|(name, text)| (name.to_owned(), text.into_bytes())));
    let kept = |(name, bytes): &(String, Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes);
        let of: Vec<&str> = all.iter().filter(|one| text.contains(&one.secret)).map(|one| one.told).collect();
        (!of.is_empty()).then(|| format!("{name}: {of:?}\n{}", lines(&text, &all)))
    };
    let kept: Vec<String> = found.iter().filter_map(kept).collect();
    assert!(kept.is_empty(), "{}", kept.join("\n"));
}
