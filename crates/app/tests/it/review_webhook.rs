//! A review through a signed webhook, in GitHub's format, and a local forge that answers as
//! documented: redelivered, edited, dismissed, across a kill and an exhausted rate limit. Each
//! takes effect once.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::listener::raw;
use crate::program::{Home, Server};

const SECRET: &str = "It's a Secret to Everybody";
/// The maximum number of checks for the result of a delivery. Each runs a process.
const LOOKS_MAX: usize = 600;

/// Status, headers and body by path.
type Answers = Arc<Mutex<BTreeMap<String, (u16, String, Value)>>>;

/// Starts a forge that returns these answers, and 404 for everything else.
fn forge(answers: &Answers) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answers = Arc::clone(answers);
    std::thread::spawn(move || {
        // Each connection has a thread, because a client may open a connection and send nothing.
        for stream in listener.incoming() {
            let answers = Arc::clone(&answers);
            std::thread::spawn(move || answer(stream.unwrap(), &answers));
        }
    });
    url
}

/// True if a request has arrived with its body.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.map_or(0, |length| length.trim().parse().unwrap())
}

fn answer(mut stream: TcpStream, answers: &Answers) {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    while !is_whole(&bytes) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
    let head = String::from_utf8(bytes).unwrap();
    assert!(head.to_ascii_lowercase().contains("authorization: bearer forge-token"), "{head}");
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let mut answers = answers.lock().unwrap();
    let missing = (404, String::new(), json!({"message": "Not Found"}));
    let (status, headers, body) = answers.get(&path).cloned().unwrap_or(missing);
    if status == 429 {
        // Only once.
        answers.remove(&path);
        if let Some(then) = answers.remove(&format!("then {path}")) {
            answers.insert(path, then);
        }
    }
    let body = body.to_string();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes());
}

/// Computes HMAC-SHA256 by its definition, so that the tested code does not verify itself.
fn signature(body: &str) -> String {
    let mut key = [0_u8; 64];
    key[..SECRET.len()].copy_from_slice(SECRET.as_bytes());
    let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
    format!("sha256={}", hex::encode(outer))
}

