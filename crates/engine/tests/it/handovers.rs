//! Self-managed strategies: time, content and order of notifications to their client, and exactly
//! one handover per message.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::EngineSettings;
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::event::{ExtractionMode, Role::User};
use loci_model::job::JobKind;
use loci_model::memory::strategy::{CustomConfiguration, SelfManaged, StrategyBase, Trigger};
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::{ActorId, DeliveryId, Document, ErrorKind};
use loci_testkit_ports::RecordingTargets;
use serde_json::{Value, json};

use crate::fixture::{Fault, World, data, said, strategy};

const TOPIC: &str = "arn:aws:sns:us-west-2:000000000000:turns";

fn own(triggers: &[Trigger], history_messages: u32) -> NewStrategy {
    NewStrategy {
        custom: Some(CustomConfiguration {
            self_managed: Some(SelfManaged {
                triggers: triggers.to_vec(),
                topic_arn: TOPIC.to_owned(),
                payload_bucket: "turns".to_owned(),
                history_messages,
            }),
            ..CustomConfiguration::default()
        }),
        ..strategy(StrategyBase::SelfManaged)
    }
}

fn world(strategy: NewStrategy) -> (World, Arc<RecordingTargets>) {
    let targets = Arc::new(RecordingTargets::default());
    let parts = targets.clone();
    let new = NewMemory { strategies: vec![strategy], ..NewMemory::default() };
    let world = World::made(new, EngineSettings::default(), |made| {
        made.deliver = Some(parts.clone());
        made.objects = Some(parts);
    });
    (world, targets)
}

/// Serves until this number of different notifications arrived.
fn serve(world: &World, targets: &Arc<RecordingTargets>, notices: usize) -> bool {
    let targets = targets.clone();
    world.serve_until(move || ids(&targets).len() >= notices)
}

fn ids(targets: &RecordingTargets) -> BTreeSet<String> {
    targets.notices().iter().map(|notice| notice.id.to_string()).collect()
}

/// Returns the payloads of the notifications, in the order of their first arrival.
fn payloads(targets: &RecordingTargets) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let first = |notice: &loci_model::ports::deliver::Notice| seen.insert(notice.id.to_string());
    let mut notices = targets.notices();
    notices.retain(first);
    let payload = |notice: &loci_model::ports::deliver::Notice| {
        let body = notice.body.value().unwrap();
        assert_eq!(notice.target, TOPIC);
        assert_eq!(body["jobId"], json!(notice.id.as_str()), "one id, for the receiver to tell them apart");
        let location = body["s3PayloadLocation"].as_str().unwrap();
        let key = location.strip_prefix("s3://turns/").unwrap();
        serde_json::from_slice(&targets.object("turns", key).unwrap()).unwrap()
    };
    notices.iter().map(payload).collect()
}

fn texts(context: &Value) -> Vec<String> {
    context
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["content"]["text"].as_str().unwrap_or("").to_owned())
        .collect()
}

fn tell(world: &World, session: &str, numbers: std::ops::Range<u32>) {
    for number in numbers {
        world.say(session, User, &format!("turn {number}"));
    }
}

#[test]
fn what_waits_is_one_window() {
    let (world, targets) = world(own(&[Trigger::Messages(3), Trigger::IdleSeconds(600)], 2));
    tell(&world, "s1", 0..7);
    assert!(serve(&world, &targets, 1));
    let told = payloads(&targets);
    assert_eq!(
        texts(&told[0]["currentContext"]),
        ["turn 0", "turn 1", "turn 2", "turn 3", "turn 4", "turn 5", "turn 6"]
    );
    assert_eq!(told.len(), 1, "one window for what had come by then");
}

#[test]
fn each_window_has_its_history() {
    let (world, targets) = world(own(&[Trigger::Messages(3)], 2));
    for start in [0, 3, 6] {
        tell(&world, "s1", start..start + 3);
        assert!(serve(&world, &targets, start as usize / 3 + 1));
    }
    let told = payloads(&targets);
    let current: Vec<_> = told.iter().map(|payload| texts(&payload["currentContext"])).collect();
    assert_eq!(
        current,
        [["turn 0", "turn 1", "turn 2"], ["turn 3", "turn 4", "turn 5"], ["turn 6", "turn 7", "turn 8"]]
    );
    let history: Vec<_> = told.iter().map(|payload| texts(&payload["historicalContext"])).collect();
    assert_eq!(history, [vec![], vec!["turn 1", "turn 2"], vec!["turn 4", "turn 5"]]);
}

