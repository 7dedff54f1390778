//! Imports that end early. One dies with a call under way: the call arrives when the next import has looked
//! already, and makes nothing twice. Another is under way when its server stops: nothing of it is left.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::json;

use crate::native::send;
use crate::program::Home;

/// Reads a request whole.
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

/// Sends a request on and gives the whole answer.
fn forwarded(server: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

/// Passes everything on but the first call that makes records: that is held until the second one comes, and arrives just before it.
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
        // Whoever asked may be gone.
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
    // Records that were deleted since stay deleted, until somebody wants them again, whatever the token remembers.
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
    // All but the end: the first lines are written, and the rest is waited for.
    stream.write_all(&lines[..lines.len() - 40]).unwrap();
    let began = || other.json(&["memory", "list", "--url", &server.url])["memories"] != json!([]);
    while !began() {
        std::thread::yield_now();
    }
    assert!(server.stop());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // the connection may end in a reset
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("send it again"), "{answer}");
    assert_eq!(other.json(&["memory", "list"])["memories"], json!([]));
    other.ok(&["import", "--format", "jsonl", file.to_str().unwrap()]);
}
