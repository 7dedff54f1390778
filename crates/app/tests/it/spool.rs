//! The spool with partial failures: servers that reject some reports, processes that hold the lock,
//! and sessions with invalid or oversized events.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fact_repository::Shop;
use crate::githooks::Agent;
use crate::native::send;
use crate::program::Home;

/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";
/// The time limit of a commit with the hooks, and of a command that must exit with 0. It is
/// generous for a busy machine, because waiting for the lock would never end.
const HELD_UP_MAX: Duration = Duration::from_secs(20);

type Answer = fn(&str, &Value) -> (u16, Value);

/// A server that returns given answers, and records its requests.
struct Scripted {
    url: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Scripted {
    fn new(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let mut head = Vec::new();
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                        break;
                    }
                    head.push(line.trim().to_lowercase());
                }
                let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else { continue };
                let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
                reader.read_exact(&mut body).unwrap();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let (status, said) = answer(path, &body);
                log.lock().unwrap().push((path.to_owned(), body));
                let said = said.to_string();
                let head =
                    format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close");
                let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{said}", said.len());
                // The client may have disconnected.
                let _ = reader.get_mut().write_all(answer.as_bytes());
            }
        });
        Self { url, asked }
    }

    /// Returns the task and the note of each request since the last call.
    fn asked(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let name = |(path, body): &(String, Value)| {
            let task = path.split('/').nth(3).unwrap_or_default().to_owned();
            format!("{task} {}", body["text"].as_str().unwrap_or_default())
        };
        asked.iter().map(name).collect()
    }
}

fn problem(status: u16, field: Option<&str>) -> (u16, Value) {
    let message = format!("the reason of {status}");
    (status, json!({ "error": { "code": "X", "message": message, "field": field, "retryable": false } }))
}

/// Answers as a server of many tasks, some of which fail.
fn picky(path: &str, _: &Value) -> (u16, Value) {
    match path.split('/').nth(3).unwrap_or_default() {
        "t-403" => problem(403, None),
        "t-500" => problem(500, None),
        "t-404" => problem(404, Some("task_id")),
        "t-400" => problem(400, Some("text")),
        _ => fine(path, &Value::Null),
    }
}

/// Answers as a server that knows each task, and accepts each report.
fn fine(_: &str, _: &Value) -> (u16, Value) {
    let task = json!({
        "task_id": "t", "actor": "acme/shop", "session": "t", "kind": "new_task", "status": "running", "memory_arm": "on",
        "description": "", "created_at": "", "updated_at": "",
        "written": { "minimal": false, "learnings": 0, "self_feedback": 0 },
        "learning": { "action": "added" }, "degraded": false, "warnings": [],
    });
    (200, task)
}

fn spool_file(shop: &Shop<'_>) -> std::path::PathBuf {
    shop.path().join(".git/loci/spool.jsonl")
}

/// Readdresses the entries for the unreachable address to this URL.
fn readdress(shop: &Shop<'_>, url: &str) {
    let file = spool_file(shop);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(NOWHERE, url)).unwrap();
}

fn note(shop: &Shop<'_>, task: &str, text: &str, url: &str) -> (i32, String, String) {
    shop.run(&["task", "note", task, text, "--url", url])
}

