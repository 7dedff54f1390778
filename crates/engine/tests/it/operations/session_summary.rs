//! Summaries of an investigation's session.

use std::collections::BTreeSet;

use loci_model::EventId;
use loci_model::event::Role;
use loci_model::principal::Principal;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::SreType;
use loci_operations::{InvestigationMessage, InvestigationMessages, SreRetrieve};
use serde_json::Value;

use super::agent_responses::respond;
use super::completion::complete;
use super::investigation_start::{asked, start};
use super::retrieval::asking;
use super::{of_actor, of_team, reopened, world};
use crate::fixture::World;

/// Stores a turn of the conversation, and returns its event.
fn talk(world: &World, by: &Principal, incident: &str, messages: &[(Role, &str)]) -> EventId {
    world.clock.advance_ms(1_000);
    let message = |(role, text): &(Role, &str)| InvestigationMessage {
        role: *role,
        agent: None,
        tool: None,
        text: (*text).to_owned(),
        at: None,
    };
    let turn = InvestigationMessages {
        memory: world.memory.id.clone(),
        incident: incident.to_owned(),
        session: None,
        messages: messages.iter().map(message).collect(),
        chars_max: None,
    };
    world.drive(world.engine.operations.investigation_messages(by, turn, None)).unwrap().event.unwrap()
}

fn summaries(world: &World) -> Vec<Record> {
    let is_one = |record: &Record| {
        record.kind == RecordKind::Summary
            && record.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("session_summary/"))
    };
    world.active().into_iter().filter(is_one).collect()
}

fn typed(world: &World, incident: &str) -> Record {
    let says = |record: &Record| {
        let content: Option<Value> = serde_json::from_str(&record.text).ok();
        content.is_some_and(|content| content["incident_id"] == incident)
    };
    world.active().into_iter().find(says).unwrap()
}

#[test]
fn a_session_is_summed_up_beside_its_investigation() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api-server restarts")).unwrap().incident;
    let said = [
        (Role::User, "Why does the api-server restart? It did 17 times since 14:30."),
        (Role::Tool, "api-7f9c OOMKilled exit code 137 memory 511Mi"),
    ];
    let event = talk(&world, &alice, &incident, &said);
    let answer = "The limit of 512Mi is too low. Run `kubectl set resources deploy/api --limits=memory=1Gi`.";
    respond(&world, &alice, &incident, "kubernetes-agent", answer).unwrap();
    let finish = || {
        complete(&world, &alice, &incident, |done| {
            done.root_cause = Some("the limit is too low".to_owned());
            done.status = Some("completed".to_owned());
        });
        world.work();
    };
    finish();
    let all = summaries(&world);
    assert_eq!(all.len(), 1);
    let one = &all[0];
    assert!(
        one.text.starts_with("<summary>\n<topic name=\"") && one.text.ends_with("</summary>"),
        "{}",
        one.text
    );
    for piece in
        ["17", "14:30", "137", "511Mi", "512Mi", "`kubectl set resources deploy/api --limits=memory=1Gi`"]
    {
        assert!(one.text.contains(piece), "{piece} is not in\n{}", one.text);
    }
    // In the same namespace, with its sources; it contains no status.
    let investigation = typed(&world, &incident);
    assert_eq!((&one.namespace, one.expiry_days), (&investigation.namespace, Some(60)));
    let sources: BTreeSet<_> = one.provenance.sources.iter().map(|source| source.event.clone()).collect();
    assert!(sources.len() == 2 && sources.contains(&event), "{sources:?}");
    assert!(!one.metadata.contains_key("resolution_status"));
    let fetched = |by: &Principal, after: Option<&EventId>| {
        world.drive(world.engine.record_sources(by, &world.memory.id, &one.id, after)).unwrap()
    };
    let found = fetched(&alice, None);
    assert_eq!(found.events.iter().map(|event| event.id.clone()).collect::<BTreeSet<_>>(), sources);
    assert_eq!((found.unread, found.behind, fetched(&alice, found.last.as_ref()).events.len()), (0, 0, 0));
    // A caller that may read only her events is informed of one more event.
    let hers = fetched(&of_actor("alice", "alice"), None);
    assert_eq!((hers.events.len(), hers.unread), (1, 1));
    assert!(investigation.text.contains("\"root_cause\":\"the limit is too low\""), "{}", investigation.text);
    // A repetition changes nothing; further turns create its next version.
    finish();
    assert_eq!(summaries(&world), all);
    let later = talk(&world, &alice, &incident, &[(Role::User, "It is stable for 48 hours now.")]);
    let wrong = world.drive(world.engine.record_sources(&alice, &world.memory.id, &one.id, Some(&later)));
    assert_eq!(wrong.unwrap_err().field.as_deref(), Some("after"));
    finish();
    let world = reopened(world);
    let more = summaries(&world);
    assert_eq!((more.len(), &more[0].id, more[0].version), (1, &one.id, 2));
    assert!(more[0].text.contains("48"), "{}", more[0].text);
    let question = SreRetrieve {
        leave_out: vec![investigation.id],
        ..asking(&world, SreType::Investigations, "api-server restart")
    };
    let found = world.drive(world.engine.operations.sre_retrieve(&alice, question)).unwrap();
    assert_eq!(found.results.len(), 1, "{:?}", found.skipped);
    assert_eq!(found.results[0].content["resolution_status"], Value::Null);
    // A start contains the investigation, but not its session summary as well.
    let begun = start(&world, &alice, asked(&world, "alice", "api-server restarts")).unwrap();
    assert_eq!(begun.context.investigations.len(), 1);
    assert_eq!(begun.context.investigations[0].content["incident_id"], incident.as_str());
}

