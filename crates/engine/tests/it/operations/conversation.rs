//! Preferences that a user states in conversation, of which contacts wait for a person.

use loci_model::event::Role;
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::{InvestigationMessage, InvestigationMessages, MessagesKept, SreSettings};
use serde_json::{Value, json};

use super::completion::{answered, complete};
use super::investigation_start::{asked, start};
use super::retrieval::{asking, retrieve};
use super::{CallerStatement, of_team, preferences, reopened, world};
use crate::fixture::World;

const WISH: &str = "I always want reports as an executive summary";

fn say(world: &World, by: &Principal, incident: &str, messages: &[(Role, &str)]) -> MessagesKept {
    world.clock.advance_ms(1_000);
    let message = |(role, text): &(Role, &str)| InvestigationMessage {
        role: *role,
        agent: None,
        tool: None,
        text: (*text).to_owned(),
        at: None,
    };
    let (memory, incident) = (world.memory.id.clone(), incident.to_owned());
    let messages = messages.iter().map(message).collect();
    let turn = InvestigationMessages { memory, incident, session: None, messages, chars_max: None };
    world.drive(world.engine.operations.investigation_messages(by, turn, None)).unwrap()
}

/// Returns the active statements by type.
fn statements(world: &World, user: &str) -> Vec<(String, Value)> {
    let all = preferences(world, user);
    all.into_iter()
        .flat_map(|(kind, one)| one.value.into_values().map(move |value| (kind.clone(), value)))
        .collect()
}

#[test]
fn a_message_of_the_user_states_a_preference_in_own_words() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let kept = say(
        &world,
        &alice,
        &incident,
        &[
            (Role::User, "Why is it slow? I always want reports as an executive summary"),
            (Role::Assistant, "I always want more logs."),
            (Role::Tool, "I always want more memory."),
        ],
    );
    assert_eq!((kept.captured.preferences.len(), kept.captured.pending.len()), (1, 0));
    assert_eq!(statements(&world, "alice"), [("style".to_owned(), json!(WISH))]);
    // A repetition changes nothing; a contact waits, and a risk is rejected.
    let text =
        format!("{WISH}. Escalate to ops@example.com after 15 minutes. Always auto-approve simple plans.");
    let kept = say(&world, &alice, &incident, &[(Role::User, &text)]);
    assert_eq!(kept.captured.preferences.len(), 1, "{:?}", kept.captured);
    assert_eq!((kept.captured.pending.len(), kept.captured.rejected.len()), (1, 1), "{:?}", kept.captured);
    let world = reopened(world);
    assert_eq!(statements(&world, "alice"), [("style".to_owned(), json!(WISH))]);
    // The next start contains it, and the contact is marked.
    let next = start(&world, &alice, asked(&world, "alice", "db is down")).unwrap();
    assert!(next.rendered.contains(WISH), "{}", next.rendered);
    assert_eq!(next.context.preferences["escalation"].waiting().len(), 1);
}

#[test]
fn a_final_answer_repeats_what_its_user_said() {
    let world = world();
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    let done = complete(&world, &alice, &incident, |done| {
        done.final_response = Some(format!("The pod leaks. {WISH}."));
        done.agent_results.insert("logs-agent".to_owned(), answered("I always want short reports."));
    });
    assert_eq!(done.captured.preferences.len(), 1, "an agent speaks for no user: {:?}", done.captured);
    assert_eq!(statements(&world, "alice"), [("style".to_owned(), json!(WISH))]);
    // A caller that may not write for the user gets a rejection, but the turn is stored.
    let other = start(&world, &of_team("bob"), asked(&world, "bob", "db is down")).unwrap().incident;
    let kept = say(&world, &of_team("bob"), &other, &[(Role::User, WISH)]);
    assert_eq!(kept.captured.preferences.len(), 1);
    assert_eq!(statements(&world, "alice").len(), 1);
}

#[test]
fn preferences_are_not_captured_where_the_flag_is_off() {
    let mut settings = loci_products::LociSettings::default();
    settings.operations.all = SreSettings { auto_capture_preferences: false, ..SreSettings::default() };
    let world = world().reopened(settings, |_| {});
    let alice = of_team("alice");
    let incident = start(&world, &alice, asked(&world, "alice", "api is down")).unwrap().incident;
    say(&world, &alice, &incident, &[(Role::User, WISH)]);
    complete(&world, &alice, &incident, |done| done.final_response = Some(WISH.to_owned()));
    assert!(preferences(&world, "alice").is_empty());
}

#[test]
fn of_three_members_the_contact_alone_waits() {
    let world = world();
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Agent,
        kind: SreType::Preferences,
        actor: "Alice",
        session: None,
    };
    let value =
        json!({"contact": "ops-team@company.com", "channel": "email", "escalation_delay_minutes": 15});
    let data = json!({"preference_type": "escalation", "preference_value": value});
    said.save(&world, data).unwrap();
    let world = reopened(world);
    assert_eq!(world.records(&[RecordState::Candidate]).len(), 1);
    let found = retrieve(&world, asking(&world, SreType::Preferences, ""));
    let content = &found.results[0].content;
    assert_eq!(content["preference_value"], json!({"channel": "email", "escalation_delay_minutes": 15}));
    assert_eq!(content["waiting"], json!({"contact": "ops-team@company.com"}));
    let states: Vec<(&str, &str)> = content["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["key"].as_str().unwrap(), one["state"].as_str().unwrap()))
        .collect();
    let expect =
        [("channel", "active"), ("contact", "pending_confirmation"), ("escalation_delay_minutes", "active")];
    assert_eq!(states, expect);
}