#[test]
fn what_cannot_be_said_of_one_task_holds_no_other_back() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    for (task, text) in [
        ("t-403", "a"),
        ("t-403", "b"),
        ("t-500", "c"),
        ("t-400", "d"),
        ("t-404", "e"),
        ("t-1", "f"),
        ("t-1", "g"),
        ("t-400", "h"),
    ] {
        assert_eq!(note(&shop, task, text, NOWHERE).0, 0);
    }
    let server = Scripted::new(picky);
    readdress(&shop, &server.url);
    let flush = ["spool", "flush", "--url", &server.url];
    let (code, out, said) = shop.run(&flush);
    assert_eq!((code, out.trim()), (5, "2 sent, 2 refused, 4 waiting"), "{said}");
    assert_eq!(server.asked(), ["t-403 a", "t-500 c", "t-400 d", "t-400 h", "t-404 e", "t-1 f", "t-1 g"]);
    let kept = shop.json(&["spool", "show"]);
    let kept: Vec<_> = kept.as_array().unwrap().iter().collect();
    let why: Vec<_> = kept
        .iter()
        .map(|one| {
            let text = one["body"]["text"].as_str().unwrap();
            let why = one["waits"]["why"].as_str().or(one["refused"].as_str());
            (text, why.map(|why| why.trim_start_matches("the reason of ")), one["refused"].is_string())
        })
        .collect();
    let waits =
        [("a", Some("403"), false), ("b", None, false), ("c", Some("500"), false), ("e", Some("404"), false)];
    let refused = [("d", Some("400"), true), ("h", Some("400"), true)];
    assert_eq!(why, [&waits[..], &refused[..]].concat(), "{kept:?}");
    let apart = spool_file(&shop).with_extension("refused");
    assert_eq!(std::fs::metadata(&apart).unwrap().permissions().mode() & 0o777, 0o600);
    let (_, out, _) = shop.run(&["spool", "show"]);
    assert!(
        out.contains("waits: the reason of 403 (tried, last at ")
            && out.contains("refused: the reason of 400"),
        "{out}"
    );

    // A recently failed attempt does not delay reports about other tasks. An unknown task is tried
    // again.
    let (code, _, said) = note(&shop, "t-1", "i", &server.url);
    assert_eq!(code, 0, "{said}");
    assert!(!server.asked().iter().any(|one| one.starts_with("t-403") || one.starts_with("t-500")));
    // A report about the same task waits behind the others.
    let (code, _, said) = note(&shop, "t-500", "j", &server.url);
    assert_eq!(code, 0, "{said}");
    // With a healthy server all entries are sent, each task in order.
    let server = Scripted::new(fine);
    let text = std::fs::read_to_string(spool_file(&shop)).unwrap();
    let old: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    for file in [spool_file(&shop), apart] {
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(old["url"].as_str().unwrap(), &server.url)).unwrap();
    }
    let (code, out, said) = shop.run(&["spool", "flush", "--url", &server.url]);
    assert_eq!((code, out.trim()), (0, "7 sent, 0 refused, 0 waiting"), "{said}");
    let asked = server.asked();
    let of = |task: &str| asked.iter().filter(|one| one.starts_with(task)).cloned().collect::<Vec<_>>();
    assert_eq!(of("t-403"), ["t-403 a", "t-403 b"]);
    assert_eq!(of("t-500"), ["t-500 c", "t-500 j"]);
    assert_eq!(shop.json(&["spool", "show"]), json!([]));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is timed by the machine's time")]
