//! Tests of the constraint table against requests, one line per rule.

use loci_model::memory::settings::EventLimits;
use proptest::prelude::*;

use super::check;
use super::refusal::{Reason, Refusal};
use super::scalars::PATTERNS;
use crate::agentcore::route::{Operation, Route, route};

fn at(method: &str, path: &str) -> Route {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    route("", method, path, query).unwrap()
}

fn checked(method: &str, path: &str, body: &str, limits: EventLimits) -> Result<(), Refusal> {
    check(&at(method, path), body.as_bytes(), limits).map(|_| ())
}

fn refusal(method: &str, path: &str, body: &str) -> Refusal {
    checked(method, path, body, EventLimits::Strict).unwrap_err()
}

#[test]
fn every_pattern_compiles() {
    for pattern in PATTERNS {
        assert!(pattern.regex().is_some(), "{}", pattern.shown);
    }
}

#[test]
fn the_message_is_awss() {
    let found = refusal("POST", "/memories/m-abcdefghij/actors", r#"{"maxResults":101}"#);
    assert_eq!(found.reason, Reason::FieldValidationFailed);
    assert_eq!(
        found.message,
        "1 validation error detected: Value at 'maxResults' failed to satisfy constraint: \
         Member must have value less than or equal to 100"
    );
    assert_eq!(found.fields.len(), 1);
    let found = refusal("POST", "/memories/create", r#"{"name":"9","eventExpiryDuration":2}"#);
    assert!(found.message.starts_with("2 validation errors detected: Value at 'name' "), "{}", found.message);
    assert_eq!(found.fields[1].name, "eventExpiryDuration");
}

const EVENT: &str = "/memories/shop-abcdefghij/events";
const LIST: &str = "/memories/shop-abcdefghij/actor/a/sessions/s";
const RETRIEVE: &str = "/memories/shop-abcdefghij/retrieve";
const CREATE: &str = "/memories/create";
const BATCH: &str = "/memories/shop-abcdefghij/memoryRecords/batchCreate";

/// Returns an event with these members in addition to the required ones.
fn event(members: &str) -> String {
    format!(r#"{{"actorId":"a","eventTimestamp":1,"payload":[]{members}}}"#)
}

fn payload(item: &str) -> String {
    format!(r#"{{"actorId":"a","eventTimestamp":1,"payload":[{item}]}}"#)
}

fn memory(members: &str) -> String {
    format!(r#"{{"name":"n","eventExpiryDuration":30{members}}}"#)
}

fn strategy(members: &str) -> String {
    memory(&format!(r#","memoryStrategies":[{members}]"#))
}

#[test]
fn good_requests_pass() {
    let text = |n: usize| "é".repeat(n);
    for (method, path, body) in [
        ("POST", EVENT, event("")),
        ("POST", EVENT, event(r#","sessionId":null,"branch":null,"unknown":{"x":[1]},"clientToken":"a/b:c""#)),
        ("POST", EVENT, payload(&format!(r#"{{"conversational":{{"role":"USER","content":{{"text":"{}"}}}}}}"#, text(100_000)))),
        ("POST", EVENT, payload(r#"{"blob":null},{"blob":"s"},{"json":{"content":[1,{}]}},{"blob":1.50}"#)),
        ("POST", EVENT, r#"{"actorId":"vercel/next.js","payload":[],"eventTimestamp":"2026-01-01T00:00:00Z"}"#.into()),
        ("POST", EVENT, event(r#","metadata":{"a b":{"stringValue":""}},"extractionConfig":{"namespaceVariables":{"team":"a-1"}}"#)),
        ("POST", LIST, String::new()),
        ("POST", LIST, "{}".into()),
        ("POST", LIST, r#"{"filter":{"branch":{"name":"main"},"eventMetadata":[{"left":{"metadataKey":"k"},"operator":"EXISTS"}]}}"#.into()),
        ("POST", "/memories/arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A123456789012%3Amemory%2Fm-abcdefghij/events", event("")),
        ("GET", "/memories/m-abcdefghij/details?view=without_decryption", String::new()),
        ("POST", RETRIEVE, r#"{"namespace":"/","searchCriteria":{"searchQuery":"q","topK":100}}"#.into()),
        ("POST", RETRIEVE, format!(r#"{{"namespacePath":"/a:b/c.d*","searchCriteria":{{"searchQuery":"{}"}}}}"#, text(10_000))),
        ("POST", CREATE, memory("")),
        ("POST", CREATE, memory(r#","tags":{},"namespaceKeys":[],"streamDeliveryResources":{"resources":[]}"#)),
        ("POST", CREATE, strategy(r#"{"semanticMemoryStrategy":{"name":"s","namespaces":["/x/{actorId}/"]}}"#)),
        ("POST", CREATE, strategy(r#"{"customMemoryStrategy":{"name":"s","configuration":{"selfManagedConfiguration":{"invocationConfiguration":{"topicArn":"https://h/x","payloadDeliveryBucketName":"bucket"}}}}}"#)),
        ("POST", BATCH, r#"{"records":[]}"#.into()),
        ("POST", BATCH, r#"{"records":[{"requestIdentifier":"r","namespaces":[],"content":{"text":"t"},"timestamp":1}]}"#.into()),
        ("DELETE", "/tags/arn%3Aaws%3Abedrock-agentcore%3Ar%3A000000000000%3Amemory%2Fm-abcdefghij?tagKeys=a", String::new()),
    ] {
        assert_eq!(checked(method, path, &body, EventLimits::Strict), Ok(()), "{path} {}", &body[..body.len().min(200)]);
    }
}

#[test]
fn each_rule_refuses_naming_its_member() {
    let many = |item: &str, n: usize| vec![item; n].join(",");
    let prompt = "p".repeat(30_001);
    for (path, body, name) in [
        (EVENT, event(r#","actorId":"{a}""#).replacen(r#""actorId":"a","#, "", 1), "actorId"),
        (EVENT, r#"{"actorId":"a/../b","payload":[]}"#.into(), "actorId"),
        (EVENT, r#"{"payload":[]}"#.into(), "actorId"),
        (EVENT, r#"{"actorId":"a"}"#.into(), "payload"),
        (EVENT, event(r#","sessionId":"a/b""#), "sessionId"),
        (EVENT, event(r#","sessionId":"a\u0000b""#), "sessionId"),
        (EVENT, event(&format!(r#","sessionId":"{}""#, "s".repeat(101))), "sessionId"),
        (EVENT, event(r#","branch":{"name":"b","rootEventId":"x"}"#), "branch.rootEventId"),
        (EVENT, event(r#","extractionMode":"NEVER""#), "extractionMode"),
        (EVENT, event(r#","extractionConfig":{"namespaceVariables":{}}"#), "extractionConfig.namespaceVariables"),
        (EVENT, event(r#","extractionConfig":{"namespaceVariables":{"Team":"a"}}"#), "extractionConfig.namespaceVariables"),
        (EVENT, event(&format!(r#","clientToken":"{}""#, "t".repeat(1025))), "clientToken"),
        (EVENT, event(r#","metadata":{"k":{"stringValue":"a*b"}}"#), "metadata.k.stringValue"),
        (EVENT, event(r#","metadata":{"k*":{"stringValue":"a"}}"#), "metadata"),
        (EVENT, event(r#","metadata":{"k":{}}"#), "metadata.k"),
        (EVENT, payload("{}"), "payload[0]"),
        (EVENT, payload("null"), "payload[0]"),
        (EVENT, payload(r#"{"blob":1,"json":{"content":1}}"#), "payload[0]"),
        (EVENT, payload(r#"{"json":{}}"#), "payload[0].json.content"),
        (EVENT, payload(r#"{"conversational":{"role":"user","content":{"text":"t"}}}"#), "payload[0].conversational.role"),
        (EVENT, payload(r#"{"conversational":{"role":"USER","content":{"text":""}}}"#), "payload[0].conversational.content.text"),
        (EVENT, payload(&many(r#"{"blob":1}"#, 101)), "payload"),
        (EVENT, payload(&format!(r#"{{"json":{{"content":"{}"}}}}"#, "x".repeat(102_400))), "payload[0].json.content"),
        (EVENT, r#"{"actorId":"a","payload":[],"eventTimestamp":-1}"#.into(), "eventTimestamp"),
        (LIST, r#"{"maxResults":0}"#.into(), "maxResults"),
        (LIST, r#"{"maxResults":99999999999999999999}"#.into(), "maxResults"),
        (LIST, r#"{"filter":{"eventMetadata":[]}}"#.into(), "filter.eventMetadata"),
        (LIST, r#"{"filter":{"eventMetadata":[{"left":{"metadataKey":"k"},"operator":"BEFORE"}]}}"#.into(), "filter.eventMetadata[0].operator"),
        (RETRIEVE, r#"{"namespace":"/"}"#.into(), "searchCriteria"),
        (RETRIEVE, r#"{"namespace":"/","searchCriteria":{"searchQuery":""}}"#.into(), "searchCriteria.searchQuery"),
        (RETRIEVE, r#"{"namespace":"/","searchCriteria":{"searchQuery":"q","topK":101}}"#.into(), "searchCriteria.topK"),
        (RETRIEVE, r#"{"namespace":"/a b/","searchCriteria":{"searchQuery":"q"}}"#.into(), "namespace"),
        (CREATE, memory(r#","description":"""#), "description"),
        (CREATE, memory(r#","encryptionKeyArn":"key""#), "encryptionKeyArn"),
        (CREATE, memory(&format!(r#","indexedKeys":[{}]"#, many(r#"{"key":"k","type":"STRING"}"#, 11))), "indexedKeys"),
        (CREATE, memory(r#","indexedKeys":[{"key":"k"}]"#), "indexedKeys[0].type"),
        (CREATE, memory(r#","namespaceKeys":[{"key":"actorId"}]"#), "namespaceKeys[0].key"),
        (CREATE, memory(r#","tags":{"k":"*"}"#), "tags.k"),
        (CREATE, strategy("{}"), "memoryStrategies[0]"),
        (CREATE, strategy(r#"{"semanticMemoryStrategy":{"name":"s","namespaces":["/a/","/b/"]}}"#), "memoryStrategies[0].semanticMemoryStrategy.namespaces"),
        (CREATE, strategy(r#"{"semanticMemoryStrategy":{"name":"s","namespaceTemplates":["/{1}/"]}}"#), "memoryStrategies[0].semanticMemoryStrategy.namespaceTemplates[0]"),
        (CREATE, strategy(r#"{"semanticMemoryStrategy":{"name":"s","recordExpirySpecification":{"recordExpiryDurationDays":30}}}"#), "memoryStrategies[0].semanticMemoryStrategy.recordExpirySpecification.recordExpiryDurationDays"),
        (CREATE, strategy(&format!(r#"{{"customMemoryStrategy":{{"name":"s","configuration":{{"semanticOverride":{{"extraction":{{"appendToPrompt":"{prompt}","modelId":"m"}}}}}}}}}}"#)), "memoryStrategies[0].customMemoryStrategy.configuration.semanticOverride.extraction.appendToPrompt"),
        (BATCH, r#"{"records":[{"requestIdentifier":"r","namespaces":["/a","/b"],"content":{"text":"t"},"timestamp":1}]}"#.into(), "records[0].namespaces"),
        (BATCH, r#"{"records":[],"recordExpirySpecification":{}}"#.into(), "recordExpirySpecification"),
    ] {
        let found = refusal("POST", path, &body);
        assert_eq!(found.reason, Reason::FieldValidationFailed, "{name}");
        assert_eq!(found.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), [name]);
    }
}

#[test]
fn wrong_types_and_broken_json_cannot_be_parsed() {
    for (path, body, name) in [
        (EVENT, "{", None),
        (EVENT, "[]", None),
        (EVENT, "\"x\"", None),
        (EVENT, "{} {}", None),
        (EVENT, "{\"a\":1,}", None),
        (LIST, r#"{"maxResults":"5"}"#, Some("maxResults")),
        (LIST, r#"{"maxResults":2.5}"#, Some("maxResults")),
        (LIST, r#"{"includePayloads":"yes"}"#, Some("includePayloads")),
        (LIST, r#"{"maxResults":1,"maxResults":2}"#, Some("maxResults")),
        (EVENT, r#"{"actorId":7,"payload":[]}"#, Some("actorId")),
        (EVENT, r#"{"actorId":"\ud800","payload":[]}"#, Some("actorId")),
        (EVENT, r#"{"actorId":"a","payload":{}}"#, Some("payload")),
        (EVENT, r#"{"actorId":"a","payload":[3]}"#, Some("payload[0]")),
        (EVENT, r#"{"actorId":"a","payload":[],"eventTimestamp":true}"#, Some("eventTimestamp")),
        (EVENT, r#"{"actorId":"a","payload":[],"metadata":[]}"#, Some("metadata")),
        (
            RETRIEVE,
            r#"{"namespace":"/","searchCriteria":{"searchQuery":"q","topK":2.5}}"#,
            Some("searchCriteria.topK"),
        ),
    ] {
        let found = refusal("POST", path, body);
        assert_eq!(found.reason, Reason::CannotParse, "{body}");
        assert_eq!(found.fields.first().map(|f| f.name.as_str()), name, "{body}");
    }
    let found = check(&at("POST", EVENT), b"{\"actorId\":\"\xff\"}", EventLimits::Lenient).unwrap_err();
    assert_eq!(found.reason, Reason::CannotParse);
}

#[test]
fn path_and_query_members_are_checked() {
    for (method, path, name) in [
        ("GET", "/memories/invalid-memory-id/details", "memoryId"),
        ("GET", "/memories/m-short/details", "memoryId"),
        ("GET", "/memories/m-abcdefghij/details?view=half", "view"),
        ("GET", "/memories/m-abcdefghij/actor/a%20b/sessions/s/events/1%23a", "actorId"),
        ("GET", "/memories/m-abcdefghij/actor/a/sessions/s%2F/events/1%23a", "sessionId"),
        ("GET", "/memories/m-abcdefghij/actor/a/sessions/s/events/1", "eventId"),
        ("GET", "/memories/m-abcdefghij/memoryRecord/mem-1", "memoryRecordId"),
        ("GET", "/memories/arn%3Ax/details", "memoryId"),
        ("GET", "/tags/arn", "resourceArn"),
        (
            "DELETE",
            "/tags/arn%3Aaws%3Abedrock-agentcore%3Ar%3A000000000000%3Amemory%2Fm-abcdefghij",
            "tagKeys",
        ),
    ] {
        let found = refusal(method, path, "");
        assert_eq!(found.fields[0].name, name, "{path}");
    }
}

#[test]
fn over_limit_event_content_passes_in_lenient_mode_only() {
    let long = "x".repeat(100_001);
    let keys: Vec<String> = (0..16).map(|n| format!(r#""k{n}":{{"stringValue":"v"}}"#)).collect();
    for (path, body) in [
        (EVENT, payload(&format!(r#"{{"conversational":{{"role":"USER","content":{{"text":"{long}"}}}}}}"#))),
        (EVENT, payload(r#"{"conversational":{"role":"USER","content":{"text":""}}}"#)),
        (EVENT, payload(&vec![r#"{"blob":1}"#; 101].join(","))),
        (
            EVENT,
            payload(
                &format!(r#"{{"json":{{"content":"{long}xxxxxx"}}}}"#)
                    .repeat(1)
                    .replace("xxxxxx\"", &format!("{}\"", "y".repeat(3000))),
            ),
        ),
        (EVENT, event(&format!(r#","metadata":{{{}}}"#, keys.join(",")))),
        (EVENT, event(&format!(r#","metadata":{{"k":{{"stringValue":"{}"}}}}"#, "v".repeat(257)))),
        (EVENT, event(r#","metadata":{"kéy*":{"stringValue":"né*"}}"#)),
        (RETRIEVE, format!(r#"{{"namespace":"/","searchCriteria":{{"searchQuery":"{long}"}}}}"#)),
    ] {
        assert_eq!(checked("POST", path, &body, EventLimits::Lenient), Ok(()), "{}", &body[..80]);
        assert!(checked("POST", path, &body, EventLimits::Strict).is_err(), "{}", &body[..80]);
    }
    for body in [
        payload("{}"),
        payload("3"),
        event(r#","metadata":{"":{"stringValue":"v"}}"#),
        event(r#","metadata":{"k":{"stringValue":1}}"#),
    ] {
        assert!(checked("POST", EVENT, &body, EventLimits::Lenient).is_err(), "{body}");
    }
}

#[test]
fn an_unresolved_placeholder_is_named() {
    let found =
        refusal("POST", RETRIEVE, r#"{"namespace":"/a/{actorId}/","searchCriteria":{"searchQuery":"q"}}"#);
    assert!(found.message.contains("{actorId} is not resolved"), "{}", found.message);
}

#[test]
fn a_refusal_never_quotes_a_value_and_stays_small() {
    let secret = "hunter2".repeat(20_000);
    let item = format!(r#"{{"conversational":{{"role":"hunter2","content":{{"text":"{secret}"}}}}}}"#);
    let found = refusal("POST", EVENT, &payload(&vec![item; 80].join(",")));
    assert!(!found.message.contains("hunter2"));
    assert_eq!(found.fields.len(), 50);
    assert!(found.message.len() < 20_000);
}

proptest! {
    #[test]
    fn arbitrary_bodies_never_panic(operation in prop::sample::select(Operation::all().collect::<Vec<_>>()), body in "[\\[\\]{}\":,a-z0-9\\\\.\\-]{0,60}") {
        let route = Route { operation, path: vec![("memoryId", body.clone())], query: vec![("view".into(), body.clone())] };
        let _ = check(&route, body.as_bytes(), EventLimits::Strict);
    }

    #[test]
    fn lengths_count_code_points(n in 0usize..120, letter in prop::sample::select(vec!["a", "é", "🏔"])) {
        let body = format!(r#"{{"name":"n","eventExpiryDuration":30,"description":"{}"}}"#, letter.repeat(n * 60));
        let good = (1..=4096).contains(&(n * 60));
        prop_assert_eq!(checked("POST", CREATE, &body, EventLimits::Strict).is_ok(), good);
    }
}
