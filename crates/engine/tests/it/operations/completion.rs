//! Completion of investigations.

use loci_api::operations::investigation::{AgentResult, InvestigationComplete};
use loci_model::Result;
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_operations::{InvestigationCompleted, SreAction};
use serde_json::{Value, json};

use super::investigation_start::{asked, start};
use super::retrieval::go_to;
use super::{CallerStatement, known, of_team, reopened, stored, world};
use crate::fixture::World;

pub(super) fn complete(
    world: &World,
    by: &Principal,
    incident: &str,
    change: impl FnOnce(&mut InvestigationComplete),
) -> InvestigationCompleted {
    world.clock.advance_ms(1_000);
    let mut done = InvestigationComplete::default();
    change(&mut done);
    told(world, by, incident, done).unwrap()
}

fn told(
    world: &World,
    by: &Principal,
    incident: &str,
    done: InvestigationComplete,
) -> Result<InvestigationCompleted> {
    let of = (world.memory.id.clone(), incident.to_owned());
    world.drive(world.engine.operations.investigation_complete(by, of, done))
}

/// Returns an agent's answer without tool calls.
pub(super) fn answered(text: impl Into<String>) -> AgentResult {
    AgentResult { text: text.into(), tool_calls: Vec::new() }
}

fn block(service: &str) -> String {
    format!(
        "Done.\n```\n{{\"infrastructure_knowledge\": [{{\"service_name\": \"{service}\", \"knowledge_type\": \"config\", \"knowledge_data\": {{\"limit\": \"1Gi\"}}}}, {{\"service_name\": \"{service}\", \"knowledge_type\": \"rumour\", \"knowledge_data\": {{}}}}]}}\n```\n"
    )
}

/// Returns the only known investigation.
fn investigation(world: &World) -> Value {
    let all = known(world).into_iter().filter(|one| one.get("incident_id").is_some());
    let mut all: Vec<Value> = all.collect();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn agents_and_people_are_saved_along() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let done = complete(&world, &alice, &incident, |done| {
        for agent in ["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"] {
            let text = block(&format!("of-{agent}"));
            let text = answered(format!("{text}Escalate to ops@example.com.\n"));
            done.agent_results.insert(agent.to_owned(), text);
        }
        done.status = Some("completed".to_owned());
    });
    assert!(done.saved);
    // Runbooks are not read for knowledge: both items are rejected. Contacts follow the general
    // rule.
    assert_eq!((done.captured.saved.len(), done.captured.rejected.len()), (3, 5));
    assert_eq!(done.captured.pending.len(), 4);
    let world = reopened(world);
    let mut agents: Vec<String> =
        known(&world).iter().filter_map(|one| Some(one.get("discovered_by")?.as_str()?.to_owned())).collect();
    agents.sort();
    assert_eq!(agents, ["kubernetes-agent", "logs-agent", "metrics-agent"]);
    let waiting = world.records(&[RecordState::Candidate]);
    assert_eq!(waiting.len(), 1);
    assert_eq!(stored(&waiting[0])["preference_value"], json!({"contacts": ["ops@example.com"]}));
}

#[test]
fn findings_are_whole_and_say_what_they_rest_on() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let mut answer = "## Key Findings\n".to_owned();
    answer.extend((0..12).map(|at| format!("- found: latency at 1.{at}s. And more.\n")));
    complete(&world, &alice, &incident, |done| done.final_response = Some(answer.clone()));
    let findings = investigation(&world)["key_findings"].clone();
    let findings = findings.as_array().unwrap();
    assert_eq!(findings.len(), 12);
    let expect =
        json!({"text": "found: latency at 1.5s. And more.", "category": "observation", "unverified": true});
    assert_eq!(findings[5], expect);
    // Given findings take precedence over those in the answer.
    complete(&world, &alice, &incident, |done| {
        done.final_response = Some(answer);
        done.findings = Some(vec![json!({"text": "OOM", "category": "root_cause", "evidence": ["tc_12"]})]);
    });
    let given = json!([{"text": "OOM", "category": "root_cause", "evidence": ["tc_12"]}]);
    assert_eq!(investigation(&world)["key_findings"], given);
}

