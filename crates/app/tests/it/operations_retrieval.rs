//! Retrieval of operations memory through the binary, with the built-in embedder: the shapes of
//! `retrieve` and `history`, and a question that finds synonyms.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

const ENSURE: [&str; 5] = ["memory", "ensure", "sre_agent_memory", "--profile", "sre"];

struct Agent {
    server: Server,
    memory: String,
}

impl Agent {
    fn new(home: &Home) -> Self {
        let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
        Self { server: home.serve(&[]), memory }
    }

    fn post(&self, verb: &str, body: &Value) -> (u16, Value) {
        send(&self.server, "POST", &format!("/v1/memories/{}/{verb}", self.memory), "", &body.to_string())
    }

    fn save(&self, facts: &[Value]) {
        let body = json!({
            "memory_type": "infrastructure", "actor_id": "kubernetes-agent", "session_id": "s-1", "data": facts,
        });
        let (status, answer) = self.post("save", &body);
        assert_eq!((status, &answer["saved"]), (200, &json!(true)), "{answer}");
    }

    fn retrieve(&self, body: &Value) -> Value {
        let (status, answer) = self.post("retrieve", body);
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

fn fact(service: &str, kind: &str, data: Value) -> Value {
    json!({"service_name": service, "knowledge_type": kind, "knowledge_data": data, "environment": "prod"})
}

#[test]
fn what_is_known_comes_back_in_its_shape() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let mut old = fact("api-server", "baseline", json!({"memory_usage": "400-500Mi"}));
    old["evidence"] = json!([{"tool_call_id": "tc_1", "tool": "metrics"}]);
    agent.save(&[old]);
    agent.save(&[fact("api-server", "baseline", json!({"memory_usage": "900Mi"}))]);
    let asked = json!({
        "types": ["infrastructure"], "query": "api-server memory usage", "actor": "kubernetes-agent", "session": null,
        "since": "2020-01-01", "until": null, "tz": "Europe/Berlin", "service": ["api-server"], "environment": ["prod"],
        "min_confidence": 0.5, "top_k": 50, "match": "subtree", "include": ["current"], "explain": false,
    });
    let answer = agent.retrieve(&asked);
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
    let one = &answer["results"][0];
    assert_eq!(one["content"]["knowledge_data"], json!({"memory_usage": "900Mi"}));
    assert_eq!(one["namespaces"], json!(["/sre/infrastructure/kubernetes-agent/s-1"]));
    assert_eq!(
        (&one["age_days"], &one["stale"], &one["state"]),
        (&json!(0), &json!(false), &json!("active"))
    );
    assert_eq!(one["provenance"]["agent"], "kubernetes-agent");
    assert_eq!(one["provenance"]["event_ids"].as_array().unwrap().len(), 1);
    for part in ["similarity", "lexical", "recency", "confidence"] {
        let part = one["score_parts"][part].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&part), "{one}");
    }
    assert_eq!(
        (&answer["time_filter"]["source"], &answer["time_filter"]["relaxed"]),
        (&json!("argument"), &json!(false))
    );
    assert_eq!((&answer["skipped"], answer["warnings"].is_array()), (&json!([]), true), "{answer}");
    // All versions, with their periods of validity.
    let path = format!(
        "/v1/memories/{}/history?service=api-server&type=baseline&metric=memory_usage&environment=prod",
        agent.memory
    );
    let (status, history) = send(&agent.server, "GET", &path, "", "");
    let versions = history["versions"].as_array().unwrap();
    assert_eq!((status, versions.len()), (200, 2), "{history}");
    assert_eq!((&versions[0]["state"], &versions[1]["state"]), (&json!("superseded"), &json!("active")));
    assert_eq!((&versions[0]["valid_to"], versions[1].get("valid_to")), (&versions[1]["valid_from"], None));
    assert_eq!(versions[0]["superseded_by"], versions[1]["record_id"]);
    // Invalid requests.
    let refused = |body: Value, field: &str, part: &str| {
        let (status, answer) = agent.post("retrieve", &body);
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    };
    refused(
        json!({"types": ["rumours"]}),
        "types",
        "preferences (preference), infrastructure, investigations (investigation)",
    );
    refused(json!({"types": []}), "types", "preferences");
    refused(json!({"types": ["preference"], "near": 1}), "near", "near");
    refused(json!({"types": ["infrastructure"], "tz": "Mars"}), "tz", "IANA");
    assert_eq!(agent.retrieve(&json!({"types": ["preference", "investigation"]}))["results"], json!([]));
}

/// Returns facts that are unrelated to the question, although they share many of its words.
fn distractors(many: usize) -> Vec<Value> {
    let services =
        ["checkout", "billing", "search", "web", "mail", "auth", "ledger", "stock", "report", "proxy"];
    let make = |n: usize| {
        let service = format!("{}-{}", services[n % services.len()], n / services.len());
        match n % 8 {
            0 => {
                fact(&service, "config", json!({"memory_limit": format!("{}Mi", 128 + n), "replicas": n % 7}))
            }
            1 => fact(&service, "baseline", json!({"cpu_usage": format!("{}m", 100 + n)})),
            2 => fact(&service, "dependency", json!({"target": format!("postgres-{n}"), "protocol": "tcp"})),
            3 => fact(
                &service,
                "pattern",
                json!({"text": format!("the nightly report of pod group {n} takes long on Mondays")}),
            ),
            4 => fact(&service, "baseline", json!({"memory_usage": format!("{}Mi", 200 + n), "pods": n % 9})),
            5 => fact(&service, "config", json!({"log_level": "info", "port": 8000 + n})),
            6 => fact(&service, "pattern", json!({"text": format!("traffic doubles at {} o'clock", n % 24)})),
            _ => fact(
                &service,
                "config",
                json!({"image": format!("registry.example.com/{service}:{n}"), "pod_class": "small"}),
            ),
        }
    };
    (0..many).map(make).collect()
}

#[test]
fn a_question_finds_what_is_called_otherwise() {
    let home = Home::new();
    let agent = Agent::new(&home);
    for some in distractors(500).chunks(100) {
        agent.save(some);
    }
    let texts = [
        "api-server pods OOMKilled under load",
        "restart loop due to memory limit",
        "the container ended with exit code 137",
        "workers suffer from resource constraints",
    ];
    let facts: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| fact(&format!("svc-{n}"), "pattern", json!({ "text": text })))
        .collect();
    agent.save(&facts);
    let path = format!("/v1/memories/{}/extraction:wait", agent.memory);
    let (status, waited) = send(&agent.server, "POST", &path, "", r#"{"timeout_ms":240000}"#);
    assert_eq!(status, 200, "{waited}");
    let answer = agent
        .retrieve(&json!({"types": ["infrastructure"], "query": "Why is my pod crashing?", "top_k": 10}));
    assert_eq!(answer["degraded"], json!(false), "{}", answer["warnings"]);
    let found: Vec<String> = answer["results"].as_array().unwrap().iter().map(said).collect();
    let best = found.get(..5).unwrap();
    for text in texts {
        assert!(best.iter().any(|one| one.contains(text)), "{text} is not in {found:#?}");
    }
}

fn said(result: &Value) -> String {
    format!(
        "{} {} {}",
        result["score"], result["score_parts"]["similarity"], result["content"]["knowledge_data"]
    )
}
