//! The parts of operations memory that a server's configuration disables, without side effects on
//! others.

use serde_json::{Value, json};

use crate::operations::Operations;

/// The automatically captured data: knowledge and contacts of the answer, true if the end is saved,
/// and knowledge and contacts of the end.
type ByItself = (usize, usize, bool, usize, usize);

fn answer(service: &str) -> String {
    let item =
        json!({"service_name": service, "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}});
    let block = json!({"infrastructure_knowledge": [item]});
    format!("```\n{block}\n```\nEscalate to {service}@example.com.")
}

fn many(answer: &Value, member: &str) -> usize {
    answer[member].as_array().unwrap().len()
}

/// Returns the captured data of an investigation.
fn by_itself(operations: &Operations) -> ByItself {
    operations.post("/v1/investigations", &json!({"query": "api is down", "incident_id": "inc-1"}));
    let path = "/v1/investigations/inc-1";
    let said = json!({"agent": "logs-agent", "text": answer("answered")});
    let taken = operations.post(&format!("{path}/agent-response"), &said);
    let job = taken["job_id"].as_str().unwrap();
    let read = operations.get(&format!("{path}/agent-response/{job}?wait_ms=20000"));
    assert_eq!(read["state"], "done", "{read}");
    let done = json!({"root_cause": "a leak", "status": "completed",
        "agent_results": {"metrics-agent": {"text": answer("ended")}}});
    let done = operations.post(&format!("{path}/complete"), &done);
    (
        many(&read, "saved"),
        many(&read, "pending"),
        done["summary_id"].is_string(),
        many(&done, "infrastructure"),
        many(&done, "preferences"),
    )
}

/// Returns the names of the stored records of a type.
fn known(operations: &Operations, kind: &str, member: &str) -> Vec<String> {
    let found = operations.to_memory("retrieve", &json!({"types": [kind], "query": "", "top_k": 20}));
    let all = found["results"].as_array().unwrap().iter();
    let mut names: Vec<String> =
        all.map(|one| one["content"][member].as_str().unwrap_or_default().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_flag_switches_off_its_own_part() {
    let check = |settings: &str, expect: ByItself| {
        let config =
            format!("[[memory]]\nname = \"sre_agent_memory\"\nprofile = \"sre\"\n[memory.sre]\n{settings}\n");
        let operations = Operations::configured(&config, &[("USER", "alice")]);
        assert_eq!(by_itself(&operations), expect, "{settings}");
        // Explicitly saved records are stored regardless of automatic capture.
        let save = |kind: &str, data: Value| {
            let body = json!({"memory_type": kind, "actor_id": if kind == "infrastructure" { "logs-agent" } else { "alice" },
                "session_id": "s-1", "data": data});
            assert_eq!(operations.to_memory("save", &body)["saved"], json!(true), "{settings}");
        };
        let fact =
            json!({"service_name": "saved", "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}});
        save("infrastructure", fact);
        save("preferences", json!({"preference_type": "style", "preference_value": {"report": "short"}}));
        save("investigations", json!({"incident_id": "inc-saved", "query": "why"}));
        let tool = |name: &str, arguments: Value| {
            let saved = operations.post(&format!("/v1/tools/{name}"), &arguments);
            assert_eq!(saved["saved"], json!(true), "{settings}: {saved}");
        };
        tool("save_preference", json!({"preference": "no jargon", "categories": ["workflow"]}));
        let told = json!({"service_name": "told", "knowledge": "memory is 1Gi", "knowledge_type": "baseline",
            "session_id": "s-1"});
        tool("save_infrastructure", told);
        tool(
            "save_investigation",
            json!({"content": {"incident_id": "inc-told", "query": "why"}, "context": "chat", "session_id": "s-2"}),
        );
        operations.to_memory("extraction:wait", &json!({"timeout_ms": 60_000}));
        let operations = operations.restarted();
        let mut services = vec!["saved", "told"];
        services.extend((expect.0 > 0).then_some("answered"));
        services.extend((expect.3 > 0).then_some("ended"));
        services.sort_unstable();
        assert_eq!(known(&operations, "infrastructure", "service_name"), services, "{settings}");
        // A captured contact waits for a person, and is shown as waiting.
        let mut preferences = vec!["style", "workflow"];
        preferences.extend((expect.1 + expect.4 > 0).then_some("escalation"));
        preferences.sort_unstable();
        assert_eq!(known(&operations, "preferences", "preference_type"), preferences, "{settings}");
        // The start of an investigation is not a summary of it. The conversation is summarized as
        // text, which has no incident.
        let mut incidents = vec![""; usize::from(expect.2)];
        incidents.extend(["inc-1", "inc-saved", "inc-told"]);
        assert_eq!(known(&operations, "investigations", "incident_id"), incidents, "{settings}");
        let found = operations.to_memory("retrieve", &json!({"types": ["investigations"], "query": ""}));
        let began =
            found["results"].as_array().unwrap().iter().find(|one| one["content"]["incident_id"] == "inc-1");
        assert_eq!(began.unwrap()["content"].get("root_cause").is_some(), expect.2, "{settings}: {found}");
    };
    check("", (1, 1, true, 1, 1));
    check("auto_capture_infrastructure = false", (0, 1, true, 0, 1));
    check("auto_capture_preferences = false", (1, 0, true, 1, 0));
    check("auto_generate_summaries = false", (1, 1, false, 1, 1));
    check("auto_capture_infrastructure = false\nauto_capture_preferences = false", (0, 0, true, 0, 0));
    check("capture_agents = [\"kubernetes-agent\"]", (0, 1, true, 0, 1));
}