fn whoever_holds_the_spool_holds_nobody_up() {
    let home = Home::new();
    let agent = Agent::new(&home);
    agent.json(&["task", "create", "--id", "t-001", "Add pagination"]);
    let shop = &agent.shop;
    assert_eq!(note(shop, "t-001", "first", NOWHERE).0, 0);
    let lock = std::fs::File::options().write(true).open(spool_file(shop).with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let began = Instant::now();
    let (code, _, said) = note(shop, "t-001", "second", NOWHERE);
    assert!(code == 0 && said.contains("stored in a second file next to it"), "{said}");
    assert!(began.elapsed() < HELD_UP_MAX, "{:?}", began.elapsed());
    let began = Instant::now();
    agent.change("made.txt", "1");
    agent.git(&["commit", "-m", "Subject"]);
    assert!(began.elapsed() < HELD_UP_MAX, "{:?}", began.elapsed());
    drop(lock);
    let kept = agent.json(&["spool", "show"]);
    let calls: Vec<_> = kept.as_array().unwrap().iter().map(|one| one["call"].as_str().unwrap()).collect();
    assert_eq!(calls, ["note", "note", "commits"], "{kept}");
    assert_eq!((&kept[0]["body"]["text"], &kept[1]["body"]["text"]), (&json!("first"), &json!("second")));
    assert_eq!(agent.json(&["spool", "show"]), kept, "taken in once");
}

#[test]
fn one_event_that_is_wrong_holds_none_of_the_others_back() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination"]);
    let good =
        |seq: u64| json!({ "seq": seq, "type": "note", "content": format!("Note {seq}.") }).to_string();
    let wrong = json!({ "seq": 2, "type": "rumour", "content": "x" }).to_string();
    shop.write(
        "events.jsonl",
        &[good(1), wrong.clone(), "{\"seq\":".to_owned(), good(4), good(5)].join("\n"),
    );
    let append = ["session", "append", "t-001", "--file", "events.jsonl"];
    assert_ne!(shop.run(&[&append[..], &["--strict"]].concat()).0, 0);
    let (code, out, said) = shop.run(&append);
    assert!(code == 0 && out.contains("3 added, 0 known, the last is 5"), "{out}{said}");
    assert!(said.contains("line 3") && said.contains("events[1].type"), "{said}");
    let kept = shop.json(&["spool", "show"]);
    let bodies: Vec<_> = kept.as_array().unwrap().iter().map(|one| &one["body"]["events"]).collect();
    assert_eq!(bodies.len(), 2, "{kept}");
    assert_eq!((bodies[0], &bodies[1][0]["seq"]), (&json!(["{\"seq\":"]), &json!(2)), "{kept}");
    // A rejected entry is tried once more, and rejected again.
    assert_eq!(shop.run(&["spool", "flush"]).1.trim(), "0 sent, 2 refused, 0 waiting");
    assert_eq!(shop.json(&["spool", "show"]).as_array().unwrap().len(), 2);

    // The result is the same for spooled events.
    shop.write("later.jsonl", &[good(6), wrong, good(7)].join("\n"));
    let later = ["session", "append", "t-001", "--file", "later.jsonl", "--url", NOWHERE];
    assert_eq!(shop.run(&later).0, 0);
    let file = spool_file(&shop);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(&format!("\"url\":\"{NOWHERE}\","), "")).unwrap();
    shop.json(&["task", "note", "t-001", "Orders have 3 states."]);
    let shown = shop.json(&["session", "show", "t-001"]);
    let seqs: Vec<_> =
        shown["events"].as_array().unwrap().iter().map(|one| one["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, [1, 4, 5, 6, 7], "{shown}");
    assert_eq!(shop.json(&["spool", "show"]).as_array().unwrap().len(), 3);
}

#[test]
fn over_http_one_event_that_is_wrong_is_named_and_nothing_is_taken() {
    let home = Home::new();
    let server = home.serve(&[]);
    send(&server, "POST", "/v1/repos", "", r#"{"name":"acme/shop"}"#);
    send(&server, "POST", "/v1/tasks", "", r#"{"task_id":"t-1","repo":"acme/shop","description":"x"}"#);
    let check = |second: Value, field: &str| {
        let events = json!({ "events": [{ "seq": 1, "type": "note", "content": "good" }, second] });
        let (status, answer) = send(&server, "POST", "/v1/sessions/t-1/events", "", &events.to_string());
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("events[1]"), "{answer}");
    };
    check(json!({ "seq": 2, "type": "rumour", "content": "x" }), "events[1].type");
    check(json!({ "seq": 2, "type": "note" }), "events[1].content");
    check(json!({ "seq": 2, "type": "note", "content": "x", "role": "boss" }), "events[1].role");
    check(json!({ "seq": 2, "type": "note", "content": "x", "commit_sha": "9f" }), "events[1].commit_sha");
    check(json!({ "seq": 2, "type": "note", "content": "x", "at": "yesterday" }), "events[1].at");
    let (_, shown) = send(&server, "GET", "/v1/sessions/t-1/events", "", "");
    assert_eq!(shown["events"], json!([]), "{shown}");
}

#[test]
fn great_sessions_go_in_parts_to_a_server_that_is_looked_for_once() {
    const EVENTS: u64 = 130;
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination"]);
    let event = |seq: u64, chars: usize| {
        json!({ "seq": seq, "type": "note", "content": "x".repeat(chars) }).to_string()
    };
    let mut lines: Vec<String> = (1..=EVENTS).map(|seq| event(seq, 100_000)).collect();
    // Larger than any call accepts.
    lines.push(event(EVENTS + 1, 13 * 1024 * 1024));
    shop.write("events.jsonl", &lines.join("\n"));
    let done = shop.json(&["session", "append", "t-001", "--file", "events.jsonl"]);
    assert_eq!(done, json!({ "accepted": EVENTS, "duplicates": 0, "last_seq": EVENTS, "warnings": [] }));
    let kept = shop.json(&["spool", "show"]);
    let why = kept[0]["refused"].as_str().unwrap_or_default();
    assert!(why.contains("event 131") && why.contains("send it as several"), "{why}");
    assert_eq!(kept.as_array().unwrap().len(), 1);

    // Three parts, and one probe of the server.
    let server = Scripted::new(|_, _| {
        (403, json!({ "error": { "code": "DENIED", "message": "no", "retryable": false } }))
    });
    shop.write("small.jsonl", &(1..=201).map(|seq| event(seq, 1)).collect::<Vec<_>>().join("\n"));
    let (code, _, said) =
        shop.run(&["session", "append", "t-001", "--file", "small.jsonl", "--url", &server.url]);
    assert!(code == 0 && said.matches("spooled in").count() == 3, "{said}");
    assert_eq!(server.asked().len(), 1);
}
