//! Tests the targets of notifications: the requests to each kind of target, and the handling of
//! their responses.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use http::HeaderMap;
use loci_model::ports::BoxFuture;
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, NoticeKind};
use loci_model::ports::objects::{ObjectStoreResult, Objects};
use loci_model::{DeliveryId, Document, ErrorKind, Timestamp};
use loci_outbound::request::{
    AddressOrigin, AddressRefusal, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport,
};
use loci_outbound::secret::Secret;
use loci_outbound::signature::Keys;
use loci_outbound::targets::{Address, ClientTargets, NamedSecret, Target, Targets};
use loci_testkit_ports::ManualClock;
use serde_json::{Value, json};

const ARN: &str = "arn:aws:sns:us-west-2:000000000000:turns";

/// A transport that records requests and returns scripted responses, and 200 after the last one.
#[derive(Default)]
struct Line {
    sent: Mutex<Vec<OutboundRequest>>,
    answers: Mutex<VecDeque<Result<u16, OutboundError>>>,
}

impl Transport for Line {
    fn send(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>> {
        self.sent.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Ok(200));
        Box::pin(async move {
            let status = answer?;
            let body = b"a secret answer".to_vec();
            Ok(OutboundAnswer { status, headers: HeaderMap::new(), body, tries: 1, elapsed_ms: 1 })
        })
    }
}

fn target(name: &str, url: &str) -> Target {
    Target {
        name: name.to_owned(),
        address: Address::parse(url).unwrap(),
        secret: NamedSecret::None,
        endpoint: None,
        region: "eu-west-1".to_owned(),
        access_key: NamedSecret::None,
        secret_key: NamedSecret::None,
        session_token: NamedSecret::None,
        path_style: false,
        conditional_writes: true,
    }
}

fn with_keys(target: Target) -> Target {
    let given = |text: &str| NamedSecret::Given(Secret::from(text));
    Target { access_key: given("AKIDEXAMPLE"), secret_key: given("wJalrXUtnFEMI"), ..target }
}

fn notice(target: &str) -> Notice {
    Notice {
        target: target.to_owned(),
        id: DeliveryId::parse("0192d1e8-7b7a-7c3e-8f00-000000000000").unwrap(),
        kind: NoticeKind::RecordStream,
        order_key: "stream mem-1".to_owned(),
        body: Document::parse("{\"a\":1.50,\n\"b\":\"two\\nlines\"}").unwrap(),
        attempt: 3,
        created_at: Timestamp::clamped(1_752_235_548_250),
        at: Timestamp::clamped(1_752_235_550_900),
    }
}

struct World {
    targets: Targets,
    line: Arc<Line>,
    runtime: tokio::runtime::Runtime,
}

fn world(targets: Vec<Target>, clients: ClientTargets) -> World {
    let line = Arc::new(Line::default());
    let clock = Arc::new(ManualClock::at(Timestamp::clamped(1_752_235_550_900)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    World { targets: Targets::new(targets, clients, line.clone(), clock).unwrap(), line, runtime }
}

impl World {
    fn deliver(&self, name: &str) -> loci_model::Result<DeliveryResult> {
        self.runtime.block_on(self.targets.deliver(notice(name)))
    }

    fn put(&self, bucket: &str, key: &str) -> loci_model::Result<ObjectStoreResult> {
        self.runtime.block_on(self.targets.put(bucket, key, b"{}".to_vec()))
    }

    fn sent(&self) -> OutboundRequest {
        let sent = self.line.sent.lock().unwrap();
        let [only] = sent.as_slice() else { panic!("{sent:?}") };
        only.clone()
    }
}

fn header<'a>(request: &'a OutboundRequest, name: &str) -> Option<&'a str> {
    let found = request.headers.iter().find(|(known, _)| known.as_str() == name);
    found.map(|(_, value)| value.to_str().unwrap())
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_webhook_is_posted_and_signed() {
    let secret = NamedSecret::Given(Secret::from("one two"));
    let signed = Target { secret, ..target(ARN, "http://127.0.0.1:9/hook") };
    let world = world(vec![signed], ClientTargets::default());
    assert_eq!(world.deliver(ARN).unwrap(), DeliveryResult::Accepted);
    let sent = world.sent();
    assert_eq!((sent.method.as_str(), sent.url.as_str()), ("POST", "http://127.0.0.1:9/hook"));
    assert_eq!(
        (sent.reach, sent.retry),
        (AddressOrigin::Configured, Retry::Never),
        "the outbox repeats, in order"
    );
    let body = notice(ARN).body.as_str().as_bytes().to_vec();
    assert_eq!(sent.body, body, "byte for byte");
    let id = "0192d1e8-7b7a-7c3e-8f00-000000000000";
    let expect = Keys::read(&Secret::from("one two")).unwrap().sign(id, 1_752_235_550, &body);
    for (name, value) in [
        ("content-type", "application/json"),
        ("webhook-id", id),
        ("webhook-timestamp", "1752235550"),
        ("webhook-signature", expect.as_str()),
        ("x-loci-event", "record_stream"),
        ("x-loci-attempt", "3"),
    ] {
        assert_eq!(header(&sent, name), Some(value), "{name}");
    }
}

#[test]
fn answers_and_what_they_mean() {
    let world = world(vec![target(ARN, "https://hooks.example.org/s3cret-path")], ClientTargets::default());
    let check = |answer: Result<u16, OutboundError>, expect: Result<(), ErrorKind>| {
        world.line.answers.lock().unwrap().push_back(answer.clone());
        let got = world.deliver(ARN);
        if let Err(error) = &got {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("s3cret") && !shown.contains("a secret"), "{shown}");
        }
        assert_eq!(got.map(drop).map_err(|error| error.kind), expect, "{answer:?}");
    };
    check(Ok(200), Ok(()));
    check(Ok(204), Ok(()));
    check(Ok(301), Err(ErrorKind::Upstream));
    check(Ok(404), Err(ErrorKind::Upstream));
    check(Ok(500), Err(ErrorKind::Upstream));
    check(Ok(429), Err(ErrorKind::Throttled));
    check(Ok(503), Err(ErrorKind::Throttled));
    check(Ok(410), Err(ErrorKind::Invalid));
    check(Err(OutboundError::Timeout), Err(ErrorKind::Upstream));
    check(Err(OutboundError::Connect("refused".into())), Err(ErrorKind::Upstream));
    check(Err(OutboundError::Refused(AddressRefusal::Loopback)), Err(ErrorKind::Invalid));
}

