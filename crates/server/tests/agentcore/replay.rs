//! Captured requests of unmodified clients, signed, in the number formats of both clients. The
//! responses have exactly the recorded members, each of its kind.

use std::collections::BTreeSet;

use loci_model::principal::Principal;
use serde_json::{Value, json};

use crate::isolation::Server;
use crate::sign::{Pair, Payload, Signer};

struct Captured {
    server: Server,
    memory: String,
    pair: Pair,
}

impl Captured {
    fn new() -> Self {
        let mut server = Server::bare();
        let memory = server.make("mine");
        let pair = server.pair(Principal::administrator("tester"));
        Self { server, memory, pair }
    }

    /// Sends a body exactly as captured.
    fn send(&self, path: &str, body: &str) -> (u16, Value) {
        let signer =
            Signer { pair: &self.pair, service: "bedrock-agentcore", amz_date: self.server.amz_date() };
        let path = path.replace("mem-1234567890", &self.memory);
        let body = body.replace("mem-1234567890", &self.memory);
        // Headers that the SDKs add, without effect.
        let headers = [
            ("content-type", "application/json"),
            ("amz-sdk-invocation-id", "6f6f3c1e-0d0a-4a39-9d0c-3a4e4c4b2f10"),
            ("amz-sdk-request", "attempt=1; max=3"),
            ("user-agent", "aws-sdk-js/3.1 app/strands"),
        ];
        let request = signer.request("POST", &path, &headers, body.as_bytes(), Payload::Whole);
        let (status, bytes) = self.server.send(request);
        (status, serde_json::from_slice(&bytes).unwrap())
    }
}

