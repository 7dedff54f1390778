//! Attacks on a listener, through real sockets: slow heads and bodies, unread responses, all
//! connections taken, unauthenticated callers. The test advances the clock.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::principal::Principal;
use loci_testkit_ports::{ManualClock, SeededIds};

use super::*;
use crate::DoorOptions;

/// The connections of the attacked listener; half of them may be slow.
const CONNECTIONS: usize = 6;
/// More bytes than the buffers between two local sockets hold.
const LARGE: usize = 64 << 20;

struct Attacked {
    runtime: tokio::runtime::Runtime,
    clock: ManualClock,
    doors: Doors,
    address: SocketAddr,
    world: TestEngine,
}

impl Attacked {
    fn new() -> Self {
        Self::serving(attacked)
    }

    fn serving(routes: fn(&Doors) -> Router) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let world = TestEngine::new().unwrap();
        let clock = world.clock();
        let ids = Arc::new(SeededIds::new(3));
        let doors = Doors::new(world.engine(), Arc::new(clock.clone()), ids, DoorOptions::default());
        let mut options = ListenOptions::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        options.connections_max = CONNECTIONS;
        let bound = runtime.block_on(bind(options, doors.clone())).unwrap();
        let address = bound.address().unwrap();
        runtime.spawn(bound.serve(routes(&doors), Box::pin(std::future::pending())));
        Self { runtime, clock, doors, address, world }
    }

    fn sent(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Opens the maximum number of connections, and sends this text on each.
    fn all_sent(&self, text: &str) -> Vec<TcpStream> {
        (0..CONNECTIONS).map(|_| self.sent(text)).collect()
    }

    /// Returns the response to a request on a separate connection.
    fn asked(&self, line: &str) -> String {
        read(self.sent(&format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")))
    }

    /// Returns a connection with a running request: the server has requested the 1,000 bytes of its
    /// body.
    fn under_way(&self) -> TcpStream {
        let lines = ["POST /take HTTP/1.1", "Host: localhost", "Connection: close", "Expect: 100-continue"];
        let mut stream = self.sent(&format!("{}\r\nContent-Length: 1000\r\n\r\n", lines.join("\r\n")));
        let mut answer = [0; 25];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream
    }

    /// Waits until this number of connections wait for their clients.
    fn until_waiting(&self, count: usize) {
        while self.clock.sleepers() < count {
            std::thread::yield_now();
        }
    }

    /// Waits until this number of connections are open.
    fn until_open(&self, count: usize) {
        while !self.is_open(count) {
            std::thread::yield_now();
        }
    }

    /// Returns true if exactly this number of connections are open.
    fn is_open(&self, count: usize) -> bool {
        self.doors.metrics.render().contains(&format!("loci_connections_open {count}\n"))
    }
}

/// Returns the attacked routes.
fn attacked(doors: &Doors) -> Router {
    let bodies = Arc::clone(&doors.bodies);
    let take = move |body: axum::body::Body| async move {
        let read = bodies.read(body, 1 << 20).await.map_err(|why| Error::from(why).message);
        read.map(|bytes| bytes.len().to_string()).map_err(|why| (StatusCode::BAD_REQUEST, why))
    };
    Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/large", get(|| async { vec![b'a'; LARGE] }))
        .route("/refused", post(|| async { StatusCode::UNAUTHORIZED }))
        .route("/take", post(take))
}

/// Returns the bytes that the server sends until it closes the connection.
fn read(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // a connection that is cut off may end in a reset
    String::from_utf8_lossy(&answer).into_owned()
}

/// Returns a request of whose body one byte arrives.
fn slow_body(path: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na")
}

/// Makes the clients of all connections slow. Half of the connections end, so that others are
/// served; the rest ends with the patience.
fn slow_clients_never_take_the_last_connection(text: &str) -> Vec<TcpStream> {
    let server = Attacked::new();
    let slow = server.all_sent(text);
    server.until_waiting(CONNECTIONS);
    server.until_open(CONNECTIONS);
    server.clock.advance_ms(loci_model::limits::SLOW_AFTER_MS - 1);
    server.until_waiting(CONNECTIONS);
    server.until_open(CONNECTIONS);
    server.clock.advance_ms(1);
    server.until_open(CONNECTIONS / 2);
    assert!(server.asked("GET /healthz").starts_with("HTTP/1.1 200"));
    server.until_waiting(CONNECTIONS / 2);
    server.clock.advance_ms(loci_model::limits::TRANSFER_PATIENCE_MS);
    server.until_open(0);
    server.runtime.shutdown_background();
    slow
}

/// A new client is accepted and served at once, at any number of others that never end their heads
/// or keep idle connections. Those that have waited longest give way, never one with a running
/// request.
#[test]
fn slow_heads_never_take_the_last_connection() {
    let server = Attacked::new();
    let mut idle = server.sent("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut status = [0; 12];
    idle.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    let mut under_way = server.under_way();
    let mut slow = Vec::new();
    for number in 0..CONNECTIONS * 10 {
        slow.push(server.sent("GET"));
        if number % CONNECTIONS == 0 {
            assert!(server.asked("GET /healthz").starts_with("HTTP/1.1 200"), "{number}");
            // New connections give way once the server has polled for their bytes.
            let mut tries = (0..100).map(|_| server.asked("POST /refused"));
            assert!(tries.any(|answer| answer.starts_with("HTTP/1.1 401")), "{number}");
        }
    }
    let mut last = slow.pop().unwrap();
    for displaced in slow.drain(..CONNECTIONS) {
        assert_eq!(read(displaced), "");
    }
    read(idle);
    assert!(server.doors.metrics.render().contains("loci_connections_displaced_total "));
    last.write_all(b" /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    assert!(read(last).starts_with("HTTP/1.1 200"));
    under_way.write_all(&[b'a'; 1000]).unwrap();
    let answer = read(under_way);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("1000"), "{answer}");
    server.runtime.shutdown_background();
}

#[test]
fn slow_bodies_never_take_the_last_connection() {
    for stream in slow_clients_never_take_the_last_connection(&slow_body("/take")) {
        let answer = read(stream);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("too slowly"), "{answer}");
    }
}

#[test]
fn answers_that_nobody_reads_never_take_the_last_connection() {
    for stream in
        slow_clients_never_take_the_last_connection("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    {
        let answer = read(stream);
        assert!(answer.len() < LARGE, "{}", answer.len());
    }
}

/// Discarding a body is optional: at most half of the connections do it at once, and bytes that
/// arrive in time get no slot beyond those.
#[test]
fn refused_bodies_never_take_the_last_connection_however_they_come() {
    let server = Attacked::new();
    let head = "POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\na";
    let mut refused = server.all_sent(head);
    server.until_open(CONNECTIONS / 2);
    server.until_waiting(CONNECTIONS / 2);
    for _ in 0..loci_model::limits::UNREAD_MS_MAX / 1_000 - 1 {
        server.clock.advance_ms(1_000);
        for stream in &mut refused {
            let _ = stream.write_all(&[b'a'; 5_000]); // half of them are closed
        }
        assert!(server.asked("GET /healthz").starts_with("HTTP/1.1 200"));
    }
    server.until_open(CONNECTIONS / 2);
    // A connection may have read the time just before a step, and then waits for one more.
    while !server.is_open(0) {
        server.clock.advance_ms(1_000);
        std::thread::yield_now();
    }
    server.runtime.shutdown_background();
}

/// A refused body of which no more bytes arrive delays its response by a short time only, also if
/// not one byte was sent.
#[test]
fn refused_bodies_that_never_come_are_not_awaited() {
    for sent in ["", "a"] {
        let server = Attacked::new();
        let head = "POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n";
        let refused = server.all_sent(&format!("{head}{sent}"));
        // Half of the connections are answered at once, because the others have the slots.
        while refused.iter().filter(|stream| has_answer(stream)).count() < CONNECTIONS / 2 {
            std::thread::yield_now();
        }
        server.until_waiting(CONNECTIONS / 2);
        server.clock.advance_ms(loci_model::limits::UNREAD_SHORT_MS_MAX);
        server.until_open(0);
        server.runtime.shutdown_background();
        for stream in refused {
            assert!(read(stream).starts_with("HTTP/1.1 401"), "{sent}");
        }
    }
}

/// Bodies to discard take all slots for health checks, but no health check waits for them: their
/// responses are sent at once, without a step of the clock.
#[test]
fn refused_bodies_of_a_full_server_delay_no_health_check() {
    for (line, expect) in [("POST /take", "HTTP/1.1 503"), ("GET /healthz", "HTTP/1.1 200")] {
        let server = Attacked::new();
        let _busy: Vec<TcpStream> = (0..CONNECTIONS).map(|_| server.under_way()).collect();
        let body = format!("{line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na");
        let count = loci_model::limits::HEALTH_CONNECTIONS_MAX * 3;
        let mut refused: Vec<TcpStream> = (0..count).map(|_| server.sent(&body)).collect();
        assert!(server.asked("GET /healthz").starts_with("HTTP/1.1 200"), "{line}");
        let mut answered = Vec::new();
        while answered.len() < count - loci_model::limits::HEALTH_CONNECTIONS_MAX {
            let (ended, open): (Vec<_>, Vec<_>) = refused.into_iter().partition(has_answer);
            answered.extend(ended);
            refused = open;
            std::thread::yield_now();
        }
        for stream in answered {
            let answer = read(stream);
            assert!(answer.starts_with(expect), "{line}: {answer}");
        }
        server.runtime.shutdown_background();
    }
}

/// Returns true for a connection that is readable or closed.
fn has_answer(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let waits = stream.peek(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    stream.set_nonblocking(false).unwrap();
    !waits
}

#[test]
fn a_full_server_answers_health_checks_and_says_that_it_is_full() {
    let server = Attacked::new();
    let busy: Vec<TcpStream> = (0..CONNECTIONS).map(|_| server.under_way()).collect();
    assert!(server.asked("GET /healthz").starts_with("HTTP/1.1 200"));
    let answer = server.asked("GET /large");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"), "{answer}");
    // More than the buffers between two sockets hold: the server must have read it before the
    // client could send it all and get a response.
    let mut sending =
        server.sent(&format!("POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: {LARGE}\r\n\r\n"));
    sending.write_all(&vec![b'a'; LARGE]).unwrap();
    let answer = read(sending);
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    // A body that never arrives is not awaited longer than this.
    let waited_for = server.clock.sleepers();
    let waiting = server.sent("POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na");
    server.until_waiting(waited_for + 1);
    server.clock.advance_ms(loci_model::limits::UNREAD_SHORT_MS_MAX);
    assert!(read(waiting).starts_with("HTTP/1.1 503"));
    let refused = "loci_connections_refused_total 3\n";
    assert!(server.doors.metrics.render().contains(refused), "{}", server.doors.metrics.render());
    drop(busy);
    server.until_open(0);
    assert!(server.asked("GET /large").starts_with("HTTP/1.1 200"));
    server.runtime.shutdown_background();
}

/// A caller that the head does not prove is rejected by the head alone. No byte of the body
/// arrives, and the server requests none.
#[test]
fn unknown_callers_are_refused_before_their_bodies_come() {
    let server = Attacked::serving(crate::router);
    let admin = Principal::administrator("tester");
    let key = server.runtime.block_on(server.world.engine().key_create(&admin, admin.clone())).unwrap();
    server.doors.gate.keys_changed();
    let (stranger, known) = ("AKIASTRANGER0000".to_owned(), key.id.to_string());
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    // A signature of no secret.
    let signed = |id: &str, service: &str, hash: &str| {
        let names = "host;x-amz-content-sha256;x-amz-date";
        let scope = format!("{id}/20261121/us-west-2/{service}/aws4_request");
        let signature = "0".repeat(64);
        format!(
            "Authorization: AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders={names}, \
             Signature={signature}\r\nX-Amz-Date: 20261121T000000Z\r\nX-Amz-Content-Sha256: {hash}\r\n"
        )
    };
    let hash = "0".repeat(64);
    for (line, headers, expect) in [
        ("POST /v1/memories", String::new(), "401"),
        ("POST /v1/memories", bearer("wrong"), "401"),
        ("POST /mcp", bearer("wrong"), "401"),
        ("POST /memories/create", String::new(), "403"),
        ("POST /memories/create", signed(&stranger, "bedrock-agentcore", &hash), "403"),
        ("POST /memories/create", signed(&known, "bedrock-agentcore", &hash), "403"),
        ("PUT /s3/notes/a", signed(&stranger, "s3", "UNSIGNED-PAYLOAD"), "403"),
        ("PUT /s3/notes/a", signed(&known, "s3", "UNSIGNED-PAYLOAD"), "403"),
        // A known caller is asked for the body.
        ("POST /v1/memories", bearer(key.token.expose()), "100"),
    ] {
        let head = format!("{line} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n{headers}");
        let mut stream = server.sent(&format!("{head}Content-Length: 1000\r\n\r\n"));
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(String::from_utf8_lossy(&status), format!("HTTP/1.1 {expect}"), "{line} {headers}");
        drop(stream);
        server.until_open(0);
    }
    server.runtime.shutdown_background();
}
