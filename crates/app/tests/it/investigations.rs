//! Operations memory on the command line: versions of a fact, found and dropped records of a
//! question, and outcomes of investigations.

use serde_json::{Value, json};

use crate::listener::get;
use crate::native::send;
use crate::program::{Home, Server};

const ENSURE: [&str; 5] = ["memory", "ensure", "sre_agent_memory", "--profile", "sre"];

fn save(server: &Server, memory: &str, body: &Value) -> Value {
    let (status, saved) = send(server, "POST", &format!("/v1/memories/{memory}/save"), "", &body.to_string());
    assert_eq!((status, &saved["saved"]), (200, &json!(true)), "{saved}");
    saved
}

/// Saves a baseline of the api-server's memory usage. Returns its record.
fn baseline(server: &Server, memory: &str, environment: &str, at: &str, usage: &str) -> String {
    let body = json!({
        "memory_type": "infrastructure", "actor_id": "kubernetes-agent", "session_id": "s-1",
        "data": {
            "service_name": "api-server", "knowledge_type": "baseline", "environment": environment,
            "knowledge_data": {"memory_usage": usage}, "timestamp": at,
        },
    });
    save(server, memory, &body)["record_id"].as_str().unwrap().to_owned()
}

fn dropped<'a>(explained: &'a Value, record: &str) -> &'a Value {
    let all = explained["dropped"].as_array().unwrap();
    let of = |one: &&Value| one["record_id"] == record;
    &all.iter().find(of).unwrap_or_else(|| panic!("{record} in {explained}"))["reason"]
}

#[test]
fn what_a_question_finds_and_why_the_rest_is_not_there() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    let old = baseline(&server, &memory, "prod", "2026-01-01T00:00:00Z", "400-500Mi");
    let new = baseline(&server, &memory, "prod", "2026-02-01T00:00:00Z", "900Mi");
    let staging = baseline(&server, &memory, "staging", "2026-02-01T00:00:00Z", "100Mi");
    let history = home.json(&["sre", "history", "--service", "api-server", "--environment", "prod"]);
    let versions: Vec<(&Value, &Value)> = history["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["record_id"], &one["state"]))
        .collect();
    assert_eq!(versions, [(&json!(old), &json!("superseded")), (&json!(new), &json!("active"))]);
    let table = home.ok(&["sre", "history", "--service", "api-server", "--type", "baseline"]);
    assert!(table.contains("kubernetes-agent (agent)") && table.contains("400-500Mi"), "{table}");
    let ask = |more: &[&str]| {
        let question = ["sre", "explain", "api-server memory", "--type", "infrastructure"];
        home.json(&[&question[..], more].concat())
    };
    let prod = ask(&["--environment", "prod"]);
    assert_eq!(prod["results"][0]["record_id"], json!(new), "{prod}");
    let parts = &prod["results"][0]["score_parts"];
    assert!(parts["similarity"].as_f64().unwrap() > 0.0, "{parts}");
    assert_eq!(
        (dropped(&prod, &old), dropped(&prod, &staging)),
        (&json!("superseded"), &json!("environment"))
    );
    let late = ask(&["--since", "2026-03-01"]);
    assert_eq!((&late["results"], dropped(&late, &new)), (&json!([]), &json!("time")), "{late}");
    let sure = ask(&["--min-confidence", "0.95"]);
    assert_eq!(dropped(&sure, &new), "min_confidence");
    let other = ask(&["--service", "gateway"]);
    assert_eq!(dropped(&other, &new), "service");
    let one = ask(&["--top-k", "1"]);
    assert_eq!(one["results"].as_array().unwrap().len(), 1);
    let left = if one["results"][0]["record_id"] == json!(new) { &staging } else { &new };
    assert_eq!(dropped(&one, left), "top_k");
    let lines = home.ok(&["sre", "explain", "api-server memory", "--environment", "prod"]);
    assert!(lines.contains("LIKENESS") && lines.contains("not shown:"), "{lines}");
    home.fails(2, &["sre", "explain", "memory", "--type", "rumours"]);
}

