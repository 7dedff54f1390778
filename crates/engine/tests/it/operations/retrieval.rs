//! Retrieval of operations memory.

use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::principal::Principal;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::time::DAY_MS;
use loci_model::{Namespace, RecordId, Result, Timestamp};
use loci_operations::{SreFound, SreRetrieve, SreRetrieved, SreTimeSource};
use serde_json::{Value, json};

use super::{CallerStatement, of_actor, of_team, reopened, world};
use crate::fixture::World;

const INFRASTRUCTURE: SreType = SreType::Infrastructure;
const INVESTIGATIONS: SreType = SreType::Investigations;

pub(super) fn asking(world: &World, kind: SreType, query: &str) -> SreRetrieve {
    SreRetrieve {
        memory: world.memory.id.clone(),
        kinds: vec![kind],
        query: query.to_owned(),
        actor: None,
        session: None,
        since: None,
        until: None,
        tz: None,
        services: Vec::new(),
        environments: Vec::new(),
        filters_boost: false,
        min_confidence: None,
        top_k: None,
        include_superseded: false,
        as_of: None,
        explain: false,
        leave_out: Vec::new(),
    }
}

fn retrieve_as(world: &World, by: &Principal, asked: SreRetrieve) -> Result<SreRetrieved> {
    world.drive(world.engine.operations.sre_retrieve(by, asked))
}

pub(super) fn retrieve(world: &World, asked: SreRetrieve) -> SreRetrieved {
    let found = retrieve_as(world, &world.caller, asked).unwrap();
    let scores: Vec<f64> = found.results.iter().map(|one| one.score).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    found
}

fn save(world: &World, kind: SreType, (actor, session): (&str, &str), data: Value) {
    let said =
        CallerStatement { by: &world.caller, source: SreSource::Agent, kind, actor, session: Some(session) };
    said.save(world, data).unwrap();
}

/// Stores a fact on a service, learned by `kubernetes-agent` in `s-1`.
fn fact(world: &World, service: &str, kind: &str, data: Value, more: Value) {
    let mut fact = json!({"service_name": service, "knowledge_type": kind, "knowledge_data": data});
    for (name, value) in more.as_object().unwrap() {
        fact[name] = value.clone();
    }
    save(world, INFRASTRUCTURE, ("kubernetes-agent", "s-1"), fact);
}

fn ago(world: &World, days: i64) -> String {
    let now = loci_model::ports::clock::Clock::now(&world.clock);
    Timestamp::clamped(now.millis() - days * DAY_MS).to_rfc3339()
}

pub(super) fn go_to(world: &World, time: &str) {
    let now = loci_model::ports::clock::Clock::now(&world.clock);
    let ahead = Timestamp::parse(time).unwrap().millis() - now.millis();
    world.clock.advance_ms(u64::try_from(ahead).unwrap());
}

fn services(found: &SreRetrieved) -> Vec<String> {
    let service = |one: &SreFound| one.content["service_name"].as_str().unwrap_or("-").to_owned();
    found.results.iter().map(service).collect()
}

#[test]
fn one_session_all_sessions_and_every_agent() {
    let world = world();
    let pattern = |text: &str| json!({"service_name": text, "knowledge_type": "pattern", "knowledge_data": {"text": text}});
    save(&world, INFRASTRUCTURE, ("sre-agent-kubernetes", "s-1"), pattern("one"));
    save(&world, INFRASTRUCTURE, ("kubernetes-agent", "s-2"), pattern("two"));
    save(&world, INFRASTRUCTURE, ("logs-agent", "s-1"), pattern("three"));
    let world = reopened(world);
    world.work();
    let check = |actor: Option<&str>, session: Option<&str>, expect: &[&str]| {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let asked = SreRetrieve {
            actor: owned(actor),
            session: owned(session),
            ..asking(&world, INFRASTRUCTURE, "one two three")
        };
        let found = retrieve(&world, asked);
        let mut names = services(&found);
        names.sort();
        assert_eq!(names, expect, "{actor:?} {session:?}");
        assert!(!found.degraded, "{:?}", found.warnings);
    };
    // The same agent under either name.
    check(Some("kubernetes-agent"), None, &["one", "two"]);
    check(Some("sre-agent-kubernetes"), None, &["one", "two"]);
    check(Some("kubernetes-agent"), Some("s-1"), &["one"]);
    check(Some("kubernetes-agent"), Some(""), &["one", "two"]);
    check(Some("*"), None, &["one", "three", "two"]);
    check(None, Some("s-1"), &["one", "three"]);
    check(Some("metrics-agent"), None, &[]);
}