fn members(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Returns true for a number of seconds with at most three decimals.
fn is_epoch(value: &Value) -> bool {
    let text = value.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    value.is_number() && decimals <= 3 && !text.contains('e')
}

#[test]
fn a_captured_event_is_answered_member_by_member() {
    let captured = Captured::new();
    let check = |at: &str, token: u32, expect: Value| {
        let body = format!(
            r#"{{"actorId":"alice","sessionId":"s-1","eventTimestamp":{at},
 "payload":[{{"conversational":{{"role":"USER","content":{{"text":"I live in Seattle"}}}}}},{{"conversational":{{"role":"ASSISTANT","content":{{"text":"Noted."}}}}}}],
 "clientToken":"mem-1234567890-alice-fd62{token:04}-0-5","metadata":{{"role":{{"stringValue":"user"}}}},"extractionMode":"SKIP"}}"#
        );
        let (status, answer) = captured.send("/memories/mem-1234567890/events", &body);
        assert_eq!(status, 201, "{at}: {answer}");
        assert_eq!(members(&answer), ["event"].into());
        let event = &answer["event"];
        let mut of_event: BTreeSet<&str> = [
            "memoryId",
            "actorId",
            "sessionId",
            "eventId",
            "eventTimestamp",
            "payload",
            "branch",
            "metadata",
        ]
        .into();
        // Loci adds a member if the event's extraction mode is not the default one.
        of_event.extend(event.get("extractionMode").map(|_| "extractionMode"));
        assert_eq!(members(event), of_event, "{event}");
        assert_eq!(event["memoryId"], captured.memory.as_str());
        assert_eq!((&event["actorId"], &event["sessionId"]), (&json!("alice"), &json!("s-1")));
        let (digits, hex) = event["eventId"].as_str().unwrap().split_once('#').unwrap();
        assert!(
            digits.chars().all(|c| c.is_ascii_digit()) && hex.chars().all(|c| c.is_ascii_hexdigit()),
            "{event}"
        );
        assert!(is_epoch(&event["eventTimestamp"]), "{at}: {event}");
        assert_eq!(event["eventTimestamp"], expect, "{at}");
        assert_eq!(event["branch"], json!({ "name": "main" }));
        assert_eq!(event["metadata"], json!({ "role": { "stringValue": "user" } }));
        assert_eq!(
            event["payload"],
            json!([
                { "conversational": { "role": "USER", "content": { "text": "I live in Seattle" } } },
                { "conversational": { "role": "ASSISTANT", "content": { "text": "Noted." } } },
            ])
        );
        // A retry: another time, the first response.
        let again = body.replace(at, "1795291999");
        let (status, repeated) = captured.send("/memories/mem-1234567890/events", &again);
        assert_eq!((status, &repeated), (201, &answer), "{at}");
    };
    // JavaScript: seconds with the milliseconds of a date.
    check("1795291920", 1, json!(1795291920));
    check("1795291920.45", 2, json!(1795291920.45));
    check("1795291920.123", 3, json!(1795291920.123));
    // Python: seconds, microseconds as a float, and ISO text.
    check("1795291920.0", 4, json!(1795291920));
    check("1795291920.123456", 5, json!(1795291920.123));
    check(r#""2026-11-22T00:12:00.450000+00:00""#, 6, json!(1795306320.45));
    check(r#""2026-11-22T00:12:00Z""#, 7, json!(1795306320));
}

#[test]
fn a_captured_question_is_answered_member_by_member() {
    let captured = Captured::new();
    let event = r#"{"actorId":"alice","sessionId":"s-1","eventTimestamp":1795219200.45,"payload":[{"conversational":{"role":"USER","content":{"text":"I live in Seattle"}}}],"clientToken":"mem-1234567890-alice-fd62-0-1"}"#;
    assert_eq!(captured.send("/memories/mem-1234567890/events", event).0, 201);
    captured.server.run_jobs();
    let question = |top_k: &str, place: &str| {
        let body =
            format!(r#"{{"searchCriteria":{{"searchQuery":"where do I live","topK":{top_k}}},{place}}}"#);
        captured.send("/memories/mem-1234567890/retrieve", &body)
    };
    for place in
        [r#""namespace":"/users/alice""#, r#""namespace":"/users/alice/""#, r#""namespacePath":"/users""#]
    {
        let (status, answer) = question("5", place);
        assert_eq!((status, members(&answer)), (200, ["memoryRecordSummaries"].into()), "{answer}");
        let found = &answer["memoryRecordSummaries"][0];
        let mut of_record: BTreeSet<&str> =
            ["memoryRecordId", "content", "memoryStrategyId", "namespaces", "createdAt", "score"].into();
        // Optional members that the service returns in addition.
        of_record.extend(["metadata", "timestamp"].iter().filter(|name| found.get(name).is_some()));
        assert!(found.get("timestamp").is_none_or(is_epoch), "{found}");
        assert_eq!(members(found), of_record, "{found}");
        assert!(found["memoryRecordId"].as_str().unwrap().starts_with("mem-"), "{found}");
        assert_eq!(found["content"], json!({ "text": "I live in Seattle" }));
        assert!(found["memoryStrategyId"].as_str().unwrap().starts_with("facts-"), "{found}");
        assert_eq!(found["namespaces"], json!(["/users/alice/"]));
        assert!(is_epoch(&found["createdAt"]), "{found}");
        let score = found["score"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&score), "{found}");
    }
    let (status, answer) = question("5", r#""namespace":"/users/alicex""#);
    assert_eq!((status, &answer), (200, &json!({ "memoryRecordSummaries": [] })));
    for top_k in ["0", "-1", "2.5", "101"] {
        let (status, answer) = question(top_k, r#""namespace":"/users/alice""#);
        assert_eq!((status, &answer["__type"]), (400, &json!("ValidationException")), "{top_k}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains("topK"), "{top_k}: {answer}");
    }
}

#[test]
fn a_captured_request_with_a_wrong_signature_is_refused() {
    let mut captured = Captured::new();
    captured.pair.secret.push('x');
    let (status, answer) = captured.send("/memories/mem-1234567890/retrieve", "{}");
    assert_eq!(status, 403, "{answer}");
}