#[test]
fn tokens_and_pauses_fire() {
    let (by_tokens, targets) = world(own(&[Trigger::Tokens(100)], 0));
    tell(&by_tokens, "s1", 0..2);
    by_tokens.say("s1", User, &"many words ".repeat(80));
    assert!(serve(&by_tokens, &targets, 1));
    assert_eq!(payloads(&targets)[0]["currentContext"].as_array().unwrap().len(), 3);

    let (by_pause, targets) = world(own(&[Trigger::Messages(50), Trigger::IdleSeconds(20)], 0));
    let start = by_pause.clock.now();
    tell(&by_pause, "s1", 0..2);
    assert!(serve(&by_pause, &targets, 1));
    let at = targets.notices()[0].at;
    assert!(at >= start.plus_millis(22_000), "twenty seconds after the last event: {at:?}");
    assert!(at < start.plus_millis(40_000), "and not much later: {at:?}");
}

#[test]
fn the_payload_as_a_whole() {
    let (world, targets) = world(own(&[Trigger::Messages(2)], 4));
    let mut event = world.event("s1", vec![said(User, "I live in \"Oslo\"."), data(r#"{"b":1.50}"#)]);
    event.actor = ActorId::parse("org/ann:1").unwrap();
    event.payload.push(loci_model::event::PayloadItem::Blob(Document::parse("\"opaque\"").unwrap()));
    event.time = Some(loci_model::Timestamp::clamped(1_752_235_548_250));
    world.create(event);
    assert!(serve(&world, &targets, 1));
    let notice = &targets.notices()[0];
    let (memory, strategy) = (world.memory.id.to_string(), world.memory.strategies[0].id.to_string());
    let id = notice.id.as_str();
    let key = format!("memory/{memory}/strategy/{strategy}/actor/org%2Fann%3A1/session/s1/{id}.json");
    assert_eq!(
        notice.body.value().unwrap(),
        json!({ "jobId": id, "s3PayloadLocation": format!("s3://turns/{key}"), "memoryId": memory, "strategyId": strategy })
    );
    assert_eq!(
        payloads(&targets)[0],
        json!({
            "requestId": id, "accountId": "000000000000", "memoryId": memory, "actorId": "org/ann:1", "sessionId": "s1",
            "strategyId": strategy, "startingTimestamp": 1_752_235_548.25, "endingTimestamp": 1_752_235_548.25,
            "currentContext": [
                { "role": "USER", "content": { "text": "I live in \"Oslo\"." } },
                { "role": "OTHER", "content": { "text": r#"{"b":1.50}"# } },
                { "role": "OTHER", "content": {} },
            ],
            "historicalContext": [],
        })
    );
}

#[test]
fn what_is_skipped_or_ingested_is_not_handed_over() {
    let (world, targets) = world(own(&[Trigger::Messages(2), Trigger::IdleSeconds(10)], 4));
    let mut skipped = world.event("s1", vec![said(User, "not this")]);
    skipped.extraction = ExtractionMode::Skip;
    world.create(skipped);
    world.ingest("s1", vec![said(User, "nor this"), said(User, "nor that")]);
    tell(&world, "s1", 0..1);
    world.create(world.event("s2", vec![said(User, "a"), said(User, "b")]));
    assert!(serve(&world, &targets, 2));
    let told = payloads(&targets);
    assert_eq!(texts(&told[0]["currentContext"]), ["a", "b"], "two sessions are counted apart");
    assert_eq!(texts(&told[1]["currentContext"]), ["turn 0"], "after the pause");
    assert_eq!(texts(&told[1]["historicalContext"]), Vec::<String>::new());
}

#[test]
fn order_within_a_session_survives_failures() {
    let (world, targets) = world(own(&[Trigger::Messages(1)], 0));
    let out = Some(ErrorKind::Unavailable);
    // The first payload, then repeatedly the notifications of both sessions.
    targets.fail_next([
        out,
        None,
        out,
        Some(ErrorKind::Throttled),
        None,
        Some(ErrorKind::Upstream),
        out,
        None,
        None,
        out,
    ]);
    for round in 0..4 {
        for session in ["s1", "s2"] {
            world.say(session, User, &format!("{session} {round}"));
            assert!(world.serve_until({
                let at = world.clock.now().plus_millis(600);
                let clock = world.clock.clone();
                move || clock.now() >= at
            }));
        }
    }
    assert!(serve(&world, &targets, 8));
    for session in ["s1", "s2"] {
        let mut of_session = payloads(&targets);
        of_session.retain(|payload| payload["sessionId"] == json!(session));
        let said: Vec<String> =
            of_session.iter().flat_map(|payload| texts(&payload["currentContext"])).collect();
        assert_eq!(said, [0, 1, 2, 3].map(|round| format!("{session} {round}")));
    }
}

#[test]
fn what_has_no_target_waits_for_one() {
    let (world, targets) = world(own(&[Trigger::Messages(1)], 0));
    for (missing, other) in [(TOPIC, "turns"), ("turns", TOPIC)] {
        targets.unmap(missing);
        targets.map(other);
        let known = ids(&targets).len();
        world.say("s1", User, missing);
        let later = world.clock.now().plus_millis(30_000);
        let clock = world.clock.clone();
        assert!(world.serve_until(move || clock.now() >= later));
        assert_eq!(ids(&targets).len(), known, "{missing}");
        let (caller, memory) = (&world.caller, &world.memory.id);
        let listed = world.drive(world.engine.delivery_list(caller, memory, None, None, 10)).unwrap().items;
        assert!(listed[0].last_error.as_ref().unwrap().contains("no target is configured"), "{listed:?}");
        targets.map(missing);
        assert!(serve(&world, &targets, known + 1));
    }
}

#[test]
fn a_strategy_without_a_topic_hands_nothing_over() {
    let mut quiet = own(&[Trigger::Messages(1)], 0);
    let own = quiet.custom.as_mut().and_then(|custom| custom.self_managed.as_mut());
    own.unwrap().topic_arn.clear();
    let (world, targets) = world(quiet);
    targets.unmap("");
    let serve_for = |millis| {
        let (until, clock) = (world.clock.now().plus_millis(millis), world.clock.clone());
        assert!(world.serve_until(move || clock.now() >= until));
    };
    let backlog = || {
        let found = world.drive((&*world.store as &dyn Store).read(|tx| tx.deliveries().backlog())).unwrap();
        (found.pending, found.failed)
    };
    tell(&world, "s1", 0..3);
    serve_for(30_000);
    assert_eq!(backlog(), (0, 0));
    assert!(world.jobs().iter().all(|job| job.kind != JobKind::HANDOVER));

    // A notification queued by an earlier version ends without being sent or counted as given up.
    let now = world.clock.now();
    let queued = Delivery {
        id: DeliveryId::parse("d1").unwrap(),
        memory: world.memory.id.clone(),
        direction: DeliveryDirection::Out,
        target: String::new(),
        order_key: "self alice s1 own".to_owned(),
        body: Document::parse("{}").unwrap(),
        state: DeliveryState::Pending,
        attempts: 0,
        due: now,
        last_error: None,
        created_at: now,
    };
    let write = (&*world.store as &dyn Store).write(move |tx| tx.deliveries_mut().insert(&queued));
    assert!(world.drive(write).unwrap());
    assert_eq!(backlog(), (1, 0));
    serve_for(10_000);
    assert_eq!((backlog(), targets.tries()), ((0, 0), 0));
}

/// Any write may fail in any way: each message is handed over once, in order.
#[test]
fn any_write_may_fail() {
    let told = || {
        let (world, targets) = world(own(&[Trigger::Messages(2)], 1));
        tell(&world, "s1", 0..2);
        tell(&world, "s2", 0..3);
        (world, targets)
    };
    let outcome = |targets: &RecordingTargets| {
        let mut seen: Vec<String> = payloads(targets)
            .iter()
            .flat_map(|payload| {
                let session = payload["sessionId"].as_str().unwrap().to_owned();
                texts(&payload["currentContext"]).into_iter().map(move |text| format!("{session} {text}"))
            })
            .collect();
        seen.sort();
        seen
    };
    let (calm, targets) = told();
    let before = calm.store.writes();
    assert!(serve(&calm, &targets, 2));
    let (writes, expect) = (calm.store.writes() - before, outcome(&targets));
    assert_eq!(expect, ["s1 turn 0", "s1 turn 1", "s2 turn 0", "s2 turn 1", "s2 turn 2"]);
    for number in 0..writes {
        for fault in [Fault::Before, Fault::Within, Fault::After] {
            let (world, targets) = told();
            world.store.fail_write(number, fault);
            assert!(serve(&world, &targets, 2), "{number} {fault:?}");
            assert_eq!(outcome(&targets), expect, "write {number} failed: {fault:?}");
        }
    }
}

#[test]
fn who_is_forgotten_is_not_handed_over() {
    let (world, targets) = world(own(&[Trigger::Messages(1)], 0));
    targets.unmap(TOPIC);
    world.say("s1", User, "my secret");
    let mut other = world.event("s1", vec![said(User, "bob's")]);
    other.actor = ActorId::parse("bob").unwrap();
    world.create(other);
    let soon = world.clock.now().plus_millis(2_000);
    let clock = world.clock.clone();
    assert!(world.serve_until(move || clock.now() >= soon));
    let alice = ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &alice)).unwrap();
    targets.map(TOPIC);
    assert!(serve(&world, &targets, 1));
    let told = payloads(&targets);
    assert_eq!((told.len(), texts(&told[0]["currentContext"])), (1, vec!["bob's".to_owned()]));
}
