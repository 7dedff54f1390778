//! Tasks over HTTP: from their beginning to their end, and where the server is killed on the way. Names carry the numbers of the
//! acceptance tests of coding-agent-memory.md §23 where they are one.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

#[test]
fn the_shapes_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let call = |method: &str, path: &str, body: &str| send(&server, method, path, "", body);
    assert_eq!(call("POST", "/v1/repos", r#"{"name":"vercel/next.js"}"#).0, 200);
    let new = r#"{"task_id":"t:1","repo":"vercel/next.js","description":"x","user":"bob"}"#;
    let (status, made) = call("POST", "/v1/tasks", new);
    assert_eq!((status, &made["memory_arm"]), (201, &json!("on")), "{made}");
    assert_eq!(call("POST", "/v1/tasks", new), (200, made.clone()));
    let other = call("POST", "/v1/tasks", &new.replace("\"x\"", "\"y\""));
    assert_eq!((other.0, &other.1["error"]["code"]), (409, &json!("CONFLICT")));
    let unknown = call("POST", "/v1/tasks", r#"{"repo":"a/b","description":"x"}"#);
    assert_eq!((unknown.0, &unknown.1["error"]["code"]), (404, &json!("REPO_UNKNOWN")), "{}", unknown.1);
    let (status, patched) = call("PATCH", "/v1/tasks/t:1", r#"{"status":"running"}"#);
    assert_eq!((status, &patched["task"]["status"]), (200, &json!("running")));

    let report =
        r#"{"status":"completed","cost_usd":"NaN","duration_s":"Infinity","verification":{"build":true}}"#;
    let (status, left) = call("POST", "/v1/tasks/t:1/complete", report);
    assert_eq!(
        (status, &left["memory_written"], &left["degraded"]),
        (202, &json!(true), &json!(false)),
        "{left}"
    );
    let (status, noted) = call("POST", "/v1/tasks/t:1/notes", r#"{"text":"Port 3000 is used."}"#);
    assert_eq!((status, &noted["learning"]["action"]), (202, &json!("added")), "{noted}");
    let (status, done) = call("POST", "/v1/tasks/t:1/finalize", r#"{"status":"completed","cost_usd":0.5}"#);
    assert_eq!((status, &done["kind"]), (200, &json!("kept_existing")), "{done}");
    let (_, task) = call("GET", "/v1/tasks/t:1", "");
    assert_eq!(
        (&task["cost_usd"], &task["written"]["episode_id"]),
        (&json!(0.5), &left["episode_id"]),
        "{task}"
    );
    assert_eq!(task["duration_s"], Value::Null);
    let (_, listed) = call("GET", "/v1/tasks?repo=vercel%2Fnext.js&q=X&limit=1", "");
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{listed}");

    let check = |method: &str, path: &str, body: &str, status: u16, field: &str| {
        let (got, answer) = call(method, path, body);
        assert_eq!((got, &answer["error"]["field"]), (status, &json!(field)), "{path} {body}: {answer}");
    };
    check("POST", "/v1/tasks", r#"{"repo":"vercel/next.js","descripton":"x"}"#, 400, "descripton");
    check("POST", "/v1/tasks", r#"{"task_id":"-t","repo":"vercel/next.js"}"#, 400, "task_id");
    check("POST", "/v1/tasks", r#"{"kind":"chore","repo":"vercel/next.js"}"#, 400, "kind");
    check("PATCH", "/v1/tasks/t:1", r#"{"status":"done"}"#, 400, "status");
    check("POST", "/v1/tasks/t:1/complete", r#"{"status":"running"}"#, 400, "status");
    check("POST", "/v1/tasks/t:1/complete", r#"{"failure_category":"bad luck"}"#, 400, "failure_category");
    check("POST", "/v1/tasks/t:1/finalize", r#"{}"#, 400, "status");
    check("POST", "/v1/tasks/none/complete", r#"{}"#, 404, "task_id");
}

#[test]
fn a01_names_of_repositories_at_every_door() {
    let names: Value =
        serde_json::from_str(include_str!("../../../engine/tests/coding/repository_names.json")).unwrap();
    let names = |list: &str| -> Vec<String> {
        names[list].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let home = Home::new();
    let server = home.serve(&[]);
    let check = |name: &str, is_name: bool, expect: (u16, u16, i32)| {
        let created = send(&server, "POST", "/v1/tasks", "", &json!({ "repo": name }).to_string());
        let added = send(&server, "POST", "/v1/repos", "", &json!({ "name": name }).to_string());
        let tool = json!({ "repo": name, "query": "x" }).to_string();
        let told = send(&server, "POST", "/v1/tools/memory_search", "", &tool);
        // A zero character cannot stand in an argument.
        let code = match name.contains('\0') {
            true => expect.2,
            false => home.run(&["task", "create", "x", &format!("--repo={name}")]).status.code().unwrap(),
        };
        assert_eq!((added.0, told.0, code), expect, "{name:?}: {} {}", added.1, told.1);
        // A name that is one may be known by then under another spelling.
        assert_eq!(created.0 != 400, is_name, "{name:?}: {}", created.1);
    };
    for name in names("reject") {
        check(&name, false, (400, 400, 2));
    }
    for name in names("accept") {
        check(&name, true, (200, 200, 0));
    }
}

/// A server that is killed while reports and ends come from all sides: what is there afterwards is whole, and ended again every
/// task has one episode.
#[test]
fn a31_killed_in_the_middle_of_reports() {
    const ROUNDS: usize = 4;
    const TASKS: usize = 12;
    let home = Home::new();
    for round in 0..ROUNDS {
        let server = home.serve(&[]);
        send(&server, "POST", "/v1/repos", "", r#"{"name":"acme/shop"}"#);
        for number in 0..TASKS {
            let new = json!({ "task_id": format!("t-{round}-{number}"), "repo": "acme/shop" });
            assert_eq!(send(&server, "POST", "/v1/tasks", "", &new.to_string()).0, 201);
        }
        // Killed after so many answers, wherever the others are then.
        let answers = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..TASKS {
                let (answers, url) = (&answers, server.url.clone());
                scope.spawn(move || {
                    let task = format!("/v1/tasks/t-{round}-{number}");
                    let report = json!({
                        "status": "completed",
                        "summary": format!("Report {number}."),
                        "learnings_text": format!("- Learning {number} of round {round}."),
                    });
                    for (what, body) in [("complete", report), ("finalize", json!({ "status": "completed" }))]
                    {
                        if try_send(&url, &format!("{task}/{what}"), &body.to_string()) {
                            answers.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        }
                    }
                });
            }
            while answers.load(std::sync::atomic::Ordering::SeqCst) < 2 + round * 4 {
                std::thread::yield_now();
            }
            server.kill();
        });
    }
    let server = home.serve(&[]);
    let mut learned = 0;
    for (round, number) in (0..ROUNDS).flat_map(|round| (0..TASKS).map(move |number| (round, number))) {
        let path = format!("/v1/tasks/t-{round}-{number}");
        let (status, _) = send(&server, "POST", &format!("{path}/finalize"), "", r#"{"status":"failed"}"#);
        assert_eq!(status, 200);
        let (_, task) = send(&server, "GET", &path, "", "");
        // All of a report, or nothing of it.
        let is_reported = task["written"]["minimal"] == json!(false);
        assert_eq!(task["written"]["learnings"] == json!(1), is_reported, "{task}");
        learned += usize::from(is_reported);
    }
    assert!(server.stop());
    let count = |namespace: &str| {
        let listed =
            home.json(&["record", "list", "--memory", "code", "--limit", "100", "--namespace", namespace]);
        listed["records"].as_array().unwrap().len()
    };
    assert_eq!(count("/acme/shop/episodes/"), ROUNDS * TASKS);
    assert_eq!(count("/acme/shop/knowledge/"), learned);
}

/// Sends a request to a server that may end at any moment; true where it answered with success.
fn try_send(url: &str, path: &str, body: &str) -> bool {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(url.trim_start_matches("http://")) else {
        return false;
    };
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 20")
}