#[test]
fn times_of_day_are_of_the_starts_zone_else_the_users_else_the_default() {
    let check = |given: Option<&str>, preferred: Option<&str>, expect: &str| {
        let world = world();
        go_to(&world, "2026-11-21T23:30:00Z");
        let alice = of_team("alice");
        if let Some(zone) = preferred {
            let said = CallerStatement {
                by: &alice,
                source: SreSource::Human,
                kind: SreType::Preferences,
                actor: "alice",
                session: None,
            };
            let value = json!({"preference_type": "style", "preference_value": {"timezone": zone}});
            said.save(&world, value).unwrap();
        }
        let mut begun = asked(&world, "alice", "api is down");
        begun.tz = given.map(str::to_owned);
        let incident = start(&world, &alice, begun).unwrap().incident;
        complete(&world, &alice, &incident, |done| {
            done.timeline = vec![json!({"time": "08:31", "event": "restart"})];
        });
        let found = investigation(&reopened(world));
        assert_eq!(found["timeline"][0]["time"], json!(expect), "{given:?} {preferred:?}");
    };
    check(None, None, "2026-11-22T08:31:00Z");
    check(None, Some("Asia/Tokyo"), "2026-11-21T23:31:00Z");
    check(Some("Europe/Berlin"), Some("Asia/Tokyo"), "2026-11-22T07:31:00Z");
}

#[test]
fn the_same_is_one_record_and_more_is_its_next_version() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let done = |cause: &str| {
        let done = complete(&world, &alice, &incident, |done| done.root_cause = Some(cause.to_owned()));
        (done.summary.unwrap(), done.action.unwrap())
    };
    let (first, action) = done("a leak");
    assert_eq!(action, SreAction::Superseded);
    assert_eq!(done("a leak"), (first.clone(), SreAction::Duplicate));
    assert_eq!(done("a limit"), (first.clone(), SreAction::Superseded));
    let world = reopened(world);
    assert_eq!(investigation(&world)["root_cause"], json!("a limit"));
    assert_eq!(investigation(&world)["query"], json!("api is down"));
    let record = world.active().into_iter().find(|one| one.id == first).unwrap();
    assert_eq!(record.version, 3);
}

#[test]
fn a_plan_that_waits_saves_nothing() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let before = known(&world);
    let done = complete(&world, &alice, &incident, |done| {
        done.plan_state = Some("awaiting_approval".to_owned());
        done.root_cause = Some("a leak".to_owned());
        done.agent_results.insert("logs-agent".to_owned(), answered(block("api")));
    });
    assert_eq!((done.saved, done.reason), (false, Some("awaiting_approval")));
    assert_eq!(known(&world), before);
}

#[test]
fn a_status_is_the_callers_word() {
    let world = world();
    let alice = of_team("alice");
    let check = |text: &str, status: Option<ResolutionStatus>, expect: (&str, &str)| {
        let incident = start(&world, &alice, asked(&world, "alice", text)).unwrap().incident;
        let done = complete(&world, &alice, &incident, |done| {
            done.final_response = Some(text.to_owned());
            done.status = status.map(|status| status.as_str().to_owned());
        });
        assert_eq!((done.status.as_str(), done.status_source), expect, "{text}");
        let found = known(&world).into_iter().find(|one| one["incident_id"] == json!(incident)).unwrap();
        assert_eq!(
            (&found["resolution_status"], &found["status_source"]),
            (&json!(expect.0), &json!(expect.1))
        );
    };
    check("The issue is unresolved and needs escalation", None, ("ongoing", "default"));
    check("Root cause not yet fixed", None, ("ongoing", "default"));
    check("All checks completed. Issue persists.", None, ("ongoing", "default"));
    check("Done", Some(ResolutionStatus::Completed), ("completed", "caller"));
    check("Done", Some(ResolutionStatus::Escalated), ("escalated", "caller"));
}

#[test]
fn a_joined_investigation_is_completed_by_whoever_joined() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let of_alert = |user: &str| {
        let mut one = asked(&world, user, "the api is down");
        one.alert = super::investigation_start::alert("1a30");
        one
    };
    let incident = start(&world, &alice, of_alert("alice")).unwrap().incident;
    start(&world, &bob, of_alert("bob")).unwrap();
    complete(&world, &bob, &incident, |done| done.root_cause = Some("a leak".to_owned()));
    assert_eq!(investigation(&world)["user_id"], json!("alice"));
    assert_eq!(investigation(&world)["root_cause"], json!("a leak"));
}

