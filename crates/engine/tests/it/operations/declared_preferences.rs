//! Preferences declared in a file, their display to people, and their retention.

use loci_engine::calls::idempotency::IfErased;
use loci_model::ports::clock::Clock;
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, ErrorKind, Reason, Result};
use loci_operations::{SreApply, SreApplyChange, SreApplyKind};
use serde_json::{Value, json};

use super::{CallerStatement, known, of_actor, of_team, preferences, reopened, world};
use crate::fixture::World;

fn item(kind: &str, value: Value) -> Value {
    json!({"preference_type": kind, "preference_value": value, "context": "team handbook"})
}

fn file() -> Vec<(String, Vec<Value>)> {
    let contact = json!({"primary_contact": "ops.team@example.com", "escalation_delay_minutes": 15});
    let risk = json!({"auto_approve_simple_plans": true});
    vec![
        ("Alice".to_owned(), vec![item("escalation", contact), item("workflow", risk)]),
        ("carol@example.com".to_owned(), vec![item("style", json!("short reports"))]),
    ]
}

fn apply(
    world: &World,
    users: Vec<(String, Vec<Value>)>,
    dry_run: bool,
    prune: bool,
) -> Result<Vec<SreApplyChange>> {
    apply_if(world, users, dry_run, prune, IfErased::Answer)
}

fn apply_if(
    world: &World,
    users: Vec<(String, Vec<Value>)>,
    dry_run: bool,
    prune: bool,
    if_erased: IfErased,
) -> Result<Vec<SreApplyChange>> {
    world.clock.advance_ms(1_000);
    let asked = SreApply { memory: world.memory.id.clone(), users, dry_run, prune, if_erased };
    world.drive(world.engine.operations.sre_preferences_apply(&world.caller, asked))
}

/// Returns the number of keys by kind of change.
fn counts(changes: &[SreApplyChange]) -> Vec<(&'static str, usize)> {
    use SreApplyKind::{Add, Change, Kept, Prune, Unchanged, Undeclare};
    let of = |kind: SreApplyKind| changes.iter().filter(|one| one.what == kind).count();
    let all = [Add, Change, Unchanged, Prune, Undeclare, Kept].map(|kind| (kind.as_str(), of(kind)));
    all.into_iter().filter(|(_, many)| *many > 0).collect()
}

fn human(world: &World, actor: &str, data: Value) {
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor,
        session: None,
    };
    said.save(world, data).unwrap();
}

#[test]
fn who_was_forgotten_does_not_come_back_by_a_file() {
    let world = world();
    apply(&world, file(), false, false).unwrap();
    let forget = |name: &str| {
        let actor = ActorId::parse(name).unwrap();
        world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &actor)).unwrap();
    };
    forget("Alice");
    let left = known(&world).len();
    for (dry_run, prune) in [(true, false), (false, false), (false, true)] {
        for if_erased in [IfErased::Answer, IfErased::Refuse] {
            let error = apply_if(&world, file(), dry_run, prune, if_erased).unwrap_err();
            assert_eq!(error.reason, Some(Reason::SourceErased), "{error:?}");
            assert_eq!(error.field.as_deref(), Some("users.Alice"));
            assert_eq!(known(&world).len(), left, "all or nothing");
        }
    }
    // The others of the file stay unchanged, and she returns only by a deliberate restore.
    let others = || file().into_iter().filter(|(user, _)| user != "Alice").collect::<Vec<_>>();
    assert_eq!(counts(&apply(&world, others(), false, false).unwrap()), [("unchanged", 1)]);
    let restored = apply_if(&world, file(), false, false, IfErased::Restore).unwrap();
    assert_eq!(counts(&restored), [("add", 3), ("unchanged", 1)]);
    assert_eq!(counts(&apply(&world, file(), false, false).unwrap()), [("unchanged", 4)]);
}