#[test]
fn what_came_of_an_investigation() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    let useful = baseline(&server, &memory, "prod", "2026-01-01T00:00:00Z", "400-500Mi");
    let investigation = json!({
        "memory_type": "investigations", "actor_id": "tester", "session_id": "s-1",
        "data": {
            "incident_id": "inc-1", "query": "Why does the api-server restart?", "resolution_status": "completed",
            "root_cause": "the memory limit", "services": ["api-server"],
            "started_at": "2026-01-02T10:00:00Z", "completed_at": "2026-01-02T11:00:00Z",
        },
    });
    let record = save(&server, &memory, &investigation)["record_id"].clone();
    let waiting = home.json(&["sre", "pending-outcomes"]);
    assert_eq!(waiting["investigations"][0]["incident_id"], "inc-1", "{waiting}");
    assert!(home.ok(&["sre", "pending-outcomes"]).contains("Why does the api-server restart?"));
    home.fails(2, &["sre", "outcome", "inc-1", "--confirmed", "--refuted"]);
    home.fails(3, &["sre", "outcome", "inc-2", "--confirmed"]);
    let told = home.json(&[
        "sre",
        "outcome",
        "inc-1",
        "--confirmed",
        "--root-cause",
        "a leak",
        "--fix",
        "a newer image",
        "--resolved-at",
        "2026-01-02T11:30:00Z",
        "--useful",
        &useful,
    ]);
    assert_eq!(
        told["updated"],
        json!([
            {"record_id": record, "effect": "confirmed"},
            {"record_id": useful, "effect": "confirmed"},
        ])
    );
    assert_eq!(home.json(&["sre", "pending-outcomes"])["investigations"], json!([]));
    let stats = home.json(&["sre", "stats", "--service", "api-server", "--since", "2026-01-01T00:00:00Z"]);
    assert_eq!(
        (&stats["mttr_median_s"], &stats["confirmed_share"]),
        (&json!(5400.0), &json!(1.0)),
        "{stats}"
    );
    let lines = home.ok(&["sre", "stats"]);
    assert!(lines.contains("1 h 30 min") && lines.contains("100 % of 1 judged"), "{lines}");
    let told = home.fails(2, &["sre", "stats", "--since", "soon", "--json"]);
    assert!(told.contains(r#""field":"since""#), "{told}");
    let figures = get(&server, "/metrics", "");
    for line in [
        r#"loci_sre_outcomes_total{outcome="confirmed"} 1"#,
        r#"loci_sre_records_total{memory_type="investigations",action="added"} 1"#,
        r#"loci_sre_records_total{memory_type="infrastructure",action="added"} 1"#,
    ] {
        assert!(figures.contains(line), "{line} in {figures}");
    }
}

#[test]
fn what_nobody_reads_is_found() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    baseline(&server, &memory, "prod", "2026-01-01T00:00:00Z", "1Gi");
    assert_eq!(home.ok(&["sre", "doctor"]), "nothing is wrong\n");
    let body = json!({"records": [{"namespace": "/nowhere/", "text": "a note"}]}).to_string();
    let (status, made) = send(&server, "POST", &format!("/v1/memories/{memory}/records"), "", &body);
    assert_eq!(status, 201, "{made}");
    let output = home.run(&["sre", "doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = &report["problems"][0];
    assert_eq!((output.status.code(), &problem["problem"]), (Some(1), &json!("unreachable")), "{report}");
    assert_eq!((&problem["record_id"], &problem["place"]), (&made["items"][0]["id"], &json!("/nowhere/")));
    assert!(home.fails(1, &["sre", "doctor"]).contains("1 problem"));
}

/// Returns the lines of an export, without fields specific to the memory, and optionally without
/// the source.
fn lines(text: &str, is_of_source: bool) -> Vec<Value> {
    let mut all: Vec<Value> = text
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let members = line.as_object_mut().unwrap();
            members.remove("record_id");
            let contradicts = members.contains_key("contradicts");
            members.insert("contradicts".to_owned(), json!(contradicts));
            if !is_of_source {
                members.remove("source");
            }
            line
        })
        .collect();
    all.sort_by_key(Value::to_string);
    all
}

