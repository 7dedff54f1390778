//! Tests the policy against local servers: repeats, refusals, limits. The clock skips pauses.

#![cfg(test)]

mod certificates;
mod server;
mod targets;
mod traces;

use std::sync::{Arc, Mutex};

use http::{HeaderName, HeaderValue, Method};
use loci_model::ports::observe::Observe;
use loci_model::ports::trace::{self, SpanContext};
use loci_outbound::client::{Outbound, OutboundOptions, OutboundParts};
use loci_outbound::request::{
    AddressOrigin, AddressRefusal, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport,
};
use loci_testkit_ports::{JumpingClock, SeededIds};

use loci_outbound::secret::Secret;
use loci_outbound::sign_v4::{PathRule, Signer, Signing, SigningError};
use server::{Server, Turn, answer};

/// An observer that records refused addresses.
#[derive(Default)]
struct Refusals(Mutex<Vec<String>>);

impl Observe for Refusals {
    fn outbound_refused(&self, reason: &str) {
        self.0.lock().unwrap().push(reason.to_owned());
    }
}

struct World {
    outbound: Outbound,
    clock: JumpingClock,
    refusals: Arc<Refusals>,
}

fn world(options: OutboundOptions) -> World {
    let (clock, refusals) = (JumpingClock::default(), Arc::new(Refusals::default()));
    let parts = OutboundParts::new(Arc::new(clock.clone()), Arc::new(SeededIds::new(7)), refusals.clone());
    World { outbound: Outbound::new(options, parts).unwrap(), clock, refusals }
}

fn request(url: &str) -> OutboundRequest {
    OutboundRequest {
        method: Method::POST,
        url: url.to_owned(),
        headers: vec![(HeaderName::from_static("x-api-key"), HeaderValue::from_static("secret"))],
        body: b"{\"q\":1}".to_vec(),
        reach: AddressOrigin::Configured,
        retry: Retry::Safe,
        timeout_ms: None,
        signing: None,
    }
}

/// Sends one request to a server with these turns; returns the result, the requests and the pauses.
async fn exchange(
    turns: Vec<Turn>,
    retry: Retry,
) -> (Result<OutboundAnswer, OutboundError>, Vec<String>, Vec<u64>) {
    let server = Server::start(turns).await;
    let world = world(OutboundOptions::default());
    let outcome =
        world.outbound.send(OutboundRequest { retry, ..request(&server.url("/v1/x?key=secret")) }).await;
    (outcome, server.requests(), world.clock.slept_ms())
}

#[tokio::test]
async fn a_request_names_the_span_that_is_open() {
    let answers = || vec![answer(503, &[], "busy"), answer(200, &[], "{}")];
    let span = SpanContext { trace: [0x4b; 16], span: [0x0f; 8] };
    let (_, requests, _) = trace::under(Some(span), exchange(answers(), Retry::Safe)).await;
    let header = format!("traceparent: 00-{}-{}-01\r\n", "4b".repeat(16), "0f".repeat(8));
    let named: Vec<_> = requests.iter().map(|request| request.contains(&header)).collect();
    assert_eq!(named, [true, true], "{requests:?}");
    let (_, requests, _) = exchange(answers(), Retry::Safe).await;
    assert!(requests.iter().all(|request| !request.contains("traceparent")), "{requests:?}");
}

#[tokio::test]
async fn what_is_repeated() {
    let busy = || answer(503, &[], "busy");
    let limit = |headers: &[(&str, &str)]| answer(429, headers, "{}");
    let ok = || answer(200, &[], "{\"a\":1}");
    // Turns of the server, whether repeats are safe, final status, attempts, bounds of each pause.
    type Row = (Vec<Turn>, Retry, u16, u32, Vec<(u64, u64)>);
    let rows: Vec<Row> = vec![
        (vec![ok()], Retry::Safe, 200, 1, vec![]),
        (vec![busy(), ok()], Retry::Safe, 200, 2, vec![(0, 500)]),
        (vec![busy(), ok()], Retry::Never, 503, 1, vec![]),
        (vec![busy(), busy(), busy(), ok()], Retry::Safe, 503, 3, vec![(0, 500), (0, 1_000)]),
        (vec![limit(&[("retry-after", "3")]), ok()], Retry::Safe, 200, 2, vec![(3_000, 3_250)]),
        (vec![limit(&[("retry-after-ms", "40")]), ok()], Retry::Safe, 200, 2, vec![(40, 290)]),
        (vec![limit(&[("retry-after", "3600")]), ok()], Retry::Safe, 429, 1, vec![]),
        (vec![limit(&[("x-should-retry", "false")]), ok()], Retry::Safe, 429, 1, vec![]),
        (vec![answer(400, &[], "no"), ok()], Retry::Safe, 400, 1, vec![]),
        (vec![Turn::Close, ok()], Retry::Safe, 200, 2, vec![(0, 500)]),
        (vec![answer(302, &[("location", "http://127.0.0.1:1/")], ""), ok()], Retry::Safe, 302, 1, vec![]),
    ];
    for (at, (turns, retry, status, tries, pauses)) in rows.into_iter().enumerate() {
        let (outcome, requests, slept) = exchange(turns, retry).await;
        let answer = outcome.unwrap_or_else(|error| panic!("row {at}: {error}"));
        assert_eq!((answer.status, answer.tries), (status, tries), "row {at}");
        assert_eq!(requests.len(), usize::try_from(tries).unwrap(), "row {at}");
        assert_eq!(slept.len(), pauses.len(), "row {at}: {slept:?}");
        for (pause, (least, most)) in slept.iter().zip(pauses) {
            assert!((least..=most).contains(pause), "row {at}: {slept:?}");
        }
    }
}