#[test]
fn a_file_that_is_applied_twice_changes_nothing() {
    let world = world();
    assert_eq!(counts(&apply(&world, file(), true, false).unwrap()), [("add", 4)]);
    assert!(known(&world).is_empty(), "a dry run writes nothing");
    assert_eq!(counts(&apply(&world, file(), false, false).unwrap()), [("add", 4)]);
    let world = reopened(world);
    assert_eq!(counts(&apply(&world, file(), true, true).unwrap()), [("unchanged", 4)]);
    assert_eq!(counts(&apply(&world, file(), false, true).unwrap()), [("unchanged", 4)]);
    assert_eq!(known(&world).len(), 4);
    let read = preferences(&world, "Alice");
    assert!(read["escalation"].entries.iter().all(|one| (one.source, one.state) == ("declared", "active")));
    assert_eq!(read["workflow"].value["auto_approve_simple_plans"], json!(true));
    assert_eq!(preferences(&world, "carol@example.com").len(), 1);
}

#[test]
fn keys_are_replaced_removed_and_left_to_people() {
    let world = world();
    human(&world, "Alice", item("escalation", json!({"escalation_delay_minutes": 30, "backup": "later"})));
    let mut same = item("workflow", json!({"auto_approve_simple_plans": true}));
    same["context"] = Value::Null;
    human(&world, "Alice", same);
    // One is new, one differed, and one becomes the file's.
    let changes = apply(&world, file(), false, false).unwrap();
    assert_eq!(counts(&changes), [("add", 2), ("change", 2)]);
    let delay = changes.iter().find(|one| one.key == "escalation_delay_minutes").unwrap();
    assert_eq!((&delay.from, &delay.to), (&Some(json!(30)), &Some(json!(15))));
    assert_eq!(counts(&apply(&world, file(), false, false).unwrap()), [("unchanged", 4)]);
    // Statements removed from the file are pruned; a person's statements stay.
    let mut less = file();
    less[0].1.truncate(1);
    less.truncate(1);
    let changes = apply(&world, less.clone(), true, true).unwrap();
    assert_eq!(counts(&changes), [("unchanged", 2), ("prune", 2), ("kept", 1)]);
    apply(&world, less.clone(), false, true).unwrap();
    let world = reopened(world);
    assert_eq!(counts(&apply(&world, less, false, true).unwrap()), [("unchanged", 2), ("kept", 1)]);
    assert!(!preferences(&world, "Alice").contains_key("workflow"));
    assert_eq!(preferences(&world, "Alice")["escalation"].value["backup"], json!("later"));
    assert!(preferences(&world, "carol@example.com").is_empty());
    let past = world.engine.operations.sre_preference_history(
        &world.caller,
        &world.memory.id,
        "Alice",
        (Some("escalation"), Some("escalation_delay_minutes")),
    );
    let past: Vec<_> = world
        .drive(past)
        .unwrap()
        .iter()
        .map(|one| (one.value.clone(), format!("{} {}", one.source, one.state)))
        .collect();
    assert_eq!(past, [(json!(15), "declared active".to_owned()), (json!(30), "human superseded".to_owned())]);
}

#[test]
fn an_error_names_its_place_and_changes_nothing() {
    let world = world();
    let check = |users: Vec<(String, Vec<Value>)>, field: &str| {
        let error = apply(&world, users, false, true).unwrap_err();
        assert_eq!(
            (error.kind, error.field.as_deref()),
            (ErrorKind::Invalid, Some(field)),
            "{}",
            error.message
        );
        assert!(known(&world).is_empty());
    };
    let mut bad = file();
    bad[1].1.push(item("Style", json!({"a": 1})));
    check(bad, "users.carol@example.com.preferences[1].preference_type");
    let mut bad = file();
    bad[0].1[1]["preference_value"] = json!(7);
    check(bad, "users.Alice.preferences[1].preference_value");
    let mut twice = file();
    twice[0].1.push(item("escalation", json!({"escalation_delay_minutes": 20})));
    check(twice, "users.Alice.preferences[2].preference_value.escalation_delay_minutes");
    check(vec![("a/b".to_owned(), Vec::new())], "users.a/b");
    let stranger = of_team("Bob");
    let if_erased = IfErased::Answer;
    let asked =
        SreApply { memory: world.memory.id.clone(), users: file(), dry_run: true, prune: false, if_erased };
    let refused = world.drive(world.engine.operations.sre_preferences_apply(&stranger, asked)).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
}