fn send(server: &Server, guid: &str, event: &str, body: &Value, signature: &str) -> (u16, Value) {
    let body = body.to_string();
    let request = format!(
        "POST /v1/hooks/github HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         X-Hub-Signature-256: {signature}\r\nX-GitHub-Event: {event}\r\nX-GitHub-Delivery: {guid}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(server, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

fn alice() -> Value {
    json!({"login": "alice", "id": 5, "type": "User"})
}

fn review(state: &str, body: &str) -> Value {
    json!({"id": 80, "user": alice(), "body": body, "state": state, "commit_id": "a".repeat(40), "html_url": "x",
        "submitted_at": "2026-11-22T08:05:00Z", "author_association": "CONTRIBUTOR"})
}

fn comment(id: u64) -> Value {
    json!({"id": id, "pull_request_review_id": 80, "in_reply_to_id": null, "path": "src/a.rs", "line": 3, "diff_hunk": "@@",
        "body": format!("comment {id}"), "user": alice(), "author_association": "CONTRIBUTOR",
        "created_at": "2026-11-22T08:05:00Z", "updated_at": "2026-11-22T08:05:00Z"})
}

fn pull_request() -> Value {
    json!({"number": 7, "state": "open", "draft": false, "user": {"login": "shop-agent[bot]", "id": 9, "type": "Bot"},
        "title": "Add totals", "body": null, "head": {"ref": "agent/t-1", "sha": "a".repeat(40), "repo": {"id": 186853002}},
        "base": {"ref": "main", "sha": "b".repeat(40), "repo": {"id": 186853002}}, "labels": [],
        "created_at": "2026-11-22T08:00:00Z", "updated_at": "2026-11-22T08:10:00Z"})
}

fn payload(action: &str, review: &Value) -> Value {
    json!({"action": action, "review": review, "pull_request": pull_request(), "sender": alice(), "repository": {"id": 186853002,
        "full_name": "acme/shop", "html_url": "https://github.com/acme/shop", "default_branch": "main"}})
}

/// Waits until a delivery is processed.
fn dealt_with(home: &Home, guid: &str) -> Value {
    for _ in 0..LOOKS_MAX {
        let list = home.json(&["reviews", "deliveries"]);
        let rows = list["deliveries"].as_array().unwrap();
        let row = rows.iter().find(|row| row["guid"] == guid).cloned().unwrap_or(Value::Null);
        if row["state"] != "received" {
            return row;
        }
    }
    panic!("the delivery {guid} is not dealt with: {}", home.log());
}

#[test]
fn a_review_by_a_signed_webhook_takes_effect_once() {
    let answers = Answers::default();
    let url = forge(&answers);
    let put = |path: &str, status: u16, headers: String, body: Value| {
        answers.lock().unwrap().insert(path.to_owned(), (status, headers, body));
    };
    let (pull, lists) = ("/repos/acme/shop/pulls/7", "?per_page=100");
    let comments = format!("{pull}/comments{lists}");
    let next = format!(
        "link: <{url}/repositories/186853002/pulls/7/comments?per_page=100&page=2>; rel=\"next\"\r\n"
    );
    let first: Vec<Value> = (1..=100).map(comment).collect();
    // The rate limit is exhausted first.
    put(&comments, 429, "retry-after: 1\r\n".to_owned(), json!({}));
    put(&format!("then {comments}"), 200, next, json!(first));
    put(
        "/repositories/186853002/pulls/7/comments?per_page=100&page=2",
        200,
        String::new(),
        json!([comment(101)]),
    );
    put(&format!("{pull}/reviews/80"), 200, String::new(), review("CHANGES_REQUESTED", "Mind the money."));
    put(
        &format!("{pull}/reviews{lists}"),
        200,
        String::new(),
        json!([review("CHANGES_REQUESTED", "Mind the money.")]),
    );
    put(pull, 200, String::new(), pull_request());
    put(&format!("{pull}/commits{lists}"), 200, String::new(), json!([]));
    let suites = format!("/repos/acme/shop/commits/{}/check-suites{lists}", "a".repeat(40));
    put(&suites, 200, String::new(), json!({"total_count": 0, "check_suites": []}));
    let role = json!({"permission": "write", "role_name": "maintain", "user": alice()});
    put("/repos/acme/shop/collaborators/alice/permission", 200, String::new(), role);

    let home = Home::new();
    let config = home.path("config.toml");
    let text = format!(
        "[[forge]]\nkind = \"github\"\nhost = \"github.com\"\napi = \"{url}\"\ntoken_env = \"FORGE_TOKEN\"\n\
         [coding.github]\nwebhook_secrets_env = [\"HOOK_SECRET\"]\ndebounce_ms = 0\n"
    );
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let variables = [("HOOK_SECRET", SECRET), ("FORGE_TOKEN", "forge-token")];
    let serve = || home.serve_with(&["--config", &config], &variables);
    let server = serve();
    home.ok(&["repo", "add", "github.com/acme/shop", "--at-forge"]);

    let submitted = payload("submitted", &review("changes_requested", "Mind the money."));
    let signed = signature(&submitted.to_string());
    let event = "pull_request_review";
    let (status, refused) = send(&server, "d-1", event, &submitted, &signature("another body"));
    assert_eq!((status, refused["error"]["code"].as_str()), (401, Some("UNAUTHENTICATED")));
    assert_eq!(home.json(&["reviews", "deliveries"])["deliveries"], json!([]));
    let (status, taken) = send(&server, "d-1", event, &submitted, &signed);
    assert_eq!((status, taken["state"].as_str()), (202, Some("queued")), "{taken}");
    server.kill(); // What was acknowledged is there, and is dealt with once.
    let server = serve();
    let done = dealt_with(&home, "d-1");
    assert_eq!((done["state"].as_str(), done["attempts"].as_u64()), (Some("done"), Some(0)), "{done}");
    assert_eq!(send(&server, "d-1", event, &submitted, &signed).1["state"], "duplicate");
    let pulled = || home.json(&["reviews", "pull", "--repo", "acme/shop", "--pr", "7"]);
    assert_eq!(
        (pulled()["reviews"].as_u64(), pulled()["changed"].as_u64()),
        (Some(1), Some(0)),
        "it was read whole"
    );

    for (guid, action, state, body) in [
        ("d-2", "edited", "CHANGES_REQUESTED", "Never use f64."),
        ("d-3", "dismissed", "DISMISSED", "Never use f64."),
    ] {
        put(&format!("{pull}/reviews/80"), 200, String::new(), review(state, body));
        put(&format!("{pull}/reviews{lists}"), 200, String::new(), json!([review(state, body)]));
        let changed = payload(action, &review(&state.to_lowercase(), body));
        assert_eq!(
            send(&server, guid, event, &changed, &signature(&changed.to_string())).1["state"],
            "queued"
        );
        assert_eq!(dealt_with(&home, guid)["state"], "done");
        assert_eq!(pulled()["changed"], 0, "{action}");
    }
    assert!(server.stop());
    let log = home.log();
    assert!(!log.contains("forge-token") && !log.contains(SECRET), "{log}");
}

#[test]
fn a_blank_secret_does_not_start() {
    let home = Home::new();
    let config = home.path("config.toml");
    std::fs::write(&config, "[coding.github]\nwebhook_secrets_env = [\"HOOK_SECRET\"]\n").unwrap();
    let config = config.display().to_string();
    for blank in ["", "  "] {
        let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--config", &config]);
        let output = command.env("HOOK_SECRET", blank).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("HOOK_SECRET is not set, or blank"), "{said}");
    }
}
