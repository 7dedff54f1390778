//! Evidence of agents' knowledge counts if it names a tool call that was reported for the
//! investigation.

use loci_api::operations::investigation::AgentResult;
use loci_model::principal::Principal;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::AgentResponse;
use serde_json::{Value, json};

use super::completion::complete;
use super::investigation_start::{asked, start};
use super::retrieval::{asking, retrieve};
use super::{CallerStatement, of_actor, of_team, reopened, world};
use crate::fixture::World;

/// Returns a block with one item that cites these calls.
fn block(service: &str, evidence: &[&str]) -> String {
    let evidence: Vec<Value> =
        evidence.iter().map(|id| json!({"tool_call_id": id, "tool": "look"})).collect();
    let item = json!({
        "service_name": service, "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}, "confidence": 0.9,
        "evidence": evidence,
    });
    format!("Found:\n```json\n{}\n```\n", json!({ "infrastructure_knowledge": [item] }))
}

fn calls(ids: &[&str]) -> Vec<Value> {
    ids.iter().map(|id| json!({"id": id, "name": "look"})).collect()
}

fn responds(world: &World, by: &Principal, incident: &str, agent: &str, text: &str, ids: &[&str]) {
    world.clock.advance_ms(1_000);
    let response = AgentResponse {
        memory: world.memory.id.clone(),
        incident: incident.to_owned(),
        session: None,
        agent: agent.to_owned(),
        text: text.to_owned(),
        tool_calls: calls(ids),
        at: None,
    };
    world.drive(world.engine.operations.agent_response(by, response, None)).unwrap();
    world.drive(world.engine.run_due(std::slice::from_ref(&world.memory.id), 60_000)).unwrap();
}

/// Returns the calls marked as unverified, and the confidence of the item.
fn found(world: &World, service: &str) -> (Vec<String>, f64) {
    world.work();
    let found = retrieve(world, asking(world, SreType::Infrastructure, &format!("{service} limit")));
    let one = found.results.into_iter().find(|one| one.content["service_name"] == json!(service)).unwrap();
    let evidence = one.content["evidence"].as_array().cloned().unwrap_or_default();
    let marked = evidence.iter().filter(|one| one["unverified"] == json!(true));
    (marked.map(|one| one["tool_call_id"].as_str().unwrap().to_owned()).collect(), one.confidence)
}

/// Checks the evidence of an answer: with earlier calls by agent, reported in an answer and at the
/// end.
fn check(earlier: &[(&str, &[&str])], reported: &[&str], evidence: &[&str], marked: &[&str], expect: f64) {
    for at_the_end in [false, true] {
        let world = world();
        let alice = of_team("alice");
        let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
        for (agent, ids) in earlier {
            responds(&world, &alice, &incident, agent, "I looked.", ids);
        }
        let text = block("api", evidence);
        if at_the_end {
            complete(&world, &alice, &incident, |done| {
                let result = AgentResult { text, tool_calls: calls(reported) };
                done.agent_results.insert("logs-agent".to_owned(), result);
            });
        } else {
            responds(&world, &alice, &incident, "logs-agent", &text, reported);
        }
        let (found, sure) = found(&reopened(world), "api");
        let case = format!("{earlier:?} {reported:?} {evidence:?} at the end: {at_the_end}");
        assert_eq!(found, marked, "{case}");
        assert!((sure - expect).abs() < 1e-9, "{case}: {sure}");
    }
}

#[test]
fn evidence_names_a_call_that_was_reported() {
    check(&[], &["tc_1"], &["tc_1"], &[], 0.9);
    check(&[], &["tc_1"], &["tc_2"], &["tc_2"], 0.6);
    check(&[], &["tc_1"], &["tc_2", "tc_1"], &["tc_2"], 0.9);
    check(&[], &["tc_1"], &[], &[], 0.6);
    // No call was reported.
    check(&[], &[], &["tc_1"], &["tc_1"], 0.6);
    // Calls of earlier answers, of this agent and of others.
    check(&[("logs-agent", &["tc_1"])], &[], &["tc_1"], &[], 0.9);
    check(&[("kubernetes", &["tc_1"]), ("runbooks-agent", &["tc_2"])], &["tc_3"], &["tc_2"], &[], 0.9);
    check(&[("logs-agent", &["tc_1"])], &["tc_2"], &["tc_3"], &["tc_3"], 0.6);
}

