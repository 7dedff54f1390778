//! The hooks of an investigation against the real server: one request each, every argument has an
//! effect, never an error, and no content in the log.

use std::collections::BTreeMap;

use loci_api::operations::investigation::{AgentResult, InvestigationMessage, InvestigationStarted};
use loci_client_testkit::TestLoci;
use serde_json::{Value, json};

use super::SreMemory;
use super::hooks::InvestigationState;
use super::test_environment::{Arrivals, Came, noting, run};
use crate::ClientError;
use crate::agent::tests::test_runtime::surroundings;
use crate::call::Client;

const NAME: &str = "sre_agent_memory";
const AGENTS: [&str; 4] = ["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"];

struct World {
    loci: TestLoci,
    client: Client,
    memory: SreMemory,
    arrivals: Arrivals,
}

impl World {
    async fn new() -> Self {
        let loci = TestLoci::new().unwrap();
        let (client, arrivals) = noting(&loci);
        let memory = client.sre_memory_named(NAME, surroundings().outside).await.unwrap();
        arrivals.lock().unwrap().clear();
        Self { loci, client, memory, arrivals }
    }

    /// Returns the requests since the last call.
    fn came(&self) -> Vec<Came> {
        std::mem::take(&mut *self.arrivals.lock().unwrap())
    }

    async fn started(&self) -> InvestigationState {
        let started =
            self.memory.on_investigation_start("api-server restarts", "alice", "alice", None, None).await;
        assert!(!started.degraded, "{:?}", started.warnings);
        self.came();
        InvestigationState {
            user_id: "alice".to_owned(),
            incident_id: started.incident_id,
            session_id: Some(started.session_id),
        }
    }
}

fn answer(service: &str) -> AgentResult {
    let block = json!({"infrastructure_knowledge": [
        {"service_name": service, "knowledge_type": "config", "knowledge_data": {"limit": "1Gi"}},
    ]});
    AgentResult {
        text: format!("Found:\n```json\n{block}\n```\n"),
        tool_calls: vec![json!({"id": "tc_1", "name": "get_pods"})],
    }
}

fn said(text: &str) -> Vec<InvestigationMessage> {
    let role = "USER".to_owned();
    vec![InvestigationMessage { role, agent: None, tool: None, text: text.to_owned(), at: None }]
}

/// Builds a plan from a context: it needs all the context's keys, which may be empty.
fn plan(started: &InvestigationStarted) -> Vec<String> {
    let context = serde_json::to_value(&started.context).unwrap();
    for key in ["user_preferences", "infrastructure_by_agent", "past_investigations"] {
        assert!(context.get(key).is_some(), "{key} is not in {context}");
    }
    let agents = context["infrastructure_by_agent"].as_object().unwrap();
    agents.keys().map(|agent| format!("ask {agent}")).collect()
}

#[test]
fn each_hook_is_one_request_and_what_it_says_is_found() {
    run(|_| async {
        let world = World::new().await;
        let (memory, query) = (&world.memory, "the api-server and its db restart");
        let started = memory.on_investigation_start(query, "alice", "alice", None, None).await;
        assert_eq!(plan(&started), AGENTS.map(|agent| format!("ask {agent}")));
        let came = world.came();
        assert_eq!(came.iter().map(|one| one.call.as_str()).collect::<Vec<_>>(), ["POST /v1/investigations"]);
        let (incident, session) = (started.incident_id.as_str(), started.session_id.as_str());
        let state = InvestigationState {
            user_id: "alice".to_owned(),
            incident_id: incident.to_owned(),
            session_id: Some(session.to_owned()),
        };
        let one = |what: &str| {
            let came = world.came();
            let expect = format!("POST /v1/investigations/{incident}/{what}");
            assert_eq!(came.iter().map(|one| one.call.as_str()).collect::<Vec<_>>(), [expect]);
        };
        assert!(memory.capture_messages(&said("why?"), &state).await);
        one("messages");
        assert!(memory.on_agent_response("kubernetes", &answer("api-server"), &state).await);
        one("agent-response");
        let results = BTreeMap::from([("metrics-agent".to_owned(), answer("db"))]);
        let done = memory.on_investigation_complete(query, &results, "- it leaks", "alice", None, incident);
        assert!(done.await);
        one("complete");
        world.loci.work_of(memory.memory_id().unwrap()).await.unwrap();

        let again = memory.on_investigation_start(query, "alice", "", None, None).await;
        let known = &again.context.infrastructure_by_agent;
        assert_eq!(known["kubernetes-agent"][0].content["service_name"], json!("api-server"));
        assert_eq!(known["metrics-agent"][0].content["service_name"], json!("db"));
        let past = &again.context.past_investigations[0].content;
        assert_eq!(
            (&past["incident_id"], &past["resolution_status"]),
            (&json!(incident), &json!("ongoing")),
            "no status is read out of an answer"
        );
        assert_eq!(past["key_findings"][0]["text"], json!("it leaks"));
    });
}

