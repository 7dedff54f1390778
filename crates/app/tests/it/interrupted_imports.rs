//! Imports that end early. One dies during a call: the call arrives after the next import has
//! checked existing records, and duplicates nothing. If the server stops or is killed during an
//! import, nothing of it is served. An interrupted export leaves nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

/// Reads a complete request.
fn request(stream: &TcpStream) -> Option<Vec<u8>> {
    let mut reader = BufReader::new(stream);
    let (mut whole, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            whole.extend_from_slice(b"connection: close\r\n\r\n");
            break;
        }
        if !line.to_ascii_lowercase().starts_with("connection:") {
            whole.extend_from_slice(line.as_bytes());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    whole.extend_from_slice(&body);
    Some(whole)
}

/// Forwards a request and returns the complete answer.
fn forwarded(server: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

/// Forwards all requests except the first that creates records. That one is held until the second
/// arrives, and is forwarded just before it.
fn late(listener: &TcpListener, server: &str, held: &Sender<()>) {
    let mut first: Option<(Vec<u8>, TcpStream)> = None;
    let mut is_done = false;
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let Some(asked) = request(&stream) else { continue };
        let line = String::from_utf8_lossy(asked.split(|byte| *byte == b'\r').next().unwrap()).into_owned();
        let makes = line.starts_with("POST ") && line.contains("/records HTTP");
        if makes && !is_done {
            if let Some((call, _)) = first.take() {
                forwarded(server, &call);
                is_done = true;
            } else {
                first = Some((asked, stream));
                held.send(()).unwrap();
                continue;
            }
        }
        // The client may have disconnected.
        let _ = stream.write_all(&forwarded(server, &asked));
    }
}

#[test]
fn a_call_that_arrives_late_makes_nothing_twice() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let server = home.serve(&[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let through = format!("http://{}", listener.local_addr().unwrap());
    let behind = server.url.trim_start_matches("http://").to_owned();
    let (held, holds): (Sender<()>, Receiver<()>) = channel();
    std::thread::spawn(move || late(&listener, &behind, &held));
    let memories: Vec<_> =
        (0..30).map(|n| json!({ "id": format!("m{n}"), "memory": format!("number {n}") })).collect();
    std::fs::write(home.path("m.json"), json!(memories).to_string()).unwrap();
    let file = home.path("m.json");
    let arguments =
        ["import", "--format", "mem0", "--memory", "notes", "--url", &through, file.to_str().unwrap()];
    let mut child = home.command(&arguments).spawn().unwrap();
    holds.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let report = home.json(&arguments);
    assert_eq!(report["created"], 30, "{report}");
    let list = home.json(&["record", "list", "--memory", "notes", "--url", &server.url]);
    assert_eq!(list["records"].as_array().unwrap().len(), 30);
    // Deleted records stay deleted until explicitly restored, even if the server remembers the
    // token.
    for record in list["records"].as_array().unwrap() {
        home.ok(&[
            "record",
            "delete",
            "--memory",
            "notes",
            record["id"].as_str().unwrap(),
            "--url",
            &server.url,
        ]);
    }
    assert_eq!(home.json(&arguments)["created"], 0);
    assert_eq!(home.json(&[&arguments[..], &["--force"]].concat())["created"], 30);
    let list = home.json(&["record", "list", "--memory", "notes", "--url", &server.url]);
    assert_eq!(list["records"].as_array().unwrap().len(), 30);
}

/// Forwards all requests except exports, which get no answer.
fn without_exports(listener: &TcpListener, server: &str, held: &Sender<TcpStream>) {
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let Some(asked) = request(&stream) else { continue };
        let line = String::from_utf8_lossy(asked.split(|byte| *byte == b'\r').next().unwrap()).into_owned();
        if line.contains("/export") {
            held.send(stream).unwrap();
            continue;
        }
        // The client may have disconnected.
        let _ = stream.write_all(&forwarded(server, &asked));
    }
}

#[test]
fn a_signal_takes_an_unfinished_export_back() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let server = home.serve(&[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let through = format!("http://{}", listener.local_addr().unwrap());
    let behind = server.url.trim_start_matches("http://").to_owned();
    let (held, holds): (Sender<TcpStream>, Receiver<TcpStream>) = channel();
    std::thread::spawn(move || without_exports(&listener, &behind, &held));
    let folder = home.path("exports");
    std::fs::create_dir(&folder).unwrap();
    let target = folder.join("notes.jsonl");
    let target = target.to_str().unwrap();
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(&folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let begin = || {
        let arguments = ["export", "--memory", "notes", "--url", &through, target];
        let child = home.command(&arguments).spawn().unwrap();
        (child, holds.recv().unwrap())
    };
    let is_unfinished = |names: &[String]| names.len() == 1 && names[0].starts_with(".loci-unfinished-");
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let (mut child, _waiting) = begin();
        assert!(is_unfinished(&names()), "{:?}", names());
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        assert!(names().is_empty(), "{signal}: {:?}", names());
    }
    // A killed export removes nothing, but the next one does.
    let (mut child, _waiting) = begin();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_unfinished(&names()), "{:?}", names());
    home.ok(&["export", "--memory", "notes", "--url", &server.url, target]);
    assert_eq!(names(), ["notes.jsonl"]);
}

/// Turns of a conversation: more lines than one write contains.
const TURNS: usize = 300;
/// Lines of its export that arrive before the server is killed.
const LINES_BEFORE_KILL: usize = 250;
/// The maximum number of checks for a part of it.
const LOOKS_MAX: usize = 1_000;

/// Returns the finding of `doctor` about unfinished imports.
fn unfinished(home: &Home) -> String {
    let output = home.run(&["doctor", "--offline", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().iter().find(|one| one["name"] == "imports");
    found.unwrap_or_else(|| panic!("{report}"))["detail"].as_str().unwrap().to_owned()
}

#[test]
fn a_server_that_stops_takes_back_what_an_import_began() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let server = home.serve(&[]);
    for part in 0..3 {
        let records: Vec<_> =
            (0..100).map(|n| json!({ "namespace": "/a/", "text": format!("number {part}-{n}") })).collect();
        let body = json!({ "records": records }).to_string();
        assert_eq!(send(&server, "POST", "/v1/memories/notes/records", "", &body).0, 201);
    }
    let file = home.path("notes.jsonl");
    home.ok(&["export", "--memory", "notes", file.to_str().unwrap(), "--url", &server.url]);
    let lines = std::fs::read(&file).unwrap();
    assert!(server.stop());

    let other = Home::new();
    let server = other.serve(&[]);
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let head = format!(
        "POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\n\r\n",
        lines.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // All but the end: the first lines are written, and the server waits for the rest.
    stream.write_all(&lines[..lines.len() - 40]).unwrap();
    assert!((0..LOOKS_MAX).any(|_| unfinished(&other).contains("not served")), "{}", other.log());
    assert!(server.stop());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // the connection may end in a reset
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("send it again"), "{answer}");
    assert_eq!(other.json(&["memory", "list"])["memories"], json!([]));
    other.ok(&["import", "--format", "jsonl", file.to_str().unwrap()]);
}

#[test]
fn an_import_that_is_killed_leaves_nothing_that_is_served() {
    let source = Home::new();
    source.ok(&["memory", "create", "notes"]);
    let turns: String = (0..TURNS).map(|n| format!("User: I have {n} bees.\n")).collect();
    let talk = source.path("talk.txt");
    std::fs::write(&talk, format!("# session s 2026-01-02T10:00:00Z\n{turns}")).unwrap();
    let arguments = ["import", "--format", "transcript", "--memory", "notes", "--actor", "mara"];
    source.ok(&[&arguments[..], &[talk.to_str().unwrap()]].concat());
    let file = source.path("notes.jsonl");
    let file = file.to_str().unwrap();
    source.ok(&["export", "--memory", "notes", file]);
    let lines = std::fs::read_to_string(file).unwrap();
    let begun: String = lines.split_inclusive('\n').take(LINES_BEFORE_KILL).collect();
    assert!(begun.len() < lines.len());

    let home = Home::new();
    let server = home.serve(&[]);
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let head =
        format!("POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", lines.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(begun.as_bytes()).unwrap();
    let is_there = (0..LOOKS_MAX).any(|_| unfinished(&home).contains("not served"));
    assert!(is_there, "{}", home.log());
    server.kill();

    let server = home.serve(&[]);
    let (_, listed) = send(&server, "GET", "/v1/memories", "", "");
    assert_eq!(listed["memories"], json!([]), "{listed}");
    let told = unfinished(&home);
    let memory = told.split_whitespace().find(|word| word.starts_with("notes-")).unwrap();
    let (status, refused) = send(&server, "GET", &format!("/v1/memories/{memory}"), "", "");
    let rule = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(status == 409 && rule.contains("is being imported"), "{status} {refused}");
    let report = home.json(&["import", "--format", "jsonl", file]);
    assert_eq!((&report["memories"], &report["events"]), (&json!(1), &json!(TURNS)), "{report}");
    assert!(unfinished(&home).contains("no import has broken off"));
    let (status, _) = send(&server, "GET", &format!("/v1/memories/{memory}"), "", "");
    assert_eq!(status, 200);

    // A file that begins a memory twice does not replace its own beginning.
    let mut twice: Vec<&str> = lines.lines().collect();
    twice.insert(twice.len() - 1, twice[1]);
    let other = Home::new();
    let file = other.path("twice.jsonl");
    std::fs::write(&file, twice.join("\n")).unwrap();
    let refused = other.fails(4, &["import", "--format", "jsonl", file.to_str().unwrap()]);
    assert!(refused.contains("is here already"), "{refused}");
    assert_eq!(other.json(&["memory", "list"])["memories"], json!([]));
}
