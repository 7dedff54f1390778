//! Outcomes of investigations.

use loci_model::ports::clock::Clock;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, ErrorKind, RecordId, Result, Timestamp};
use loci_operations::{InvestigationOutcome, SreStatsAsk};
use serde_json::json;

use super::completion::{answered, complete};
use super::investigation_start::{alert, asked, start};
use super::{CallerStatement, of_actor, of_team, stored, world};
use crate::fixture::World;

const DAY_MS: u64 = 24 * 3_600_000;

fn plain(world: &World, incident: &str) -> InvestigationOutcome {
    InvestigationOutcome {
        memory: world.memory.id.clone(),
        incident: incident.to_owned(),
        session: None,
        resolved_at: None,
        root_cause_confirmed: None,
        root_cause: None,
        postmortem_url: None,
        fix: None,
        useful: Vec::new(),
        wrong: Vec::new(),
    }
}

fn tell(
    world: &World,
    by: &Principal,
    incident: &str,
    change: impl FnOnce(&mut InvestigationOutcome),
) -> Result<Vec<(RecordId, &'static str)>> {
    world.clock.advance_ms(1_000);
    let mut told = plain(world, incident);
    change(&mut told);
    let effects = world.drive(world.engine.operations.investigation_outcome(by, told))?;
    Ok(effects.into_iter().map(|one| (one.record, one.effect)).collect())
}

/// Runs an investigation that learns about a service and finds a cause. Returns its id.
fn investigated(world: &World, by: &Principal, service: &str) -> String {
    let incident = start(world, by, asked(world, &by.name, &format!("{service} is down"))).unwrap().incident;
    let text = format!(
        "```\n{{\"infrastructure_knowledge\": [{{\"service_name\": \"{service}\", \"knowledge_type\": \"baseline\", \"knowledge_data\": {{\"memory\": \"1Gi\"}}}}]}}\n```"
    );
    complete(world, by, &incident, |done| {
        done.agent_results.insert("metrics-agent".to_owned(), answered(text));
        done.root_cause = Some(format!("{service} leaks"));
        done.findings = Some(vec![
            json!({"text": format!("{service} leaks memory"), "category": "root_cause", "evidence": ["tc_1"]}),
        ]);
        done.status = Some("completed".to_owned());
    });
    incident
}

fn of_service(world: &World, service: &str, states: &[RecordState]) -> Record {
    let named = |record: &Record| stored(record)["service_name"] == json!(service);
    world.records(states).into_iter().find(named).unwrap()
}

fn of_incident(world: &World, incident: &str) -> Record {
    let named = |record: &Record| stored(record)["incident_id"] == json!(incident);
    world.active().into_iter().find(named).unwrap()
}

#[test]
fn what_was_confirmed_stays_longer_and_comes_first() {
    let world = world();
    let alice = of_team("alice");
    let other = investigated(&world, &alice, "api");
    let incident = investigated(&world, &alice, "api");
    let effects = tell(&world, &alice, &incident, |told| told.root_cause_confirmed = Some(true)).unwrap();
    assert_eq!(effects.iter().map(|(_, effect)| *effect).collect::<Vec<_>>()[0], "confirmed");
    assert_eq!(of_incident(&world, &incident).expiry_days, Some(730));
    assert_eq!(of_incident(&world, &other).expiry_days, Some(60));
    // A search reads the same fields of all investigations.
    for one in [&other, &incident] {
        let record = of_incident(&world, one);
        assert!(!record.indexed().contains("status source"), "{}", record.indexed());
    }
    let started = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap();
    let first = &started.context.investigations[0].content;
    assert_eq!(
        (&first["incident_id"], &first["outcome"]["root_cause_confirmed"]),
        (&json!(incident), &json!(true))
    );
    assert!(started.rendered.contains("root cause confirmed"), "{}", started.rendered);
    // Nothing else makes a baseline permanent; a repeated confirmation changes nothing.
    let confirmed = investigated(&world, &alice, "db");
    let once = tell(&world, &alice, &confirmed, |told| told.root_cause_confirmed = Some(true)).unwrap();
    let again = tell(&world, &alice, &confirmed, |told| told.root_cause_confirmed = Some(true)).unwrap();
    assert_eq!(once, again);
    let known = of_service(&world, "db", &[RecordState::Active]);
    assert_eq!(known.expiry_days, Some(400));
    world.clock.advance_ms(370 * DAY_MS);
    let started = start(&world, &alice, asked(&world, "alice", "db memory")).unwrap();
    let found = &started.context.infrastructure["metrics-agent"];
    assert!(found.iter().any(|one| one.content["service_name"] == json!("db")), "{found:?}");
    assert!(!found.iter().any(|one| one.content["service_name"] == json!("api")));
}