#[test]
fn each_strategy_has_its_time() {
    const DAY_MS: u64 = 86_400_000;
    let world = world();
    apply(&world, file()[..1].to_vec(), false, false).unwrap();
    human(&world, "Alice", item("style", json!({"tone": "dry"})));
    let infrastructure = CallerStatement {
        by: &world.caller,
        source: SreSource::Agent,
        kind: SreType::Infrastructure,
        actor: "logs-agent",
        session: Some("s-1"),
    };
    let known_of =
        json!({"service_name": "api", "knowledge_type": "baseline", "knowledge_data": {"memory": "400Mi"}});
    infrastructure.save(&world, known_of).unwrap();
    let investigation = CallerStatement { kind: SreType::Investigations, actor: "Alice", ..infrastructure };
    investigation.save(&world, json!({"incident_id": "i", "query": "why?"})).unwrap();
    let count = |day: u64, expect: usize, world: &World| {
        let left: Vec<_> =
            world.active().into_iter().filter(|one| !one.is_expired(world.clock.now())).collect();
        assert_eq!(left.len(), expect, "day {day}");
    };
    // Three of the file, one of a person, one of a service, one of an incident.
    for (day, step, expect) in
        [(0, 0, 6), (29, 29, 6), (31, 2, 5), (59, 28, 5), (61, 2, 4), (89, 28, 4), (91, 2, 3), (500, 409, 3)]
    {
        world.clock.advance_ms(step * DAY_MS);
        count(day, expect, &world);
    }
    assert!(!preferences(&world, "Alice").contains_key("style"));
    assert_eq!(preferences(&world, "Alice").len(), 2);
    // A statement removed from the file gets the usual retention from now on.
    let less = vec![("Alice".to_owned(), vec![file()[0].1[0].clone()])];
    assert_eq!(
        counts(&apply(&world, less.clone(), false, false).unwrap()),
        [("unchanged", 2), ("undeclare", 1)]
    );
    assert_eq!(counts(&apply(&world, less, false, false).unwrap()), [("unchanged", 2)]);
    world.clock.advance_ms(91 * DAY_MS);
    count(591, 2, &world);
}

#[test]
fn people_look_at_what_waits_first_and_at_their_own() {
    let world = world();
    let agent = CallerStatement {
        by: &world.caller,
        source: SreSource::Agent,
        kind: SreType::Preferences,
        actor: "Bob",
        session: None,
    };
    agent.save(&world, item("escalation", json!({"contact": "x@y.com", "delay_minutes": 5}))).unwrap();
    human(
        &world,
        "Alice",
        item(
            "notification",
            json!({
                "quiet_hours": {"start": "00:00", "end": "00:00"}, "timezone": "Europe/Berlin", "severity_filter": ["P1"],
            }),
        ),
    );
    let world = reopened(world);
    let list = |by: &Principal, waiting: bool| {
        let listing =
            world.drive(world.engine.operations.sre_preferences_list(by, &world.memory.id, waiting)).unwrap();
        assert!(listing.warnings.is_empty());
        listing.preferences.into_iter().map(|one| (one.user_id, one.key, one.state)).collect::<Vec<_>>()
    };
    let row = |user: &str, key: &str, state: &str| (user.to_owned(), key.to_owned(), state.to_owned());
    let waits = row("Bob", "contact", "pending_confirmation");
    let all = [
        waits.clone(),
        row("Alice", "quiet_hours", "active"),
        row("Alice", "severity_filter", "active"),
        row("Alice", "timezone", "active"),
        row("Bob", "delay_minutes", "active"),
    ];
    assert_eq!(list(&world.caller, false), all);
    assert_eq!(list(&world.caller, true), std::slice::from_ref(&waits));
    assert_eq!(list(&of_actor("Bob", "Bob"), false), [waits, row("Bob", "delay_minutes", "active")]);
    assert!(list(&of_team("x"), false).is_empty());
    let alice = world
        .drive(world.engine.operations.sre_user(&of_actor("Alice", "Alice"), &world.memory.id, "Alice"))
        .unwrap();
    assert!(alice.effective.quiet_now && alice.warnings.is_empty());
    assert_eq!(alice.effective.timezone, "Europe/Berlin");
    assert_eq!(alice.effective.severity_filter, Some(json!(["P1"])));
    let refused =
        world.drive(world.engine.operations.sre_user(&of_actor("Bob", "Bob"), &world.memory.id, "Alice"));
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(world.records(&[RecordState::Candidate]).len(), 1);
}