/// Tests that every attempt has its own signature, because the earlier one may expire during a
/// pause.
#[tokio::test]
async fn every_try_has_a_signature_of_its_own() {
    let server = Server::start(vec![answer(429, &[("retry-after", "7")], ""), answer(200, &[], "")]).await;
    let by = Signer {
        access_key: "AKID".to_owned(),
        secret: Secret::from("secret"),
        session_token: None,
        region: "us-east-1".to_owned(),
        service: "bedrock",
    };
    let signing = |by| Some(Signing { by, path: PathRule::Twice });
    let asked = OutboundRequest { signing: signing(by.clone()), ..request(&server.url("/model/m/converse")) };
    let world = world(OutboundOptions::default());
    assert_eq!(world.outbound.send(asked).await.unwrap().tries, 2);
    let line = |request: &String, name: &str| -> Vec<String> {
        let lines = request.lines().filter(|line| line.to_ascii_lowercase().starts_with(name));
        lines.map(str::to_owned).collect()
    };
    let sent = server.requests();
    for name in ["x-amz-date:", "authorization:"] {
        let (first, second) = (line(&sent[0], name), line(&sent[1], name));
        assert_eq!((first.len(), second.len()), (1, 1), "{name}");
        assert_ne!(first, second, "{name}");
    }

    let unfit = Signer { access_key: "two\nlines".to_owned(), ..by };
    let asked = OutboundRequest { signing: signing(unfit), ..request(&server.url("/")) };
    let error = world.outbound.send(asked).await.unwrap_err();
    assert_eq!(error, OutboundError::Unsignable(SigningError::Characters));
}

