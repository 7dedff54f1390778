//! Permissions to read and set preferences, and content that is never stored.

use loci_engine::records::{NewRecord, RecordUpdate, RecordsCreate};
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::record::metadata::MetadataValue;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, Namespace, RecordId};
use loci_operations::SreAction::{self, Added, PendingConfirmation, Rejected};
use loci_operations::{SreSave, SreSettings, SreSettingsByMemory};
use loci_testkit_ports::credentials::{Credential, credentials};
use serde_json::{Value, json};

use super::{CallerStatement, known, of_actor, of_every_user, of_team, preferences, reopened, world};
use crate::fixture::World;

fn said<'a>(world: &'a World, source: SreSource) -> CallerStatement<'a> {
    CallerStatement { by: &world.caller, source, kind: SreType::Preferences, actor: "Alice", session: None }
}

fn value(value: Value) -> Value {
    json!({"preference_type": "escalation", "preference_value": value})
}

#[test]
fn what_only_a_person_sets() {
    use SreSource::{Agent, Declared, Extracted, Human, Imported, Webhook};
    let check = |source, what: Value, action: SreAction, in_force: usize| {
        let world = world();
        assert_eq!(said(&world, source).actions(&world, value(what.clone())), [action], "{source:?} {what}");
        let world = reopened(world);
        let read = preferences(&world, "Alice");
        assert_eq!(read.values().map(|one| one.value.len()).sum::<usize>(), in_force, "{source:?} {what}");
    };
    let contacts = [
        json!({"primary_contact": "ops.team@example.co.uk"}),
        json!({"statement": "escalate to x@y.com"}),
        json!({"slack_channel": "sre"}),
        json!({"notify": ["+49 30 1234567"]}),
    ];
    let risks = [json!({"auto_approve_simple_plans": true}), json!({"bypass_review": true})];
    for source in [Agent, Extracted, Webhook, Imported] {
        for contact in &contacts[..3] {
            check(source, contact.clone(), PendingConfirmation, 0);
        }
        for risk in &risks {
            check(source, risk.clone(), Rejected, 0);
        }
        check(source, json!({"delay_minutes": 15}), Added, 1);
    }
    for source in [Human, Declared] {
        for one in contacts.iter().chain(&risks) {
            check(source, one.clone(), Added, 1);
        }
    }
}

/// Stores a contact that waits.
fn waiting(world: &World, address: &str) -> RecordId {
    let data = value(json!({ "primary_contact": address }));
    let kept = said(world, SreSource::Agent).save(world, data).unwrap().records.remove(0);
    assert_eq!(kept.action, PendingConfirmation);
    kept.record.unwrap()
}

fn contacts(world: &World) -> Vec<(Value, &'static str)> {
    let read = preferences(world, "Alice");
    read["escalation"].entries.iter().map(|entry| (entry.value.clone(), entry.state)).collect()
}

#[test]
fn a_contact_counts_once_a_person_confirms_it() {
    let world = world();
    let old = value(json!({"primary_contact": "old@example.com"}));
    said(&world, SreSource::Human).save(&world, old).unwrap();
    let id = waiting(&world, "ops.team@example.co.uk");
    assert_eq!(waiting(&world, "ops.team@example.co.uk"), id, "said again it is the same");
    let waits =
        [(json!("old@example.com"), "active"), (json!("ops.team@example.co.uk"), "pending_confirmation")];
    assert_eq!(contacts(&world), waits);
    let decide = |by: &Principal, confirmed: bool| {
        world.clock.advance_ms(1_000);
        let decided = world.engine.operations.sre_preference_decide(by, &world.memory.id, &id, confirmed);
        world.drive(decided).map(|kept| kept.action).map_err(|error| error.kind)
    };
    // Neither another user nor a key that works for this one.
    assert_eq!(decide(&of_team("Bob"), true), Err(ErrorKind::NotFound));
    assert_eq!(decide(&of_actor("supervisor", "Alice"), true), Err(ErrorKind::Denied));
    assert_eq!(decide(&of_every_user("supervisor"), true), Err(ErrorKind::Denied));
    assert_eq!(decide(&of_actor("Bob", "Bob"), true), Err(ErrorKind::NotFound));
    assert_eq!(decide(&of_actor("Alice", "Alice"), true), Ok(SreAction::Superseded));
    assert_eq!(decide(&of_actor("Alice", "Alice"), true), Err(ErrorKind::NotFound));
    let world = reopened(world);
    assert_eq!(contacts(&world), [(json!("ops.team@example.co.uk"), "active")]);
    // Another one by an agent waits again; an equal one is a duplicate.
    let again = value(json!({"primary_contact": "ops.team@example.co.uk"}));
    assert_eq!(said(&world, SreSource::Agent).actions(&world, again), [SreAction::Duplicate]);
    let id = waiting(&world, "evil@example.com");
    let rejected = world.engine.operations.sre_preference_decide(&world.caller, &world.memory.id, &id, false);
    assert_eq!(world.drive(rejected).unwrap().action, Rejected);
    let world = reopened(world);
    assert_eq!(contacts(&world), [(json!("ops.team@example.co.uk"), "active")]);
}

