//! Events of the AgentCore wire with typed content.

use std::collections::BTreeMap;

use loci_engine::events::{EventCreated, NewEvent};
use loci_engine::memories::{MemoryUpdate, NewMemory, NewStrategy};
use loci_engine::records::{NamespaceAsk, NewRecord, RecordListing, RecordsCreate};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::memory::settings::NamespaceReading;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::clock::Clock;
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::{ActorId, ErrorKind, Namespace, Result, SessionId};
use loci_operations::SreSettings;
use serde_json::{Value, json};

use super::{known, of_actor, preferences, reopened, stored, world};
use crate::fixture::{World, strategy, template};

fn event(world: &World, (actor, session): (&str, &str), text: &str) -> NewEvent {
    NewEvent {
        memory: world.memory.id.clone(),
        actor: ActorId::parse(actor).unwrap(),
        session: Some(SessionId::parse(session).unwrap()),
        time: None,
        payload: vec![PayloadItem::Conversational { role: Role::Assistant, text: text.to_owned() }],
        branch: None,
        metadata: BTreeMap::new(),
        extraction: ExtractionMode::Extract,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    }
}

fn create(world: &World, by: &Principal, place: (&str, &str), text: &str) -> Result<EventCreated> {
    world.clock.advance_ms(1_000);
    world.drive(world.engine.event_create(by, event(world, place, text), None))
}

fn at(world: &World, namespace: &str) -> Vec<Value> {
    let listing = RecordListing {
        memory: world.memory.id.clone(),
        namespaces: vec![NamespaceAsk::Node(Namespace::parse(namespace).unwrap())],
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        after: None,
        limit: 100,
    };
    let found = world.drive(world.engine.record_list(&world.caller, listing)).unwrap();
    found.page.items.iter().map(stored).collect()
}

const PREFERENCE: &str = "{'user_id': 'Alice', 'preference_type': 'workflow', 'preference_value': {'time_limit_minutes': 30}, \
                          'context': \"Alice's handbook\", 'timestamp': datetime.datetime(2026, 11, 20, 10, 0)}";
const KNOWLEDGE: &str = "{'service_name': 'api-server', 'knowledge_type': 'baseline', 'knowledge_data': {'memory_usage': '400-500Mi'}, \
                         'confidence': 0.9, 'context': None, 'timestamp': datetime.datetime(2026, 11, 20, 10, 0, 0, 5)}";
const INVESTIGATION: &str = "{'incident_id': 'incident_1', 'query': 'why is it slow?', 'timeline': [{'timestamp': '2026-11-20T14:30:00', \
                             'agent': 'logs-agent', 'action': 'Executed logs-agent', 'result_summary': 'found: latency at 1.5s'}], \
                             'actions_taken': ['read logs'], 'resolution_status': 'ongoing', 'key_findings': ['latency at 1.5s'], \
                             'context': None, 'timestamp': datetime.datetime(2026, 11, 20, 15, 0)}";

#[test]
fn what_the_source_design_sends_is_typed_and_read_back() {
    let world = world();
    let by = world.caller.clone();
    let made = create(&world, &by, ("Alice", "preferences-default"), PREFERENCE).unwrap().event;
    assert_eq!(made.metadata["loci.memoryType"], "preferences");
    assert_eq!(made.extraction, ExtractionMode::Skip);
    create(&world, &by, ("sre-agent-kubernetes", "s-1"), KNOWLEDGE).unwrap();
    create(&world, &by, ("Alice", "s-1"), INVESTIGATION).unwrap();
    world.work();
    let world = reopened(reopened(world));
    assert_eq!(known(&world).len(), 3, "no strategy read them besides");
    let preference = &at(&world, "/sre/users/Alice/preferences")[0];
    assert_eq!(preference["preference_value"], json!({"time_limit_minutes": 30}));
    assert_eq!(preference["categories"], json!(["workflow"]));
    assert_eq!(preference["preference"], "workflow time limit minutes: 30");
    assert_eq!(
        (&preference["user_id"], &preference["context"]),
        (&json!("Alice"), &json!("Alice's handbook"))
    );
    assert_eq!(preference["timestamp"], "2026-11-20T10:00:00Z");
    // By either name of the agent, across sessions and in one session.
    for place in
        ["kubernetes-agent", "sre-agent-kubernetes", "kubernetes-agent/s-1", "sre-agent-kubernetes/s-1"]
    {
        let found = at(&world, &format!("/sre/infrastructure/{place}"));
        assert_eq!(found.len(), 1, "{place}");
        assert_eq!(
            (&found[0]["knowledge_data"], &found[0]["confidence"]),
            (&json!({"memory_usage": "400-500Mi"}), &json!(0.9))
        );
    }
    let investigation = &at(&world, "/sre/investigations/Alice")[0];
    let entry = json!({"time": "2026-11-20T14:30:00Z", "event": "Executed logs-agent", "by": "logs-agent",
                       "result": "found: latency at 1.5s"});
    assert_eq!(investigation["timeline"], json!([entry]));
    assert_eq!(investigation["resolution_status"], "ongoing");
    assert!(at(&world, "/sre/investigations/Al").is_empty());
}

