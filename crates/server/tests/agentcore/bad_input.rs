//! Bad input on every operation of the AgentCore API. Each part of a good request is made wrong in
//! turn, by a table of variants. Every response must be the error of that kind, and nothing may be
//! stored.

use axum::body::{Body, to_bytes};
use http::Request;
use loci_engine::admin::{ExportCursor, ExportPart};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::MemoryId;
use loci_model::memory::settings::{EventLimits, MemorySettings};
use loci_model::principal::Principal;
use loci_products::Loci;
use loci_server::agentcore::route::{Operation, route};
use loci_server::agentcore::{Wire, WireSettings};
use loci_testkit_ports::SeededIds;
use serde_json::Value;

/// The maximum number of bytes in a body; large enough for one message over its limit.
const BODY_BYTES_MAX: usize = 300_000;

/// A good request for every operation: method, path, body. `{m}` is a memory, `{e}` an event, `{r}`
/// a record, `{arn}` the ARN.
const GOOD: &[(&str, &str, &str)] = &[
    (
        "POST",
        "/memories/create",
        r#"{"name":"second","description":"d","eventExpiryDuration":30,"memoryStrategies":[{"semanticMemoryStrategy":{"name":"s","namespaceTemplates":["/a/{actorId}/"],"memoryRecordSchema":{"metadataSchema":[{"key":"k","type":"STRING","extractionType":"STRICTLY_CONSISTENT"}]},"recordExpirySpecification":{"recordExpiryDurationDays":31}}}],"indexedKeys":[{"key":"k","type":"STRING"}],"namespaceKeys":[{"key":"team"}],"tags":{"a":"b"}}"#,
    ),
    ("GET", "/memories/{m}/details", ""),
    ("POST", "/memories/", r#"{"maxResults":5}"#),
    (
        "PUT",
        "/memories/{m}/update",
        r#"{"description":"d","eventExpiryDuration":31,"addIndexedKeys":[{"key":"k2","type":"NUMBER"}],"memoryStrategies":{"addMemoryStrategies":[{"summaryMemoryStrategy":{"name":"t","namespaceTemplates":["/t/{sessionId}/"]}}]}}"#,
    ),
    (
        "POST",
        "/memories/{m}/events",
        r#"{"actorId":"a","sessionId":"s","eventTimestamp":5,"payload":[{"conversational":{"role":"USER","content":{"text":"hello"}}},{"blob":"b"},{"json":{"content":"j"}}],"metadata":{"k":{"stringValue":"v"}},"branch":{"name":"main"},"extractionMode":"SKIP"}"#,
    ),
    ("GET", "/memories/{m}/actor/a/sessions/s/events/{e}", ""),
    (
        "POST",
        "/memories/{m}/actor/a/sessions/s",
        r#"{"includePayloads":true,"maxResults":5,"filter":{"branch":{"name":"main","includeParentBranches":true},"eventMetadata":[{"left":{"metadataKey":"k"},"operator":"EQUALS_TO","right":{"metadataValue":{"stringValue":"v"}}}]}}"#,
    ),
    ("DELETE", "/memories/{m}/actor/a/sessions/s/events/{e}", ""),
    ("POST", "/memories/{m}/actors", r#"{"maxResults":5}"#),
    ("POST", "/memories/{m}/actor/a/sessions", r#"{"maxResults":5,"filter":{"eventFilter":"HAS_EVENTS"}}"#),
    (
        "POST",
        "/memories/{m}/retrieve",
        r#"{"namespacePath":"/a/","maxResults":5,"searchCriteria":{"searchQuery":"hello","topK":5,"memoryStrategyId":"none","metadataFilters":[{"left":{"metadataKey":"k"},"operator":"EQUALS_TO","right":{"metadataValue":{"stringValue":"v"}}}]}}"#,
    ),
    (
        "POST",
        "/memories/{m}/memoryRecords",
        r#"{"namespace":"/a/","maxResults":5,"memoryStrategyId":"none","metadataFilters":[{"left":{"metadataKey":"k"},"operator":"EXISTS"}]}"#,
    ),
    ("GET", "/memories/{m}/memoryRecord/{r}", ""),
    ("DELETE", "/memories/{m}/memoryRecords/{r}", ""),
    (
        "POST",
        "/memories/{m}/memoryRecords/batchCreate",
        r#"{"records":[{"requestIdentifier":"i","namespaces":["/a/"],"content":{"text":"t"},"timestamp":5,"memoryStrategyId":"none","metadata":{"k":{"stringValue":"v"}}}],"recordExpirySpecification":{"recordExpiryDurationDays":31}}"#,
    ),
    (
        "POST",
        "/memories/{m}/memoryRecords/batchUpdate",
        r#"{"records":[{"memoryRecordId":"{r}","timestamp":5,"content":{"text":"t"},"namespaces":["/a/"],"sourceNamespaces":["/a/"],"memoryStrategyId":"none","metadata":{"k":{"stringValue":"v"}}}],"recordExpirySpecification":{"recordExpiryDurationDays":31}}"#,
    ),
    (
        "POST",
        "/memories/{m}/memoryRecords/batchDelete",
        r#"{"records":[{"memoryRecordId":"{r}","namespace":"/a/"}]}"#,
    ),
    (
        "POST",
        "/memories/{m}/ingest",
        r#"{"source":{"inline":{"payload":[{"conversational":{"role":"USER","content":{"text":"hello"}}},{"json":{"content":"j"}}]}},"contentTimestamp":5,"actorId":"a","sessionId":"s","metadata":{"k":{"stringValue":"v"}}}"#,
    ),
    (
        "POST",
        "/memories/{m}/extractionJobs",
        r#"{"maxResults":5,"filter":{"strategyId":"x","sessionId":"s","actorId":"a","status":"FAILED"}}"#,
    ),
    ("POST", "/memories/{m}/extractionJobs/start", r#"{"extractionJob":{"jobId":"j"}}"#),
    ("POST", "/tags/{arn}", r#"{"tags":{"a":"b"}}"#),
    ("DELETE", "/tags/{arn}?tagKeys=a", ""),
    ("GET", "/tags/{arn}", ""),
    ("DELETE", "/memories/{m}/delete", ""),
];

/// Members whose text has a pattern or is one of a list, at any position.
const PATTERNED: &[&str] = &[
    "name",
    "actorId",
    "sessionId",
    "role",
    "operator",
    "type",
    "extractionType",
    "extractionMode",
    "eventFilter",
    "status",
    "namespace",
    "namespacePath",
    "namespaces",
    "namespaceTemplates",
    "sourceNamespaces",
    "memoryStrategyId",
    "memoryRecordId",
    "requestIdentifier",
    "key",
    "metadataKey",
];

struct Server {
    runtime: tokio::runtime::Runtime,
    _test: TestEngine,
    engine: Loci,
    wire: Wire,
    memory: MemoryId,
    names: Vec<(&'static str, String)>,
}

impl Server {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let test = TestEngine::new().unwrap();
        let engine = test.engine();
        let settings = WireSettings { body_bytes_max: BODY_BYTES_MAX, ..WireSettings::default() };
        let clock = std::sync::Arc::new(test.clock());
        let wire = Wire::new(engine.engine.clone(), clock, std::sync::Arc::new(SeededIds::new(2)), settings);
        let memory = MemoryId::parse("none-0000000000").unwrap();
        let mut server = Self { runtime, _test: test, engine, wire, memory, names: Vec::new() };
        let create = r#"{"name":"first","eventExpiryDuration":30,"indexedKeys":[{"key":"k","type":"STRING"}],"memoryStrategies":[{"semanticMemoryStrategy":{"name":"facts","namespaceTemplates":["/a/"]}}]}"#;
        let made = server.good("POST", "/memories/create", create);
        let id = server.keep("m", &made, "/memory/id");
        server.memory = MemoryId::parse(id).unwrap();
        let arn = server.keep("arn", &made, "/memory/arn").replace(':', "%3A").replace('/', "%2F");
        server.names.retain(|(name, _)| *name != "arn");
        server.names.push(("arn", arn));
        let event = r#"{"actorId":"a","sessionId":"s","eventTimestamp":1,"payload":[],"metadata":{"k":{"stringValue":"v"}}}"#;
        let made = server.good("POST", "/memories/{m}/events", event);
        let event = server.keep("e", &made, "/event/eventId").replace('#', "%23");
        server.names.retain(|(name, _)| *name != "e");
        server.names.push(("e", event));
        let record = r#"{"records":[{"requestIdentifier":"r","namespaces":["/a/"],"content":{"text":"hello"},"timestamp":1,"metadata":{"k":{"stringValue":"v"}}}]}"#;
        let made = server.good("POST", "/memories/{m}/memoryRecords/batchCreate", record);
        server.keep("r", &made, "/successfulRecords/0/memoryRecordId");
        server
    }

    fn keep(&mut self, name: &'static str, answer: &Value, pointer: &str) -> String {
        let value = answer.pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
        self.names.push((name, value.clone()));
        value
    }

    fn fill(&self, text: &str) -> String {
        self.names
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Returns status, error type and body.
    fn send(&self, method: &str, path: &str, body: Vec<u8>) -> (u16, String, Value) {
        let request = Request::builder().method(method).uri(path).body(Body::from(body)).unwrap();
        let open = Ok(Some(Principal::administrator("tester")));
        let response = self.runtime.block_on(self.wire.serve(open, request));
        let status = response.status().as_u16();
        let error =
            response.headers().get("x-amzn-errortype").map(|value| value.to_str().unwrap().to_owned());
        let body = self.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
        (status, error.unwrap_or_default(), serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    fn good(&self, method: &str, path: &str, body: &str) -> Value {
        let (status, _, answer) = self.send(method, &self.fill(path), self.fill(body).into_bytes());
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// Checks a rejection with that reason.
    fn refused(&self, method: &str, path: &str, body: &[u8], reason: &str) {
        let (status, error, answer) = self.send(method, path, body.to_vec());
        let shown: String = String::from_utf8_lossy(body).chars().take(400).collect();
        assert_eq!(
            (status, error.as_str()),
            (400, "ValidationException"),
            "{method} {path} {shown}: {answer}"
        );
        assert_eq!(answer["reason"], reason, "{method} {path} {shown}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
    }

    fn stored(&self) -> String {
        let admin = Principal::administrator("tester");
        self.runtime.block_on(async {
            let mut all = String::new();
            for memory in self.engine.memory_list(&admin, None, 100).await.unwrap().items {
                let mut cursor = ExportCursor::Start;
                while cursor != ExportCursor::End {
                    let (lines, next) = self
                        .engine
                        .export_part(&admin, &memory.id, &ExportPart::default(), cursor)
                        .await
                        .unwrap();
                    all.push_str(&serde_json::to_string(&lines).unwrap());
                    cursor = next;
                }
            }
            all
        })
    }

    fn strict(&self) {
        let admin = Principal::administrator("tester");
        let settings = MemorySettings { event_limits: EventLimits::Strict, ..MemorySettings::default() };
        self.runtime.block_on(self.engine.memory_settings_put(&admin, &self.memory, settings)).unwrap();
    }
}

/// Collects every position in a JSON value, as a pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let at = format!("{at}/{name}");
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let at = format!("{at}/{index}");
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the body with raw JSON text at one position.
fn with(body: &Value, place: &str, raw: &str) -> String {
    let mut changed = body.clone();
    *changed.pointer_mut(place).unwrap() = Value::from("@here@");
    changed.to_string().replace("\"@here@\"", raw)
}

/// Returns the name of the member at a position; items belong to their list.
fn member(place: &str) -> &str {
    place.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap()
}

/// Returns the wrong variants for a position of a good body, with the expected reason.
fn wrong(place: &str, value: &Value) -> Vec<(String, &'static str)> {
    let is_document = member(place) == "blob" || place.ends_with("/json/content");
    let mut ways = Vec::new();
    let mut way = |raw: &str, reason| ways.push((raw.to_owned(), reason));
    match value {
        Value::String(_) => {
            if !is_document {
                for raw in ["7", "true", "[]", "{}"] {
                    way(raw, "CannotParse");
                }
            }
        }
        Value::Number(_) => {
            for raw in ["true", "[]", "{}", r#""x""#] {
                way(raw, "CannotParse");
            }
            match member(place) {
                "maxResults" | "topK" | "eventExpiryDuration" | "recordExpiryDurationDays" => {
                    way("0", "FieldValidationFailed");
                    way("-1", "FieldValidationFailed");
                    way("99999999999999999999", "FieldValidationFailed");
                    way("5.5", "CannotParse");
                    way(r#""5""#, "CannotParse");
                }
                _ => {
                    way("-1", "FieldValidationFailed");
                    way("253402300800", "FieldValidationFailed");
                }
            }
        }
        Value::Bool(_) => way(r#""true""#, "CannotParse"),
        Value::Array(_) => {
            for raw in ["7", r#""x""#, "{}"] {
                way(raw, "CannotParse");
            }
        }
        Value::Object(_) => {
            for raw in ["7", r#""x""#, "[]"] {
                way(raw, "CannotParse");
            }
        }
        Value::Null => {}
    }
    if value.is_string() && PATTERNED.contains(&member(place)) {
        way(r#""""#, "FieldValidationFailed");
        way(r#""a\u0000b""#, "FieldValidationFailed");
        way(r#""a b{""#, "FieldValidationFailed");
        // A lone surrogate becomes U+FFFD, which no identifier may contain.
        way(r#""\udc00\ud800""#, "FieldValidationFailed");
        way(&format!("\"{}\"", "a".repeat(2000)), "FieldValidationFailed");
        if member(place).to_lowercase().contains("namespace") {
            for raw in [r#""/a/../b/""#, r#""/./""#, r#""/a/{/""#, r#""/a/}/""#, r#""/a/{actorId/""#] {
                way(raw, "FieldValidationFailed");
            }
            if !member(place).contains("Templates") {
                way(r#""/a/{actorId}/""#, "FieldValidationFailed");
            }
        }
    }
    ways
}

#[test]
fn every_part_of_every_request_is_checked_and_nothing_is_stored() {
    let server = Server::new();
    let before = server.stored();
    for operation in Operation::all() {
        let asked = |(method, path, _): &&(&str, &str, &str)| {
            let path = server.fill(path);
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            route("", method, path, query).is_ok_and(|route| route.operation == operation)
        };
        assert!(GOOD.iter().any(|good| asked(&good)), "{} is missing", operation.name());
    }
    for (method, path, body) in GOOD.iter().filter(|(_, _, body)| !body.is_empty()) {
        let path = server.fill(path);
        for whole in ["{", "[]", "7", "\"x\"", "null", "{\"a\":\"\u{0}\"}", "{} {}", "\u{0}"] {
            server.refused(method, &path, whole.as_bytes(), "CannotParse");
        }
        server.refused(method, &path, b"{\"a\":\"\xff\"}", "CannotParse");
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(BODY_BYTES_MAX));
        server.refused(method, &path, large.as_bytes(), "FieldValidationFailed");
        let body: Value = serde_json::from_str(&server.fill(body)).unwrap();
        let mut all = Vec::new();
        places(&body, "", &mut all);
        for place in &all {
            for (raw, reason) in wrong(place, body.pointer(place).unwrap()) {
                server.refused(method, &path, with(&body, place, &raw).as_bytes(), reason);
            }
        }
        if body.get("maxResults").is_some() {
            let mut body = body.clone();
            body["nextToken"] = Value::from("0123456789abcdefffff");
            server.refused(method, &path, body.to_string().as_bytes(), "FieldValidationFailed");
        }
        if let Some(records) = body.get("records").and_then(Value::as_array) {
            let many = serde_json::json!({ "records": vec![records[0].clone(); 101] });
            server.refused(method, &path, many.to_string().as_bytes(), "FieldValidationFailed");
            let twice = serde_json::json!({ "records": vec![records[0].clone(); 2] });
            server.refused(method, &path, twice.to_string().as_bytes(), "FieldValidationFailed");
        }
    }
    assert_eq!(server.stored(), before, "something was stored");
}

#[test]
fn every_part_of_every_path_is_checked() {
    let server = Server::new();
    let before = server.stored();
    for (method, path, body) in GOOD {
        let (path, query) =
            path.split_once('?').map_or((*path, String::new()), |(path, query)| (path, format!("?{query}")));
        let segments: Vec<String> = path.split('/').map(|segment| server.fill(segment)).collect();
        for (at, segment) in path.split('/').enumerate() {
            if !(segment.starts_with('{') || ["a", "s"].contains(&segment)) {
                continue;
            }
            let long = "a".repeat(2000);
            for (bad, reason) in [
                ("a%00b", "FieldValidationFailed"),
                ("%2E%2E", "FieldValidationFailed"),
                ("a%2F..%2Fb", "FieldValidationFailed"),
                ("%7BactorId%7D", "FieldValidationFailed"),
                ("%20", "FieldValidationFailed"),
                (&long, "FieldValidationFailed"),
                ("%ff", "CannotParse"),
                ("%ED%A0%80", "CannotParse"),
            ] {
                let mut changed = segments.clone();
                changed[at] = bad.to_owned();
                server.refused(
                    method,
                    &format!("{}{query}", changed.join("/")),
                    server.fill(body).as_bytes(),
                    reason,
                );
            }
        }
    }
    for (method, path) in [
        ("GET", "/memories/{m}/memoryRecord/{r}?namespace=%2Fa%2F..%2F"),
        ("GET", "/memories/{m}/memoryRecord/{r}?namespace="),
        ("DELETE", "/memories/{m}/memoryRecords/{r}?namespace=%2F%7BactorId%7D%2F"),
        ("GET", "/memories/{m}/details?view=all"),
        ("DELETE", "/tags/{arn}"),
        ("DELETE", "/tags/{arn}?tagKeys=%00"),
    ] {
        server.refused(method, &server.fill(path), b"", "FieldValidationFailed");
    }
    let token = format!("/memories/{}/delete?clientToken={}", server.memory, "x".repeat(501));
    server.refused("DELETE", &token, b"", "FieldValidationFailed");
    assert_eq!(server.stored(), before, "something was stored");
}

#[test]
fn what_no_pattern_says_is_refused_too() {
    let server = Server::new();
    let before = server.stored();
    let long = |count: usize| "x".repeat(count);
    let record = |inner: &str| {
        format!(r#"{{"records":[{{"requestIdentifier":"i","namespaces":["/a/"],"timestamp":1,{inner}}}]}}"#)
    };
    let create = |inner: &str| format!(r#"{{"name":"second","eventExpiryDuration":30,{inner}}}"#);
    let batch = "/memories/{m}/memoryRecords/batchCreate";
    for (path, body) in [
        (batch, record(&format!(r#""content":{{"text":"{}"}}"#, long(16_001)))),
        (batch, record(r#""content":{"text":""}"#)),
        (batch, record(r#""content":{}"#)),
        (batch, record(r#""content":{"text":"t"},"metadata":{}"#)),
        (batch, record(r#""content":{"text":"t"},"metadata":{"k":{"dateTimeValue":1}}"#)),
        (batch, record(r#""content":{"text":"t"},"metadata":{"x-amz-agentcore-memory-createdAt":{"stringValue":"v"}}"#)),
        (batch, record(r#""content":{"text":"t"},"metadata":{"k{":{"stringValue":"v"}}"#)),
        (batch, record(r#""content":{"text":"t"},"metadata":{"k":{"stringValue":"v","numberValue":1}}"#)),
        (batch, r#"{"records":[],"recordExpirySpecification":{"action":"REMOVE"}}"#.to_owned()),
        (batch, r#"{"records":[],"recordExpirySpecification":{"recordExpiryDurationDays":30}}"#.to_owned()),
        (batch, format!(r#"{{"records":[],"clientToken":"{}"}}"#, long(1025))),
        ("/memories/create", create(&format!(r#""description":"{}""#, long(4097)))),
        ("/memories/create", create(r#""memoryStrategies":[{"semanticMemoryStrategy":{"name":"s","namespaces":["/a/"],"namespaceTemplates":["/b/"]}}]"#)),
        ("/memories/create", create(r#""memoryStrategies":[{"semanticMemoryStrategy":{"name":"s","namespaces":["/{nobody}/"]}}]"#)),
        ("/memories/create", create(r#""memoryStrategies":[{"summaryMemoryStrategy":{"name":"s","namespaces":["/a/"]}}]"#)),
        ("/memories/create", create(r#""memoryStrategies":[{"customMemoryStrategy":{"name":"s"}}]"#)),
        ("/memories/create", create(r#""namespaceKeys":[{"key":"actorId"}]"#)),
        ("/memories/create", create(r#""namespaceKeys":[{"key":"team","validation":{"regexPattern":"("}}]"#)),
        ("/memories/{m}/events", r#"{"actorId":"a","payload":[{"conversational":{"role":"USER","content":{"text":"x"}},"blob":1}]}"#.to_owned()),
        ("/memories/{m}/events", r#"{"actorId":"a","payload":[{}]}"#.to_owned()),
        ("/memories/{m}/events", r#"{"actorId":"a","payload":[null]}"#.to_owned()),
        ("/memories/{m}/events", r#"{"actorId":"a","payload":[],"branch":{"name":"b"}}"#.to_owned()),
        ("/memories/{m}/events", r#"{"actorId":"a","payload":[],"extractionConfig":{"namespaceVariables":{"team":"x"}}}"#.to_owned()),
        ("/memories/{m}/ingest", r#"{"source":{"inline":{"payload":[]}},"contentTimestamp":1,"actorId":"a"}"#.to_owned()),
        ("/memories/{m}/ingest", r#"{"source":{"inline":{"payload":[{"blob":1}]}},"contentTimestamp":1,"actorId":"a"}"#.to_owned()),
        ("/memories/{m}/retrieve", r#"{"searchCriteria":{"searchQuery":"x"}}"#.to_owned()),
        ("/memories/{m}/retrieve", r#"{"namespace":"/a/","namespacePath":"/a/","searchCriteria":{"searchQuery":"x"}}"#.to_owned()),
        ("/memories/{m}/retrieve", r#"{"namespace":"/a/","searchCriteria":{"searchQuery":""}}"#.to_owned()),
        ("/memories/{m}/retrieve", r#"{"namespace":"/a/","searchCriteria":{"searchQuery":"x","topK":101}}"#.to_owned()),
        ("/memories/{m}/retrieve", r#"{"namespace":"/a/","searchCriteria":{"searchQuery":"x","metadataFilters":[{"left":{"metadataKey":"k"},"operator":"CONTAINS","right":{"metadataValue":{"stringValue":"v"}}}]}}"#.to_owned()),
        ("/memories/{m}/memoryRecords", r#"{"namespace":"/a/","metadataFilters":[{"left":{"metadataKey":"other"},"operator":"EXISTS"}]}"#.to_owned()),
        ("/memories/{m}/actor/a/sessions/s", r#"{"filter":{"eventMetadata":[{"left":{"metadataKey":"k"},"operator":"EXISTS","right":{"metadataValue":{"stringValue":"v"}}}]}}"#.to_owned()),
        ("/memories/{m}/actor/a/sessions/s", r#"{"filter":{"eventMetadata":[{"left":{"metadataKey":"k"},"operator":"EQUALS_TO"}]}}"#.to_owned()),
        ("/tags/{arn}", format!(r#"{{"tags":{{"a":"{}"}}}}"#, long(257))),
        ("/tags/{arn}", format!(r#"{{"tags":{{"{}":"a"}}}}"#, long(129))),
        ("/tags/{arn}", r#"{"tags":{"loci:profile":"no-such"}}"#.to_owned()),
    ] {
        server.refused("POST", &server.fill(path), server.fill(&body).as_bytes(), "FieldValidationFailed");
    }
    assert_eq!(server.stored(), before, "something was stored");
}

#[test]
fn ids_that_name_nothing() {
    let server = Server::new();
    let unknown = "mem-00000000-0000-0000-0000-000000000000";
    for (method, path, body) in
        GOOD.iter().filter(|(_, path, _)| path.contains("{m}") || path.contains("{arn}"))
    {
        let arn = "arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A000000000000%3Amemory%2Fnothing-0000000000";
        let path = server.fill(&path.replace("{m}", "nothing-0000000000").replace("{arn}", arn));
        let (status, error, answer) = server.send(method, &path, server.fill(body).into_bytes());
        assert_eq!((status, error.as_str()), (404, "ResourceNotFoundException"), "{method} {path}: {answer}");
    }
    for (method, path, body, expect) in [
        ("GET", "/memories/{m}/actor/a/sessions/s/events/1%23a".to_owned(), "", 404),
        ("GET", "/memories/{m}/actor/b/sessions/s/events/{e}".to_owned(), "", 404),
        ("DELETE", "/memories/{m}/actor/a/sessions/t/events/{e}".to_owned(), "", 404),
        ("GET", format!("/memories/{{m}}/memoryRecord/{unknown}"), "", 404),
        ("DELETE", format!("/memories/{{m}}/memoryRecords/{unknown}"), "", 404),
        ("POST", "/memories/{m}/actor/nobody/sessions/s".to_owned(), "", 200),
        ("POST", "/memories/{m}/actor/nobody/sessions".to_owned(), "", 200),
        (
            "POST",
            "/memories/{m}/extractionJobs/start".to_owned(),
            r#"{"extractionJob":{"jobId":"a\u0000b"}}"#,
            404,
        ),
        (
            "POST",
            "/memories/{m}/memoryRecords".to_owned(),
            r#"{"namespacePath":"/","memoryStrategyId":"nothing-0000000000"}"#,
            404,
        ),
        (
            "POST",
            "/memories/{m}/retrieve".to_owned(),
            r#"{"namespacePath":"/","searchCriteria":{"searchQuery":"x","memoryStrategyId":"nothing-0000000000"}}"#,
            404,
        ),
        (
            "PUT",
            "/memories/{m}/update".to_owned(),
            r#"{"memoryStrategies":{"deleteMemoryStrategies":[{"memoryStrategyId":"nothing-0000000000"}]}}"#,
            404,
        ),
    ] {
        let (status, _, answer) = server.send(method, &server.fill(&path), body.as_bytes().to_vec());
        assert_eq!(status, expect, "{method} {path} {body}: {answer}");
    }
}

#[test]
fn event_content_over_a_limit_is_stored_unless_the_memory_is_strict() {
    let long = |count: usize| "x".repeat(count);
    let event = |inner: &str| format!(r#"{{"actorId":"a","sessionId":"s","eventTimestamp":5,{inner}}}"#);
    let text =
        |text: &str| format!(r#"{{"conversational":{{"role":"USER","content":{{"text":"{text}"}}}}}}"#);
    let metadata = |key: &str, value: &str| {
        format!(r#""payload":[],"metadata":{{"{key}":{{"stringValue":"{value}"}}}}"#)
    };
    let keys: Vec<String> = (0..16).map(|key| format!(r#""k{key}":{{"stringValue":"v"}}"#)).collect();
    let events = [
        event(&format!(r#""payload":[{}]"#, text(&long(100_001)))),
        event(&format!(r#""payload":[{}]"#, text(""))),
        event(&format!(r#""payload":[{}]"#, vec![text("x"); 101].join(","))),
        event(&format!(r#""payload":[{{"json":{{"content":"{}"}}}}]"#, long(102_401))),
        event(&format!(r#""payload":[],"metadata":{{{}}}"#, keys.join(","))),
        event(&metadata("k", &long(257))),
        event(&metadata("k", "{}")),
        event(&metadata("k{", "v")),
        event(&metadata(&long(129), "v")),
    ];
    let ingest = |payload: &str| {
        format!(r#"{{"source":{{"inline":{{"payload":[{payload}]}}}},"contentTimestamp":5,"actorId":"a"}}"#)
    };
    let mut rows: Vec<(&str, String)> = events.map(|body| ("/memories/{m}/events", body)).into();
    rows.push(("/memories/{m}/ingest", ingest(&text(&long(100_001)))));
    rows.push(("/memories/{m}/ingest", ingest(&vec![text("x"); 101].join(","))));
    let query = format!(r#"{{"namespacePath":"/","searchCriteria":{{"searchQuery":"{}"}}}}"#, long(10_001));
    rows.push(("/memories/{m}/retrieve", query));
    let server = Server::new();
    server.strict();
    let before = server.stored();
    for (path, body) in &rows {
        server.refused("POST", &server.fill(path), body.as_bytes(), "FieldValidationFailed");
    }
    assert_eq!(server.stored(), before, "something was stored");
    let lenient = Server::new();
    for (path, body) in &rows {
        lenient.good("POST", path, body);
    }
}

#[test]
fn null_members_are_absent() {
    let server = Server::new();
    let event =
        |payload: &str| format!(r#"{{"actorId":"a","sessionId":null,"payload":[{payload}],"branch":null}}"#);
    let text = r#""conversational":{"role":"USER","content":{"text":"hello"}}"#;
    for (payload, expect) in [
        (r#"{"blob":null}"#.to_owned(), serde_json::json!({"blob":null})),
        (
            format!(r#"{{{text},"blob":null,"json":null}}"#),
            serde_json::json!({"conversational":{"role":"USER","content":{"text":"hello"}}}),
        ),
    ] {
        let answer = server.good("POST", "/memories/{m}/events", &event(&payload));
        assert_eq!(answer["event"]["payload"], Value::from(vec![expect]), "{payload}");
    }
}

#[test]
fn half_letters_become_one_whole_sign_and_the_caller_is_warned() {
    let server = Server::new();
    let create = |payload: &str| {
        let body = format!(r#"{{"actorId":"a","sessionId":"h","eventTimestamp":5,"payload":[{payload}]}}"#);
        let request = Request::builder().method("POST").uri(server.fill("/memories/{m}/events"));
        let request = request.body(Body::from(body)).unwrap();
        let open = Ok(Some(Principal::administrator("tester")));
        let response = server.runtime.block_on(server.wire.serve(open, request));
        let warnings =
            response.headers().get("x-loci-warnings").map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(response.status(), 201, "{payload}");
        let bytes = server.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        (answer["event"]["payload"][0].clone(), warnings)
    };
    let said =
        |text: &str| format!(r#"{{"conversational":{{"role":"USER","content":{{"text":"{text}"}}}}}}"#);
    let warned = Some("lone_surrogate_replaced".to_owned());
    for (payload, expect, warnings) in [
        (said(r"whole \ud83d\ude00"), said("whole 😀"), None),
        (said(r"cut \ud83d"), said("cut \u{fffd}"), warned.clone()),
        (r#"{"blob":{"a":"cut \ude00"}}"#.to_owned(), r#"{"blob":{"a":"cut \ufffd"}}"#.to_owned(), warned),
    ] {
        let expect: Value = serde_json::from_str(&expect).unwrap();
        assert_eq!(create(&payload), (expect, warnings), "{payload}");
    }
}

#[test]
fn documents_come_back_byte_for_byte() {
    let server = Server::new();
    let mut tokens = 0;
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    for document in [
        r#"{"b":1.50,"a":[1,null],"b":"twice"}"#,
        r#""\ud83d\ude00 \u0000""#,
        "1e400",
        "-0.0",
        "123456789012345678901234567890",
        "null",
        r#"{"$serde_json::private::Number":"x"}"#,
        r#"{"$serde_json::private::RawValue":"[1, 2]"}"#,
        &deep,
    ] {
        for item in [format!(r#"{{"blob":{document}}}"#), format!(r#"{{"json":{{"content":{document}}}}}"#)] {
            let body = format!(
                r#"{{"actorId":"a","sessionId":"d","eventTimestamp":5,"payload":[{item}],"clientToken":"t"}}"#
            );
            // The second use of a token replays the stored response.
            tokens += 1;
            let token = format!("t{tokens}");
            let body = body.replace(r#""t"}"#, &format!("\"{token}\"}}"));
            for _ in 0..2 {
                let request = Request::builder().method("POST").uri(server.fill("/memories/{m}/events"));
                let request = request.body(Body::from(body.clone())).unwrap();
                let open = Ok(Some(Principal::administrator("tester")));
                let response = server.runtime.block_on(server.wire.serve(open, request));
                let status = response.status();
                let bytes = server.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
                let answer = String::from_utf8(bytes.to_vec()).unwrap();
                let shown: String = answer.chars().take(300).collect();
                assert_eq!(status, 201, "{shown}");
                assert!(answer.contains(&item), "{item:.80}: {shown}");
            }
        }
        let ingest = format!(
            r#"{{"source":{{"inline":{{"payload":[{{"json":{{"content":{document}}}}}]}}}},"contentTimestamp":5,"actorId":"a","clientToken":"i{tokens}"}}"#
        );
        server.good("POST", "/memories/{m}/ingest", &ingest);
    }
}