/// Creates a memory with all kinds of records: contradicting, waiting and judged ones.
fn filled(home: &Home) -> String {
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    baseline(&server, &memory, "prod", "2026-01-01T00:00:00Z", "400-500Mi");
    let preference = |value: Value, by: &str, at: &str| {
        let data = json!({"preference_type": "escalation", "preference_value": value, "timestamp": at});
        save(
            &server,
            &memory,
            &json!({"memory_type": "preference", "actor_id": "Alice Smith", "data": data, "by": by}),
        );
    };
    preference(json!({"delay_minutes": 15, "contact": "a@example.com"}), "human", "2026-01-01T00:00:00Z");
    preference(json!({"delay_minutes": 5, "pager": "b@example.com"}), "agent", "2026-01-02T00:00:00Z");
    let words = json!({
        "memory_type": "infrastructure", "actor_id": "logs-agent", "session_id": "s 1", "data": "restarts follow the batch",
    });
    save(&server, &memory, &words);
    let investigation = json!({
        "memory_type": "investigations", "actor_id": "tester", "session_id": "s-1",
        "data": {
            "incident_id": "inc-1", "query": "Why?", "root_cause": "a limit", "started_at": "2026-01-02T10:00:00Z",
            "key_findings": [{"text": "a limit of 1.5Gi", "category": "root_cause"}, "a note"],
        },
    });
    save(&server, &memory, &investigation);
    home.ok(&["sre", "outcome", "inc-1", "--refuted", "--fix", "none"]);
    memory
}

#[test]
fn what_goes_out_comes_in_again() {
    let home = Home::new();
    filled(&home);
    home.ok(&["sre", "export", "--out", "all.jsonl"]);
    let out = std::fs::read_to_string(home.path("all.jsonl")).unwrap();
    assert_eq!(out.lines().count(), 7, "{out}");
    let one_type = home.ok(&["sre", "export", "--type", "preference", "--actor", "Alice Smith"]);
    assert_eq!(one_type.lines().count(), 4, "{one_type}");
    // A dry run writes nothing.
    let other = Home::new();
    other.json(&ENSURE);
    std::fs::copy(home.path("all.jsonl"), other.path("all.jsonl")).unwrap();
    let looked = other.json(&["sre", "import", "all.jsonl", "--dry-run"]);
    assert_eq!((&looked["actions"], &looked["lines"]), (&json!({"valid": 7}), &json!(7)), "{looked}");
    assert_eq!(other.ok(&["sre", "export"]), "");
    // Without a vouching caller, contacts wait regardless of their source, and the rest is equal.
    let done = other.json(&["sre", "import", "all.jsonl"]);
    let imported = json!({"added": 4, "conflict": 1, "pending_confirmation": 2});
    assert_eq!(done["actions"], imported, "{done}");
    let again = other.ok(&["sre", "export"]);
    let waits = |text: &str| text.matches("pending_confirmation").count();
    assert_eq!((waits(&out), waits(&again)), (1, 2));
    let but_state = |text: &str| {
        let mut all = lines(text, false);
        all.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("state")));
        all.sort_by_key(Value::to_string);
        all
    };
    assert_eq!(but_state(&out), but_state(&again));
    assert!(lines(&again, true).iter().all(|line| line["source"] == "imported"), "{again}");
    // A repetition changes nothing.
    let twice = other.json(&["sre", "import", "all.jsonl"]);
    assert_eq!(twice["actions"], json!({"duplicate": 7}), "{twice}");
    assert_eq!(lines(&other.ok(&["sre", "export"]), true), lines(&again, true));
    // If the administrator vouches, all sources are kept.
    let third = Home::new();
    third.json(&ENSURE);
    std::fs::copy(home.path("all.jsonl"), third.path("all.jsonl")).unwrap();
    third.ok(&["sre", "import", "all.jsonl", "--keep-sources"]);
    assert_eq!(lines(&third.ok(&["sre", "export"]), true), lines(&out, true));
}