/// Returns the outcome of a call: its request, or the first word of the rule that prevented a
/// request.
fn outcome<T>(world: &World, done: Result<T, ClientError>) -> Value {
    match (done, world.came().pop()) {
        (Err(ClientError::Request(rule)), None) => json!(rule.split(' ').next().unwrap()),
        (_, Some(came)) => json!([came.call, came.body]),
        (done, None) => panic!("no request and no rule: {:?}", done.err()),
    }
}

/// Checks that each variant differs from every other.
fn all_differ(outcomes: &[Value]) {
    for (at, one) in outcomes.iter().enumerate() {
        assert!(!outcomes.iter().skip(at + 1).any(|other| other == one), "{at} changes nothing: {one}");
    }
}

#[test]
fn every_argument_of_a_start_counts() {
    run(|_| async {
        let world = World::new().await;
        let mut outcomes = Vec::new();
        for (query, user, actor, session, incident) in [
            ("why", "alice", "alice", Some("s-1"), Some("i-1")),
            ("how", "alice", "alice", Some("s-1"), Some("i-1")),
            ("why", "bob", "", Some("s-1"), Some("i-1")),
            ("why", "alice", "supervisor", Some("s-1"), Some("i-1")),
            ("why", "alice", "alice", Some("s-2"), Some("i-1")),
            ("why", "alice", "alice", Some("s-1"), Some("i-2")),
        ] {
            let done = world.memory.try_on_investigation_start(query, user, actor, session, incident).await;
            outcomes.push(outcome(&world, done));
        }
        assert_eq!(outcomes[3], json!("actor_id"));
        all_differ(&outcomes);
    });
}

#[test]
fn every_argument_of_an_answer_counts() {
    run(|_| async {
        let world = World::new().await;
        let state = world.started().await;
        let (plain, other) = (answer("api"), answer("db"));
        let untold = AgentResult { tool_calls: Vec::new(), ..answer("api") };
        let of = |change: fn(&mut InvestigationState)| {
            let mut state = state.clone();
            change(&mut state);
            state
        };
        let mut outcomes = Vec::new();
        for (agent, response, state) in [
            ("logs-agent", &plain, of(|_| {})),
            ("metrics-agent", &plain, of(|_| {})),
            ("logs-agent", &other, of(|_| {})),
            ("logs-agent", &untold, of(|_| {})),
            ("logs-agent", &plain, of(|state| state.user_id = "bob".to_owned())),
            ("logs-agent", &plain, of(|state| state.incident_id = "i-2".to_owned())),
            ("logs-agent", &plain, of(|state| state.session_id = Some("s-2".to_owned()))),
        ] {
            let done = world.memory.try_on_agent_response(agent, response, &state).await;
            outcomes.push(outcome(&world, done));
        }
        assert_eq!(outcomes[4], json!("user_id"));
        all_differ(&outcomes);
        let mut outcomes = Vec::new();
        for (text, state) in [
            ("why", of(|_| {})),
            ("how", of(|_| {})),
            ("why", of(|state| state.user_id = "bob".to_owned())),
            ("why", of(|state| state.incident_id = "i-2".to_owned())),
            ("why", of(|state| state.session_id = Some("s-2".to_owned()))),
        ] {
            let done = world.memory.try_capture_messages(&said(text), &state).await;
            outcomes.push(outcome(&world, done));
        }
        all_differ(&outcomes);
    });
}

#[test]
fn every_argument_of_an_end_counts() {
    run(|_| async {
        let world = World::new().await;
        let state = world.started().await;
        let results = |service: &str| BTreeMap::from([("logs-agent".to_owned(), answer(service))]);
        let incident = state.incident_id.as_str();
        let mut outcomes = Vec::new();
        for (query, results, response, user, session, incident) in [
            ("why", results("api"), "- it leaks", "alice", None, incident),
            ("how", results("api"), "- it leaks", "alice", None, incident),
            ("why", results("db"), "- it leaks", "alice", None, incident),
            ("why", results("api"), "- it does not", "alice", None, incident),
            ("why", results("api"), "- it leaks", "bob", None, incident),
            ("why", results("api"), "- it leaks", "alice", Some("s-2"), incident),
            ("why", results("api"), "- it leaks", "alice", None, "i-2"),
        ] {
            let done = world
                .memory
                .try_on_investigation_complete(query, &results, response, user, session, incident);
            let done = done.await;
            outcomes.push(outcome(&world, done));
        }
        assert_eq!(outcomes[4], json!("user_id"));
        all_differ(&outcomes);
        // Without a session it is the one that the start created.
        assert_eq!(outcomes[0][1]["session_id"], json!(state.session_id));
    });
}

