//! The three examples of the design that operations agents come from, through each interface of the
//! binary, across a crash, and returned unchanged.

use serde_json::{Value, json};

use crate::operations::Operations;

/// Members that `retrieve` adds to the saved ones.
const ADDED: [&str; 5] = ["discovered_by", "user_id", "status_source", "confirmed_by", "metric"];

fn preference() -> Value {
    json!({
        "preference_type": "escalation",
        "preference_value": {"primary_contact": "ops.team@example.co.uk", "escalation_delay_minutes": 15},
        "context": "team handbook", "timestamp": "2026-01-05T10:00:00Z",
    })
}

fn knowledge() -> Value {
    json!({
        "service_name": "api-server", "knowledge_type": "baseline",
        "knowledge_data": {"memory_usage": "400-500Mi", "cpu": {"limit": 2, "share": 0.5}, "note": "run `kubectl top {pod}`"},
        "environment": "prod", "cluster": "eu-1", "region": "eu", "k8s_namespace": "shop", "version": "1.2",
        "confidence": 0.9, "valid_window": {"from": "08:00", "to": "18:00", "recurrence": "weekdays"},
        "evidence": [{"tool_call_id": "tc_1", "tool": "get_pod_metrics", "output_ref": "o_1", "quote": "400Mi"}],
        "context": "from metrics", "timestamp": "2026-01-05T10:00:00Z",
    })
}

fn investigation() -> Value {
    json!({
        "incident_id": "incident_20260105_143000_k3x9qd", "query": "API server pod is restarting",
        "timeline": [
            {"time": "2026-01-05T14:30:00Z", "event": "alert"},
            {"time": "2026-01-05T14:38:00Z", "event": "restart", "by": "Alice"},
        ],
        "actions_taken": ["raised the limit", {"what": "restarted", "by": "Alice", "result": "up"}],
        "resolution_status": "completed", "root_cause": "the limit was 400Mi", "services": ["api-server"],
        "key_findings": ["found: latency at 1.5s. It grows.", {"text": "OOMKilled", "category": "root_cause", "evidence": ["tc_1"]}],
        "started_at": "2026-01-05T14:30:00Z", "completed_at": "2026-01-05T15:00:00Z",
        "context": "on call", "timestamp": "2026-01-05T15:00:00Z",
    })
}

/// An interface: its name, its save function, and true if contacts then wait for a person.
type Door = (&'static str, fn(&Operations), bool);

fn by_save(operations: &Operations) {
    let save = |kind: &str, actor: &str, session: Value, data: Value| {
        let body = json!({"memory_type": kind, "actor_id": actor, "session_id": session, "data": data, "by": "human"});
        let saved = operations.to_memory("save", &body);
        assert_eq!(saved["saved"], json!(true), "{saved}");
    };
    save("preferences", "Alice", Value::Null, preference());
    save("infrastructure", "sre-agent-kubernetes", json!("s-1"), knowledge());
    save("investigation", "Alice", json!("s-1"), investigation());
}

fn by_tool(operations: &Operations) {
    let call = |name: &str, mut arguments: Value, content: Value| {
        arguments["context"] = content["context"].clone();
        arguments["content"] = content;
        let saved = operations.post(&format!("/v1/tools/{name}"), &arguments);
        assert_eq!(saved["saved"], json!(true), "{saved}");
    };
    call("save_preference", json!({}), preference());
    call("save_infrastructure", json!({"agent": "sre-agent-kubernetes", "session_id": "s-1"}), knowledge());
    call("save_investigation", json!({"session_id": "s-1"}), investigation());
}

fn by_wire(operations: &Operations) {
    operations.wire_event("Alice", "preferences-default", &preference().to_string());
    operations.wire_event("sre-agent-kubernetes", "s-1", &knowledge().to_string());
    operations.wire_event("Alice", "s-1", &investigation().to_string());
}

/// Activates the waiting records.
fn confirm(operations: &Operations) {
    let path = format!("/v1/memories/{}/preferences?state=pending_confirmation", operations.memory);
    let waiting = operations.get(&path);
    let [one] = waiting["preferences"].as_array().unwrap().as_slice() else { panic!("{waiting}") };
    assert_eq!(one["value"], "ops.team@example.co.uk");
    let path = format!("/v1/preferences/{}/confirm", one["preference_id"].as_str().unwrap());
    operations.post(&path, &json!({"memory": operations.memory}));
}

/// Returns all records of a type.
fn found(operations: &Operations, kind: &str, actor: &str) -> Value {
    let body = json!({"types": [kind], "actor": actor, "query": ""});
    let found = operations.to_memory("retrieve", &body);
    let [one] = found["results"].as_array().unwrap().as_slice() else { panic!("{found}") };
    one["content"].clone()
}

/// Checks that a stored record contains the saved members, and no other than those added to each
/// record.
fn equal(kept: &Value, said: &Value, door: &str) {
    for (name, value) in said.as_object().unwrap() {
        assert_eq!(&kept[name], value, "{name} by {door}");
    }
    let more = kept.as_object().unwrap().keys().filter(|name| said.get(name).is_none());
    let unknown: Vec<&String> = more.filter(|name| !ADDED.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?} by {door}: {kept}");
}

#[test]
fn examples_are_the_same_after_a_crash_by_whatever_door() {
    let check = |(door, say, waits): Door| {
        let operations = Operations::of("Alice");
        say(&operations);
        if waits {
            confirm(&operations);
        }
        let operations = operations.restarted();
        let kept = found(&operations, "preferences", "Alice");
        let said = preference();
        for name in ["preference_type", "preference_value"] {
            assert_eq!(kept[name], said[name], "by {door}: {kept}");
        }
        let entries = kept["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 2, "by {door}: {kept}");
        for entry in entries {
            let key = entry["key"].as_str().unwrap();
            assert_eq!(entry["value"], said["preference_value"][key], "by {door}");
            assert_eq!(entry["context"], said["context"], "by {door}: {kept}");
            // A confirmation by a person updates the timestamp.
            let is_confirmed = waits && entry["source"] == "human";
            assert_eq!(entry["timestamp"] == said["timestamp"], !is_confirmed, "by {door}: {kept}");
        }
        // Both names of the agent refer to the same one.
        for agent in ["kubernetes-agent", "sre-agent-kubernetes"] {
            equal(&found(&operations, "infrastructure", agent), &knowledge(), door);
        }
        equal(&found(&operations, "investigations", "Alice"), &investigation(), door);
    };
    let doors: [Door; 3] = [("save", by_save, false), ("tool", by_tool, true), ("wire", by_wire, true)];
    doors.into_iter().for_each(check);
}