#[test]
fn a_line_that_breaks_a_rule_is_told_and_the_others_are_written() {
    let home = Home::new();
    home.json(&ENSURE);
    let good = r#"{"memory_type":"infrastructure","actor_id":"logs-agent","session_id":"s-1","data":{"service_name":"api","knowledge_type":"config","knowledge_data":{"replicas":3}}}"#;
    let of = |from: &str, to: &str| good.replace(from, to);
    let file = [
        of("\"config\"", "\"rumour\""),
        "{broken".to_owned(),
        of("memory_type", "memory_kind"),
        of("{\"replicas\":3}", "\"three\""),
        of("\"session_id\":\"s-1\",", ""),
        r#"{"memory_type":"preference","actor_id":"Alice","data":{"preference_type":"workflow","preference_value":{"auto_approve_plans":true}}}"#.to_owned(),
        String::new(),
        good.to_owned(),
    ];
    std::fs::write(home.path("bad.jsonl"), file.join("\n")).unwrap();
    for dry_run in [true, false] {
        let arguments: &[&str] = if dry_run { &["--dry-run", "--json"] } else { &["--json"] };
        let output = home.run(&[&["sre", "import", "bad.jsonl"][..], arguments].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{report}");
        let told: Vec<(&Value, &Value, &Value)> = report["told"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (&one["line"], &one["action"], &one["field"]))
            .collect();
        let (invalid, rejected, none) = (json!("invalid"), json!("rejected"), Value::Null);
        let numbers: Vec<Value> = (1..=6).map(|number| json!(number)).collect();
        let fields = ["data.knowledge_type", "memory_kind", "data.knowledge_data", "session_id"]
            .map(|name| json!(name));
        let expect = [
            (&numbers[0], &invalid, &fields[0]),
            (&numbers[1], &invalid, &none),
            (&numbers[2], &invalid, &fields[1]),
            (&numbers[3], &invalid, &fields[2]),
            (&numbers[4], &invalid, &fields[3]),
            (&numbers[5], &rejected, &none),
        ];
        assert_eq!(told, expect);
        let records = home.ok(&["sre", "export"]).lines().count();
        assert_eq!(records, usize::from(!dry_run));
    }
    let lines = String::from_utf8(home.run(&["sre", "import", "bad.jsonl"]).stdout).unwrap();
    assert!(lines.contains("line 1: invalid: data.knowledge_type: "), "{lines}");
}

#[test]
fn what_is_ones_own() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    let of = |kind: &str, actor: &str, session: Value, data: Value| {
        save(
            &server,
            &memory,
            &json!({"memory_type": kind, "actor_id": actor, "session_id": session, "data": data}),
        )
    };
    for user in ["tester", "Bob"] {
        of(
            "preference",
            user,
            Value::Null,
            json!({"preference_type": "style", "preference_value": {"report": user}}),
        );
        let began = json!({"incident_id": format!("inc-{user}"), "query": format!("{user} asks")});
        of("investigation", user, json!(format!("s-{user}")), began);
        let known =
            json!({"service_name": user, "knowledge_type": "config", "knowledge_data": {"replicas": 3}});
        of("infrastructure", "logs-agent", json!(format!("s-{user}")), known);
    }
    let own = home.json(&["me", "list"]);
    let types: Vec<&Value> = own.as_array().unwrap().iter().map(|one| &one["memory_type"]).collect();
    assert_eq!(types, ["preferences", "infrastructure", "investigations"], "{own}");
    assert!(!own.to_string().contains("Bob"), "{own}");
    let id = own[0]["record_id"].as_str().unwrap();
    let data = json!({"preference_type": "style", "preference_value": {"report": "short"}}).to_string();
    let kept = home.json(&["me", "correct", id, "--data", &data]);
    assert_ne!(kept["record_id"], json!(id), "what it said gave way, and is history");
    let now = home.json(&["me", "list", "--type", "preferences"]);
    assert_eq!(
        (&now[0]["data"]["preference_value"], &now[0]["source"], now.as_array().unwrap().len()),
        (&json!({"report": "short"}), &json!("human"), 1),
        "{now}"
    );
    let id = now[0]["record_id"].as_str().unwrap();
    let told = home.fails(2, &["me", "correct", id, "--data", r#"{"preference_type": "Style"}"#]);
    assert!(told.contains("preference_type"), "{told}");
    // Another user's records appear as missing.
    let all = home.json(&["sre", "list", "--actor", "Bob"]);
    let foreign = all[0]["actors"]["Bob"][0]["id"].as_str().unwrap();
    let output = home.run(&["me", "delete", foreign, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &report["deleted"], &report["failed"][0]["record_id"]),
        (Some(1), &json!(0), &json!(foreign)),
        "{report}"
    );
    home.fails(3, &["me", "correct", foreign, "--data", &data]);
    assert_eq!(home.ok(&["me", "delete", id]), "1 record deleted\n");
    let told = home.fails(2, &["me", "delete", "--all"]);
    assert!(told.contains("delete 2 records"), "{told}");
    let told = home.fails(2, &["me", "delete", "--all", "--yes-destroy", "another"]);
    assert!(told.contains("delete 2 records"), "{told}");
    home.ok(&["me", "delete", "--all", "--yes-destroy", "sre_agent_memory"]);
    assert_eq!(home.json(&["me", "list"]), json!([]));
    assert_eq!(home.ok(&["sre", "export"]).lines().count(), 3);
}
