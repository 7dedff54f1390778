//! Every argument of the hooks changes a response or a stored value; `completion` covers those of
//! the end.

use loci_model::Timestamp;
use loci_model::event::Role;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_operations::{AgentResponse, InvestigationMessage, InvestigationMessages, InvestigationStart};
use loci_text::tokens::Estimator;
use serde_json::json;

use super::investigation_start::{alert, asked, learn, start};
use super::{of_team, world};
use crate::fixture::World;

/// Returns all stored data of a world, in the order of arrival.
fn all(world: &World) -> String {
    let (memory, now, store): (_, _, &dyn Store) =
        (world.memory.id.clone(), world.clock.now(), &*world.store);
    let events = world.drive(store.read(move |tx| tx.events().export(&memory, 0, 1_000, now))).unwrap();
    let records = world.active();
    let told =
        records.iter().map(|record| format!("{} {:?} {:?}", record.text, record.metadata, record.namespace));
    events
        .iter()
        .map(|event| {
            let place = (&event.actor, &event.session, event.time, &event.metadata);
            format!("{place:?} {:?}\n", event.payload)
        })
        .chain(told)
        .collect()
}

/// Maximum number of runs until two agree.
const RUNS: usize = 5;

/// A change of an argument.
type Change<T> = fn(&mut T);

/// Checks that a call has the same outcome for the same arguments, and another one for each change.
fn each_changes<T: Clone>(changes: &[(&str, Change<T>)], outcome: impl Fn(Change<T>) -> String) {
    let mut plain = outcome(|_| {});
    // On a busy machine the clock of a world advances while it waits, so two equal runs define the
    // outcome.
    for _ in 0..RUNS {
        let again = outcome(|_| {});
        if again == plain {
            break;
        }
        plain = again;
    }
    assert_eq!(plain, outcome(|_| {}), "the same is not the same");
    for (name, change) in changes {
        assert_ne!(plain, outcome(*change), "{name} changes nothing");
    }
}

#[test]
fn of_the_start() {
    let outcome = |change: fn(&mut InvestigationStart)| {
        let world = world();
        for environment in ["prod", "staging"] {
            for service in ["api-server", "api-proxy"] {
                let known = json!({"service_name": service, "knowledge_type": "baseline",
                    "environment": environment, "knowledge_data": {"memory_usage": "400Mi"}});
                learn(&world, "metrics-agent", known);
            }
        }
        let mut begun = asked(&world, "alice", "memory usage");
        change(&mut begun);
        let by = of_team(&begun.user);
        let mut started = start(&world, &by, begun).unwrap();
        // The fence is random.
        started.rendered = started.rendered.lines().filter(|line| !line.contains("loci-data-")).collect();
        format!("{started:?} {}", all(&world))
    };
    each_changes::<InvestigationStart>(
        &[
            ("user", |asked| asked.user = "bob".to_owned()),
            ("query", |asked| asked.query = "disk usage".to_owned()),
            ("incident", |asked| asked.incident = Some("inc-1".to_owned())),
            ("session", |asked| asked.session = Some("s-1".to_owned())),
            ("mode", |asked| asked.mode = "prompt".to_owned()),
            ("services", |asked| asked.services = vec!["api-proxy".to_owned()]),
            ("environment", |asked| asked.environment = Some("staging".to_owned())),
            ("scope", |asked| asked.is_private = true),
            ("tz", |asked| asked.tz = Some("Asia/Tokyo".to_owned())),
            ("alert", |asked| asked.alert = alert("1a30")),
            ("budget_tokens", |asked| asked.budget_tokens = Some(60)),
            ("estimator", |asked| asked.estimator = Estimator::Bytes3),
            ("render", |asked| asked.render = false),
        ],
        outcome,
    );
}

/// Returns a world with running investigations, one of them in two sessions.
fn investigated() -> World {
    let world = world();
    for (incident, session) in [("inc-1", "s-1"), ("inc-1", "s-2"), ("inc-2", "s-3")] {
        let mut begun = asked(&world, "alice", "api is down");
        (begun.incident, begun.session) = (Some(incident.to_owned()), Some(session.to_owned()));
        start(&world, &of_team("alice"), begun).unwrap();
    }
    world
}

#[test]
fn of_an_agents_answer() {
    let outcome = |change: fn(&mut AgentResponse)| {
        let world = investigated();
        let mut response = AgentResponse {
            memory: world.memory.id.clone(),
            incident: "inc-1".to_owned(),
            session: Some("s-1".to_owned()),
            agent: "logs-agent".to_owned(),
            text: "```\n{\"infrastructure_knowledge\": [{\"service_name\": \"api\", \"knowledge_type\": \"config\", \"knowledge_data\": {\"limit\": \"1Gi\"}}]}\n```".to_owned(),
            tool_calls: Vec::new(),
            at: None,
        };
        change(&mut response);
        world.drive(world.engine.operations.agent_response(&of_team("alice"), response, None)).unwrap();
        let memories = [world.memory.id.clone()];
        world.drive(world.engine.run_due(&memories, 60_000)).unwrap();
        all(&world)
    };
    each_changes::<AgentResponse>(
        &[
            ("incident", |asked| (asked.incident, asked.session) = ("inc-2".to_owned(), None)),
            ("session", |asked| asked.session = Some("s-2".to_owned())),
            ("agent", |asked| asked.agent = "metrics-agent".to_owned()),
            ("text", |asked| asked.text = "nothing".to_owned()),
            ("tool_calls", |asked| asked.tool_calls = vec![json!({"id": "tc_1", "name": "get_logs"})]),
            ("at", |asked| asked.at = Some(Timestamp::clamped(1_000))),
        ],
        outcome,
    );
}

#[test]
fn of_a_turn() {
    let outcome = |change: fn(&mut InvestigationMessages)| {
        let world = investigated();
        let long = "x".repeat(9_500);
        let mut turn = InvestigationMessages {
            memory: world.memory.id.clone(),
            incident: "inc-1".to_owned(),
            session: Some("s-1".to_owned()),
            messages: vec![InvestigationMessage {
                role: Role::Assistant,
                agent: None,
                tool: None,
                text: long,
                at: None,
            }],
            chars_max: None,
        };
        change(&mut turn);
        let kept = world
            .drive(world.engine.operations.investigation_messages(&of_team("alice"), turn, None))
            .unwrap();
        format!("{:?} {}", kept.shown, all(&world))
    };
    each_changes::<InvestigationMessages>(
        &[
            ("incident", |asked| (asked.incident, asked.session) = ("inc-2".to_owned(), None)),
            ("session", |asked| asked.session = Some("s-2".to_owned())),
            ("role", |asked| asked.messages[0].role = Role::User),
            ("agent", |asked| asked.messages[0].agent = Some("logs-agent".to_owned())),
            ("tool", |asked| {
                (asked.messages[0].role, asked.messages[0].tool) = (Role::Tool, Some("get_logs".to_owned()));
            }),
            ("text", |asked| asked.messages[0].text = "y".to_owned()),
            ("at", |asked| asked.messages[0].at = Some(Timestamp::clamped(1_000))),
            ("chars_max", |asked| asked.chars_max = Some(1_000)),
        ],
        outcome,
    );
}
