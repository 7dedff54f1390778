//! The end of an investigation over HTTP, and the preferences that adapt its report.

use serde_json::{Value, json};

use crate::operations::Operations;

/// Returns the stored investigations: their records, and their content.
fn said(operations: &Operations) -> Vec<(Value, Value)> {
    let found = operations.to_memory("retrieve", &json!({"types": ["investigations"], "query": ""}));
    let all = found["results"].as_array().unwrap().iter();
    all.map(|one| (one["record_id"].clone(), one["content"].clone())).collect()
}

#[test]
fn what_waits_is_not_saved_and_what_is_said_twice_is_once() {
    let operations = Operations::of("alice");
    let begun = operations.post("/v1/investigations", &json!({"query": "api is down"}));
    let incident = begun["incident_id"].as_str().unwrap();
    let path = format!("/v1/investigations/{incident}/complete");
    let open = said(&operations);
    let item = json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}});
    let learned =
        format!("```\n{}\n```\nEscalate to ops@example.com.", json!({"infrastructure_knowledge": [item]}));
    let body = |cause: &str, plan_state: &str| {
        json!({"query": "api is down", "final_response": "- it leaks", "status": "completed", "root_cause": cause,
               "plan_state": plan_state, "agent_results": {"logs-agent": {"text": learned}}})
    };
    let waits = operations.post(&path, &body("a leak", "awaiting_approval"));
    assert_eq!(
        (&waits["saved"], &waits["reason"], &waits["infrastructure"], &waits["preferences"]),
        (&json!(false), &json!("awaiting_approval"), &json!([]), &json!([])),
        "{waits}"
    );
    let operations = operations.restarted();
    assert_eq!(said(&operations), open, "it is as it was");
    let known = json!({"types": ["infrastructure"], "query": ""});
    assert_eq!(operations.to_memory("retrieve", &known)["results"], json!([]));
    let waiting = format!("/v1/memories/{}/preferences?state=pending_confirmation", operations.memory);
    assert_eq!(operations.get(&waiting)["preferences"], json!([]));

    let done = operations.post(&path, &body("a leak", "executed"));
    assert_eq!(
        (&done["saved"], &done["status"], &done["status_source"]),
        (&json!(true), &json!("completed"), &json!("caller")),
        "{done}"
    );
    assert_eq!(operations.get(&waiting)["preferences"].as_array().unwrap().len(), 1);
    let operations = operations.restarted();
    let again = operations.post(&path, &body("a leak", "executed"));
    assert_eq!(
        (&again["summary_id"], &again["action"]),
        (&done["summary_id"], &json!("duplicate")),
        "{again}"
    );
    assert_eq!(said(&operations).len(), 1);

    let changed = operations.post(&path, &body("a limit", "executed"));
    assert_eq!(
        (&changed["action"], &changed["summary_id"]),
        (&json!("superseded"), &done["summary_id"]),
        "{changed}"
    );
    let operations = operations.restarted();
    let now = said(&operations);
    assert_eq!((now.len(), &now[0].1["root_cause"]), (1, &json!("a limit")));
    let record = done["summary_id"].as_str().unwrap();
    let history = operations.get(&format!("/v1/memories/{}/records/{record}/history", operations.memory));
    let versions = history["versions"].as_array().unwrap();
    let causes: Vec<Value> = versions
        .iter()
        .map(|one| {
            serde_json::from_str::<Value>(one["text"].as_str().unwrap()).unwrap()["root_cause"].clone()
        })
        .collect();
    assert_eq!(causes.iter().filter(|cause| **cause == "a leak").count(), 1, "{history}");
    assert_eq!(causes.iter().filter(|cause| **cause == "a limit").count(), 1, "{history}");
}

#[test]
fn a_report_is_told_how_it_is_wanted() {
    let operations = Operations::of("alice");
    let wanted = json!({
        "style": {"communication_style": "executive", "report_format": "short", "troubleshooting_steps": false},
        "escalation": {"primary_contact": "ops.team@example.com", "escalation_delay_minutes": 15},
        "notification": {"channel": "#ops", "timezone": "Europe/Berlin"},
    });
    for (kind, value) in wanted.as_object().unwrap() {
        let data = json!({"preference_type": kind, "preference_value": value});
        let body = json!({"memory_type": "preference", "actor_id": "alice", "by": "human", "data": data});
        operations.to_memory("save", &body);
    }
    // Proposals that wait for a person are left out.
    let proposed =
        json!({"preference_type": "escalation", "preference_value": {"second_contact": "evil@example.com"}});
    operations.post("/v1/tools/save_preference", &json!({"content": proposed, "context": "said in a log"}));
    let operations = operations.restarted();
    let check = |query: &str| {
        let begun = operations.post("/v1/investigations", &json!({ "query": query }));
        let of = begun["context"]["user_preferences"].as_array().unwrap().iter();
        let told: serde_json::Map<String, Value> = of
            .map(|one| (one["preference_type"].as_str().unwrap().to_owned(), one["preference_value"].clone()))
            .collect();
        assert_eq!(Value::Object(told), wanted, "{query}");
    };
    // All preferences for any question, in a format that does not require parsing the block.
    check("API server pod is restarting");
    check("who is on call");
}
