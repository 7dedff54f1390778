//! No log contains texts of operations agents, at any log level. Data that a tool saved exists
//! after a restart, and truncated content can be fetched completely.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

const SAID: usize = 20;

/// Returns words that occur nowhere else.
fn said() -> Vec<String> {
    (0..SAID).map(|number| format!("planted{number:02}quokka")).collect()
}

fn ask(server: &Server, path: &str, body: &Value) -> Value {
    let (status, answer) = send(server, "POST", path, "", &body.to_string());
    assert!((200..300).contains(&status), "{path}: {status} {answer}");
    answer
}

#[test]
fn nothing_that_was_said_is_in_a_log() {
    let home = Home::new();
    let memory = home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let memory = memory["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve_with(&[], &[("LOCI_LOG_LEVEL", "trace"), ("USER", "alice")]);
    let save = format!("/v1/memories/{memory}/save");
    let words = said();
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] =
        <&[String; SAID]>::try_from(&words[..]).unwrap();
    ask(
        &server,
        &save,
        &json!({"memory_type": "preferences", "actor_id": "alice", "by": "human",
        "data": {"preference_type": "style", "preference_value": {"tone": a}, "context": b}}),
    );
    ask(
        &server,
        &save,
        &json!({"memory_type": "infrastructure", "actor_id": "logs-agent", "session_id": "s-1",
        "data": {"service_name": "api", "knowledge_type": "pattern", "knowledge_data": {"text": c}}}),
    );
    let begun = ask(
        &server,
        "/v1/investigations",
        &json!({"query": d, "services": ["api"], "tz": "Europe/Berlin",
        "alert": {"source": "x", "fingerprint": "f", "labels": {"note": e}}}),
    );
    let path = format!("/v1/investigations/{}", begun["incident_id"].as_str().unwrap());
    let learned = json!({"infrastructure_knowledge": [{"service_name": "db", "knowledge_type": "config", "knowledge_data": {"note": f}}]});
    let taken = ask(
        &server,
        &format!("{path}/agent-response"),
        &json!({"agent": "logs-agent",
        "text": format!("{g}\n```\n{learned}\n```\nEscalate to {h}@example.com."), "tool_calls": [{"id": "tc", "name": "get_logs", "output": i}]}),
    );
    let read = format!("{path}/agent-response/{}?wait_ms=20000", taken["job_id"].as_str().unwrap());
    let (_, read) = send(&server, "GET", &read, "", "");
    assert_eq!((&read["state"], read["saved"].as_array().unwrap().len()), (&json!("done"), 1), "{read}");
    ask(
        &server,
        &format!("{path}/messages"),
        &json!({"messages": [{"role": "USER", "text": j}, {"role": "TOOL", "tool": "get_logs", "text": k}]}),
    );
    ask(
        &server,
        &format!("{path}/complete"),
        &json!({"final_response": format!("- {l}"), "root_cause": m, "status": "completed",
        "actions": [n], "timeline": [{"time": "14:30", "event": o}], "agent_results": {"logs-agent": {"text": p}}}),
    );
    ask(
        &server,
        &format!("{path}/outcome"),
        &json!({"root_cause_confirmed": true, "root_cause": m, "fix": q}),
    );
    ask(
        &server,
        &format!("/v1/memories/{memory}/retrieve"),
        &json!({"types": ["infrastructure", "investigations"], "query": format!("{r} yesterday")}),
    );
    ask(&server, "/v1/tools/save_preference", &json!({"preference": s, "categories": ["style"]}));
    // The error of a rejected request does not repeat its content.
    let wrong = json!({"memory_type": "preferences", "data": {"preference_type": t, "preference_value": 1}});
    assert_eq!(send(&server, "POST", &save, "", &wrong.to_string()).0, 400);
    assert!(server.stop(), "{}", home.log());
    let log = home.log();
    assert!(log.contains("INFO"), "it is logged: {log}");
    let told: Vec<&String> = words.iter().filter(|word| log.contains(word.as_str())).collect();
    assert!(told.is_empty(), "{told:?} in\n{}", lines(&log, &told));
}

/// Returns the lines of a log that contain one of some words.
fn lines(log: &str, words: &[&String]) -> String {
    let has = |line: &&str| words.iter().any(|word| line.contains(word.as_str()));
    log.lines().filter(has).take(20).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_a_tool_saved_is_there_after_a_restart() {
    let home = Home::new();
    home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let alice = [("USER", "alice")];
    let server = home.serve_with(&[], &alice);
    let begun = ask(&server, "/v1/investigations", &json!({"query": "api is down"}));
    let knowledge = json!({"service_name": "api", "knowledge_type": "baseline", "knowledge_data": {"memory_usage": "400-500Mi"},
        "environment": "prod", "cluster": "eu-1", "confidence": 0.9});
    let content =
        json!({"content": knowledge, "context": "seen in a dashboard", "agent": "sre-agent-kubernetes"});
    ask(&server, "/v1/tools/save_infrastructure", &content);
    let preference = json!({"preference_type": "style", "preference_value": {"report_format": "short"}});
    ask(&server, "/v1/tools/save_preference", &json!({"content": preference, "context": "said in a chat"}));
    ask(
        &server,
        "/v1/tools/save_investigation",
        &json!({"finding": "latency at 1.5s. It grows.", "category": "root_cause"}),
    );
    server.kill();
    let server = home.serve_with(&[], &alice);
    let next = ask(&server, "/v1/investigations", &json!({"query": "api memory usage"}));
    let context = &next["context"];
    // A record saved under an alias belongs to the aliased agent.
    let known = &context["infrastructure_by_agent"]["kubernetes-agent"][0]["content"];
    for member in ["service_name", "knowledge_type", "knowledge_data", "environment", "cluster", "confidence"]
    {
        assert_eq!(known[member], knowledge[member], "{member}: {context}");
    }
    assert_eq!(
        context["user_preferences"][0]["preference_value"], preference["preference_value"],
        "{context}"
    );
    let past = &context["past_investigations"][0]["content"];
    assert_eq!(
        (&past["incident_id"], &past["key_findings"][0]["text"]),
        (&begun["incident_id"], &json!("latency at 1.5s. It grows."))
    );
}

#[test]
fn what_is_shown_cut_can_be_fetched_whole() {
    let home = Home::new();
    let memory = home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let memory = memory["memory_id"].as_str().unwrap();
    let server = home.serve_with(&[], &[("USER", "alice")]);
    let begun = ask(&server, "/v1/investigations", &json!({"query": "api is down"}));
    let path = format!("/v1/investigations/{}/messages", begun["incident_id"].as_str().unwrap());
    let long = "x".repeat(20_000);
    let kept = ask(
        &server,
        &path,
        &json!({"messages": [{"role": "ASSISTANT", "agent": "logs-agent", "text": long}]}),
    );
    let shown = &kept["messages"][0];
    assert!(shown["text"].as_str().unwrap().ends_with("characters]") && shown["truncated"] == json!(true));
    let (event, index) = shown["original_ref"].as_str().unwrap().rsplit_once('#').unwrap();
    let session = begun["session_id"].as_str().unwrap();
    let event = event.replace('#', "%23");
    let whole = format!("/v1/memories/{memory}/events/{event}?actor=alice&session={session}");
    let (status, whole) = send(&server, "GET", &whole, "", "");
    assert_eq!((status, index), (200, "0"), "{whole}");
    assert!(whole.to_string().contains(&long), "{whole}");
}