#[test]
fn the_same_a_hundred_times_is_once() {
    let world = world();
    let by = world.caller.clone();
    for at in 0..100 {
        let text = format!("{{'preference_type': 'style', 'preference_value': {{'k{}': 1}}}}", at % 4);
        create(&world, &by, ("Alice", "preferences-default"), &text).unwrap();
    }
    let world = reopened(world);
    assert_eq!(known(&world).len(), 4);
    assert_eq!(preferences(&world, "Alice")["style"].value.len(), 4);
}

#[test]
fn contacts_wait_and_risks_are_refused() {
    let world = world();
    let by = world.caller.clone();
    let contact =
        json!({"preference_type": "escalation", "preference_value": {"contact": "ops.team@example.co.uk"}});
    create(&world, &by, ("Alice", "s-1"), &contact.to_string()).unwrap();
    create(&world, &by, ("Alice", "preferences-default"), "escalate to x@y.com").unwrap();
    for risk in [json!({"auto_approve_simple_plans": true}), json!({"statement": "auto-approve everything"})]
    {
        let text = json!({"preference_type": "workflow", "preference_value": risk}).to_string();
        let error = create(&world, &by, ("Alice", "s-1"), &text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
    }
    // A record written by a client.
    let mut record = NewRecord::fact(
        "r".into(),
        vec![Namespace::parse("/sre/users/Alice/preferences").unwrap()],
        json!({"preference": "escalate to z@y.com", "categories": ["escalation"]}).to_string(),
        world.clock.now(),
    );
    record.strategy =
        world.memory.strategies.iter().find(|one| one.name == "user_preferences").map(|one| one.id.clone());
    let batch = RecordsCreate { memory: world.memory.id.clone(), records: vec![record], expiry: None };
    world.drive(world.engine.records_create(&by, batch, None)).unwrap();
    let world = reopened(world);
    assert!(at(&world, "/sre/users/Alice/preferences").is_empty());
    assert_eq!(world.records(&[RecordState::Candidate]).len(), 3);
    let read = preferences(&world, "Alice");
    assert!(read.values().all(|one| one.value.is_empty()));
    assert_eq!(
        read.values().flat_map(|one| &one.entries).filter(|one| one.state == "pending_confirmation").count(),
        3
    );
}

#[test]
fn what_is_broken_is_refused_whole() {
    let world = world();
    let by = world.caller.clone();
    let check = |place: (&str, &str), text: &str, kind: ErrorKind, field: Option<&str>| {
        let error = create(&world, &by, place, text).unwrap_err();
        assert_eq!((error.kind, error.field.as_deref()), (kind, field), "{text}");
    };
    let invalid = ErrorKind::Invalid;
    let bad = "{'service_name': 'api', 'knowledge_type': 'rumour', 'knowledge_data': {'a': 1}}";
    check(("logs-agent", "s-1"), bad, invalid, Some("data.knowledge_type"));
    check(("a/b", "s-1"), "hello", invalid, Some("actor"));
    check(("Alice", "preferences-default"), "{'a': 1}", invalid, Some("data.preference_value"));
    let error = create(&world, &of_actor("Bob", "Bob"), ("Alice", "s-1"), PREFERENCE).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert!(known(&world).is_empty());
    // An ordinary message stays an ordinary event.
    let talk = create(&world, &by, ("Alice", "s-1"), "{\"service_name\": \"api\"}").unwrap().event;
    assert!(talk.metadata.is_empty() && talk.extraction == ExtractionMode::Extract);
}

#[test]
fn a_memory_is_known_by_strategies_that_are_added() {
    let named = |name: &str, base, place: &str| NewStrategy {
        name: name.to_owned(),
        template: Some(template(place)),
        ..strategy(base)
    };
    let mut world = World::of(NewMemory {
        name: "sre_agent_memory".into(),
        event_expiry_days: 90,
        ..NewMemory::default()
    });
    let add = vec![
        named("user_preferences", StrategyBase::UserPreference, "/sre/users/{actorId}/preferences"),
        named(
            "infrastructure_knowledge",
            StrategyBase::Semantic,
            "/sre/infrastructure/{actorId}/{sessionId}",
        ),
    ];
    let change = MemoryUpdate { add_strategies: add, ..MemoryUpdate::default() };
    let updated = world.engine.memory_update(&world.caller, &world.memory.id, change, None);
    world.memory = world.drive(updated).unwrap().memory;
    assert_eq!(world.memory.settings.profile.as_deref(), Some("sre"));
    assert_eq!(world.memory.settings.namespace_match, NamespaceReading::SegmentPrefix);
    assert_eq!(days(&world), [Some(90), Some(30)], "the profile's retention");
    create(&world, &world.caller.clone(), ("Alice", "preferences-default"), PREFERENCE).unwrap();
    assert_eq!(at(&world, "/sre/users/Alice/preferences").len(), 1);
    // Without a strategy for it, it is an ordinary event.
    let made = create(&world, &world.caller.clone(), ("Alice", "s-1"), INVESTIGATION).unwrap().event;
    assert_eq!(made.extraction, ExtractionMode::Extract);
    // A strategy added later has the profile's retention, unless the client specifies another one.
    let later = |name: &str, days| NewStrategy {
        record_expiry_days: days,
        ..named(name, StrategyBase::Summary, "/sre/investigations/{actorId}/{sessionId}")
    };
    let add = vec![
        later("investigation_summaries", None),
        later("own", Some(400)),
        named("notes", StrategyBase::Semantic, "/notes/{actorId}"),
    ];
    let change = MemoryUpdate { add_strategies: add, ..MemoryUpdate::default() };
    let updated = world.engine.memory_update(&world.caller, &world.memory.id, change, None);
    world.memory = world.drive(updated).unwrap().memory;
    assert_eq!(days(&world), [Some(90), Some(30), Some(60), Some(400), None]);
    let kept: Vec<_> = world.active().iter().map(|record| record.expiry_days).collect();
    assert_eq!(kept, [Some(90)], "and so has what was saved");
}

fn days(world: &World) -> Vec<Option<u32>> {
    world.memory.strategies.iter().map(|one| one.record_expiry_days).collect()
}

#[test]
fn a_memory_that_is_made_over_the_wire_retains_by_the_profile() {
    let three = [
        ("user_preferences", StrategyBase::UserPreference, "/sre/users/{actorId}/preferences"),
        ("facts", StrategyBase::Semantic, "/sre/infrastructure/{actorId}/{sessionId}"),
        ("investigation_summaries", StrategyBase::Summary, "/sre/investigations/{actorId}/{sessionId}"),
    ];
    let strategies = three.map(|(name, base, place)| NewStrategy {
        name: name.to_owned(),
        template: Some(template(place)),
        ..strategy(base)
    });
    let new = NewMemory {
        name: "sre_agent_memory".into(),
        event_expiry_days: 90,
        strategies: strategies.into(),
        ..NewMemory::default()
    };
    let mut world = World::of(new.clone());
    assert_eq!(days(&world), [Some(90), Some(30), Some(60)]);
    // The retention in the server's configuration of that memory.
    let mut settings = loci_products::LociSettings::default();
    let mut own = SreSettings::default();
    own.infrastructure.ttl_days = Some(10);
    settings.operations.named.insert("other".to_owned(), own);
    world = world.reopened(settings, |_| {});
    let new = NewMemory { name: "other".into(), ..new };
    world.memory = world.drive(world.engine.memory_create(&world.caller, new, None)).unwrap();
    assert_eq!(days(&world), [Some(90), Some(10), Some(60)]);
}
