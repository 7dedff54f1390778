//! A user's own data.

use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, RecordId, Result};
use loci_operations::{SreAction, SreOwnDeleted, SreRecordContent};
use serde_json::{Value, json};

use super::{CallerStatement, of_actor, of_team, preferences, world};
use crate::fixture::World;

fn save(world: &World, by: &Principal, kind: SreType, actor: &str, data: Value) -> RecordId {
    let session = (kind != SreType::Preferences).then_some("s-1");
    let said = CallerStatement { by, source: SreSource::Agent, kind, actor, session };
    said.save(world, data).unwrap().records.remove(0).record.unwrap()
}

fn own(world: &World, by: &Principal, kind: SreType) -> Vec<RecordId> {
    let page = world.drive(world.engine.operations.sre_own(by, &world.memory.id, kind, None)).unwrap();
    page.lines.into_iter().filter_map(|line| line.record).collect()
}

fn correct(world: &World, by: &Principal, id: &RecordId, data: Value) -> Result<SreAction> {
    world.clock.advance_ms(1_000);
    let asked = (id.clone(), data);
    world.drive(world.engine.operations.sre_own_correct(by, &world.memory.id, asked)).map(|kept| kept.action)
}

fn delete(world: &World, by: &Principal, id: &RecordId) -> std::result::Result<(), ErrorKind> {
    let done =
        world.drive(world.engine.operations.sre_own_delete(by, &world.memory.id, vec![id.clone()])).unwrap();
    let [item] = done.items.as_slice() else { panic!("{done:?}") };
    item.result.clone().map_err(|(kind, _)| kind)
}

fn delete_all(world: &World, by: &Principal) -> SreOwnDeleted {
    world.drive(world.engine.operations.sre_own_delete_all(by, &world.memory.id, None)).unwrap()
}

#[test]
fn what_was_learned_in_ones_session_is_ones_own() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let knows = json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {"replicas": 3}});
    let known = save(&world, &alice, SreType::Infrastructure, "logs-agent", knows);
    assert_eq!(own(&world, &alice, SreType::Infrastructure), []);
    let began = json!({"incident_id": "inc-1", "query": "why?"});
    save(&world, &alice, SreType::Investigations, "alice", began.clone());
    assert_eq!(own(&world, &alice, SreType::Infrastructure), std::slice::from_ref(&known));
    assert_eq!(own(&world, &bob, SreType::Infrastructure), []);
    assert_eq!(delete(&world, &bob, &known), Err(ErrorKind::NotFound));
    // The owner of a session shared by two users is unknown.
    save(&world, &bob, SreType::Investigations, "bob", began);
    assert_eq!(own(&world, &alice, SreType::Infrastructure), []);
    assert_eq!(own(&world, &alice, SreType::Investigations).len(), 1);
}

fn escalation(value: Value) -> Value {
    json!({"preference_type": "escalation", "preference_value": value})
}

fn by_person(world: &World, actor: &str, data: Value) -> RecordId {
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor,
        session: None,
    };
    said.save(world, data).unwrap().records.remove(0).record.unwrap()
}

fn effective(world: &World, user: &str) -> Value {
    preferences(world, user).remove("escalation").map_or(json!({}), |one| Value::Object(one.value))
}

