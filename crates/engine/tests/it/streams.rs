//! Record streams: the exact events for followers of a memory, and their order.

use std::sync::Arc;

use loci_engine::EngineSettings;
use loci_engine::memories::{MemoryUpdate, NewMemory};
use loci_engine::records::{NewRecord, RecordDelete, RecordUpdate, RecordsCreate};
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::clock::Clock;
use loci_model::record::RecordKind;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::MetadataValue;
use loci_model::{ActorId, Document, ErrorKind, Namespace, RecordId, Timestamp};
use loci_testkit_ports::RecordingTargets;
use serde_json::{Value, json};

use crate::fixture::{World, strategy};

const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";

fn resources(arn: &str, level: Option<&str>) -> Document {
    let mut content = json!({ "type": "MEMORY_RECORDS" });
    if let Some(level) = level {
        content["level"] = json!(level);
    }
    let kinesis = json!({ "dataStreamArn": arn, "contentConfigurations": [content] });
    Document::from_value(&json!({ "resources": [{ "kinesis": kinesis }] })).unwrap()
}

fn world(level: Option<&str>) -> (World, Arc<RecordingTargets>) {
    let targets = Arc::new(RecordingTargets::default());
    let parts = targets.clone();
    let new = NewMemory {
        strategies: vec![strategy(StrategyBase::UserPreference)],
        stream: Some(resources(STREAM, level)),
        ..NewMemory::default()
    };
    let world = World::made(new, EngineSettings::default(), |made| made.deliver = Some(parts));
    (world, targets)
}

fn serve(world: &World, targets: &Arc<RecordingTargets>, events: usize) -> Vec<Value> {
    let seen = targets.clone();
    assert!(world.serve_until(move || seen.notices().len() >= events), "{:?}", targets.notices());
    let told = |notice: &loci_model::ports::deliver::Notice| {
        notice.body.value().unwrap()["memoryStreamEvent"].clone()
    };
    // Notifications of different keys may overtake each other, so they are sorted by creation here.
    let mut notices = targets.notices();
    notices.sort_by_key(|notice| (notice.created_at, notice.order_key.clone()));
    notices.iter().map(told).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["eventType"].as_str().unwrap()).collect()
}

fn create(world: &World, text: &str, days: Option<u32>) -> RecordId {
    let request = RecordsCreate {
        memory: world.memory.id.clone(),
        records: vec![NewRecord {
            request: "one".into(),
            namespaces: vec![Namespace::parse("/facts/alice/").unwrap()],
            text: text.into(),
            kind: RecordKind::Fact,
            subtype: None,
            title: None,
            path: None,
            description: None,
            scope: None,
            metadata: [("n".to_owned(), MetadataValue::Number(1.5))].into(),
            strategy: None,
            timestamp: Timestamp::clamped(1_752_235_548_000),
        }],
        expiry: days.map(ExpirySpecification::Days),
    };
    let made = world.drive(world.engine.records_create(&world.caller, request, None)).unwrap();
    made.items[0].id.clone()
}

fn update(world: &World, id: &RecordId, text: &str) {
    let change = RecordUpdate {
        id: id.clone(),
        text: Some(text.into()),
        namespaces: None,
        source_namespaces: None,
        metadata: None,
        strategy: None,
        timestamp: Timestamp::clamped(1_752_235_549_000),
        if_version: None,
    };
    let memory = &world.memory.id;
    world.drive(world.engine.records_update(&world.caller, memory, vec![change], None)).unwrap();
}

fn delete(world: &World, id: &RecordId) {
    let asked = RecordDelete { id: id.clone(), namespace: None };
    world.drive(world.engine.record_delete(&world.caller, &world.memory.id, asked)).unwrap();
}

/// Every event verbatim.
#[test]
fn the_envelopes() {
    let (world, targets) = world(Some("FULL_CONTENT"));
    let began = world.clock.now().to_rfc3339();
    let later = || {
        world.clock.advance_ms(1_000);
        world.clock.now().to_rfc3339()
    };
    let first = later();
    let id = create(&world, "The gate code is 4711.", None);
    let second = later();
    update(&world, &id, "The gate code is 4712.");
    let third = later();
    delete(&world, &id);
    let events = serve(&world, &targets, 4);
    let memory = world.memory.id.as_str();
    let metadata = |updated: &str| {
        json!({
            "n": { "numberValue": 1.5 },
            "x-amz-agentcore-memory-createdAt": { "dateTimeValue": first },
            "x-amz-agentcore-memory-recordType": { "stringValue": "BATCH_CREATED" },
            "x-amz-agentcore-memory-updatedAt": { "dateTimeValue": updated },
        })
    };
    let event = |kind: &str, at: &str, said: &str, updated: &str, text: Option<&str>| {
        let mut event = json!({
            "eventType": kind, "eventTime": at, "memoryId": memory, "memoryRecordId": id.as_str(),
            "memoryStrategyId": "none", "namespaces": ["/facts/alice/"], "createdAt": first,
            "timestamp": said, "metadata": metadata(updated),
        });
        if let Some(text) = text {
            event["memoryRecordText"] = json!(text);
        }
        event
    };
    let enabled = world.memory.created_at.to_rfc3339();
    assert!(enabled <= began);
    let (said, corrected) = ("2025-07-11T12:05:48Z", "2025-07-11T12:05:49Z");
    assert_eq!(
        events,
        [
            json!({ "eventType": "StreamingEnabled", "eventTime": enabled, "memoryId": memory }),
            event("MemoryRecordCreated", &first, said, &first, Some("The gate code is 4711.")),
            event("MemoryRecordUpdated", &second, corrected, &second, Some("The gate code is 4712.")),
            event("MemoryRecordDeleted", &third, corrected, &second, None),
        ]
    );
    // The event of the memory has its own key and may arrive at any position.
    let mut keys: Vec<String> = targets.notices().iter().map(|notice| notice.order_key.clone()).collect();
    keys.retain(|key| *key != format!("memory {memory}"));
    assert_eq!(keys, vec![format!("stream {id}"); 3], "one order for a record");
}