#[test]
fn what_was_refuted_is_no_answer() {
    let world = world();
    let alice = of_team("alice");
    let mut of_alert = asked(&world, "alice", "api is down");
    of_alert.alert = alert("1a30");
    let incident = start(&world, &alice, of_alert.clone()).unwrap().incident;
    complete(&world, &alice, &incident, |done| {
        done.root_cause = Some("api leaks".to_owned());
        done.findings = Some(vec![json!({"text": "it leaks memory", "category": "root_cause"})]);
        done.status = Some("completed".to_owned());
    });
    tell(&world, &alice, &incident, |told| told.root_cause_confirmed = Some(false)).unwrap();
    let content = stored(&of_incident(&world, &incident));
    assert_eq!(
        (&content["key_findings"][0]["refuted"], &content["root_cause_refuted"]),
        (&json!(true), &json!(true))
    );
    let again = start(&world, &alice, of_alert).unwrap();
    assert_eq!(again.recurrence.unwrap().last[0].root_cause, None);
    for part in ["refuted root cause: api leaks", "refuted finding: [unverified] it leaks memory"] {
        assert!(again.rendered.contains(part), "{part} is not in\n{}", again.rendered);
    }
    // The last report counts.
    tell(&world, &alice, &incident, |told| {
        told.root_cause_confirmed = Some(true);
        told.root_cause = Some("a limit".to_owned());
        told.fix = Some("raised it".to_owned());
    })
    .unwrap();
    let content = stored(&of_incident(&world, &incident));
    assert_eq!(
        (&content["root_cause"], &content["outcome"]["fix"]),
        (&json!("a limit"), &json!("raised it"))
    );
    assert!(
        content.get("root_cause_refuted").is_none() && content["key_findings"][0].get("refuted").is_none()
    );
}

#[test]
fn wrong_twice_is_held_back() {
    let world = world();
    let alice = of_team("alice");
    let first = investigated(&world, &alice, "api");
    let id = of_service(&world, "api", &[RecordState::Active]).id;
    let second = investigated(&world, &alice, "db");
    let wrong =
        |incident: &str| tell(&world, &alice, incident, |told| told.wrong = vec![id.clone()]).unwrap();
    assert_eq!(wrong(&first)[1], (id.clone(), "refuted"));
    // A repeated report on one investigation counts once.
    assert_eq!(wrong(&first)[1], (id.clone(), "refuted"));
    assert_eq!(wrong(&second)[1], (id.clone(), "quarantined"));
    assert_eq!(of_service(&world, "api", &[RecordState::Quarantined]).id, id);
    assert_eq!(wrong(&second)[1], (id, "not_found"));
}

/// Returns the key with the capability `outcome` on one actor's, or everyone's, investigations.
fn with_outcome(mut by: Principal, actor: Option<&str>) -> Principal {
    let actor = actor.map(|actor| ActorId::parse(actor).unwrap());
    by.grants.push(Grant { actor, capabilities: [Capability::Outcome].into(), ..Grant::everything() });
    by
}