#[tokio::test]
async fn what_is_sent() {
    let (outcome, requests, _) = exchange(vec![answer(200, &[], "{}")], Retry::Safe).await;
    assert_eq!(outcome.unwrap().body, b"{}");
    let sent = requests[0].to_ascii_lowercase();
    assert!(sent.starts_with("post /v1/x?key=secret http/1.1\r\n"), "{sent}");
    for part in
        ["x-api-key: secret\r\n", "accept: application/json\r\n", "user-agent: loci/", "\r\n\r\n{\"q\":1}"]
    {
        assert!(sent.contains(part), "{part} in {sent}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_not_asked_for_again() {
    let (outcome, requests, slept) = exchange(vec![Turn::Cut, answer(200, &[], "{}")], Retry::Safe).await;
    assert_eq!(outcome.unwrap_err(), OutboundError::Protocol("it broke off in the middle".to_owned()));
    assert_eq!((requests.len(), slept.len()), (1, 0));
}

/// A timeout in milliseconds that lets a request arrive and a response begin on a busy machine.
const SILENT_MS: u64 = 500;

#[tokio::test]
async fn no_answer_in_time() {
    let server = Server::start(vec![Turn::Silence, Turn::Silence]).await;
    let world =
        world(OutboundOptions { retries_max: 1, timeout_ms: SILENT_MS, ..OutboundOptions::default() });
    let outcome = world.outbound.send(request(&server.url("/"))).await;
    assert_eq!(outcome.unwrap_err(), OutboundError::Timeout);
    assert_eq!((server.requests().len(), world.clock.slept_ms().len()), (2, 1));

    let server = Server::start(vec![Turn::Stall]).await;
    let asked = OutboundRequest { timeout_ms: Some(SILENT_MS), ..request(&server.url("/")) };
    assert_eq!(world.outbound.send(asked).await.unwrap_err(), OutboundError::Timeout);
    assert_eq!(server.requests().len(), 1, "an answer had begun");
}

#[tokio::test]
async fn a_body_has_a_limit() {
    let options = OutboundOptions { body_bytes_max: 100, ..OutboundOptions::default() };
    for (bytes, fits) in [(100, true), (101, false)] {
        let server = Server::start(vec![answer(200, &[], &"x".repeat(bytes))]).await;
        let outcome = world(options.clone()).outbound.send(request(&server.url("/"))).await;
        match outcome {
            Ok(answer) => assert!(fits && answer.body.len() == bytes),
            Err(error) => assert!(!fits && error == OutboundError::TooLarge),
        }
    }
}

#[tokio::test]
async fn nobody_there() {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let world = world(OutboundOptions { retries_max: 0, ..OutboundOptions::default() });
    let error = world.outbound.send(request(&url)).await.unwrap_err();
    assert_eq!(error, OutboundError::Connect("connection refused".to_owned()));
}

#[tokio::test]
async fn refused_addresses_are_not_called_and_counted() {
    let server = Server::start(vec![answer(200, &[], "{}")]).await;
    let port = server.url("/").rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    let world = world(OutboundOptions::default());
    let check = async |url: String, reach: AddressOrigin, expect: AddressRefusal| {
        let outcome = world.outbound.send(OutboundRequest { reach, ..request(&url) }).await;
        assert_eq!(outcome.unwrap_err(), OutboundError::Refused(expect), "{url}");
    };
    check(server.url("/"), AddressOrigin::Public, AddressRefusal::Loopback).await;
    check(format!("http://localhost:{port}/"), AddressOrigin::Public, AddressRefusal::Loopback).await;
    check("http://169.254.169.254/".to_owned(), AddressOrigin::Configured, AddressRefusal::Metadata).await;
    check("file:///etc/passwd".to_owned(), AddressOrigin::Configured, AddressRefusal::Scheme).await;
    assert_eq!(*world.refusals.0.lock().unwrap(), ["loopback", "loopback", "metadata", "scheme"]);
    assert_eq!(server.requests().len(), 0);

    let outcome = world.outbound.send(request(&format!("http://localhost:{port}/"))).await;
    assert_eq!(outcome.unwrap().status, 200, "the configuration may name this machine");
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_while_connecting() {
    struct Inside;
    impl loci_outbound::names::Lookup for Inside {
        fn lookup(
            &self,
            _: String,
        ) -> loci_model::ports::BoxFuture<'static, std::io::Result<Vec<std::net::IpAddr>>> {
            Box::pin(async { Ok(vec![std::net::Ipv4Addr::LOCALHOST.into()]) })
        }
    }
    let server = Server::start(vec![answer(200, &[], "{}")]).await;
    let url = server.url("/").replace("127.0.0.1", "inside.example");
    for proxy in [None, Some(server.url("/"))] {
        let refusals = Arc::new(Refusals::default());
        let mut parts = OutboundParts::new(
            Arc::new(JumpingClock::default()),
            Arc::new(SeededIds::new(7)),
            refusals.clone(),
        );
        parts.names = Arc::new(Inside);
        let outbound = Outbound::new(OutboundOptions { proxy, ..OutboundOptions::default() }, parts).unwrap();
        let outcome = outbound.send(OutboundRequest { reach: AddressOrigin::Public, ..request(&url) }).await;
        assert_eq!(outcome.unwrap_err(), OutboundError::Refused(AddressRefusal::Loopback));
        assert_eq!(*refusals.0.lock().unwrap(), ["loopback"]);
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_proxy_gets_what_the_configuration_asks_for() {
    let proxy = Server::start(vec![answer(200, &[], "{}")]).await;
    let world = world(OutboundOptions { proxy: Some(proxy.url("/")), ..OutboundOptions::default() });
    let outcome = world.outbound.send(request("http://model.invalid:8080/v1/x")).await;
    assert_eq!(outcome.unwrap().status, 200);
    assert!(proxy.requests()[0].starts_with("POST http://model.invalid:8080/v1/x HTTP/1.1\r\n"));
    let nonsense =
        OutboundOptions { proxy: Some("nonsense with spaces".to_owned()), ..OutboundOptions::default() };
    let parts = OutboundParts::new(
        Arc::new(JumpingClock::default()),
        Arc::new(SeededIds::new(7)),
        Arc::new(Refusals::default()),
    );
    let error = Outbound::new(nonsense, parts).err().unwrap();
    assert_eq!(error.field.as_deref(), Some("outbound.proxy"));
}