#[test]
fn what_one_corrects_counts_as_what_one_saves() {
    let world = world();
    let alice = of_actor("alice", "alice");
    let delay = save(&world, &alice, SreType::Preferences, "alice", escalation(json!({"delay_minutes": 15})));
    let checked = |id: &RecordId, value: Value| correct(&world, &alice, id, escalation(value));
    assert_eq!(checked(&delay, json!({"delay_minutes": 5})).unwrap(), SreAction::Superseded);
    let entries = preferences(&world, "alice").remove("escalation").unwrap().entries;
    assert!(entries.iter().all(|entry| entry.source == "agent"), "an agent may hold the key");
    let delay = own(&world, &alice, SreType::Preferences).remove(0);
    // A statement under another key is superseded too.
    assert_eq!(checked(&delay, json!({"pause_minutes": 7})).unwrap(), SreAction::Added);
    assert_eq!(effective(&world, "alice"), json!({"pause_minutes": 7}));
    let pause = own(&world, &alice, SreType::Preferences).remove(0);
    let risk = checked(&pause, json!({"auto_approve_plans": true})).unwrap_err();
    assert_eq!(risk.kind, ErrorKind::Denied);
    assert_eq!(checked(&pause, json!({})).unwrap_err().field.as_deref(), Some("data.preference_value"));
    // A contact waits in any case, and the superseded waiting one can no longer be confirmed.
    let contact =
        save(&world, &alice, SreType::Preferences, "alice", escalation(json!({"contact": "x@y.com"})));
    assert_eq!(checked(&contact, json!({"contact": "a@evil.com"})).unwrap(), SreAction::PendingConfirmation);
    assert_eq!(checked(&pause, json!({"contact": "b@evil.com"})).unwrap(), SreAction::PendingConfirmation);
    assert_eq!(effective(&world, "alice"), json!({"pause_minutes": 7}));
    assert_eq!(correct(&world, &alice, &contact, json!({})).unwrap_err().kind, ErrorKind::NotFound);
    // An agent that works for her is not her.
    let agent = of_actor("agent", "alice");
    assert_eq!(own(&world, &agent, SreType::Preferences), []);
    let error = correct(&world, &agent, &pause, escalation(json!({"a": 1}))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
}

#[test]
fn what_a_person_said_is_not_overwritten() {
    let world = world();
    let alice = of_actor("alice", "alice");
    let delay = by_person(&world, "alice", escalation(json!({"delay_minutes": 15})));
    for value in [json!({"delay_minutes": 5}), json!({"pause_minutes": 5})] {
        let error = correct(&world, &alice, &delay, escalation(value)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Conflict);
    }
    assert_eq!(effective(&world, "alice"), json!({"delay_minutes": 15}));
    // An administrator's statement counts as a person's.
    let admin = Principal { name: "alice".to_owned(), ..world.caller.clone() };
    let action = correct(&world, &admin, &delay, escalation(json!({"delay_minutes": 5}))).unwrap();
    assert_eq!((action, effective(&world, "alice")), (SreAction::Superseded, json!({"delay_minutes": 5})));
}

#[test]
fn what_was_looked_into_and_learned_is_nobodys_word_more_than_before() {
    let world = world();
    let agent = of_team("sre-agent");
    let began = json!({"incident_id": "inc-1", "query": "why?"});
    let incident = save(&world, &agent, SreType::Investigations, "sre-agent", began);
    let knows = json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {"replicas": 3}});
    let known = save(&world, &agent, SreType::Infrastructure, "logs-agent", knows.clone());
    let check = |data: Value, field: &str| {
        let error = correct(&world, &agent, &incident, data).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
    };
    check(json!({"incident_id": "inc-2", "query": "why?"}), "data.incident_id");
    check(
        json!({"query": "why?", "resolution_status": "completed", "status_source": "webhook"}),
        "data.status_source",
    );
    correct(&world, &agent, &incident, json!({"query": "why so?"})).unwrap();
    let of = |kind: SreType| {
        let page =
            world.drive(world.engine.operations.sre_own(&agent, &world.memory.id, kind, None)).unwrap();
        let [line] = page.lines.as_slice() else { panic!("{page:?}") };
        let SreRecordContent::Data(data) = line.said.clone() else { panic!("{line:?}") };
        (line.source, data)
    };
    let (source, data) = of(SreType::Investigations);
    assert_eq!((source, &data["incident_id"]), (SreSource::Agent, &json!("inc-1")));
    assert_eq!((&data["query"], &data["status_source"]), (&json!("why so?"), &json!("default")));
    let mut data = knows;
    data["knowledge_data"] = json!({"replicas": 5});
    correct(&world, &agent, &known, data).unwrap();
    let (source, data) = of(SreType::Infrastructure);
    assert_eq!((source, &data["knowledge_data"]), (SreSource::Agent, &json!({"replicas": 5})));
}

#[test]
fn everything_goes_also_what_waits_and_what_gave_way() {
    let world = world();
    let alice = of_actor("alice", "alice");
    let keep = |value: Value| save(&world, &alice, SreType::Preferences, "alice", escalation(value));
    let old = keep(json!({"delay_minutes": 15}));
    keep(json!({"delay_minutes": 5}));
    let waiting = keep(json!({"contact": "x@y.com"}));
    let rejected = keep(json!({"pager": "+49 30 1234567"}));
    let decided = world.engine.operations.sre_preference_decide(&alice, &world.memory.id, &rejected, false);
    world.drive(decided).unwrap();
    let of_bob = save(
        &world,
        &of_actor("bob", "bob"),
        SreType::Preferences,
        "bob",
        escalation(json!({"contact": "b@y.com"})),
    );
    assert_eq!(delete(&world, &alice, &of_bob), Err(ErrorKind::NotFound));
    assert_eq!(delete(&world, &alice, &waiting), Ok(()));
    assert_eq!(delete(&world, &alice, &waiting), Err(ErrorKind::NotFound));
    let done = delete_all(&world, &alice);
    assert_eq!((done.deleted, done.failed, done.shared, done.next), (3, Vec::new(), 0, None));
    assert_eq!(delete(&world, &alice, &old), Err(ErrorKind::NotFound));
    let left = world.records(&[RecordState::Active, RecordState::Superseded, RecordState::Invalid]);
    assert_eq!(left, []);
    assert_eq!(world.records(&[RecordState::Candidate]).len(), 1, "bob's");
}

#[test]
fn what_another_investigation_confirmed_stays() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let knows = |replicas: u32| {
        json!({
            "service_name": "api", "knowledge_type": "config", "knowledge_data": {"replicas": replicas},
            "environment": format!("e-{replicas}"), "evidence": [{"tool_call_id": "tc-1"}],
        })
    };
    let began = |incident: &str| json!({"incident_id": incident, "query": "why?"});
    save(&world, &alice, SreType::Investigations, "alice", began("inc-1"));
    let shared = save(&world, &alice, SreType::Infrastructure, "logs-agent", knows(3));
    let alone = save(&world, &alice, SreType::Infrastructure, "logs-agent", knows(4));
    let said = |by, kind, actor, data| {
        CallerStatement { by, source: SreSource::Agent, kind, actor, session: Some("s-2") }
            .save(&world, data)
            .unwrap();
    };
    said(&bob, SreType::Investigations, "bob", began("inc-2"));
    said(&bob, SreType::Infrastructure, "logs-agent", knows(3));
    assert_eq!(delete(&world, &alice, &shared), Err(ErrorKind::Conflict));
    let done = delete_all(&world, &alice);
    assert_eq!((done.deleted, done.failed, done.shared), (2, Vec::new(), 1));
    let left: Vec<RecordId> = world.active().iter().map(|record| record.id.clone()).collect();
    assert!(left.contains(&shared) && !left.contains(&alone));
}