#[test]
fn a_person_tells_an_outcome() {
    let world = world();
    let alice = of_team("alice");
    let incident = investigated(&world, &alice, "api");
    let check = |by: &Principal, expect: Result<(), ErrorKind>| {
        let told = tell(&world, by, &incident, |_| {}).map(drop).map_err(|error| error.kind);
        assert_eq!(told, expect, "{}", by.name);
    };
    check(&of_team("agent"), Err(ErrorKind::Denied));
    check(&of_actor("agent", "alice"), Err(ErrorKind::Denied));
    check(&of_actor("bob", "bob"), Err(ErrorKind::NotFound));
    // A grant of just that capability, only where it is granted.
    check(&with_outcome(of_team("postmortems"), None), Ok(()));
    check(&with_outcome(of_team("postmortems"), Some("alice")), Ok(()));
    check(&with_outcome(of_team("postmortems"), Some("bob")), Err(ErrorKind::Denied));
    check(&alice, Ok(()));
    check(&world.caller, Ok(()));
}

#[test]
fn numbers_over_investigations() {
    let world = world();
    let alice = of_team("alice");
    // Ten investigations that took 10 to 100 minutes; the first three belong to one alert.
    for minutes in 1..=10_i64 {
        let mut one = asked(&world, "alice", "api is down");
        one.alert = (minutes <= 3).then(|| alert("1a30")).flatten();
        one.services = vec![if minutes <= 4 { "api" } else { "db" }.to_owned()];
        let incident = start(&world, &alice, one).unwrap().incident;
        let began = stored(&of_incident(&world, &incident))["started_at"].clone();
        let began = Timestamp::parse(began.as_str().unwrap()).unwrap();
        complete(&world, &alice, &incident, |done| done.status = Some("completed".to_owned()));
        tell(&world, &alice, &incident, |told| {
            told.resolved_at = Some(began.plus_millis(minutes * 600_000));
            told.root_cause_confirmed = (minutes <= 4).then_some(minutes <= 3);
        })
        .unwrap();
    }
    let stats = |ask: SreStatsAsk| {
        world.drive(world.engine.operations.sre_stats(&alice, &world.memory.id, &ask)).unwrap()
    };
    let all = stats(SreStatsAsk::default());
    assert_eq!((all.investigations, all.resolved, all.judged), (10, 10, 4));
    assert_eq!((all.mttr_median_s, all.mttr_p90_s), (Some(3_300.0), Some(5_400.0)));
    assert_eq!(all.confirmed_share, Some(0.75));
    let again: Vec<_> = all.recurrence.iter().map(|one| (one.fingerprint.as_str(), one.count)).collect();
    assert_eq!(again, [("1a30", 3)]);
    // The first one saw no memories.
    assert_eq!(all.mttr_without_memory_s, Some(600.0));
    assert_eq!(all.mttr_with_memory_s, Some(3_600.0));
    let of_api = stats(SreStatsAsk { service: Some("api".to_owned()), since: None });
    assert_eq!((of_api.investigations, of_api.mttr_median_s), (4, Some(1_500.0)));
    let later = stats(SreStatsAsk { service: None, since: Some(world.clock.now().plus_millis(1)) });
    assert_eq!((later.investigations, later.mttr_median_s), (0, None));
}

#[test]
fn outcomes_that_nobody_told_are_listed() {
    let world = world();
    let alice = of_team("alice");
    let waiting = investigated(&world, &alice, "api");
    let told = investigated(&world, &alice, "db");
    tell(&world, &alice, &told, |told| told.root_cause_confirmed = Some(true)).unwrap();
    start(&world, &alice, asked(&world, "alice", "still open")).unwrap();
    let listed = || {
        let all =
            world.drive(world.engine.operations.sre_pending_outcomes(&alice, &world.memory.id)).unwrap();
        assert!(!all.degraded);
        all.investigations.into_iter().map(|one| one.incident_id).collect::<Vec<_>>()
    };
    assert!(listed().is_empty());
    world.clock.advance_ms(15 * DAY_MS);
    assert_eq!(listed(), [waiting]);
}