#[test]
fn al_is_not_alice() {
    let world = world();
    let about = |text: &str| json!({"query": text, "incident_id": text});
    save(&world, INVESTIGATIONS, ("Al", "s"), about("of-al"));
    save(&world, INVESTIGATIONS, ("Alice", "s"), about("of-alice"));
    save(&world, INVESTIGATIONS, ("alice@example.com", "s"), about("of-mail"));
    let world = reopened(world);
    let of = |actor: &str| {
        let asked = SreRetrieve { actor: Some(actor.to_owned()), ..asking(&world, INVESTIGATIONS, "") };
        let found = retrieve(&world, asked);
        found
            .results
            .iter()
            .map(|one| one.content["incident_id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("Al"), ["of-al"]);
    assert_eq!(of("Alice"), ["of-alice"]);
    assert_eq!(of("alice@example.com"), ["of-mail"]);
    let asked = SreRetrieve { actor: Some("Alice/../Bob".to_owned()), ..asking(&world, INVESTIGATIONS, "x") };
    assert!(retrieve_as(&world, &world.caller, asked).is_err());
    // A key for Al only sees nothing of Alice's.
    let al = of_actor("al", "Al");
    let asked = SreRetrieve { actor: Some("Alice".to_owned()), ..asking(&world, INVESTIGATIONS, "of") };
    assert!(retrieve_as(&world, &al, asked).map_or(true, |found| found.results.is_empty()));
    let found = retrieve_as(&world, &al, asking(&world, INVESTIGATIONS, "")).unwrap();
    assert_eq!(found.results.len(), 1);
}

#[test]
fn one_of_the_team_sees_what_anothers_session_learned() {
    let world = world();
    fact(&world, "api-server", "config", json!({"replicas": 3}), json!({}));
    let world = reopened(world);
    let found = retrieve_as(&world, &of_team("carol"), asking(&world, INFRASTRUCTURE, "replicas")).unwrap();
    assert_eq!(found.results.len(), 1);
    assert_eq!(found.results[0].content["discovered_by"], "kubernetes-agent");
    assert_eq!(found.results[0].record.provenance.session.as_ref().unwrap().as_str(), "s-1");
    assert_eq!(found.results[0].namespaces[0].as_str(), "/sre/infrastructure/kubernetes-agent/s-1");
}

#[test]
fn what_is_old_and_unconfirmed_ranks_below_and_is_marked() {
    let world = world();
    let usual = || json!({"memory": "400Mi"});
    let at =
        |days: i64, environment: &str| json!({"timestamp": ago(&world, days), "environment": environment});
    fact(&world, "old", "baseline", usual(), at(20, "prod"));
    fact(&world, "new", "baseline", usual(), at(1, "prod"));
    fact(&world, "over", "baseline", usual(), json!({"valid_window": {"to": ago(&world, 1)}}));
    fact(&world, "rule", "pattern", json!({"text": "memory"}), at(20, "prod"));
    let world = reopened(world);
    world.work();
    let found = retrieve(&world, asking(&world, INFRASTRUCTURE, "memory 400Mi"));
    let marked: Vec<_> = found.results.iter().filter(|one| one.stale).collect();
    let mut names: Vec<_> = marked.iter().map(|one| one.content["service_name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["old", "over"]);
    let place = |name: &str| services(&found).iter().position(|one| one == name).unwrap();
    assert!(place("new") < place("old"));
    assert_eq!(found.results[place("old")].age_days, 20);
}

#[test]
fn newer_takes_the_place_and_the_past_can_be_asked_for() {
    let world = world();
    let memory = |text: &str| json!({ "memory": text });
    fact(&world, "api-server", "baseline", memory("400-500Mi"), json!({"environment": "prod"}));
    let before = loci_model::ports::clock::Clock::now(&world.clock);
    world.clock.advance_ms(3_600_000);
    fact(&world, "api-server", "baseline", memory("900Mi"), json!({"environment": "prod"}));
    fact(&world, "api-server", "baseline", memory("100Mi"), json!({"environment": "staging"}));
    let world = reopened(world);
    world.work();
    let values = |asked: SreRetrieve| {
        let found = retrieve(&world, asked);
        let value = |one: &SreFound| one.content["knowledge_data"]["memory"].as_str().unwrap().to_owned();
        let mut values: Vec<_> = found.results.iter().map(value).collect();
        values.sort();
        values
    };
    let asked = || asking(&world, INFRASTRUCTURE, "api-server memory");
    let prod = || SreRetrieve { environments: vec!["prod".to_owned()], ..asked() };
    assert_eq!(values(prod()), ["900Mi"]);
    assert_eq!(values(SreRetrieve { environments: vec!["Staging".to_owned()], ..asked() }), ["100Mi"]);
    assert_eq!(values(asked()), ["100Mi", "900Mi"]);
    assert_eq!(values(SreRetrieve { include_superseded: true, ..prod() }), ["400-500Mi", "900Mi"]);
    assert_eq!(values(SreRetrieve { as_of: Some(before), ..prod() }), ["400-500Mi"]);
    // As boosts, the filters exclude nothing.
    assert_eq!(values(SreRetrieve { filters_boost: true, ..prod() }), ["100Mi", "900Mi"]);
}

#[test]
fn a_part_that_gave_way_is_not_shown() {
    let world = world();
    fact(&world, "db", "baseline", json!({"cpu": 1, "memory": "400Mi"}), json!({}));
    fact(&world, "db", "baseline", json!({"memory": "900Mi"}), json!({}));
    let world = reopened(world);
    let data = |include_superseded: bool| {
        let asked = SreRetrieve { include_superseded, ..asking(&world, INFRASTRUCTURE, "db cpu") };
        let found = retrieve(&world, asked);
        let cpu = found.results.into_iter().find(|one| one.content["knowledge_data"].get("cpu").is_some());
        cpu.unwrap().content
    };
    assert_eq!(data(false)["knowledge_data"], json!({"cpu": 1}));
    assert_eq!(data(true)["knowledge_data"], json!({"cpu": 1, "memory": "400Mi"}));
    assert_eq!(data(true)["superseded_keys"], json!(["memory"]));
}

#[test]
fn evidence_counts_more_than_what_a_writer_believes() {
    let world = world();
    let text = || json!({"text": "connection pool exhausted after deploys"});
    fact(&world, "sure", "pattern", text(), json!({"confidence": 1.0}));
    let evidence = json!({"confidence": 0.7, "evidence": [{"tool_call_id": "tc_1", "tool": "logs"}]});
    fact(&world, "shown", "pattern", text(), evidence);
    let world = reopened(world);
    world.work();
    let asked = || asking(&world, INFRASTRUCTURE, "connection pool exhausted");
    let found = retrieve(&world, asked());
    assert_eq!(services(&found), ["shown", "sure"]);
    let sure: Vec<f64> = found.results.iter().map(|one| one.confidence).collect();
    assert_eq!(sure, [0.7, 0.6]);
    let found = retrieve(&world, SreRetrieve { min_confidence: Some(0.65), ..asked() });
    assert_eq!(services(&found), ["shown"]);
}

#[test]
fn what_contradicts_comes_together() {
    let world = world();
    let limit = |value: &str| json!({"service_name": "db", "knowledge_type": "config", "knowledge_data": {"limit": value}});
    let said = |source, data: Value| {
        let by = &world.caller;
        let said =
            CallerStatement { by, source, kind: INFRASTRUCTURE, actor: "metrics-agent", session: Some("s") };
        said.save(&world, data).unwrap();
    };
    said(SreSource::Human, limit("2 cores"));
    said(SreSource::Agent, limit("3 cores"));
    fact(&world, "web", "config", json!({"limit": "3 cores of db"}), json!({}));
    let world = reopened(world);
    world.work();
    let found = retrieve(&world, asking(&world, INFRASTRUCTURE, "db limit 3 cores"));
    let places: Vec<_> = (0..3).filter(|place| found.results[*place].conflict).collect();
    assert!(places == [0, 1] || places == [1, 2], "{places:?}");
    let first = &found.results[places[0]];
    assert_eq!(first.content["knowledge_data"]["limit"], "2 cores", "what counts more is first");
}

fn write(world: &World, namespace: &str, kind: SreType, text: &str) {
    let strategy = world.memory.strategies.iter().find(|one| one.name == kind.strategy_name()).unwrap();
    let namespace = Namespace::parse(namespace).unwrap();
    let now = loci_model::ports::clock::Clock::now(&world.clock);
    let record = NewRecord {
        strategy: Some(strategy.id.clone()),
        ..NewRecord::fact("r".to_owned(), vec![namespace], text.to_owned(), now)
    };
    let request = RecordsCreate { memory: world.memory.id.clone(), records: vec![record], expiry: None };
    world.drive(world.engine.records_create(&world.caller, request, None)).unwrap();
}

#[test]
fn whatever_wrote_it_is_read_and_what_nobody_can_read_is_told_of() {
    let world = world();
    let place = "/sre/investigations/Alice/s";
    write(
        &world,
        place,
        INVESTIGATIONS,
        "<summary><topic name=\"Fix\">All checks completed. Resolved the outage.</topic></summary>",
    );
    write(
        &world,
        place,
        INVESTIGATIONS,
        "{'incident_id': 'i-1', 'query': 'outage', 'resolution_status': 'completed'}",
    );
    write(&world, place, INVESTIGATIONS, "an outage in plain words");
    write(&world, place, INVESTIGATIONS, "{'incident_id': an outage");
    let world = reopened(world);
    let found = retrieve(&world, asking(&world, INVESTIGATIONS, "outage"));
    assert_eq!(found.results.len(), 3);
    let content =
        |name: &str| found.results.iter().find_map(|one| one.content.get(name).map(|_| one.content.clone()));
    assert_eq!(content("topics").unwrap()["resolution_status"], Value::Null);
    assert_eq!(content("query").unwrap()["resolution_status"], "completed");
    assert_eq!(content("text").unwrap()["text"], "an outage in plain words");
    assert_eq!(found.skipped.len(), 1);
    assert!(found.skipped[0].1.contains("neither JSON"), "{}", found.skipped[0].1);
}

#[test]
fn a_phrase_is_of_the_local_day_and_an_argument_is_never_relaxed() {
    let world = world();
    // 00:30 in Tokyo, on the 23rd.
    go_to(&world, "2026-11-22T15:30:00Z");
    let seen = |at: &str| json!({"timestamp": at});
    fact(&world, "before", "pattern", json!({"text": "API server restarts"}), seen("2026-11-21T14:59:00Z"));
    fact(&world, "yesterday", "pattern", json!({"text": "API server slow"}), seen("2026-11-21T15:01:00Z"));
    fact(&world, "today", "pattern", json!({"text": "API server fine"}), seen("2026-11-22T15:01:00Z"));
    let world = reopened(world);
    world.work();
    let asked = |query: &str, tz: Option<&str>| SreRetrieve {
        tz: tz.map(str::to_owned),
        ..asking(&world, INFRASTRUCTURE, query)
    };
    let question = "What did we find about the API server yesterday?";
    let found = retrieve(&world, asked(question, Some("Asia/Tokyo")));
    assert_eq!(services(&found), ["yesterday"]);
    let filter = found.time_filter.unwrap();
    assert_eq!(filter.phrase.as_deref(), Some("yesterday"));
    assert_eq!((filter.source, filter.relaxed), (SreTimeSource::Query, false));
    assert_eq!(filter.from.unwrap().to_rfc3339(), "2026-11-21T15:00:00Z");
    // In UTC that is the 21st: all of the first two.
    assert_eq!(retrieve(&world, asked(question, None)).results.len(), 2);
    // Nothing is from last month: the phrase is ignored, with a warning.
    let found = retrieve(&world, asked("API server last month", None));
    assert!(found.results.len() == 3 && found.time_filter.as_ref().unwrap().relaxed);
    assert!(found.warnings.iter().any(|one| one.contains("last month")), "{:?}", found.warnings);
    // An argument is not ignored, for any query.
    let since = Some("2026-11-24".to_owned());
    let found = retrieve(&world, SreRetrieve { since, ..asked("API server yesterday", None) });
    let filter = found.time_filter.unwrap();
    assert!(found.results.is_empty() && !filter.relaxed && filter.source == SreTimeSource::Argument);
    // A date is the local day; the end is exclusive.
    let of_day = |since: &str, until: &str| SreRetrieve {
        since: Some(since.to_owned()),
        until: Some(until.to_owned()),
        ..asked("API server", Some("Asia/Tokyo"))
    };
    assert_eq!(services(&retrieve(&world, of_day("2026-11-22", "2026-11-23"))), ["yesterday"]);
    // A query that only names a time lists the records of that time.
    assert_eq!(services(&retrieve(&world, asked("yesterday", Some("Asia/Tokyo")))), ["yesterday"]);
    let wrong = retrieve_as(&world, &world.caller, asked("x", Some("Mars/Base"))).unwrap_err();
    assert_eq!(wrong.field.as_deref(), Some("tz"));
}

#[test]
fn days_are_those_of_the_users_own_time_zone() {
    let world = world();
    go_to(&world, "2026-11-22T15:30:00Z");
    fact(&world, "x", "pattern", json!({"text": "slow"}), json!({"timestamp": "2026-11-21T15:01:00Z"}));
    let by = &of_team("carol");
    let said = CallerStatement {
        by,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "carol",
        session: None,
    };
    said.save(&world, json!({"preference_type": "workflow", "preference_value": {"timezone": "Asia/Tokyo"}}))
        .unwrap();
    let world = reopened(world);
    let found = retrieve_as(&world, by, asking(&world, INFRASTRUCTURE, "slow yesterday")).unwrap();
    assert_eq!(found.time_filter.unwrap().from.unwrap().to_rfc3339(), "2026-11-21T15:00:00Z");
}

#[test]
fn preferences_are_read_for_days_alone() {
    let world = world();
    fact(&world, "x", "pattern", json!({"text": "slow"}), json!({}));
    let reads = |query: &str, since: Option<&str>, tz: Option<&str>| {
        let before = world.store.reads();
        let since = since.map(str::to_owned);
        let tz = tz.map(str::to_owned);
        retrieve(&world, SreRetrieve { since, tz, ..asking(&world, INFRASTRUCTURE, query) });
        world.store.reads() - before
    };
    let bare = reads("slow", None, Some("UTC"));
    assert_eq!(reads("slow", None, None), bare);
    assert_eq!(reads("slow yesterday", Some("2026-11-01T00:00:00Z"), None), bare);
    assert_eq!(reads("slow", Some("2026-11-01"), None), bare + 1);
    let of_day = reads("slow today", None, Some("UTC"));
    assert_eq!(reads("slow today", None, None), of_day + 1);
}

#[test]
fn preferences_are_the_whole_set_and_the_question_sorts() {
    let world = world();
    let alice = of_actor("Alice", "Alice");
    let said = |source, kind: &str, value: Value| {
        let said =
            CallerStatement { by: &alice, source, kind: SreType::Preferences, actor: "Alice", session: None };
        said.save(&world, json!({"preference_type": kind, "preference_value": value})).unwrap();
    };
    said(SreSource::Human, "escalation", json!({"delay_minutes": 15, "primary_contact": "ops@example.com"}));
    said(SreSource::Human, "style", json!({"report_format": "short"}));
    said(SreSource::Human, "workflow", json!({"steps": "all"}));
    said(SreSource::Agent, "notification", json!({"channel": "#ops"}));
    let world = reopened(world);
    let asked = |query: &str, top_k| SreRetrieve {
        actor: Some("Alice".to_owned()),
        top_k,
        ..asking(&world, SreType::Preferences, query)
    };
    let kinds = |found: &SreRetrieved| {
        let kind = |one: &SreFound| one.content["preference_type"].as_str().unwrap().to_owned();
        found.results.iter().map(kind).collect::<Vec<_>>()
    };
    let found = retrieve_as(&world, &alice, asked("", None)).unwrap();
    assert_eq!(kinds(&found), ["escalation", "notification", "style", "workflow"]);
    let value = &found.results[0].content["preference_value"];
    assert_eq!(*value, json!({"delay_minutes": 15, "primary_contact": "ops@example.com"}));
    assert_eq!(found.results[0].content["entries"].as_array().unwrap().len(), 2);
    // A statement that waits for a person is counted and marked, and not active.
    assert!(found.warnings.iter().any(|one| one.contains("1 wait")), "{:?}", found.warnings);
    let waiting = &found.results[1].content;
    assert_eq!(
        (&waiting["preference_value"], &waiting["waiting"]),
        (&json!({}), &json!({"channel": "#ops"}))
    );
    assert_eq!(waiting["entries"][0]["state"], "pending_confirmation");
    assert!(found.results[0].content.get("waiting").is_none() && !found.results[1].conflict);
    let found = retrieve_as(&world, &alice, asked("which report format", None)).unwrap();
    assert_eq!(kinds(&found), ["style", "escalation", "notification", "workflow"]);
    let found = retrieve_as(&world, &alice, asked("report yesterday", Some(1))).unwrap();
    assert_eq!(kinds(&found), ["style"]);
    assert!(
        found.warnings.iter().any(|one| one.contains("3 of 4 types are left out")),
        "{:?}",
        found.warnings
    );
    // Another user's are not accessible, by name or with `*`.
    let bob = of_actor("Bob", "Bob");
    assert!(retrieve_as(&world, &bob, asked("", None)).is_err());
    let every = SreRetrieve { actor: Some("*".to_owned()), ..asked("", None) };
    assert!(retrieve_as(&world, &of_team("bob"), every.clone()).unwrap().results.is_empty());
    assert_eq!(retrieve(&world, every).results.len(), 4);
}

#[test]
fn what_was_shown_already_is_counted_and_left_out() {
    let world = world();
    for name in ["a", "b", "c"] {
        fact(&world, name, "pattern", json!({"text": format!("slow {name}")}), json!({}));
    }
    let world = reopened(world);
    let all = retrieve(&world, asking(&world, INFRASTRUCTURE, "slow"));
    let leave_out = vec![all.results[0].record.id.clone(), all.results[1].record.id.clone()];
    let found = retrieve(&world, SreRetrieve { leave_out, ..asking(&world, INFRASTRUCTURE, "slow") });
    assert_eq!((found.results.len(), found.left_out), (1, 2));
    assert_eq!(found.results[0].record.id, all.results[2].record.id);
}

#[test]
fn a_set_of_preferences_is_told_as_long_as_anything_of_it_was_not() {
    let world = world();
    let style =
        json!({"preference_type": "style", "preference_value": {"tone": "dry", "report_format": "short"}});
    let (source, kind) = (SreSource::Human, SreType::Preferences);
    CallerStatement { by: &world.caller, source, kind, actor: "Alice", session: None }
        .save(&world, style)
        .unwrap();
    let asked = || asking(&world, SreType::Preferences, "");
    let entries = retrieve(&world, asked()).results[0].content["entries"].clone();
    let ids: Vec<RecordId> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| RecordId::parse(entry["record_id"].as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    let check = |leave_out: &[RecordId], expect: (usize, usize)| {
        let found = retrieve(&world, SreRetrieve { leave_out: leave_out.to_vec(), ..asked() });
        assert_eq!((found.results.len(), found.left_out), expect, "{leave_out:?}");
    };
    check(&[], (1, 0));
    check(&ids[..1], (1, 0));
    check(&ids[1..], (1, 0));
    check(&ids, (0, 1));
}

#[test]
fn what_a_request_must_be() {
    let world = world();
    let check = |asked: SreRetrieve, field: &str| {
        let error = retrieve_as(&world, &world.caller, asked).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
    };
    let asked = || asking(&world, INFRASTRUCTURE, "x");
    check(SreRetrieve { kinds: Vec::new(), ..asked() }, "types");
    check(SreRetrieve { top_k: Some(0), ..asked() }, "top_k");
    check(SreRetrieve { top_k: Some(101), ..asked() }, "top_k");
    check(SreRetrieve { min_confidence: Some(1.2), ..asked() }, "min_confidence");
    check(SreRetrieve { since: Some("soon".to_owned()), ..asked() }, "since");
    check(SreRetrieve { services: vec!["x".to_owned(); 21], ..asked() }, "service");
    let kinds = vec![INFRASTRUCTURE, INVESTIGATIONS];
    let found = retrieve(&world, SreRetrieve { kinds, top_k: Some(60), ..asked() });
    assert!(found.warnings.iter().any(|one| one.contains("at most 20")), "{:?}", found.warnings);
}

#[test]
fn another_investigation_with_evidence_confirms() {
    let world = world();
    let seen = |session: &str, evidence: Value| {
        let fact = json!({
            "service_name": "api", "knowledge_type": "dependency", "knowledge_data": {"target": "db"}, "metric": "db",
            "confidence": 0.8, "evidence": evidence,
        });
        save(&world, INFRASTRUCTURE, ("kubernetes-agent", session), fact);
        world.clock.advance_ms(60_000);
    };
    let call = |id: &str| json!([{"tool_call_id": id}]);
    let one = || retrieve(&world, asking(&world, INFRASTRUCTURE, "db")).results.remove(0);
    seen("s-1", call("tc_1"));
    let before = one();
    assert!((before.confidence - 0.8).abs() < 1e-9);
    // A repetition by the same investigation, or one without evidence, does not raise the
    // confidence.
    seen("s-1", call("tc_2"));
    seen("s-2", json!([]));
    assert!((one().confidence - 0.8).abs() < 1e-9);
    // A session without an investigation does not raise it either, for any tool calls that it
    // names.
    seen("s-4", call("tc_5"));
    assert!((one().confidence - 0.8).abs() < 1e-9);
    let incident = json!({"incident_id": "inc-3", "query": "is the db up?"});
    save(&world, INVESTIGATIONS, ("alice", "s-3"), incident);
    seen("s-3", call("tc_3"));
    seen("s-3", call("tc_4"));
    let after = one();
    assert!((after.confidence - 0.9).abs() < 1e-9, "{}", after.confidence);
    // Four sessions, independent of the number of repetitions in each.
    assert_eq!(after.content["seen"], 4);
    assert_eq!(after.content["evidence"].as_array().unwrap().len(), 5);
    assert!(after.content["last_confirmed"].as_str() > before.content["last_confirmed"].as_str());
}
