//! A repeated request with the same idempotency key has one effect, for every write.

use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_model::event::Role;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::principal::Principal;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, Reason};
use loci_operations::{AgentResponse, InvestigationMessage, InvestigationMessages, SreSave};
use serde_json::json;

use super::investigation_start::asked;
use super::{of_team, reopened, world};
use crate::fixture::World;

fn token(name: &str, body: &str) -> Option<ClientToken> {
    Some(ClientToken::new(name, &json!({ "body": body })).unwrap())
}

fn events(world: &World) -> usize {
    let (memory, now, store): (_, _, &dyn Store) =
        (world.memory.id.clone(), world.clock.now(), &*world.store);
    world.drive(store.read(move |tx| tx.events().export(&memory, 0, 1_000, now))).unwrap().len()
}

#[test]
fn a_save_sent_twice_is_one() {
    let world = world();
    let alice = of_team("alice");
    let save = |world: &World, key: &str, limit: &str| {
        world.clock.advance_ms(1_000);
        let asked = SreSave {
            memory: world.memory.id.clone(),
            kind: SreType::Investigations,
            actor: "alice".to_owned(),
            session: Some("s-1".to_owned()),
            data: json!({"query": limit}),
            source: SreSource::Agent,
        };
        world.drive(world.engine.operations.sre_save_in_person(&alice, asked, false, token(key, limit)))
    };
    let first = save(&world, "k-1", "why").unwrap();
    let world = reopened(world);
    // Without the key it would be another incident, because it has no name of its own.
    assert_eq!(save(&world, "k-1", "why").unwrap(), first);
    assert_eq!((world.active().len(), events(&world)), (1, 1));
    let other = save(&world, "k-1", "who").unwrap_err();
    assert_eq!((other.kind, other.reason), (ErrorKind::Invalid, Some(Reason::IdempotentParameterMismatch)));
    save(&world, "k-2", "why").unwrap();
    assert_eq!(world.active().len(), 2);
}

#[test]
fn a_save_that_is_sent_again_is_refused_once_it_was_forgotten() {
    let world = world();
    let alice = of_team("alice");
    let save = |if_erased: IfErased| {
        world.clock.advance_ms(1_000);
        let asked = SreSave {
            memory: world.memory.id.clone(),
            kind: SreType::Investigations,
            actor: "alice".to_owned(),
            session: Some("s-1".to_owned()),
            data: json!({"query": "why"}),
            source: SreSource::Agent,
        };
        let token = token("k-1", "why").map(|token| token.with_if_erased(if_erased));
        world.drive(world.engine.operations.sre_save_in_person(&alice, asked, false, token))
    };
    save(IfErased::Answer).unwrap();
    let actor = loci_model::ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &actor)).unwrap();
    assert_eq!(world.active().len(), 0);
    assert_eq!(save(IfErased::Answer).unwrap_err().reason, Some(Reason::SourceErased));
    assert_eq!(world.active().len(), 0);
    save(IfErased::Restore).unwrap();
    save(IfErased::Answer).unwrap();
    assert_eq!(world.active().len(), 1);
}

#[test]
fn an_investigation_begun_twice_is_one() {
    let world = world();
    let alice = of_team("alice");
    let start = |key: &str| {
        world.clock.advance_ms(1_000);
        let asked = asked(&world, "alice", "api is down");
        world.drive(world.engine.operations.investigation_start(&alice, asked, token(key, "x"))).unwrap()
    };
    let (first, again) = (start("k-1"), start("k-1"));
    assert_eq!((&first.incident, &first.session), (&again.incident, &again.session));
    assert!(again.joined && !first.joined);
    assert_ne!(start("k-2").incident, first.incident);
}

#[test]
fn an_answer_and_a_turn_sent_twice_are_one() {
    let world = world();
    let alice = of_team("alice");
    let begun =
        world.engine.operations.investigation_start(&alice, asked(&world, "alice", "api is down"), None);
    let incident = world.drive(begun).unwrap().incident;
    let answer = |key: &str| {
        world.clock.advance_ms(1_000);
        let response = AgentResponse {
            memory: world.memory.id.clone(),
            incident: incident.clone(),
            session: None,
            agent: "logs-agent".to_owned(),
            text: "nothing".to_owned(),
            tool_calls: Vec::new(),
            at: None,
        };
        world.drive(world.engine.operations.agent_response(&alice, response, token(key, "x"))).unwrap()
    };
    let before = events(&world);
    assert_eq!(answer("k-1"), answer("k-1"));
    assert_eq!(events(&world) - before, 1);
    let turn = || {
        world.clock.advance_ms(1_000);
        let said = InvestigationMessage {
            role: Role::User,
            agent: None,
            tool: None,
            text: "why".to_owned(),
            at: None,
        };
        let (memory, incident) = (world.memory.id.clone(), incident.clone());
        let turn =
            InvestigationMessages { memory, incident, session: None, messages: vec![said], chars_max: None };
        world.drive(world.engine.operations.investigation_messages(&alice, turn, token("k-3", "x"))).unwrap()
    };
    assert_eq!(turn(), turn());
    assert_eq!(events(&world) - before, 2);
}

#[test]
fn a_key_is_of_the_person_who_sent_it() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let start = |by: &Principal, private: bool| {
        world.clock.advance_ms(1_000);
        let mut asked = asked(&world, &by.name, "api is down");
        asked.is_private = private;
        world.drive(world.engine.operations.investigation_start(by, asked, token("k-1", "x"))).unwrap()
    };
    let (hers, his) = (start(&alice, true), start(&bob, false));
    assert!(hers.incident != his.incident && !his.joined);
    let say = |by: &Principal, incident: &str, text: &str| {
        world.clock.advance_ms(1_000);
        let said = InvestigationMessage {
            role: Role::User,
            agent: None,
            tool: None,
            text: text.to_owned(),
            at: None,
        };
        let (memory, incident) = (world.memory.id.clone(), incident.to_owned());
        let turn =
            InvestigationMessages { memory, incident, session: None, messages: vec![said], chars_max: None };
        world.drive(world.engine.operations.investigation_messages(by, turn, token("turn-1", text)))
    };
    say(&alice, &hers.incident, "hers").unwrap();
    assert_eq!(say(&bob, &his.incident, "his").unwrap().shown[0].text, "his");
    // Reusing the key for other data is an error, so no data is lost silently.
    assert_eq!(say(&alice, &hers.incident, "more").unwrap_err().kind, ErrorKind::Invalid);
    let save = |by: &Principal| {
        let asked = SreSave {
            memory: world.memory.id.clone(),
            kind: SreType::Preferences,
            actor: by.name.clone(),
            session: None,
            data: json!({"preference_type": "style", "preference_value": {"tone": "dry"}}),
            source: SreSource::Agent,
        };
        world.drive(world.engine.operations.sre_save_in_person(by, asked, false, token("k-9", "x"))).unwrap()
    };
    assert_ne!(save(&alice).records[0].record, save(&bob).records[0].record);
}
