//! Conversions of events and records in both directions, parts that do not fit, and the order of
//! branches. Other tests check the wire format with real servers.

use std::collections::BTreeSet;

use loci_api::event::Extraction;
use loci_api::memory::{Strategy, StrategyKind};
use loci_api::record::{MetadataValue, Record};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::item::{ItemTarget, Mapping};
use super::order::{OrderedEvent, ordered};
use super::shapes::{WirePayload, WireStrategy, WireTime};
use super::strategies::Strategies;
use super::{events, limits, records};

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

#[test]
fn times_of_the_wire() {
    let check = |text: &str, expect: Option<i64>| {
        assert_eq!(serde_json::from_str::<WireTime>(text).ok().map(|time| time.0), expect, "{text}");
    };
    check("1767323045.678", Some(1_767_323_045_678));
    check("1.767323045678E9", Some(1_767_323_045_678));
    check("1767323045", Some(1_767_323_045_000));
    check("0", Some(0));
    check("\"2026-01-02T03:04:05.678Z\"", Some(1_767_323_045_678));
    check("\"yesterday\"", None);
    check("null", None);
    assert_eq!(serde_json::to_string(&WireTime(1_767_323_045_007)).unwrap(), "1767323045.007");
}

#[test]
fn payloads_pass_as_they_came() {
    let check = |text: &str| {
        let read: WirePayload = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    };
    check(r#"{"conversational":{"content":{"text":"hi"},"role":"USER"}}"#);
    check(r#"{"blob":"a string"}"#);
    check(r#"{"blob":null}"#);
    check(r#"{"blob":{"z":1.10,"a":[null,1e400]}}"#);
    check(r#"{"json":{"content":{"b":1,"a":0.30}}}"#);
}

#[test]
fn branches_come_after_what_they_start_from() {
    type Told<'a> = (&'a str, Option<(&'a str, Option<&'a str>)>);
    let check = |events: &[Told<'_>], expect: &[&str], gone: &[&str]| {
        let placed = events.iter().map(|(id, branch)| OrderedEvent::of(id, *branch)).collect();
        let mut moved = BTreeSet::new();
        let order = ordered(placed, &mut moved);
        let ids: Vec<_> = order.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, expect);
        assert_eq!(moved.iter().map(String::as_str).collect::<Vec<_>>(), gone);
    };
    check(&[("2", None), ("1", None)], &["1", "2"], &[]);
    check(&[("1", Some(("b", Some("3")))), ("2", None), ("3", None)], &["2", "3", "1"], &[]);
    let chain = [("1", Some(("c", Some("2")))), ("2", Some(("b", Some("3")))), ("3", Some(("main", None)))];
    check(&chain, &["3", "2", "1"], &[]);
    check(&[("1", None), ("2", Some(("b", Some("0")))), ("3", Some(("b", None)))], &["1", "2", "3"], &["b"]);
    check(&[("2", Some(("b", Some("0"))))], &["2"], &["b"]);
    check(&[("1", Some(("a", Some("2")))), ("2", Some(("b", Some("1"))))], &["1", "2"], &[]);
}

#[test]
fn what_the_service_takes() {
    let text = |chars: usize| -> WirePayload {
        let said = json!({"conversational": {"role": "USER", "content": {"text": "é".repeat(chars)}}});
        serde_json::from_value(said).unwrap()
    };
    let document = |kind: &str, bytes: usize| -> WirePayload {
        let content = json!("x".repeat(bytes - 2));
        let said =
            if kind == "json" { json!({"json": {"content": content}}) } else { json!({"blob": content}) };
        serde_json::from_str(&said.to_string()).unwrap()
    };
    let check = |payload: Vec<WirePayload>, fits: bool| {
        assert_eq!(limits::unfit_payload(&payload).is_none(), fits);
    };
    check(vec![text(100_000)], true);
    check(vec![text(100_001)], false);
    check(vec![text(0)], false);
    check((0..100).map(|_| text(1)).collect(), true);
    check((0..101).map(|_| text(1)).collect(), false);
    check(vec![document("json", 102_400)], true);
    check(vec![document("json", 102_401)], false);
    check(vec![document("blob", 200_000)], true);
    let words = |text: &str, fits: bool| assert_eq!(limits::is_value(text, 256), fits, "{text}");
    words("a B.c_d:e/f=g+h@i-j", true);
    words("with #", false);
    words("é", false);
    words(&"x".repeat(257), false);
    assert!(limits::is_key(&"k".repeat(128)) && !limits::is_key(&"k".repeat(129)) && !limits::is_key(""));
}

#[test]
fn an_event_of_the_wire() {
    let said = json!({
        "eventId": "0000001752235548000#97f30a6b",
        "eventTimestamp": 1_752_235_548.25,
        "payload": [{"conversational": {"content": {"text": "hi"}, "role": "TOOL"}}],
        "metadata": {"kind": {"stringValue": "call"}, "loci_id": {"stringValue": "other/1"}, "import_id": {"stringValue": "x"}}
    });
    let mut mapping = Mapping::default();
    let place = events::RemoteEventPosition { memory: "m", actor: "ann", session: "s" };
    let branch = ("try".to_owned(), Some("0000001752235547000#00000001".to_owned()));
    let id = "0000001752235548000#97f30a6b";
    let item = events::item(&raw(&said), id, Some(&branch), &place, Extraction::Skip, &mut mapping).unwrap();
    assert_eq!(item.id, "m/0000001752235548000.97f30a6b");
    let ItemTarget::Event(event) = item.becomes else { panic!("no event") };
    assert_eq!(event.time.as_deref(), Some("2025-07-11T12:05:48.25Z"));
    assert_eq!(event.branch.unwrap().root.as_deref(), Some("m/0000001752235547000.00000001"));
    assert_eq!(event.metadata.keys().collect::<Vec<_>>(), ["kind"]);
    assert_eq!(mapping.lossy.len(), 1, "the source's own import_id is told");
    for odd in [json!({"picture": {}}), json!({"conversational": [{"text": "hi"}, "USER"]})] {
        let odd = json!({"eventTimestamp": 1, "payload": [odd]});
        assert!(events::item(&raw(&odd), id, None, &place, Extraction::Skip, &mut mapping).is_err(), "{odd}");
    }
}

fn strategies() -> Strategies {
    let there: Vec<WireStrategy> = serde_json::from_value(json!([
        {"strategyId": "prefs-AAAAAAAAAA", "name": "prefs", "type": "USER_PREFERENCE", "namespaces": ["/p/"]},
        {"strategyId": "other-AAAAAAAAAA", "name": "other", "type": "SEMANTIC", "namespaces": ["/o/"]}
    ]))
    .unwrap();
    let own = Strategy {
        id: "prefs-BBBBBBBBBB".to_owned(),
        kind: StrategyKind::UserPreference,
        custom: false,
        name: "prefs".to_owned(),
        description: None,
        namespace: "/p/".to_owned(),
        reflection_namespace: None,
        metadata: Vec::new(),
        record_expiry_days: None,
        created_at: String::new(),
        updated_at: String::new(),
    };
    Strategies::of(&there, &[own])
}

#[test]
fn records_of_the_wire() {
    let check = |said: Value, expect: Option<(&str, &str, Option<&str>)>| {
        let mut base = json!({"memoryRecordId": "mem-1", "content": {"text": "tea"}, "namespaces": ["/n/"], "createdAt": 1, "timestamp": 2});
        base.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        let mut mapping = Mapping::default();
        let item = records::item(&raw(&base), "/below", &strategies(), &mut mapping);
        let found = item.ok().map(|item| {
            let ItemTarget::Record(record) = item.becomes else { panic!("no record") };
            (record.namespace, record.kind.unwrap(), record.strategy)
        });
        let found =
            found.as_ref().map(|(at, kind, strategy)| (at.as_str(), kind.as_str(), strategy.as_deref()));
        assert_eq!(found, expect, "{base}");
    };
    check(json!({"memoryStrategyId": "none"}), Some(("/below/n/", "fact", None)));
    check(
        json!({"memoryStrategyId": "prefs-AAAAAAAAAA"}),
        Some(("/below/n/", "preference", Some("prefs-BBBBBBBBBB"))),
    );
    check(json!({"memoryStrategyId": "other-AAAAAAAAAA"}), Some(("/below/n/", "fact", None)));
    check(json!({"metadata": {"loci_kind": {"stringValue": "rule"}}}), Some(("/below/n/", "rule", None)));
    check(json!({"namespaces": []}), None);
    check(json!({"content": {"text": "x".repeat(16_000)}}), Some(("/below/n/", "fact", None)));
    check(json!({"content": {"text": "x".repeat(16_001)}}), None);
    check(json!({"metadata": {"odd": {"newValue": {"a": 1}}}}), None);
}

/// A record of Loci with these metadata.
fn record(metadata: &[(&str, MetadataValue)]) -> Record {
    let value = json!({
        "id": "mem-1", "memory": "m-1234567890", "version": 1, "kind": "fact", "namespace": "/n/", "text": "tea",
        "provenance": {}, "origin": "batch_created", "trust": 1.0, "state": "active",
        "valid_from": "2026-01-02T03:04:05Z", "timestamp": "2026-01-02T03:04:05Z",
        "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z"
    });
    let mut record: Record = serde_json::from_str(&value.to_string()).unwrap();
    record.metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    record
}

#[test]
fn metadata_beyond_what_fits_is_told() {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let check = |metadata: &[(&str, MetadataValue)], kept: usize, left_out: usize| {
        let mut mapping = Mapping::default();
        let call = records::call(&record(metadata), &strategies(), &mut mapping).unwrap();
        assert_eq!((call.metadata.len(), mapping.skipped.len()), (kept, left_out), "{metadata:?}");
    };
    check(&[("a", text("b"))], 1, 0);
    check(&[("a", text("#"))], 0, 1);
    check(&[("#", text("a"))], 0, 1);
    check(&[("a", MetadataValue::StringList(vec!["x".to_owned(); 5]))], 1, 0);
    check(&[("a", MetadataValue::StringList(vec!["x".to_owned(); 6]))], 0, 1);
    check(&[("a", MetadataValue::Number(1.5))], 1, 0);
    let keys: Vec<String> = (0..20).map(|number| format!("k{number:02}")).collect();
    let many: Vec<_> = keys.iter().map(|key| (key.as_str(), text("v"))).collect();
    check(&many[..19], 19, 0);
    check(&many, 19, 1);
}

#[test]
fn metadata_without_room_here_comes_back() {
    let said: serde_json::Map<String, Value> =
        (0..19).map(|number| (format!("k{number:02}"), json!({"stringValue": "v"}))).collect();
    let wire = json!({"memoryRecordId": "mem-1", "content": {"text": "tea"}, "namespaces": ["/n/"], "createdAt": 1, "timestamp": 2, "metadata": said});
    let mut mapping = Mapping::default();
    let item = records::item(&raw(&wire), "/", &strategies(), &mut mapping).unwrap();
    let ItemTarget::Record(mut create) = item.becomes else { panic!("no record") };
    assert!(create.metadata.len() <= 16, "{}", create.metadata.len());
    create.metadata.insert("import_format".to_owned(), MetadataValue::String("agentcore".to_owned()));
    let mut own = record(&[]);
    own.metadata = create.metadata;
    let call = records::call(&own, &strategies(), &mut mapping).unwrap();
    assert_eq!(Value::from(call.metadata.into_iter().collect::<serde_json::Map<_, _>>()), Value::from(said));
    assert!(mapping.skipped.is_empty(), "{:?}", mapping.skipped);
}

proptest! {
    #[test]
    fn nothing_of_the_wire_makes_a_reader_fall_over(text in ".{0,80}", key in "[a-zA-Z]{0,20}") {
        let said = json!({"memoryRecordId": text, "content": {"text": text}, "namespaces": [text], key.as_str(): text});
        let _ = records::item(&raw(&said), &text, &strategies(), &mut Mapping::default());
        let place = events::RemoteEventPosition { memory: &text, actor: &text, session: &text };
        let event = json!({"eventTimestamp": 1, key.as_str(): text, "payload": [{key.as_str(): text}]});
        let _ = events::item(&raw(&event), &text, None, &place, Extraction::Extract, &mut Mapping::default());
    }

    #[test]
    fn no_event_is_lost_in_ordering(
        edges in proptest::collection::vec((0_usize..12, 0_usize..14, 0_usize..4), 0..12)
    ) {
        let names: Vec<String> = (0..14).map(|number| format!("{number:02}")).collect();
        let events: Vec<_> = edges.iter().map(|(id, root, branch)| {
            let of_branch = (*branch > 0).then(|| (names[*branch].as_str(), Some(names[*root].as_str())));
            OrderedEvent::of(&names[*id], of_branch)
        }).collect();
        let ids: BTreeSet<_> = events.iter().map(|event| event.id.clone()).collect();
        let order = ordered(events, &mut BTreeSet::new());
        prop_assert_eq!(order.iter().map(|event| event.id.clone()).collect::<BTreeSet<_>>(), ids.clone());
        prop_assert_eq!(order.len(), ids.len());
    }
}
