//! Knowledge about services.

use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::SreAction::{self, Added, Conflict, Duplicate, Rejected, Superseded};
use serde_json::{Value, json};

use super::{CallerStatement, known, of_actor, of_team, reopened, superseded, world};
use crate::fixture::World;

fn fact(kind: &str, data: Value, more: Value) -> Value {
    let mut fact = json!({"service_name": "api-server", "knowledge_type": kind, "knowledge_data": data});
    for (name, value) in more.as_object().unwrap() {
        fact[name] = value.clone();
    }
    fact
}

fn agent<'a>(world: &'a World, actor: &'a str, session: &'a str) -> CallerStatement<'a> {
    let session = Some(session);
    CallerStatement {
        by: &world.caller,
        source: SreSource::Agent,
        kind: SreType::Infrastructure,
        actor,
        session,
    }
}

#[test]
fn an_example_is_the_same_after_a_restart_under_one_agent() {
    let world = world();
    let example = json!({
        "service_name": "api-server", "knowledge_type": "baseline",
        "knowledge_data": {"memory_usage": "400-500Mi", "cpu": {"limit": 2}},
        "environment": "prod", "cluster": "eu-1", "confidence": 0.9,
        "valid_window": {"from": "08:00", "to": "18:00", "recurrence": "weekdays"},
        "evidence": [{"tool_call_id": "tc_1", "tool": "get_pod_metrics", "output_ref": "o_1"}],
        "context": "from metrics", "timestamp": "2026-11-20T10:00:00Z",
    });
    assert_eq!(agent(&world, "sre-agent-kubernetes", "s-1").actions(&world, example.clone()), [Added]);
    // The same agent under its other name, in another session.
    assert_eq!(agent(&world, "kubernetes-agent", "s-2").actions(&world, example.clone()), [Duplicate]);
    let world = reopened(world);
    let found = known(&world);
    assert_eq!(found.len(), 1);
    for (name, value) in example.as_object().unwrap() {
        assert_eq!(&found[0][name], value, "{name}");
    }
    let namespace = world.active()[0].namespace.to_string();
    assert_eq!(namespace, "/sre/infrastructure/kubernetes-agent/s-1");
    // One event and one record of its own strategy; other strategies extract nothing.
    world.work();
    assert_eq!(known(&world).len(), 1);
}

#[test]
fn what_gives_way_to_what() {
    let first = || fact("baseline", json!({"memory": "400-500Mi"}), json!({"environment": "prod"}));
    let check = |next: Value, source: SreSource, action: SreAction, current: usize, history: usize| {
        let world = world();
        agent(&world, "metrics-agent", "s-1").save(&world, first()).unwrap();
        let said = CallerStatement { source, ..agent(&world, "metrics-agent", "s-2") };
        assert_eq!(said.actions(&world, next.clone()), [action], "{next}");
        let world = reopened(world);
        assert_eq!((known(&world).len(), superseded(&world).len()), (current, history), "{next}");
    };
    let memory = |text: &str, more: Value| fact("baseline", json!({ "memory": text }), more);
    let prod = || json!({"environment": "prod"});
    use SreSource::{Agent, Human, Imported};
    check(memory("900Mi", prod()), Agent, Superseded, 1, 1);
    check(memory("900Mi", prod()), Human, Superseded, 1, 1);
    check(memory("900Mi", prod()), Imported, Conflict, 2, 0);
    check(memory("400-500Mi", prod()), Agent, Duplicate, 1, 0);
    // Another environment, cluster, metric, type or service is a separate record.
    check(memory("900Mi", json!({"environment": "staging"})), Agent, Added, 2, 0);
    check(memory("900Mi", json!({"environment": "prod", "cluster": "eu-1"})), Agent, Added, 2, 0);
    check(memory("900Mi", json!({})), Agent, Added, 2, 0);
    check(fact("baseline", json!({"cpu": "2"}), prod()), Agent, Added, 2, 0);
    check(fact("config", json!({"memory": "900Mi"}), prod()), Agent, Added, 2, 0);
    check(memory("900Mi", json!({"environment": "prod", "service_name": "db"})), Agent, Added, 2, 0);
    // An earlier observation is superseded immediately.
    let late = json!({"environment": "prod", "timestamp": "2020-01-01T00:00:00Z"});
    check(memory("100Mi", late), Agent, Superseded, 1, 1);
}

#[test]
fn patterns_stand_side_by_side_and_are_known_again() {
    let world = world();
    let said = agent(&world, "logs-agent", "s");
    let pattern = |text: &str| fact("pattern", json!({ "text": text }), json!({}));
    assert_eq!(said.actions(&world, pattern("OOMKilled after deploys")), [Added]);
    assert_eq!(said.actions(&world, pattern("restart loop by memory limit")), [Added]);
    assert_eq!(said.actions(&world, pattern("OOMKilled after deploys")), [Duplicate]);
    assert_eq!(said.actions(&world, json!("exit code 137 at night")), [Added]);
    let world = reopened(world);
    assert_eq!(known(&world).len(), 3);
    assert_eq!(known(&world)[2]["service_name"], "general");
}

