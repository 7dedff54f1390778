//! Records of operations memory that no read matches as intended.

use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, Namespace};
use loci_operations::{SreExamined, SreProblemKind};
use serde_json::json;

use super::{CallerStatement, of_team, world};
use crate::fixture::World;

fn examined(world: &World) -> SreExamined {
    world.drive(world.engine.operations.sre_examine(&world.caller, &world.memory.id)).unwrap()
}

fn told(world: &World) -> Vec<(SreProblemKind, String)> {
    examined(world).problems.into_iter().map(|one| (one.kind, one.place)).collect()
}

fn learned(world: &World, agent: &str) {
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Agent,
        kind: SreType::Infrastructure,
        actor: agent,
        session: Some("s-1"),
    };
    let data = json!({"service_name": agent, "knowledge_type": "config", "knowledge_data": {"replicas": 3}});
    said.save(world, data).unwrap();
}

fn wanted(world: &World, user: &str) {
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: user,
        session: None,
    };
    said.save(world, json!({"preference_type": "style", "preference_value": {"report": user}})).unwrap();
}

/// Stores a record as a client would, with the strategy of a type.
fn written(world: &World, kind: SreType, namespace: &str, text: &str) {
    let strategy = world.memory.strategies.iter().find(|one| one.name == kind.strategy_name());
    let strategy = strategy.map(|one| one.id.clone());
    let namespace = Namespace::parse(namespace).unwrap();
    let fact = NewRecord::fact("0".to_owned(), vec![namespace], text.to_owned(), world.engine.now());
    let records = vec![NewRecord { strategy, ..fact }];
    let request = RecordsCreate { memory: world.memory.id.clone(), records, expiry: None };
    let outcome = world.drive(world.engine.records_create(&world.caller, request, None)).unwrap();
    assert!(outcome.items.iter().all(|item| item.result.is_ok()), "{outcome:?}");
}

#[test]
fn what_is_well_is_well() {
    let world = world();
    // The other name denotes the same agent.
    learned(&world, "sre-agent-kubernetes");
    learned(&world, "logs-agent");
    wanted(&world, "alice@example.com");
    wanted(&world, "Bob Jones");
    assert_eq!(examined(&world), SreExamined { records: 4, ..SreExamined::default() });
    let denied =
        world.drive(world.engine.operations.sre_examine(&of_team("agent"), &world.memory.id)).unwrap_err();
    assert_eq!(denied.kind, ErrorKind::Denied);
}

#[test]
fn what_nobody_reads_is_told() {
    use SreProblemKind::{AgentAlias, AgentUnknown, IdsCollide, Unreachable, Unreadable};
    let world = world();
    let knows = r#"{"service_name": "api", "knowledge_type": "pattern", "knowledge_data": {"a": 1}}"#;
    written(&world, SreType::Infrastructure, "/elsewhere/logs-agent/", knows);
    written(&world, SreType::Infrastructure, "/sre/investigations/alice/s-1/", knows);
    written(&world, SreType::Infrastructure, "/sre/infrastructure/logs-agent/s-1/", "{broken");
    written(&world, SreType::Infrastructure, "/sre/infrastructure/kubernetes/s-1/", knows);
    learned(&world, "network-agent");
    let found = told(&world);
    let expect = [
        (Unreachable, "/sre/investigations/alice/s-1/"),
        (Unreachable, "/elsewhere/logs-agent/"),
        (Unreadable, "/sre/infrastructure/logs-agent/s-1/"),
        (AgentAlias, "kubernetes"),
        (AgentUnknown, "network-agent"),
    ];
    let mut expect = expect.map(|(kind, place)| (kind, place.to_owned())).to_vec();
    let mut sorted = found.clone();
    sorted.sort();
    expect.sort();
    assert_eq!(sorted, expect);
    // The report contains no text of a record.
    let all = format!("{:?}", examined(&world));
    assert!(!all.contains("broken"), "{all}");
    wanted(&world, "Alice");
    wanted(&world, "alice");
    written(
        &world,
        SreType::Preferences,
        "/sre/users/Carol/preferences/",
        r#"{"user_id": "carol", "preference_type": "style", "preference_value": {"report": "short"}}"#,
    );
    wanted(&world, "Carol");
    let ids: Vec<String> =
        told(&world).into_iter().filter(|(kind, _)| *kind == IdsCollide).map(|(_, place)| place).collect();
    assert_eq!(ids, ["Alice, alice", "Carol"]);
}
