//! Preferences of users.

use loci_model::record::RecordState;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::SreAction::{self, Added, Conflict, Duplicate, Superseded};
use serde_json::{Value, json};

use super::{CallerStatement, known, of_actor, preferences, reopened, superseded, world};

fn value(kind: &str, value: Value) -> Value {
    json!({"preference_type": kind, "preference_value": value})
}

#[test]
fn an_example_is_the_same_after_a_restart() {
    let world = world();
    let alice = of_actor("Alice", "Alice");
    let said = CallerStatement {
        by: &alice,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "Alice",
        session: None,
    };
    let example = json!({
        "preference_type": "escalation",
        "preference_value": {"primary_contact": "ops.team@example.co.uk", "escalation_delay_minutes": 15},
        "context": "team handbook",
        "timestamp": "2026-11-20T10:00:00Z",
    });
    assert_eq!(said.actions(&world, example), [Added, Added]);
    let world = reopened(world);
    let read = preferences(&world, "Alice");
    let one = &read["escalation"];
    let expect = json!({"escalation_delay_minutes": 15, "primary_contact": "ops.team@example.co.uk"});
    assert_eq!(Value::Object(one.value.clone()), expect);
    let entries: Vec<_> =
        one.entries.iter().map(|entry| (entry.key.as_str(), entry.source, entry.state)).collect();
    assert_eq!(
        entries,
        [("escalation_delay_minutes", "human", "active"), ("primary_contact", "human", "active")]
    );
    let texts = known(&world);
    assert!(texts.iter().all(|text| text["context"] == "team handbook" && text["user_id"] == "Alice"));
    assert!(world.active().iter().all(|record| record.namespace.as_str() == "/sre/users/Alice/preferences"));
}

#[test]
fn four_preferences_said_a_hundred_times_are_four() {
    let world = world();
    let alice = of_actor("Alice", "Alice");
    let said = CallerStatement {
        by: &alice,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "Alice",
        session: Some(""),
    };
    let four = [
        value("style", json!({"report_format": "short"})),
        value("workflow", json!({"time_limit_minutes": 30})),
        value("notification", json!({"quiet_hours": {"start": "22:00", "end": "07:00"}})),
        json!({"preference_value": "prefers tables"}),
    ];
    for round in 0..25 {
        for one in &four {
            let expect = if round == 0 { Added } else { Duplicate };
            assert_eq!(said.actions(&world, one.clone()), [expect], "{round}");
        }
    }
    let world = reopened(world);
    assert_eq!(known(&world).len(), 4);
    let read = preferences(&world, "Alice");
    assert_eq!(read.keys().collect::<Vec<_>>(), ["general", "notification", "style", "workflow"]);
    assert_eq!(read.values().map(|one| one.entries.len()).sum::<usize>(), 4);
}

#[test]
fn a_key_is_replaced_and_its_history_kept() {
    let world = world();
    let alice = of_actor("Alice", "Alice");
    let said = CallerStatement {
        by: &alice,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "Alice",
        session: None,
    };
    said.save(&world, value("style", json!({"report_format": "short", "tone": "dry"}))).unwrap();
    assert_eq!(said.actions(&world, value("style", json!({"report_format": "long"}))), [Superseded]);
    let world = reopened(world);
    let read = preferences(&world, "Alice");
    assert_eq!(Value::Object(read["style"].value.clone()), json!({"report_format": "long", "tone": "dry"}));
    assert_eq!(superseded(&world)[0]["preference_value"], json!({"report_format": "short"}));
    // A second read has the same result.
    assert_eq!(preferences(&world, "Alice"), read);
}

#[test]
fn whose_word_counts() {
    use SreSource::{Agent, Human};
    // Statements by source in sequence; the result of the last, and the active value at the end.
    let check = |words: &[(SreSource, i32, &str)], action: SreAction, in_force: i32, states: &[&str]| {
        let world = world();
        for (at, (source, delay, time)) in words.iter().enumerate() {
            let said = CallerStatement {
                by: &world.caller,
                source: *source,
                kind: SreType::Preferences,
                actor: "Alice",
                session: None,
            };
            let mut data = value("escalation", json!({"delay_minutes": delay}));
            if !time.is_empty() {
                data["timestamp"] = json!(time);
            }
            let actions = said.actions(&world, data);
            if at + 1 == words.len() {
                assert_eq!(actions, [action]);
            }
        }
        let world = reopened(world);
        let read = preferences(&world, "Alice");
        let one = &read["escalation"];
        assert_eq!(one.value["delay_minutes"], json!(in_force), "{words:?}");
        assert_eq!(one.entries.iter().map(|entry| entry.state).collect::<Vec<_>>(), states, "{words:?}");
    };
    check(&[(Agent, 5, ""), (Agent, 10, "")], Superseded, 10, &["active"]);
    check(&[(Agent, 5, ""), (Human, 10, "")], Superseded, 10, &["active"]);
    check(&[(Human, 5, ""), (Agent, 10, "")], Conflict, 5, &["active", "conflict"]);
    check(&[(Human, 5, ""), (Agent, 5, "")], Duplicate, 5, &["active"]);
    // A person's statement supersedes an agent's equal one, and ranks higher from then on.
    check(&[(Agent, 5, ""), (Human, 5, ""), (Agent, 10, "")], Conflict, 5, &["active", "conflict"]);
    check(&[(Human, 5, ""), (Agent, 10, ""), (Human, 10, "")], Superseded, 10, &["active"]);
    // A late statement of equal rank is superseded immediately.
    check(
        &[(Agent, 5, "2026-01-02T00:00:00Z"), (Agent, 10, "2026-01-01T00:00:00Z")],
        Superseded,
        5,
        &["active"],
    );
    // An older statement of higher rank conflicts with a newer one.
    check(
        &[(Agent, 5, "2026-01-02T00:00:00Z"), (Human, 10, "2026-01-01T00:00:00Z")],
        SreAction::Added,
        10,
        &["active", "conflict"],
    );
}

#[test]
fn what_a_file_says_stands_as_long_as_the_file_does() {
    let world = world();
    for (source, key) in [(SreSource::Declared, "declared"), (SreSource::Human, "said")] {
        let said = CallerStatement {
            by: &world.caller,
            source,
            kind: SreType::Preferences,
            actor: "Alice",
            session: None,
        };
        said.save(&world, value("style", json!({ key: 1 }))).unwrap();
    }
    let days: Vec<_> =
        world.records(&[RecordState::Active]).iter().map(|record| record.expiry_days).collect();
    assert_eq!(days, [None, Some(90)]);
}

#[test]
fn what_is_needed_is_named() {
    let world = world();
    let check = |kind, actor, session, field: &str, message: &str| {
        let said = CallerStatement { by: &world.caller, source: SreSource::Agent, kind, actor, session };
        let error = said.save(&world, value("style", json!({"a": 1}))).unwrap_err();
        assert_eq!((error.field.as_deref(), error.message.as_str()), (Some(field), message));
    };
    check(SreType::Preferences, "", None, "actor_id", "actor_id is required");
    let infrastructure = "session_id is required for infrastructure";
    check(SreType::Infrastructure, "logs-agent", None, "session_id", infrastructure);
    check(SreType::Infrastructure, "logs-agent", Some(""), "session_id", infrastructure);
    let investigations = "session_id is required for investigations";
    check(SreType::Investigations, "Alice", Some(""), "session_id", investigations);
    assert!(known(&world).is_empty());
}
