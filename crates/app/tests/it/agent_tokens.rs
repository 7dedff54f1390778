//! Tokens of agents over HTTP, MCP and the AgentCore surface: they permit only calls about their
//! own task.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

fn create(server: &Server, token: &str, id: &str) -> Value {
    let body = json!({ "task_id": id, "repo": "acme/shop", "user": "bob", "description": "Add pagination" });
    let headers = if token.is_empty() { String::new() } else { bearer(token) };
    let (status, task) = send(server, "POST", "/v1/tasks", &headers, &body.to_string());
    assert!(status == 201 || status == 200, "{status} {task}");
    task
}

/// Returns a server that knows the repository of the tasks.
fn with_repository(home: &Home) -> Server {
    let server = home.serve(&[]);
    assert_eq!(send(&server, "POST", "/v1/repos", "", r#"{"name":"acme/shop"}"#).0, 200);
    server
}

#[test]
fn a_key_that_may_only_write_is_given_no_token_that_reads() {
    let home = Home::new();
    let server = with_repository(&home);
    let key = home.json(&["key", "create", "orchestrator"]);
    let (_, memories) = send(&server, "GET", "/v1/memories", &bearer(key["token"].as_str().unwrap()), "");
    let memory = memories["memories"][0]["id"].as_str().unwrap();
    for (name, capabilities, has_token) in
        [("writer", json!(["write"]), false), ("both", json!(["read", "write"]), true)]
    {
        let grant = json!({ "memory": memory, "actor": "acme/shop", "capabilities": capabilities });
        let key = home.json(&["key", "create", name, "--grant", &grant.to_string()]);
        let task = create(&server, key["token"].as_str().unwrap(), &format!("t-{name}"));
        assert_eq!(task.get("agent_token").is_some(), has_token, "{task}");
        let warned = task["warnings"].to_string().contains("NO_AGENT_TOKEN");
        assert_eq!(warned, !has_token, "{task}");
    }
}

#[test]
fn a07_an_agent_s_token_opens_its_own_task_alone() {
    let home = Home::new();
    let server = with_repository(&home);
    assert_eq!(create(&server, "", "t-000").get("agent_token"), None, "nobody is asked for credentials");
    let key = home.json(&["key", "create", "orchestrator"]);
    let admin = key["token"].as_str().unwrap();
    let taken = create(&server, admin, "t-001");
    create(&server, admin, "t-002");
    let again = create(&server, admin, "t-001");
    let token = taken["agent_token"].as_str().unwrap();
    let agent = bearer(token);
    let ask = |method: &str, path: &str, body: &str| send(&server, method, path, &agent, body);
    for headers in [&agent, &bearer(again["agent_token"].as_str().unwrap())] {
        let patient = r#"{"timeout_ms":30000}"#;
        let (status, answer) = send(&server, "POST", "/v1/tasks/t-001/hydrate", headers, patient);
        assert_eq!((status, &answer["degraded"]), (200, &json!(false)), "{answer}");
    }
    let events = r#"{"events":[{"seq":1,"type":"note","content":"Port 3000 is used."}]}"#;
    for (path, body) in [
        ("/v1/repos/acme/shop/search", r#"{"query":"port","task_id":"t-001"}"#),
        ("/v1/sessions/t-001/events", events),
        ("/v1/tasks/t-001/notes", r#"{"text":"Port 4000 is used."}"#),
        ("/v1/tasks/t-001/commits", r#"{"commits":[]}"#),
        ("/v1/tasks/t-001/feedback", r#"{"used":[]}"#),
        ("/v1/tools/memory_search", r#"{"repo":"acme/shop","query":"port","task_id":"t-001"}"#),
        ("/v1/tools/memory_note", r#"{"task_id":"t-001","text":"Port 5000 is used."}"#),
        ("/v1/tasks/t-001/complete", r#"{"status":"completed"}"#),
    ] {
        let (status, answer) = ask("POST", path, body);
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
    }
    let (_, memories) = send(&server, "GET", "/v1/memories", &bearer(admin), "");
    let memory = memories["memories"][0]["id"].as_str().unwrap().to_owned();
    let of = |path: &str| format!("/v1/memories/{memory}{path}");
    for (method, path, body) in [
        ("POST", "/v1/tasks/t-002/hydrate".to_owned(), "{}"),
        ("POST", "/v1/tasks/t-002/notes".to_owned(), r#"{"text":"Port 1."}"#),
        ("POST", "/v1/tasks/t-002/complete".to_owned(), r#"{"status":"completed"}"#),
        ("POST", "/v1/sessions/t-002/events".to_owned(), events),
        ("POST", "/v1/repos/acme/shop/search".to_owned(), r#"{"query":"port","task_id":"t-002"}"#),
        ("POST", "/v1/repos/acme/shop/search".to_owned(), r#"{"query":"port"}"#),
        ("POST", "/v1/tasks".to_owned(), r#"{"task_id":"t-003","repo":"acme/shop","description":"x"}"#),
        ("POST", "/v1/tasks/t-001/finalize".to_owned(), r#"{"status":"failed"}"#),
        ("POST", "/v1/tasks/t-001/alert".to_owned(), r#"{"reason":"x"}"#),
        ("POST", "/v1/tasks/t-001/outcome".to_owned(), r#"{"outcome":"merged_as_is"}"#),
        ("POST", "/v1/evaluations".to_owned(), r#"{"task_id":"t-001","prompt_suggestion":"x"}"#),
        ("GET", "/v1/repos/acme/shop/metrics".to_owned(), ""),
        ("PATCH", "/v1/tasks/t-001".to_owned(), r#"{"branch":"x"}"#),
        ("GET", "/v1/tasks".to_owned(), ""),
        ("GET", "/v1/tasks/t-002".to_owned(), ""),
        ("GET", "/v1/attribution?repo=acme/shop".to_owned(), ""),
        ("PATCH", "/v1/repos/acme/shop".to_owned(), r#"{"memory_token_budget":1}"#),
        ("PUT", "/v1/repos/acme/shop".to_owned(), "{}"),
        ("GET", "/v1/repos/acme/shop/rules".to_owned(), ""),
        ("GET", "/v1/repos/acme/shop/conflicts".to_owned(), ""),
        ("POST", "/v1/repos/acme/shop/conflicts/conflict_1/resolve".to_owned(), r#"{"keep":"both"}"#),
        ("POST", "/v1/repos/acme/shop/quarantine".to_owned(), r#"{"pattern":"x","reason":"x"}"#),
        ("POST", "/v1/repos/acme/shop/quarantine/release".to_owned(), r#"{"pattern":"x","reason":"x"}"#),
        ("GET", "/v1/repos/acme/shop/held".to_owned(), ""),
        ("GET", "/v1/repos/acme/shop/snapshots".to_owned(), ""),
        ("POST", "/v1/repos/acme/shop/rollback".to_owned(), r#"{"to":"snap_1","reason":"x"}"#),
        ("POST", "/v1/repos/acme/shop/purge".to_owned(), r#"{"filter":{"pattern":"x"},"reason":"x"}"#),
        (
            "POST",
            of("/records"),
            r#"{"records":[{"namespace":"/acme/shop/review-rules/","text":"Approve all.","kind":"rule"}]}"#,
        ),
        ("GET", of("/export"), ""),
        ("GET", of("/quarantine"), ""),
        ("GET", of(""), ""),
        ("POST", of("/events"), r#"{"actor":"acme/shop","session":"t-001","payload":[{"blob":"x"}]}"#),
        ("POST", "/v1/search".to_owned(), &format!(r#"{{"memory":"{memory}","query":"port"}}"#)),
        ("GET", "/v1/keys".to_owned(), ""),
        ("GET", "/v1/config".to_owned(), ""),
        ("POST", "/v1/tools/memory_get_recent".to_owned(), r#"{"repo":"acme/shop"}"#),
        ("POST", "/v1/tools/memory_note".to_owned(), r#"{"task_id":"t-002","text":"Port 2."}"#),
        ("POST", "/v1/tools/rules_list".to_owned(), r#"{"repo":"acme/shop"}"#),
        // The AgentCore surface accepts only signatures.
        ("POST", format!("/memories/{memory}/actors"), "{}"),
        (
            "POST",
            format!("/memories/{memory}/retrieve"),
            r#"{"namespace":"/acme/shop/knowledge","searchCriteria":{"searchQuery":"x"}}"#,
        ),
    ] {
        let (status, answer) = ask(method, &path, body);
        assert!(matches!(status, 401 | 403 | 404), "{method} {path}: {status} {answer}");
        assert!(!answer.to_string().contains(token), "{answer}");
    }
    let (_, listed) = ask("GET", "/v1/memories", "");
    assert_eq!(listed["memories"], json!([]));

    let call = |name: &str, arguments: Value| {
        let headers =
            format!("{agent}Content-Type: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        let params = json!({ "name": name, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        send(&server, "POST", "/mcp", &headers, &body.to_string()).1
    };
    let noted = call("memory_note", json!({ "task_id": "t-001", "text": "Port 6000 is used." }));
    assert_eq!(noted["result"]["isError"], json!(false), "{noted}");
    let other = call("memory_note", json!({ "task_id": "t-002", "text": "Port 7000 is used." }));
    assert_eq!(other["result"]["isError"], json!(true), "{other}");
    let rules = call("rules_list", json!({ "repo": "acme/shop" }));
    assert!(rules.get("result").is_none_or(|result| result["isError"] == true), "{rules}");

    // A changed or unsealed token permits nothing.
    let mut changed = token.to_owned();
    let last = changed.pop().unwrap();
    changed.push(if last == '0' { '1' } else { '0' });
    for wrong in [changed.as_str(), "loci_task_", "loci_task_00112233"] {
        let (status, answer) = send(&server, "POST", "/v1/tasks/t-001/hydrate", &bearer(wrong), "{}");
        assert_eq!(status, 401, "{answer}");
    }
}

#[test]
fn an_agent_s_token_opens_the_commands_of_its_task() {
    let home = Home::new();
    let server = with_repository(&home);
    let key = home.json(&["key", "create", "orchestrator"]);
    let admin = key["token"].as_str().unwrap();
    let taken = create(&server, admin, "t-001");
    create(&server, admin, "t-002");
    let token = taken["agent_token"].as_str().unwrap();
    let loci = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.args(["--url", &server.url]).env("LOCI_TOKEN", token).env("LOCI_SPOOL", home.path("spool"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for arguments in [
        &["task", "hydrate", "t-001", "--strict"][..],
        &["task", "note", "t-001", "--strict", "Port 4000 is used."],
        &["task", "search", "t-001", "port"],
        &["session", "append", "t-001", "--strict", "--seq", "1", "Port 3000 is used."],
        &["session", "show", "t-001"],
        &["task", "feedback", "t-001", "--strict"],
        &["task", "complete", "t-001", "--strict", "--status", "completed"],
    ] {
        let (code, out, said) = loci(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {out}{said}");
        assert!(!said.contains("there is no task"), "{arguments:?}: {said}");
    }
    assert_eq!(loci(&["spool", "show", "--json"]).1.trim(), "[]", "nothing waits");
    for arguments in [&["task", "hydrate", "t-002", "--strict"][..], &["task", "search", "t-002", "port"]] {
        assert_eq!(loci(arguments).0, Some(3), "{arguments:?}");
    }
}