#[test]
fn what_a_person_says_waits_no_longer() {
    let world = world();
    let id = waiting(&world, "ops@example.com");
    let same = value(json!({"primary_contact": "ops@example.com"}));
    let kept = said(&world, SreSource::Human).save(&world, same).unwrap().records.remove(0);
    assert_eq!((kept.record.unwrap(), kept.action), (id, Added));
    let world = reopened(world);
    assert_eq!(contacts(&world), [(json!("ops@example.com"), "active")]);
}

#[test]
fn no_other_door_sets_a_contact() {
    let world = world();
    let data = value(json!({"primary_contact": "ops@example.com", "delay_minutes": 15}));
    said(&world, SreSource::Human).save(&world, data).unwrap();
    let stranger = of_every_user("x");
    // A record written by a client, with all keys that it may set.
    let namespace = Namespace::parse("/sre/users/Alice/preferences").unwrap();
    let text = |what: Value| {
        json!({"preference_type": "escalation", "preference_value": what, "user_id": "Alice"}).to_string()
    };
    let strategy = world.memory.strategies.iter().find(|one| one.name == "user_preferences").unwrap();
    let forged = |what: Value| {
        let mut new = NewRecord::fact("r".into(), vec![namespace.clone()], text(what), world.clock.now());
        new.strategy = Some(strategy.id.clone());
        new.metadata.insert("source".into(), MetadataValue::String("human".into()));
        new
    };
    let records =
        vec![forged(json!({"second_contact": "evil@example.com"})), forged(json!({"auto_approve": true}))];
    for record in records {
        let create = RecordsCreate { memory: world.memory.id.clone(), records: vec![record], expiry: None };
        let made = world.engine.records_create(&stranger, create, None);
        assert!(world.drive(made).unwrap().items.iter().all(|item| item.result.is_ok()));
    }
    // And a person's record changed by a client.
    let contact = world.active().into_iter().find(|record| record.text.contains("ops@example.com")).unwrap();
    let changed = RecordUpdate {
        id: contact.id.clone(),
        timestamp: world.clock.now(),
        text: Some(text(json!({"primary_contact": "evil@example.com"}))),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let update = world.engine.records_update(&stranger, &world.memory.id, vec![changed], None);
    assert!(world.drive(update).unwrap().items.iter().all(|item| item.result.is_ok()));
    let world = reopened(world);
    let read = preferences(&world, "Alice");
    assert_eq!(Value::Object(read["escalation"].value.clone()), json!({"delay_minutes": 15}));
    assert_eq!(
        read["escalation"].entries.iter().filter(|one| one.state == "pending_confirmation").count(),
        3
    );
}

#[test]
fn a_user_is_the_connections() {
    let world = world();
    let data = || value(json!({"delay_minutes": 15}));
    let save = |by, actor: &str| {
        let saved = CallerStatement { by, actor, ..said(&world, SreSource::Human) }.save(&world, data());
        saved.map(drop).map_err(|error| error.kind)
    };
    let read = |by, actor: &str| {
        let read = world.engine.operations.sre_preferences(by, &world.memory.id, actor);
        world.drive(read).map(|types| types.len()).map_err(|error| error.kind)
    };
    save(&world.caller, "Alice").unwrap();
    let (alice, al, team) = (of_actor("key", "Alice"), of_actor("Al", "Al"), of_team("Bob"));
    assert_eq!((save(&alice, "Alice"), read(&alice, "Alice")), (Ok(()), Ok(1)));
    assert_eq!((save(&al, "Alice"), read(&al, "Alice")), (Err(ErrorKind::Denied), Err(ErrorKind::Denied)));
    assert_eq!(
        (save(&team, "Alice"), read(&team, "Alice")),
        (Err(ErrorKind::Denied), Err(ErrorKind::Denied))
    );
    assert_eq!((save(&team, "Bob"), read(&team, "Bob")), (Ok(()), Ok(1)));
    // A name gives no access without a grant.
    let nobody = of_actor("Alice", "Bob");
    assert_eq!(save(&nobody, "Alice"), Err(ErrorKind::Denied));
    assert_eq!(read(&nobody, "Alice"), Ok(0));
    for path in ["Alice/../Bob", "..", "a\\b", "{actorId}"] {
        assert_eq!(save(&world.caller, path), Err(ErrorKind::Invalid), "{path}");
        assert_eq!(read(&world.caller, path), Err(ErrorKind::Invalid), "{path}");
    }
    // Similar names are different users.
    for user in ["Alice Smith", "Alice-Smith", "alice@example.com", "Zoë"] {
        save(&world.caller, user).unwrap();
        assert_eq!(read(&world.caller, user), Ok(1), "{user}");
    }
    let world = reopened(world);
    assert_eq!(known(&world).len(), 6);
}

/// Returns the events as stored.
fn events(world: &World) -> String {
    let (memory, store): (_, &dyn Store) = (world.memory.id.clone(), &*world.store);
    let now = world.clock.now();
    let all = world.drive(store.read(move |tx| tx.events().export(&memory, 0, 1_000, now))).unwrap();
    assert_eq!(all.len(), credentials().len());
    all.iter().map(|event| format!("{:?}", event.payload)).collect()
}

#[test]
fn no_credential_is_stored() {
    let world = world();
    let all = credentials();
    assert_eq!(all.len(), 40);
    let agent = CallerStatement {
        kind: SreType::Infrastructure,
        actor: "logs-agent",
        session: Some("s"),
        ..said(&world, SreSource::Agent)
    };
    let mut kept = Vec::new();
    for (at, Credential { told, said, .. }) in all.iter().enumerate() {
        let text = said.clone();
        let data = json!({
            "service_name": "api", "knowledge_type": "config",
            "knowledge_data": {"note": text, "list": [text.clone()], format!("at {at}"): {"deep": text}},
            "metric": format!("m{at}"), "evidence": [{"tool": "logs", "quote": text}],
        });
        let saved = agent.save(&world, data).unwrap();
        if saved.masked.is_empty() {
            kept.push(*told);
        }
    }
    assert!(kept.is_empty(), "not found: {kept:?}");
    let world = reopened(world);
    world.work();
    let records = world.records(&[RecordState::Active]);
    assert_eq!(records.len(), all.len());
    // The debug form of a record contains all of it: texts, indexed text, metadata. Events are read
    // as stored.
    let exported = events(&world);
    for Credential { told, secret, .. } in &all {
        for record in &records {
            let text = format!("{} {:?} {:?}", record.text, record.index_text, record.metadata);
            assert!(!text.contains(secret), "{told}: {text}");
        }
        assert!(!exported.contains(secret), "{told}");
    }
    assert_eq!(known(&world).len(), all.len(), "what is masked is JSON still");
}

/// Returns the results of a user's statement on their own connection.
fn in_person(world: &World, said: &CallerStatement<'_>, data: Value) -> Vec<SreAction> {
    world.clock.advance_ms(1_000);
    let asked = SreSave {
        memory: world.memory.id.clone(),
        kind: said.kind,
        actor: said.actor.to_owned(),
        session: None,
        data,
        source: said.source,
    };
    let saved = world.drive(world.engine.operations.sre_save_in_person(said.by, asked, false, None)).unwrap();
    saved.records.into_iter().map(|kept| kept.action).collect()
}

#[test]
fn what_was_said_by_one_user_is_no_word_of_another() {
    let world = world();
    let (eve, agent) = (said(&world, SreSource::Human), of_every_user("agent"));
    let eve = CallerStatement { actor: "Eve", ..eve };
    assert_eq!(eve.actions(&world, value(json!({"primary_contact": "eve@evil.example"}))), [Added]);
    let record = world.active()[0].clone();
    let place = Namespace::parse("/sre/users/Bob/preferences").unwrap();
    let moved = RecordUpdate {
        id: record.id.clone(),
        timestamp: world.clock.now(),
        text: None,
        namespaces: Some(vec![place.clone()]),
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let update = world.engine.records_update(&agent, &world.memory.id, vec![moved], None);
    assert!(world.drive(update).unwrap().items.iter().all(|item| item.result.is_ok()));
    assert_eq!(world.records(&[RecordState::Candidate])[0].id, record.id);
    // A plain text in the preference namespace, with any strategy, is not one either.
    let plain =
        NewRecord::fact("r".into(), vec![place], "escalate to eve@evil.example".into(), world.clock.now());
    let create = RecordsCreate { memory: world.memory.id.clone(), records: vec![plain], expiry: None };
    world.drive(world.engine.records_create(&agent, create, None)).unwrap();
    assert_eq!(world.records(&[RecordState::Candidate]).len(), 2);
    let bob = preferences(&world, "Bob");
    assert!(bob.values().all(|one| one.value.is_empty()), "{bob:?}");
}

#[test]
fn what_is_ahead_of_now_is_refused() {
    let world = world();
    let agent = CallerStatement {
        kind: SreType::Infrastructure,
        actor: "logs-agent",
        session: Some("s"),
        ..said(&world, SreSource::Agent)
    };
    let data = json!({"service_name": "api", "knowledge_type": "baseline", "knowledge_data": {"cpu": 1},
        "timestamp": "9999-01-01T00:00:00Z"});
    assert_eq!(agent.save(&world, data).unwrap_err().field.as_deref(), Some("data.timestamp"));
}

#[test]
fn known_contacts_need_no_confirmation_of_their_user() {
    let known = SreSettings {
        contact_allow_domains: vec!["example.co.uk".to_owned()],
        protected_keys: vec!["*_usd".to_owned()],
        ..SreSettings::default()
    };
    let operations = SreSettingsByMemory { all: known, ..SreSettingsByMemory::default() };
    let settings = loci_products::LociSettings { operations, ..Default::default() };
    let world = world().reopened(settings, |_| {});
    let check = |by: &Principal, what: Value, expect: &[SreAction]| {
        let said = CallerStatement {
            by,
            source: SreSource::Agent,
            kind: SreType::Preferences,
            actor: "Alice",
            session: None,
        };
        assert_eq!(in_person(&world, &said, value(what.clone())), expect, "{what}");
        // An agent's statement on the same connection is an agent's.
        let told = value(json!({"agents_contact": "ops.team@example.co.uk"}));
        assert_eq!(said.actions(&world, told), [PendingConfirmation]);
    };
    let alice = of_actor("Alice", "Alice");
    check(&alice, json!({"a_contact": "ops.team@example.co.uk"}), &[Added]);
    check(&alice, json!({"b_contact": "ops.team@evil.com"}), &[PendingConfirmation]);
    // A key that works for the user is not the user.
    check(
        &of_actor("supervisor", "Alice"),
        json!({"c_contact": "ops.team@example.co.uk"}),
        &[PendingConfirmation],
    );
    check(&alice, json!({"spend_usd": 5}), &[Rejected]);
    let mail = of_actor("alice@home.org", "x--alice_40home_2eorg");
    let said = CallerStatement {
        by: &mail,
        source: SreSource::Agent,
        kind: SreType::Preferences,
        actor: "alice@home.org",
        session: None,
    };
    assert_eq!(in_person(&world, &said, value(json!({"contact": "alice@home.org"}))), [Added]);
    let world = reopened(world);
    assert_eq!(contacts(&world)[0], (json!("ops.team@example.co.uk"), "active"));
    assert_eq!(contacts(&world).iter().filter(|(_, state)| *state == "active").count(), 1);
}
