//! Investigations.

use loci_model::ErrorKind;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::RecordState;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::SreAction::{self, Added, Duplicate, Superseded};
use serde_json::{Value, json};

use super::{CallerStatement, known, of_actor, of_team, reopened, world};
use crate::fixture::World;

fn alice<'a>(world: &'a World, session: &'a str) -> CallerStatement<'a> {
    let (kind, session) = (SreType::Investigations, Some(session));
    CallerStatement { by: &world.caller, source: SreSource::Agent, kind, actor: "alice@example.com", session }
}

fn example() -> Value {
    json!({
        "incident_id": "incident_20261121_143000_k3x9qd",
        "query": "API server pod is restarting",
        "started_at": "2026-11-21T14:30:00Z",
        "timeline": [{"time": "14:30", "event": "alert"}, {"time": "14:38", "event": "restart", "by": "Alice"}],
        "actions_taken": ["raised the limit", {"what": "restarted", "by": "Alice", "result": "up"}],
        "resolution_status": "completed",
        "key_findings": ["found: latency at 1.5s", {"text": "OOMKilled", "category": "root_cause", "evidence": ["tc_1"]}],
        "root_cause": "the limit was 400Mi",
        "services": ["api-server"],
    })
}

#[test]
fn an_example_is_the_same_a_day_later() {
    let world = world();
    world.clock.advance_ms(24 * 3_600_000);
    assert_eq!(alice(&world, "s-1").actions(&world, example()), [Added]);
    let world = reopened(world);
    let found = &known(&world)[0];
    for name in [
        "incident_id",
        "query",
        "actions_taken",
        "resolution_status",
        "key_findings",
        "root_cause",
        "services",
    ] {
        assert_eq!(found[name], example()[name], "{name}");
    }
    let times: Vec<_> =
        found["timeline"].as_array().unwrap().iter().map(|entry| entry["time"].clone()).collect();
    assert_eq!(times, ["2026-11-21T14:30:00Z", "2026-11-21T14:38:00Z"]);
    assert_eq!((&found["user_id"], &found["status_source"]), (&json!("alice@example.com"), &json!("caller")));
    let namespace = world.active()[0].namespace.to_string();
    assert_eq!(namespace, "/sre/investigations/x--alice_40example_2ecom/s-1");
}

#[test]
fn what_changes_is_the_next_version() {
    let world = world();
    let said = alice(&world, "s-1");
    let id = |data: Value, action: SreAction| {
        let kept = said.save(&world, data).unwrap().records.remove(0);
        assert_eq!(kept.action, action);
        kept.record.unwrap()
    };
    let first = id(example(), Added);
    assert_eq!(id(example(), Duplicate), first);
    let mut more = example();
    more["root_cause"] = json!("a leak");
    assert_eq!(id(more.clone(), Superseded), first);
    assert_eq!(id(more, Duplicate), first);
    // The same incident in another session is another investigation.
    let other = alice(&world, "s-2").save(&world, example()).unwrap().records.remove(0);
    assert_eq!(other.action, Added);
    let world = reopened(world);
    let record = world.active().into_iter().find(|record| record.id == first).unwrap();
    assert_eq!((record.version, super::stored(&record)["root_cause"].clone()), (2, json!("a leak")));
    let (memory, store): (_, &dyn Store) = (world.memory.id.clone(), &*world.store);
    let versions = world.drive(store.read(move |tx| tx.records().history(&memory, &first))).unwrap();
    let causes: Vec<_> = versions.iter().map(|one| super::stored(one)["root_cause"].clone()).collect();
    assert!(causes.contains(&json!("the limit was 400Mi")), "{causes:?}");
}

#[test]
fn a_status_is_never_read_out_of_a_text() {
    let world = world();
    let texts =
        ["The issue is unresolved and needs escalation", "Root cause not yet fixed", "All checks completed."];
    for (at, text) in texts.iter().enumerate() {
        let data = json!({"query": text, "key_findings": [text], "incident_id": format!("i{at}")});
        alice(&world, "s").save(&world, data).unwrap();
    }
    let world = reopened(world);
    for found in known(&world) {
        assert_eq!(
            (&found["resolution_status"], &found["status_source"]),
            (&json!("ongoing"), &json!("default"))
        );
    }
}

#[test]
fn an_incident_without_a_name_gets_one_of_its_own() {
    let world = world();
    let mut names: Vec<String> = (0..50)
        .map(|at| {
            let data = json!({"query": format!("q{at}")});
            alice(&world, "s").save(&world, data).unwrap().records.remove(0).key.unwrap()
        })
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name.starts_with("incident_") && name.len() == "incident_YYYYMMDD_HHMMSS_".len() + 6)
    );
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 50);
}

#[test]
fn an_investigation_is_its_users() {
    let world = world();
    let check = |by, actor: &str, expect: Result<(), ErrorKind>| {
        let said = CallerStatement { by, actor, ..alice(&world, "s") };
        let saved = said.save(&world, json!({"query": "q"})).map(drop).map_err(|error| error.kind);
        assert_eq!(saved, expect, "{actor}");
    };
    let bob = of_team("bob");
    check(&bob, "bob", Ok(()));
    check(&bob, "carol", Err(ErrorKind::Denied));
    check(&of_actor("bob", "bob"), "carol", Err(ErrorKind::Denied));
    assert_eq!(world.records(&[RecordState::Active]).len(), 1);
}