#[test]
fn what_fails_is_no_error_and_an_empty_context_has_its_keys() {
    run(|log| async move {
        let world = World::new().await;
        let lost = world.client.sre_memory("gone-0123456789");
        let check = |started: &InvestigationStarted, agents: &[&str]| {
            assert_eq!(plan(started), agents.iter().map(|agent| format!("ask {agent}")).collect::<Vec<_>>());
            assert!(started.degraded && started.status.values().all(|status| status == "error"));
            assert_eq!((started.rendered.as_str(), started.incident_id.as_str()), ("", "i-1"));
        };
        check(&lost.on_investigation_start("why", "alice", "", None, Some("i-1")).await, &AGENTS);
        check(&lost.on_investigation_start("why", "alice", "bob", None, Some("i-1")).await, &AGENTS);
        let own = lost.clone().with_agents(["db-agent".to_owned()]);
        check(&own.on_investigation_start("why", "alice", "", None, Some("i-1")).await, &["db-agent"]);
        let state = InvestigationState { incident_id: "i-1".to_owned(), ..InvestigationState::default() };
        let none = InvestigationState::default();
        for state in [&state, &none] {
            assert!(!lost.on_agent_response("logs-agent", &answer("api"), state).await);
            assert!(!lost.capture_messages(&said("why"), state).await);
            let incident = state.incident_id.as_str();
            let results = BTreeMap::new();
            assert!(!lost.on_investigation_complete("q", &results, "r", "alice", None, incident).await);
        }
        assert_eq!(log.of("ERROR"), 9, "{:?}", log.lines());
        // Nothing was stored: the plan waits, or the investigation does not exist.
        let error = lost.try_on_agent_response("logs-agent", &answer("api"), &state).await.unwrap_err();
        assert_eq!(error.status(), Some(404));
    });
}

#[test]
fn nothing_that_is_said_is_in_the_log() {
    run(|log| async move {
        let world = World::new().await;
        let plant = |at: usize| format!("heron{at}secret");
        let answer = AgentResult { text: plant(0), tool_calls: vec![json!({"id": plant(1)})] };
        let lost = world.client.sre_memory("gone-0123456789");
        let state = world.started().await;
        let unknown = InvestigationState { incident_id: "i-2".to_owned(), ..InvestigationState::default() };
        for (memory, state) in [(&world.memory, &state), (&world.memory, &unknown), (&lost, &state)] {
            memory.on_investigation_start(&plant(2), "alice", "", None, None).await;
            memory.on_investigation_start(&plant(3), "alice", &plant(4), None, None).await;
            memory.on_agent_response("logs-agent", &answer, state).await;
            memory.capture_messages(&said(&plant(5)), state).await;
            let results = BTreeMap::from([(plant(6), answer.clone())]);
            let incident = state.incident_id.as_str();
            memory.on_investigation_complete(&plant(7), &results, &plant(8), "alice", None, incident).await;
            for (kind, data) in [
                (
                    "preferences",
                    json!({"preference_type": plant(9), "preference_value": {plant(10): plant(11)}}),
                ),
                ("preferences", json!({"preference_value": plant(12)})),
                ("infrastructure", json!({"service_name": plant(13), "knowledge_type": plant(14)})),
                (plant(15).as_str(), json!({})),
            ] {
                memory.save_event(kind, "alice", data, Some("s")).await;
            }
            memory.retrieve_memories("preferences", "alice", &plant(16), None, None).await;
            memory
                .retrieve_memories("infrastructure", "*", &format!("{} last month", plant(17)), None, None)
                .await;
            memory.retrieve_memories(&plant(18), "alice", &plant(19), None, None).await;
        }
        let lines = log.lines();
        assert!(log.of("ERROR") > 10, "{lines:?}");
        let told: Vec<&String> = lines.iter().filter(|line| line.contains("heron")).collect();
        assert!(told.is_empty(), "{told:?}");
    });
}