#[test]
fn a_part_gives_way_and_the_rest_stays() {
    let world = world();
    let said = agent(&world, "metrics-agent", "s");
    said.save(&world, fact("baseline", json!({"cpu": 1, "memory": "400Mi"}), json!({}))).unwrap();
    let action = said.actions(&world, fact("baseline", json!({"memory": "900Mi"}), json!({})));
    assert_eq!(action, [Superseded]);
    // The older record stays current for its other key, until that is superseded too.
    assert_eq!((known(&world).len(), superseded(&world).len()), (2, 0));
    let action = said.actions(&world, fact("baseline", json!({"cpu": 2}), json!({})));
    assert_eq!(action, [Superseded]);
    let world = reopened(world);
    assert_eq!((known(&world).len(), superseded(&world).len()), (2, 1));
}

#[test]
fn one_bad_item_is_refused_beside_good_ones() {
    let world = world();
    let said = agent(&world, "kubernetes-agent", "s");
    let good = |name: &str| fact("config", json!({ name: 1 }), json!({}));
    let high = fact("config", json!({"c": 1}), json!({"confidence": 1.2}));
    let rumour = fact("rumour", json!({"d": 1}), json!({}));
    let block = json!({"infrastructure_knowledge": [good("a"), high, rumour, good("b")]});
    let saved = said.save(&world, block).unwrap();
    let actions: Vec<_> = saved.records.iter().map(|kept| kept.action).collect();
    assert_eq!(actions, [Added, Rejected, Rejected, Added]);
    let reason = saved.records[1].reason.clone().unwrap();
    assert!(reason.starts_with("data.infrastructure_knowledge[1].confidence: "), "{reason}");
    assert!(saved.event.is_some());
    // No item is valid: nothing is stored.
    let saved = said.save(&world, json!([1, 2])).unwrap();
    assert!(saved.event.is_none() && saved.records.iter().all(|kept| kept.record.is_none()));
    // A single invalid item is an error.
    let low = fact("config", json!({"c": 1}), json!({"confidence": -0.1}));
    assert_eq!(said.save(&world, low).unwrap_err().field.as_deref(), Some("data.confidence"));
    let world = reopened(world);
    assert_eq!(known(&world).len(), 2);
}

#[test]
fn what_a_caller_may_not_write_stays_and_is_not_told_of() {
    let world = world();
    let secret = fact("baseline", json!({"memory": "400Mi"}), json!({}));
    agent(&world, "metrics-agent", "s").save(&world, secret.clone()).unwrap();
    let logs = of_actor("logs", "logs-agent");
    let said = CallerStatement { by: &logs, ..agent(&world, "logs-agent", "s") };
    assert_eq!(said.actions(&world, secret), [Added]);
    let said = CallerStatement { by: &logs, ..agent(&world, "metrics-agent", "s") };
    assert!(said.save(&world, json!("x")).is_err());
    // A team member writes on the same service, and supersedes the agents' records.
    let team = of_team("carol");
    let said = CallerStatement { by: &team, ..agent(&world, "metrics-agent", "s") };
    let newer = fact("baseline", json!({"memory": "900Mi"}), json!({}));
    assert_eq!(said.actions(&world, newer), [Superseded]);
    let world = reopened(world);
    assert_eq!((known(&world).len(), superseded(&world).len()), (1, 2));
}

#[test]
fn patterns_that_say_nearly_the_same_are_one_with_a_counter() {
    let world = world();
    let said = agent(&world, "logs-agent", "s-1");
    let pattern = |text: &str| fact("pattern", json!({ "text": text }), json!({}));
    let long =
        "the api server restarts at night because the memory limit of the pods is too low for the backup job";
    assert_eq!(said.actions(&world, pattern(long)), [Added]);
    let again = long.replace("restarts", "restarted");
    assert_eq!(agent(&world, "logs-agent", "s-2").actions(&world, pattern(&again)), [Duplicate]);
    // Another number, or a negation, is a different statement.
    assert_eq!(said.actions(&world, pattern(&long.replace("at night", "at night 3"))), [Added]);
    assert_eq!(said.actions(&world, pattern(&long.replace("restarts", "never restarts"))), [Added]);
    let world = reopened(world);
    assert_eq!(known(&world).len(), 3);
}

#[test]
fn what_is_said_again_was_seen_later() {
    let world = world();
    let at = |time: &str, value: &str| {
        fact("baseline", json!({ "memory": value }), json!({"timestamp": time, "environment": "prod"}))
    };
    let said = agent(&world, "metrics-agent", "s-1");
    assert_eq!(said.actions(&world, at("2026-11-01T00:00:00Z", "400Mi")), [Added]);
    assert_eq!(said.actions(&world, at("2026-11-20T00:00:00Z", "400Mi")), [Duplicate]);
    let world = reopened(world);
    assert_eq!(known(&world)[0]["timestamp"], "2026-11-20T00:00:00Z");
    // A late observation is not the latest.
    let said = agent(&world, "metrics-agent", "s-1");
    assert_eq!(said.actions(&world, at("2026-11-10T00:00:00Z", "900Mi")), [Superseded]);
    assert_eq!(known(&world).len(), 1);
    assert_eq!(known(&world)[0]["knowledge_data"]["memory"], "400Mi");
    let said = agent(&world, "metrics-agent", "s-1");
    assert_eq!(said.actions(&world, at("2026-11-02T00:00:00Z", "400Mi")), [Duplicate]);
    assert_eq!(known(&world)[0]["timestamp"], "2026-11-20T00:00:00Z");
}