#[test]
fn nothing_is_summed_up_where_nothing_was_said_or_it_is_off() {
    let check = |generates: bool, talks: bool, expect: usize| {
        let mut settings = loci_products::LociSettings::default();
        settings.operations.all.auto_generate_summaries = generates;
        let world = world().reopened(settings, |_| {});
        let alice = of_team("alice");
        let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
        if talks {
            talk(&world, &alice, &incident, &[(Role::User, "The api is down since 14:30.")]);
        }
        complete(&world, &alice, &incident, |done| done.root_cause = Some("a leak".to_owned()));
        world.work();
        assert_eq!(summaries(&world).len(), expect, "{generates} {talks}");
    };
    check(true, true, 1);
    check(true, false, 0);
    check(false, true, 0);
}

#[test]
fn it_reads_what_its_caller_could_and_is_kept_to_whom_the_investigation_is() {
    let check = |by: &Principal, is_private: bool, expect: &str| {
        let world = world();
        let mut begun = asked(&world, "alice", "api is down");
        begun.is_private = is_private;
        let incident = start(&world, by, begun).unwrap().incident;
        talk(&world, by, &incident, &[(Role::User, "The api is down since 14:30.")]);
        // The same session, by a caller that may write all of it.
        let text = "The cache evicted 9000 keys.";
        respond(&world, &world.caller, &incident, "metrics-agent", text).unwrap();
        complete(&world, by, &incident, |done| done.root_cause = Some("a leak".to_owned()));
        world.work();
        let all = world.records(&[RecordState::Active]);
        let one = all.into_iter().find(|record| record.kind == RecordKind::Summary).unwrap();
        assert_eq!(one.text.contains("9000"), expect == "all", "{}", one.text);
        let question = asking(&world, SreType::Investigations, "api down");
        let found = world.drive(world.engine.operations.sre_retrieve(&of_team("bob"), question)).unwrap();
        let seen = found.results.iter().any(|result| result.record.id == one.id);
        assert_eq!(seen, !is_private);
    };
    check(&of_team("alice"), false, "all");
    check(&of_team("alice"), true, "all");
    check(&of_actor("alice", "alice"), false, "own");
}

#[test]
fn what_another_incident_of_the_session_is_about_is_not_told() {
    let world = world();
    let alice = of_team("alice");
    let begin = |incident: &str, is_private: bool| {
        let mut begun = asked(&world, "alice", "api is down");
        (begun.incident, begun.session) = (Some(incident.to_owned()), Some("shared".to_owned()));
        begun.is_private = is_private;
        start(&world, &alice, begun).unwrap();
        talk(&world, &alice, incident, &[(Role::User, &format!("The api is down since {incident}."))]);
        respond(&world, &alice, incident, "logs-agent", &format!("The logs of {incident} have 12 errors."))
            .unwrap();
    };
    begin("private-77", true);
    begin("team-88", false);
    complete(&world, &alice, "team-88", |done| done.root_cause = Some("a leak".to_owned()));
    world.work();
    let texts: Vec<String> = summaries(&world).into_iter().map(|one| one.text).collect();
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("team-88") && !texts[0].contains("private-77"), "{}", texts[0]);
}