#[test]
fn nothing_is_sent_unsigned_that_should_be_signed() {
    let missing = || NamedSecret::Missing("HOOK_SECRET".to_owned());
    let hook = Target { secret: missing(), ..target("hook", "https://h/") };
    let bucket = Target { secret_key: missing(), ..with_keys(target("bucket", "s3://b")) };
    let world = world(vec![hook, bucket], ClientTargets::default());
    for name in ["hook", "bucket"] {
        let error = world.deliver(name).unwrap_err();
        assert!(error.is_retryable() && error.message == "HOOK_SECRET is not set", "{error:?}");
    }
    assert!(world.line.sent.lock().unwrap().is_empty());
    assert!(!world.targets.known().iter().any(|target| target.signed));
}

#[test]
fn folders_and_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("file://{}", path(name).display());
    let targets = vec![target("dir", &url("dir")), target("lines", &url("all.jsonl"))];
    let world = world(targets, ClientTargets::default());
    for name in ["dir", "lines", "dir", "lines"] {
        assert_eq!(world.deliver(name).unwrap(), DeliveryResult::Accepted);
    }
    let name = "1752235548250-0192d1e8-7b7a-7c3e-8f00-000000000000.json";
    assert_eq!(files(&path("dir")), [name], "the same notification again is the same file");
    let body = notice("dir").body;
    assert_eq!(std::fs::read_to_string(path("dir").join(name)).unwrap(), body.as_str());
    let lines = std::fs::read_to_string(path("all.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2);
    for line in lines.lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), body.value().unwrap());
    }
    let key = "memory/m/actor/org%2Fann/1.json";
    let stored = world.put("dir", key).unwrap();
    assert_eq!(stored, ObjectStoreResult::At(format!("{}/memory/m/actor/org%252Fann/1.json", url("dir"))));
    assert_eq!(std::fs::read_to_string(path("dir").join(key)).unwrap(), "{}");
    for outside in ["../out.json", "/etc/out.json", "a/../../out.json"] {
        assert!(world.put("dir", outside).is_err(), "{outside}");
    }
}

#[test]
fn buckets() {
    let endpoint = Some("http://127.0.0.1:9000/".to_owned());
    let own = Target { endpoint, path_style: true, ..target("own", "s3://b/pre/") };
    let (aws, key) = (target("aws", "s3://b"), "memory/org%2Fann/1.json");
    for (entry, url, location) in [
        (own, "http://127.0.0.1:9000/b/pre/memory/org%252Fann/1.json", "s3://b/pre/memory/org%2Fann/1.json"),
        (
            aws,
            "https://b.s3.eu-west-1.amazonaws.com/memory/org%252Fann/1.json",
            "s3://b/memory/org%2Fann/1.json",
        ),
    ] {
        let name = entry.name.clone();
        let world = world(vec![with_keys(entry)], ClientTargets::default());
        assert_eq!(world.put(&name, key).unwrap(), ObjectStoreResult::At(location.to_owned()));
        let sent = world.sent();
        assert_eq!((sent.method.as_str(), sent.url.as_str(), sent.body.as_slice()), ("PUT", url, &b"{}"[..]));
        let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250711/eu-west-1/s3/aws4_request";
        assert!(header(&sent, "authorization").unwrap().starts_with(scope));
        assert!(header(&sent, "x-amz-content-sha256").is_some());
    }
    let open = world(vec![target("open", "s3://b")], ClientTargets::default());
    open.put("open", "k").unwrap();
    assert_eq!(header(&open.sent(), "authorization"), None, "without keys nothing is signed");
}

