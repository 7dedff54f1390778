//! Grants hide everything else. Two servers that differ only in data that a caller may not see must
//! answer every operation of both APIs alike, byte for byte, and the hidden data must not change.
//! The table is checked to name every operation.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use http::Request;
use loci_api::coding::task::TaskCreate;
use loci_engine::admin::{ExportCursor, ExportPart};
use loci_engine::calls::call_context::CallContext;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::ports::store::JobQuery;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId, Namespace};
use loci_products::Loci;
use loci_server::agentcore::route::{Operation, route};
use loci_server::auth::gate::Peer;
use loci_server::{DoorOptions, Doors};
use loci_testkit_ports::SeededIds;
use regex::Regex;
use serde_json::Value;

use crate::isolation_rows::{ACTOR, READER, RequestRow, TREE, WRITER};
use crate::sign::Pair;

/// Any status, as long as both servers answer alike.
pub(crate) const ANY: u16 = 0;

/// Ids that both servers know, or only the crowded one; `{name}` in a row.
type Names = Vec<(&'static str, String)>;

pub(crate) struct Server {
    runtime: tokio::runtime::Runtime,
    test: TestEngine,
    doors: Doors,
    reader: (Principal, String),
    writer: (Principal, String),
    actor: (Principal, String),
    /// The caller of tests that have their own.
    pub(crate) caller: (Principal, String),
    pub(crate) names: Names,
}

impl Server {
    /// Creates a server with a memory of alice's; with `crowded`, also with data of others, in the
    /// same memory and in another.
    fn new(crowded: bool) -> Self {
        let mut server = Self::bare();
        let mine = server.make("mine");
        server.record(&mine, "/users/alice/", "alicerecord", "alice likes green tea");
        let alice = Namespace::parse("/users/alice/").unwrap();
        let part = Grant { namespace: Some(alice), ..Grant::everything() };
        let both = [Capability::Read, Capability::Write];
        server.reader = server.key("reader", &mine, part.clone(), &both[..1]);
        server.writer = server.key("writer", &mine, part, &both);
        let actor = Grant { actor: Some(ActorId::parse("alice").unwrap()), ..Grant::everything() };
        server.actor = server.key("actor", &mine, actor, &both);
        if crowded {
            server.crowd(&mine);
        }
        // A tree is created at its first read, from the existing records.
        let tree = format!("/v1/memories/{mine}/tree?namespace=%2Fusers%2Falice%2F");
        assert_eq!(server.ask(&server.reader, "GET", &tree, "").0, 200);
        server
    }

    /// Creates an empty server.
    pub(crate) fn bare() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let test = TestEngine::new().unwrap();
        let clock = std::sync::Arc::new(test.clock());
        let ids = std::sync::Arc::new(SeededIds::new(2));
        let doors = Doors::new(test.engine(), clock, ids, DoorOptions::default());
        let nobody = (Principal { name: String::new(), grants: vec![] }, String::new());
        let (reader, writer, actor, caller) = (nobody.clone(), nobody.clone(), nobody.clone(), nobody);
        Self { runtime, test, doors, reader, writer, actor, caller, names: Vec::new() }
    }

    /// Returns a name's text.
    pub(crate) fn name(&self, name: &str) -> &str {
        &self.names.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// Returns the current time in the form of the AgentCore API.
    pub(crate) fn now_seconds(&self) -> f64 {
        (self.engine().now().millis() / 1000) as f64
    }

    pub(crate) fn amz_date(&self) -> String {
        self.engine().now().civil().strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    /// Returns a key's pair, for signatures.
    pub(crate) fn pair(&self, principal: Principal) -> Pair {
        let admin = Principal::administrator("tester");
        let key = self.runtime.block_on(self.engine().key_create(&admin, principal)).unwrap();
        Pair { id: key.id.to_string(), secret: key.secret.expose().to_owned() }
    }

    pub(crate) fn bytes(&self, body: Body) -> Vec<u8> {
        self.runtime.block_on(to_bytes(body, usize::MAX)).unwrap().to_vec()
    }

    /// Returns status and body of an external request, unchanged.
    pub(crate) fn send(&self, mut request: Request<Body>) -> (u16, Vec<u8>) {
        request.extensions_mut().insert(Peer::Network);
        let router = loci_server::router(&self.doors);
        let response = self.runtime.block_on(tower::ServiceExt::oneshot(router, request)).unwrap();
        let status = response.status().as_u16();
        (status, self.bytes(response.into_body()))
    }

    /// Returns the statuses of concurrent requests.
    pub(crate) fn send_all(&self, requests: Vec<Request<Body>>) -> Vec<u16> {
        let router = loci_server::router(&self.doors);
        let sent = requests.into_iter().map(|mut request| {
            request.extensions_mut().insert(Peer::Network);
            tower::ServiceExt::oneshot(router.clone(), request)
        });
        let answers = self.runtime.block_on(futures::future::join_all(sent));
        answers.into_iter().map(|answer| answer.unwrap().status().as_u16()).collect()
    }

    pub(crate) fn advance_s(&self, seconds: u64) {
        self.test.clock().advance_ms(seconds * 1_000);
    }

    pub(crate) fn advance_days(&self, days: u64) {
        self.test.clock().advance_ms(days * 86_400_000);
    }

    pub(crate) fn run_jobs(&self) {
        let memories = [MemoryId::parse(self.name("mine")).unwrap()];
        let outcome = self.runtime.block_on(self.engine().run_due(&memories, 10_000)).unwrap();
        assert!(outcome.complete, "{outcome:?}");
    }

    pub(crate) fn keep_text(&mut self, name: &'static str, text: String) {
        self.names.push((name, text));
    }

    /// Sends a request of the native API with an administrator's key; returns status and body.
    pub(crate) fn open(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let caller = self.key_of(Principal::administrator("tester"));
        let (status, answer) = self.ask(&caller, method, path, body);
        (status, serde_json::from_str(answer.lines().last().unwrap()).unwrap_or(Value::Null))
    }

    pub(crate) fn crowd(&mut self, mine: &str) {
        self.record(mine, "/users/bob/", "bobrecord", "bob likes green tea and a zebra");
        self.record(mine, "/users/alicex/", "nextrecord", "alicex keeps a zebra");
        let other = self.make("other");
        self.record(&other, "/users/alice/", "otherrecord", "a zebra elsewhere");
        for (actor, name) in [("bob", "event"), ("alice", "ownevent")] {
            let mode = if actor == "alice" { r#","extractionMode":"SKIP""# } else { "" };
            let body = format!(
                r#"{{"actorId":"{actor}","sessionId":"zebra","eventTimestamp":1,"payload":[{{"conversational":{{"role":"USER","content":{{"text":"the zebra event of bob"}}}}}}],"clientToken":"bobs"{mode}}}"#
            );
            let path = format!("/memories/{mine}/events");
            let made = self.admin("POST", &path, &body.replace("bobs", &format!("{actor}s")));
            self.keep(name, &made, "/event/eventId");
        }
        let memory = MemoryId::parse(mine).unwrap();
        self.task(&memory, "bob");
        let outcome = self.runtime.block_on(self.engine().run_due(&[memory], 10_000)).unwrap();
        assert!(outcome.complete && outcome.failed > 0, "the job of the team strategy fails: {outcome:?}");
        let jobs = self.admin("POST", &format!("/memories/{mine}/extractionJobs"), "{}");
        self.keep("job", &jobs, "/jobs/0/jobID");
        let batch = r#"{"clientToken":"batch","records":[{"requestIdentifier":"r","namespaces":["/users/bob/"],"content":{"text":"zebra"},"timestamp":1}]}"#;
        self.admin("POST", &format!("/memories/{mine}/memoryRecords/batchCreate"), batch);
        // Not yet extracted while the table runs.
        let later = r#"{"actorId":"bob","sessionId":"later","eventTimestamp":2,"payload":[{"conversational":{"role":"USER","content":{"text":"I keep another zebra"}}}]}"#;
        self.admin("POST", &format!("/memories/{mine}/events"), later);
    }

    fn engine(&self) -> Loci {
        self.test.engine()
    }

    /// Creates a task called `zebra` of another user, without a repository.
    fn task(&self, memory: &MemoryId, user_id: &str) {
        let standing = CallContext { memory: Some(memory.to_string()), ..CallContext::default() };
        let new = TaskCreate {
            task_id: Some("zebra".to_owned()),
            user_id: Some(user_id.to_owned()),
            description: "feed the zebra".to_owned(),
            ..TaskCreate::default()
        };
        let admin = Principal::administrator("tester");
        self.runtime.block_on(self.engine().coding.task_create(&admin, &standing, new, None)).unwrap();
    }

    pub(crate) fn make(&mut self, name: &'static str) -> String {
        let body = format!(
            r#"{{"name":"{name}","eventExpiryDuration":30,"namespaceKeys":[{{"key":"team"}}],"indexedKeys":[{{"key":"team","type":"STRING"}}],"tags":{{"owner":"zebra"}},"memoryStrategies":[{{"semanticMemoryStrategy":{{"name":"facts","namespaceTemplates":["/users/{{actorId}}/"]}}}},{{"semanticMemoryStrategy":{{"name":"teams","namespaceTemplates":["/teams/{{team}}/"]}}}}]}}"#
        );
        let made = self.admin("POST", "/memories/create", &body);
        self.keep(name, &made, "/memory/id");
        made.pointer("/memory/id").and_then(Value::as_str).unwrap().to_owned()
    }

    fn record(&mut self, memory: &str, namespace: &str, name: &'static str, text: &str) {
        let body = format!(
            r#"{{"records":[{{"requestIdentifier":"r","namespaces":["{namespace}"],"content":{{"text":"{text}"}},"timestamp":1}}]}}"#
        );
        let made = self.admin("POST", &format!("/memories/{memory}/memoryRecords/batchCreate"), &body);
        self.keep(name, &made, "/successfulRecords/0/memoryRecordId");
    }

    fn key(&self, name: &str, memory: &str, part: Grant, may: &[Capability]) -> (Principal, String) {
        let memory = Some(MemoryId::parse(memory).unwrap());
        let grant = Grant { memory, capabilities: BTreeSet::from_iter(may.iter().copied()), ..part };
        self.key_of(Principal { name: name.to_owned(), grants: vec![grant] })
    }

    pub(crate) fn key_of(&self, principal: Principal) -> (Principal, String) {
        let admin = Principal::administrator("tester");
        let key = self.runtime.block_on(self.engine().key_create(&admin, principal.clone())).unwrap();
        (principal, key.token.expose().to_owned())
    }

    pub(crate) fn keep(&mut self, name: &'static str, answer: &Value, pointer: &str) {
        let value = answer.pointer(pointer).and_then(Value::as_str);
        let value = value.unwrap_or_else(|| panic!("{name}: no {pointer} in {answer}"));
        self.names.push((name, value.to_owned()));
    }

    pub(crate) fn admin(&self, method: &str, path: &str, body: &str) -> Value {
        let request = request(method, path, body);
        let open = Ok(Some(Principal::administrator("tester")));
        let response = self.runtime.block_on(self.doors.wire.serve(open, request));
        let status = response.status();
        let bytes = self.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
        assert!(status.is_success(), "{method} {path}: {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Returns status, headers and body, without values that identify the request itself.
    pub(crate) fn ask(
        &self,
        caller: &(Principal, String),
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, String) {
        let mut request = request(method, path, body);
        let response = if path.starts_with("/v1/") {
            let bearer = format!("Bearer {}", caller.1);
            request.headers_mut().insert("authorization", bearer.parse().unwrap());
            request.extensions_mut().insert(Peer::Network);
            let router = loci_server::router(&self.doors);
            self.runtime.block_on(tower::ServiceExt::oneshot(router, request)).unwrap()
        } else {
            self.runtime.block_on(self.doors.wire.serve(Ok(Some(caller.0.clone())), request))
        };
        let status = response.status().as_u16();
        let mut shown: Vec<String> = response
            .headers()
            .iter()
            .filter(|(name, _)| !["x-amzn-requestid", "x-request-id", "date"].contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        shown.sort();
        let bytes = self.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
        shown.push(String::from_utf8(bytes.to_vec()).unwrap());
        (status, shown.join("\n"))
    }

    /// Returns all stored data as an administrator sees it: both memories, their jobs, the keys.
    fn stored(&self) -> String {
        let admin = Principal::administrator("tester");
        let engine = self.engine();
        self.runtime.block_on(async {
            let memories = engine.memory_list(&admin, None, 100).await.unwrap().items;
            let mut all = format!("{:?}", engine.key_list(&admin).await.unwrap());
            for memory in memories {
                let mut cursor = ExportCursor::Start;
                while cursor != ExportCursor::End {
                    let (lines, next) =
                        engine.export_part(&admin, &memory.id, &ExportPart::default(), cursor).await.unwrap();
                    all.push_str(&serde_json::to_string(&lines).unwrap());
                    cursor = next;
                }
                let query = JobQuery { limit: 100, ..JobQuery::default() };
                all.push_str(&format!("{:?}", engine.job_list(&admin, &memory.id, query).await.unwrap()));
            }
            all
        })
    }
}

fn request(method: &str, path: &str, body: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    request.body(Body::from(body.to_owned())).unwrap()
}

/// Inserts the crowded server's ids; `{%name}` is percent-encoded.
pub(crate) fn fill(text: &str, names: &Names) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| {
        let encoded = value.replace('#', "%23").replace(':', "%3A").replace('/', "%2F");
        text.replace(&format!("{{{name}}}"), value).replace(&format!("{{%{name}}}"), &encoded)
    })
}

/// Replaces generated ids and sealed names of states by fixed ones, except those in the request or
/// known to the server before.
fn masked(answer: &str, asked: &str, names: &Names) -> String {
    let ids = Regex::new("(mem-)?[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]{19}#[0-9a-f]{8}|at:[0-9a-f]{32}").unwrap();
    let known = |id: &str| asked.contains(id) || names.iter().any(|(_, known)| known == id);
    ids.replace_all(
        answer,
        |found: &regex::Captures<'_>| {
            if known(&found[0]) { found[0].to_owned() } else { "drawn".to_owned() }
        },
    )
    .into_owned()
}

fn run(rows: &[RequestRow], unchanged: bool, caller: fn(&Server) -> &(Principal, String)) {
    run_on(rows, unchanged, Server::new, caller);
}

/// Sends the rows to both servers. `unchanged` also requires that no stored data changes.
pub(crate) fn run_on(
    rows: &[RequestRow],
    unchanged: bool,
    make: fn(bool) -> Server,
    caller: fn(&Server) -> &(Principal, String),
) {
    let (alone, crowded) = (make(false), make(true));
    let names = &crowded.names;
    let before = crowded.stored();
    for (expect, method, path, body) in rows {
        let (path, body) = (fill(path, names), fill(body, names));
        let (status, answer) = crowded.ask(caller(&crowded), method, &path, &body);
        assert!(
            *expect == ANY || status == *expect,
            "{method} {path} {body}: {status}, not {expect}\n{answer}"
        );
        assert!(!answer.contains(r#""owner""#), "{method} {path}: tags are for administrators\n{answer}");
        let (_, expected) = alone.ask(caller(&alone), method, &path, &body);
        let asked = format!("{} {body}", path.replace("%23", "#"));
        let (answer, expected) = (masked(&answer, &asked, names), masked(&expected, &asked, &alone.names));
        assert_eq!(answer, expected, "{method} {path} {body}: what others have changes the answer");
    }
    assert!(!unchanged || crowded.stored() == before, "something has changed");
}

#[test]
fn a_reader_of_one_part_learns_of_nothing_else() {
    run(READER, true, |server| &server.reader);
}

#[test]
fn a_writer_of_one_part_changes_and_learns_of_nothing_else() {
    run(WRITER, true, |server| &server.writer);
}

#[test]
fn a_writer_of_one_tree_learns_of_no_other() {
    run(TREE, false, |server| &server.writer);
}

#[test]
fn a_writer_of_one_actor_learns_of_no_other() {
    run(ACTOR, false, |server| &server.actor);
}

#[test]
fn what_a_record_was_elsewhere_or_before_its_deletion_is_not_told() {
    let server = Server::new(true);
    let names = &server.names;
    let fill = |text: &str| fill(text, names);
    let history = fill("/v1/memories/{mine}/records/{bobrecord}/history");
    let moved =
        r#"{"records":[{"memoryRecordId":"{bobrecord}","timestamp":1,"namespaces":["/users/alice/"]}]}"#;
    server.admin("POST", &fill("/memories/{mine}/memoryRecords/batchUpdate"), &fill(moved));
    let (status, answer) = server.ask(&server.reader, "GET", &history, "");
    let shown: Value = serde_json::from_str(answer.lines().last().unwrap()).unwrap();
    assert_eq!(status, 200, "{answer}");
    for part in ["versions", "changes"] {
        let versions: Vec<&Value> =
            shown[part].as_array().unwrap().iter().map(|one| &one["version"]).collect();
        assert_eq!(versions, [2], "{part}: {answer}");
    }
    server.admin("DELETE", &fill("/memories/{mine}/memoryRecords/{bobrecord}"), "");
    let administrator = server.key("admin", names[0].1.as_str(), Grant::everything(), &[Capability::Read]);
    for (path, body) in [
        ("/v1/memories/{mine}/records:list", r#"{"states":["erased"]}"#),
        ("/v1/search", r#"{"memory":"{mine}","query":"zebra","states":["active","erased"]}"#),
    ] {
        let (status, answer) = server.ask(&administrator, "POST", &fill(path), &fill(body));
        assert_eq!(status, 400, "{path}: {answer}");
    }
}

#[test]
fn a_token_of_the_whole_memory_answers_its_first_event_whoever_it_is_of() {
    let server = Server::new(true);
    let path = fill("/memories/{mine}/events", &server.names);
    let again = r#"{"actorId":"carol","sessionId":"c","payload":[{"blob":1}],"clientToken":"bobs"}"#;
    let answer = server.admin("POST", &path, again);
    let first = &server.names.iter().find(|(name, _)| *name == "event").unwrap().1;
    assert_eq!(answer["event"]["eventId"], first.as_str());
    assert_eq!(
        (&answer["event"]["actorId"], &answer["event"]["sessionId"]),
        (&"bob".into(), &"zebra".into())
    );
}

#[test]
fn the_table_names_every_operation() {
    let server = Server::new(true);
    let plain = |path: &str| fill(path, &server.names);
    let asked = |wanted: Operation| {
        READER.iter().any(|(_, method, path, _)| {
            let path = plain(path);
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            route("", method, path, query).is_ok_and(|route| route.operation == wanted)
        })
    };
    for operation in Operation::all() {
        assert!(asked(operation), "{} is missing", operation.name());
    }
    let (_, document) = server.ask(&server.reader, "GET", "/v1/none", "");
    assert!(document.contains("/openapi.json"), "{document}");
    let router = loci_server::router(&server.doors);
    let answer = tower::ServiceExt::oneshot(router, request("GET", "/openapi.json", ""));
    let body = server.runtime.block_on(answer).unwrap().into_body();
    let bytes = server.runtime.block_on(to_bytes(body, usize::MAX)).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    for (template, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let asked = READER.iter().any(|(_, asked, path, _)| {
                asked.eq_ignore_ascii_case(method) && fits(template, path.split('?').next().unwrap())
            });
            assert!(asked, "{method} {template} is missing");
        }
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(want, have)| want.starts_with('{') || *want == have)
}