#[test]
fn each_flag_switches_off_its_own_path() {
    let count = |change: fn(&mut loci_operations::SreSettings)| {
        let mut settings = loci_products::LociSettings::default();
        change(&mut settings.operations.all);
        let world = world().reopened(settings, |_| {});
        let alice = of_team("alice");
        let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
        let done = complete(&world, &alice, &incident, |done| {
            done.root_cause = Some("a leak".to_owned());
            let text = format!("{}Escalate to ops@example.com.\n", block("api"));
            done.agent_results.insert("logs-agent".to_owned(), answered(text));
        });
        (done.summary.is_some(), done.captured.saved.len(), done.captured.pending.len())
    };
    assert_eq!(count(|_| {}), (true, 1, 1));
    assert_eq!(count(|settings| settings.auto_generate_summaries = false), (false, 1, 1));
    assert_eq!(count(|settings| settings.auto_capture_infrastructure = false), (true, 0, 1));
    assert_eq!(count(|settings| settings.auto_capture_preferences = false), (true, 1, 0));
    assert_eq!(count(|settings| settings.capture_agents.clear()), (true, 0, 1));
}

#[test]
fn every_argument_is_used() {
    let base = |done: &mut InvestigationComplete| done.status = Some("completed".to_owned());
    let result = |change: fn(&mut InvestigationComplete)| {
        let world = world();
        let alice = of_team("alice");
        let mut began = asked(&world, "alice", "api is down");
        began.incident = Some("inc-1".to_owned());
        start(&world, &alice, began).unwrap();
        complete(&world, &alice, "inc-1", |done| {
            base(done);
            change(done);
        });
        known(&world)
    };
    let plain = result(|_| {});
    let changes: [fn(&mut InvestigationComplete); 10] = [
        |done| done.query = Some("why".to_owned()),
        |done| done.final_response = Some("- a finding".to_owned()),
        |done| drop(done.agent_results.insert("logs-agent".to_owned(), answered(block("api")))),
        |done| done.status = None,
        |done| done.root_cause = Some("a leak".to_owned()),
        |done| done.actions = vec![json!({"what": "restarted"})],
        |done| done.findings = Some(vec![json!("OOM")]),
        |done| done.timeline = vec![json!({"time": "14:30", "event": "alert"})],
        |done| done.services = vec!["api".to_owned()],
        |done| done.used_record_ids = vec![format!("mem-{}", "a".repeat(40))],
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_ne!(result(change), plain, "argument {number} changes nothing");
    }
}

#[test]
fn an_unknown_incident_and_a_broken_rule_are_told() {
    let world = world();
    let alice = of_team("alice");
    let missing = told(&world, &alice, "none", InvestigationComplete::default()).unwrap_err();
    assert_eq!(missing.kind, loci_model::ErrorKind::NotFound);
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let wrong = InvestigationComplete { findings: Some(vec![json!(1)]), ..InvestigationComplete::default() };
    let error = told(&world, &alice, &incident, wrong).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("findings"));
}

#[test]
fn actions_are_those_that_the_results_state() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let results = |done: &mut InvestigationComplete| {
        let mut said = answered("The pod restarted 14 times. I raised the memory limit of api-server.");
        said.tool_calls = vec![json!({"id": "tc_1", "name": "get_pods"})];
        done.agent_results.insert("kubernetes-agent".to_owned(), said);
        done.agent_results.insert("logs-agent".to_owned(), answered("Checked the api-server logs."));
        done.final_response = Some("## Actions taken\n- Limit raised to 1Gi\n\n## Cause\nA leak.".to_owned());
    };
    let first = complete(&world, &alice, &incident, results);
    let taken = json!([
        {"what": "I raised the memory limit of api-server.", "by": "kubernetes-agent"},
        {"what": "called get_pods", "by": "kubernetes-agent"},
        {"what": "Checked the api-server logs.", "by": "logs-agent"},
        {"what": "Limit raised to 1Gi"},
    ]);
    assert_eq!(investigation(&world)["actions_taken"], taken);
    assert_eq!(complete(&world, &alice, &incident, results).summary, first.summary);
    // If the caller names actions, only those count.
    complete(&world, &alice, &incident, |done| {
        results(done);
        done.actions = vec![json!("rolled back")];
    });
    assert_eq!(investigation(&world)["actions_taken"], json!(["rolled back"]));
}
