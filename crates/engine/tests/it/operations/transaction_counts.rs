//! The number of store transactions per hook, which does not grow with the amount of data.

use loci_model::services::knowledge::{SreSource, SreType};
use serde_json::json;

use super::completion::complete;
use super::investigation_start::{alert, asked, learn, start};
use super::{CallerStatement, of_team, world};
use crate::fixture::World;

/// Maximum number of read transactions of one start: four parts in a few steps each, the
/// investigation and its exposure.
const READS_MAX: i64 = 24;
const WRITES_MAX: i64 = 3;

/// Returns the numbers of reads and writes of one start by its user.
fn of_start(world: &World) -> (i64, i64) {
    let alice = of_team("alice");
    let before = (world.store.reads(), world.store.writes());
    let mut begun = asked(world, "alice", "the queue of a service grows");
    begun.alert = alert("1a30");
    let started = start(world, &alice, begun).unwrap();
    assert!(!started.degraded, "{:?}", started.warnings);
    let used = (world.store.reads() - before.0, world.store.writes() - before.1);
    complete(world, &alice, &started.incident, |done| {
        done.status = Some("completed".to_owned());
    });
    used
}

fn fill(world: &World, round: usize) {
    for at in 0..30 {
        let agent = ["kubernetes-agent", "logs-agent", "metrics-agent"][at % 3];
        let text = format!("the queue of service {round}-{at} grows when deployments overlap");
        let service = format!("svc-{round}-{at}");
        let known =
            json!({"service_name": service, "knowledge_type": "pattern", "knowledge_data": {"text": text}});
        learn(world, agent, known);
    }
    let alice = of_team("alice");
    let (source, kind) = (SreSource::Human, SreType::Preferences);
    let said = CallerStatement { by: &alice, source, kind, actor: "alice", session: None };
    for at in 0..10 {
        let value = json!({ format!("rule_{round}_{at}"): "short words" });
        said.save(world, json!({"preference_type": "style", "preference_value": value})).unwrap();
    }
    world.work();
}

#[test]
fn a_start_reads_as_often_whatever_is_known() {
    let world = world();
    let mut used = Vec::new();
    for round in 0..4 {
        used.push(of_start(&world));
        fill(&world, round);
    }
    used.push(of_start(&world));
    let (few, most) = (used[1], used[4]);
    assert_eq!(few, most, "{used:?}");
    assert!(most.0 <= READS_MAX && most.1 <= WRITES_MAX, "{used:?}");
}