#[test]
fn more_that_is_found_takes_no_outcome_back() {
    let world = world();
    let alice = of_team("alice");
    let incident = investigated(&world, &alice, "api-server");
    tell(&world, &alice, &incident, |told| told.root_cause_confirmed = Some(false)).unwrap();
    complete(&world, &alice, &incident, |done| {
        done.root_cause = Some("api-server leaks".to_owned());
        done.findings = Some(vec![
            json!({"text": "api-server leaks memory", "category": "root_cause", "evidence": ["tc_1"]}),
            json!({"text": "it is slow, too", "category": "observation", "evidence": ["tc_2"]}),
        ]);
        done.status = Some("completed".to_owned());
    });
    let content = stored(&of_incident(&world, &incident));
    assert_eq!(
        (&content["root_cause_refuted"], &content["key_findings"][0]["refuted"]),
        (&json!(true), &json!(true)),
        "{content}"
    );
    assert_eq!(content["key_findings"].as_array().unwrap().len(), 2);
    assert_eq!(content["outcome"]["root_cause_confirmed"], false);
    assert!(!of_incident(&world, &incident).indexed().contains("status source"));
    let confirmed = investigated(&world, &alice, "db");
    tell(&world, &alice, &confirmed, |told| told.root_cause_confirmed = Some(true)).unwrap();
    complete(&world, &alice, &confirmed, |done| done.root_cause = Some("db leaks more".to_owned()));
    assert_eq!(of_incident(&world, &confirmed).expiry_days, Some(730));
}

#[test]
fn an_outcome_is_of_work_and_not_of_what_people_want() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let wish = CallerStatement {
        by: &bob,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "bob",
        session: None,
    };
    let data = json!({"preference_type": "style", "preference_value": {"report": "short"}});
    let saved = wish.save(&world, data).unwrap().records[0].record.clone().unwrap();
    let incident = investigated(&world, &alice, "api-server");
    let effects = tell(&world, &alice, &incident, |told| told.wrong = vec![saved.clone()]).unwrap();
    assert!(effects.contains(&(saved, "not_found")), "{effects:?}");
}

#[test]
fn what_was_confirmed_has_its_own_time() {
    let world = world();
    let alice = of_team("alice");
    let incident = investigated(&world, &alice, "api");
    tell(&world, &alice, &incident, |told| told.root_cause_confirmed = Some(true)).unwrap();
    let left = || {
        let now = world.clock.now();
        world.active().into_iter().filter(|one| !one.is_expired(now)).count()
    };
    // Learned knowledge stays 400 days, the investigation 730.
    for (day, step, expect) in [(399, 399, 2), (401, 2, 1), (729, 328, 1), (731, 2, 0)] {
        world.clock.advance_ms(step * DAY_MS);
        assert_eq!(left(), expect, "day {day}");
    }
}

#[test]
fn a_pattern_that_was_confirmed_is_known_a_year_later() {
    let world = world();
    let alice = of_team("alice");
    let learned = |service: &str| {
        let about = format!("{service} is slow");
        let incident = start(&world, &alice, asked(&world, "alice", &about)).unwrap().incident;
        let item = json!({"service_name": service, "knowledge_type": "pattern",
            "knowledge_data": {"text": format!("{service} is slow when the yearly report runs")}});
        complete(&world, &alice, &incident, |done| {
            let block = format!("```\n{}\n```", json!({"infrastructure_knowledge": [item]}));
            done.agent_results.insert("logs-agent".to_owned(), super::completion::answered(block));
            done.root_cause = Some("the yearly report".to_owned());
        });
        incident
    };
    let (confirmed, _) = (learned("ledger"), learned("mail"));
    tell(&world, &alice, &confirmed, |told| told.root_cause_confirmed = Some(true)).unwrap();
    world.clock.advance_ms(370 * DAY_MS);
    let world = super::reopened(world);
    world.work();
    let about = "which pattern has the yearly report";
    let found = world
        .drive(
            world
                .engine
                .operations
                .sre_retrieve(&alice, super::retrieval::asking(&world, SreType::Infrastructure, about)),
        )
        .unwrap();
    let services: Vec<_> = found.results.iter().map(|one| one.content["service_name"].clone()).collect();
    assert_eq!(services, [json!("ledger")]);
    assert_eq!(found.results[0].content["knowledge_type"], "pattern");
    let started = start(&world, &alice, asked(&world, "alice", about)).unwrap();
    assert_eq!(started.context.infrastructure["logs-agent"].len(), 1);
    assert_eq!(started.context.investigations[0].content["incident_id"], json!(confirmed));
}