#[test]
fn calls_of_other_investigations_are_none_of_this_one() {
    let world = world();
    let alice = of_team("alice");
    let mut incidents = Vec::new();
    for query in ["api is down", "db is down"] {
        incidents.push(start(&world, &alice, asked(&world, "alice", query)).unwrap().incident);
    }
    responds(&world, &alice, &incidents[0], "logs-agent", "I looked.", &["tc_1"]);
    responds(&world, &alice, &incidents[1], "logs-agent", &block("api", &["tc_1"]), &["tc_2"]);
    assert_eq!(found(&world, "api"), (vec!["tc_1".to_owned()], 0.6));
    // Calls reserved for bob verify nothing in another investigation of the same name.
    let bob = of_team("bob");
    let begun = |user: &str, is_private: bool| {
        let mut begun = asked(&world, user, "queue is down");
        (begun.incident, begun.session) = (Some("inc-1".to_owned()), Some("s-1".to_owned()));
        begun.is_private = is_private;
        begun
    };
    start(&world, &bob, begun("bob", true)).unwrap();
    responds(&world, &bob, "inc-1", "logs-agent", "I looked.", &["tc_9"]);
    start(&world, &alice, begun("alice", false)).unwrap();
    responds(&world, &alice, "inc-1", "logs-agent", &block("queue", &["tc_9"]), &["tc_3"]);
    assert_eq!(found(&world, "queue"), (vec!["tc_9".to_owned()], 0.6));
}

#[test]
fn what_a_caller_may_not_read_verifies_nothing() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    responds(&world, &alice, &incident, "kubernetes-agent", "I looked.", &["tc_1"]);
    let grants = ["logs-agent", "alice"].map(|actor| of_actor("key", actor).grants).concat();
    let key = Principal { name: "key".to_owned(), grants };
    responds(&world, &key, &incident, "logs-agent", &block("api", &["tc_1"]), &[]);
    assert_eq!(found(&world, "api"), (vec!["tc_1".to_owned()], 0.6));
}

#[test]
fn what_is_verified_later_counts_then() {
    let world = world();
    let alice = of_team("alice");
    let tell = |ids: &[&str]| {
        let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
        responds(&world, &alice, &incident, "logs-agent", &block("api", &["tc_1"]), ids);
        found(&world, "api")
    };
    assert_eq!(tell(&[]), (vec!["tc_1".to_owned()], 0.6));
    // Another investigation that names an unreported call does not raise the confidence; one that
    // reported it does.
    assert_eq!(tell(&["tc_2"]), (vec!["tc_1".to_owned()], 0.6));
    assert_eq!(tell(&["tc_1"]), (Vec::new(), 0.99));
    assert_eq!(tell(&[]), (Vec::new(), 0.99));
}

#[test]
fn what_is_saved_by_its_type_is_the_callers_word() {
    let world = world();
    let save = |service: &str, evidence: Value| {
        let kind = SreType::Infrastructure;
        let (by, session) = (&world.caller, Some("s-1"));
        let said = CallerStatement { by, source: SreSource::Agent, kind, actor: "logs-agent", session };
        let data = json!({
            "service_name": service, "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}, "confidence": 0.9,
            "evidence": evidence,
        });
        said.save(&world, data).unwrap();
        found(&world, service)
    };
    assert_eq!(save("api", json!([{"tool_call_id": "tc_1"}])), (Vec::new(), 0.9));
    let marked = json!([{"tool_call_id": "tc_1", "unverified": true}]);
    assert_eq!(save("db", marked), (vec!["tc_1".to_owned()], 0.6));
}