#[test]
fn texts_go_along_only_where_that_is_asked_for() {
    for level in [None, Some("METADATA_ONLY")] {
        let (world, targets) = world(level);
        create(&world, "The gate code is 4711.", None);
        let events = serve(&world, &targets, 2);
        assert_eq!(events[1]["memoryRecordText"], Value::Null);
        assert!(!targets.notices()[1].body.as_str().contains("4711"));
    }
}

#[test]
fn expiry_and_superseding_delete() {
    let (world, targets) = world(Some("FULL_CONTENT"));
    create(&world, "It passes.", Some(31));
    world.say("s1", User, "I prefer dark mode.");
    assert!(world.work().complete);
    assert_eq!(
        kinds(&serve(&world, &targets, 3)),
        ["StreamingEnabled", "MemoryRecordCreated", "MemoryRecordCreated"]
    );
    world.say("s1", User, "I prefer light mode now.");
    assert!(world.work().complete);
    let mut events = serve(&world, &targets, 5).split_off(3);
    events.sort_by_key(|event| event["eventType"].to_string());
    assert_eq!(kinds(&events), ["MemoryRecordCreated", "MemoryRecordDeleted"]);
    assert_ne!(events[0]["memoryRecordId"], events[1]["memoryRecordId"]);
    world.clock.advance_ms(31 * 24 * 3_600_000);
    world.drive(world.engine.sweep()).unwrap();
    assert_eq!(kinds(&serve(&world, &targets, 6))[5..], ["MemoryRecordDeleted"]);
}

#[test]
fn another_stream_is_announced_and_the_same_is_not() {
    let (world, targets) = world(None);
    let change = |document: Document| {
        let change = MemoryUpdate { stream: Some(document), ..MemoryUpdate::default() };
        world.drive(world.engine.memory_update(&world.caller, &world.memory.id, change, None)).unwrap();
        world.clock.advance_ms(10);
    };
    change(resources(STREAM, Some("FULL_CONTENT")));
    change(resources("arn:aws:kinesis:us-west-2:000000000000:stream/other", None));
    create(&world, "It is told there.", None);
    let events = serve(&world, &targets, 3);
    assert_eq!(kinds(&events), ["StreamingEnabled", "StreamingEnabled", "MemoryRecordCreated"]);
    let last = &targets.notices()[2];
    assert!(last.target.ends_with("stream/other"));
    change(Document::from_value(&json!({ "resources": [] })).unwrap());
    create(&world, "Nobody is told.", None);
    let soon = world.clock.now().plus_millis(5_000);
    let clock = world.clock.clone();
    world.serve_until(move || clock.now() >= soon);
    assert_eq!(targets.notices().len(), 3);
}

/// Pending events of an erased record are replaced by its deletion.
#[test]
fn erasing_takes_back_what_was_not_told() {
    let (world, targets) = world(Some("FULL_CONTENT"));
    targets.unmap(STREAM);
    let deleted = create(&world, "secret one", None);
    delete(&world, &deleted);
    world.say("s1", User, "I prefer secret mode.");
    assert!(world.work().complete);
    let of_alice = world.active()[0].id.clone();
    let alice = ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &alice)).unwrap();
    world.clock.advance_ms(8 * 24 * 3_600_000);
    world.drive(world.engine.sweep()).unwrap();
    targets.map(STREAM);
    let events = serve(&world, &targets, 3);
    let gone = |id: &RecordId| {
        events.iter().filter(|event| event["memoryRecordId"] == json!(id.as_str())).collect::<Vec<_>>()
    };
    for id in [&deleted, &of_alice] {
        let told = gone(id);
        assert_eq!(told.len(), 1, "{events:?}");
        let members: Vec<&String> = told[0].as_object().unwrap().keys().collect();
        assert_eq!(members, ["eventType", "eventTime", "memoryId", "memoryRecordId"]);
        assert_eq!(told[0]["eventType"], "MemoryRecordDeleted");
    }
    assert!(targets.notices().iter().all(|notice| !notice.body.as_str().contains("secret")));
}

#[test]
fn order_of_a_record_survives_failures_and_others_do_not_wait() {
    let (world, targets) = world(Some("FULL_CONTENT"));
    serve(&world, &targets, 1);
    targets.fail_next([
        Some(ErrorKind::Unavailable),
        None,
        Some(ErrorKind::Throttled),
        Some(ErrorKind::Upstream),
    ]);
    let one = create(&world, "one 1", None);
    let other = create(&world, "other 1", None);
    for text in ["2", "3"] {
        world.clock.advance_ms(5);
        update(&world, &one, &format!("one {text}"));
        update(&world, &other, &format!("other {text}"));
    }
    let events = serve(&world, &targets, 7);
    for (id, name) in [(one, "one"), (other, "other")] {
        let told: Vec<&str> = events
            .iter()
            .filter(|event| event["memoryRecordId"] == json!(id.as_str()))
            .map(|event| event["memoryRecordText"].as_str().unwrap())
            .collect();
        assert_eq!(told, ["1", "2", "3"].map(|text| format!("{name} {text}")));
    }
}