#[test]
fn streams_of_kinesis() {
    let passing = NamedSecret::Given(Secret::from("passing"));
    let stream = Target { session_token: passing, ..with_keys(target("records", "kinesis://my-stream")) };
    let world = world(vec![stream], ClientTargets::default());
    assert_eq!(world.deliver("records").unwrap(), DeliveryResult::Accepted);
    let sent = world.sent();
    assert_eq!(sent.url, "https://kinesis.eu-west-1.amazonaws.com/");
    assert_eq!(header(&sent, "x-amz-target"), Some("Kinesis_20131202.PutRecord"));
    assert_eq!(header(&sent, "content-type"), Some("application/x-amz-json-1.1"));
    assert!(header(&sent, "authorization").unwrap().contains("/eu-west-1/kinesis/aws4_request"));
    assert_eq!(header(&sent, "x-amz-security-token"), Some("passing"));
    let body: Value = serde_json::from_slice(&sent.body).unwrap();
    let data = "eyJhIjoxLjUwLAoiYiI6InR3b1xubGluZXMifQ==";
    assert_eq!(body, json!({ "StreamName": "my-stream", "Data": data, "PartitionKey": "mem-1" }));
    assert!(world.put("records", "k").is_err(), "a payload has no place in a stream");
}

#[test]
fn what_clients_may_choose() {
    let folder = tempfile::tempdir().unwrap();
    let own: PathBuf = folder.path().join("outbox");
    let inside = format!("file://{}/mine", own.display());
    let above = format!("file://{}/../other", own.display());
    let names = ["https://hooks.example.org/x", &inside, &above, "file:///etc", "s3://b", "kinesis://s", ARN];
    let closed = world(Vec::new(), ClientTargets { allowed: false, folder: own.clone() });
    assert!(names.iter().all(|name| !closed.targets.reaches(name)));
    assert_eq!(closed.deliver(names[0]).unwrap(), DeliveryResult::NoMapping);
    let open = world(Vec::new(), ClientTargets { allowed: true, folder: own.clone() });
    let reached: Vec<bool> = names.iter().map(|name| open.targets.reaches(name)).collect();
    assert_eq!(reached, [true, true, false, false, false, false, false]);
    open.deliver(names[0]).unwrap();
    let sent = open.sent();
    assert_eq!(
        (sent.reach, header(&sent, "webhook-signature")),
        (AddressOrigin::Public, None),
        "only public addresses"
    );
    assert!(matches!(open.put(&inside, "k.json").unwrap(), ObjectStoreResult::At(_)));
    assert_eq!(files(&own.join("mine")), ["k.json"]);
}

#[test]
fn a_table_that_does_not_hold() {
    let line: Arc<Line> = Arc::default();
    let make = |targets: Vec<Target>| {
        let clock = Arc::new(ManualClock::default());
        Targets::new(targets, ClientTargets::default(), line.clone(), clock).map(drop).unwrap_err().message
    };
    assert!(make(vec![target("a", "https://h/"), target("a", "https://i/")]).contains("twice"));
    let secret = NamedSecret::Given(Secret::from("whsec_!"));
    assert!(make(vec![Target { secret, ..target("a", "https://h/") }]).contains("secret of target a"));
    let many = (0..257).map(|number| target(&number.to_string(), "https://h/")).collect();
    assert!(make(many).contains("at most 256"));
}

#[test]
fn what_is_shown_of_targets() {
    let secret = NamedSecret::Given(Secret::from("s3cret"));
    let hook = Target { secret, ..target("hook", "https://user:s3cret@h/x?key=s3cret") };
    let world = world(vec![hook, with_keys(target("bucket", "s3://b/p"))], ClientTargets::default());
    let known = world.targets.known();
    let shown: Vec<_> =
        known.iter().map(|target| (target.name.as_str(), target.scheme, target.signed)).collect();
    assert_eq!(shown, [("bucket", "s3", false), ("hook", "https", true)]);
    assert!(!format!("{known:?} {:?}", world.targets).contains("s3cret"));
    assert_eq!(known[1].place, "https://h/x?…");
}
