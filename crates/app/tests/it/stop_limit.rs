//! The end of a server while it processes long texts.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::alerts::machine_s;
use crate::native::send;
use crate::program::{Home, Server};

/// Separate threads process long texts. Neither masking nor extraction of one delays the end, and
/// acknowledged data is processed again.
#[test]
fn a_server_ends_within_its_limit_while_long_texts_are_worked_on() {
    let home = Home::new();
    let serve = || home.serve_with(&[], &[("LOCI_SERVER_STOP_MS_MAX", "1000")]);
    let words = |count: usize| (0..count).map(|number| format!("word{number} ")).collect::<String>();
    home.ok(&["memory", "create", "notes"]);

    let server = serve();
    let mut waiting = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let record = json!({ "namespace": "/a/", "text": words(1_700) });
    let body = json!({ "records": vec![record; 100] }).to_string();
    let head =
        "POST /v1/memories/notes/records HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    write!(waiting, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    until("a long text is masked", || has_thread(&server, "loci-text"));
    ends_in_time(server);

    let server = serve();
    let (_, memories) = send(&server, "GET", "/v1/memories", "", "");
    let id = memories["memories"][0]["id"].as_str().unwrap();
    let said = json!({ "conversational": { "role": "USER", "content": { "text": words(9_000) } } });
    let event = json!({
        "actorId": "alice", "sessionId": "s", "eventTimestamp": machine_s(), "payload": [said]
    });
    let (status, made) = send(&server, "POST", &format!("/memories/{id}/events"), "", &event.to_string());
    assert_eq!(status, 201, "{made}");
    let states = |server: &Server| {
        let (_, listed) = send(server, "GET", &format!("/v1/memories/{id}/jobs?kind=extract"), "", "");
        let jobs = listed["jobs"].as_array().unwrap_or_else(|| panic!("{listed}"));
        jobs.iter().map(|job| job["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    until("a long text is extracted", || states(&server).iter().any(|state| state == "running"));
    ends_in_time(server);
    let server = serve();
    let after = states(&server);
    assert!(after.len() == 1 && after[0] != "failed", "{after:?}");
}

/// Stops a server with a limit of one second.
#[expect(clippy::disallowed_methods, reason = "a process is waited for in the machine's time")]
fn ends_in_time(server: Server) {
    let began = Instant::now();
    let code = server.stopped();
    let took_ms = began.elapsed().as_millis();
    // A forced end, if the work was not aborted before.
    assert!(matches!(code, Some(0 | 1)) && took_ms < 10_000, "{code:?} after {took_ms} ms");
}

/// Waits until a condition is met.
#[expect(clippy::disallowed_methods, reason = "a process is waited for in the machine's time")]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::yield_now();
    }
}

/// True if a thread of the server has this name.
fn has_thread(server: &Server, name: &str) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", server.id())).unwrap();
    let is_named = |comm: String| comm.trim() == name;
    // A thread that ended meanwhile has no name any more.
    threads.flatten().any(|thread| std::fs::read_to_string(thread.path().join("comm")).is_ok_and(is_named))
}
