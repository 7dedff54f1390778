//! A server that is unreachable at the start: nothing is saved or read, no call waits, warnings are
//! logged once a minute, one attempt is made every 30 seconds, and once the server is reachable
//! everything works without a restart.

use std::sync::Arc;

use loci_api::operations::investigation::AgentResult;
use loci_client_testkit::TestLoci;
use serde_json::{Value, json};

use super::link::RETRY_MS;
use super::test_environment::{Door, a_while, noting, run, until};
use super::{InvestigationState, SreMemory};
use crate::ClientError;
use crate::agent::RuntimeContext;
use crate::agent::tests::test_runtime::{ManualRuntime, StandingClock, surroundings};
use crate::call::Client;

const NAME: &str = "sre_agent_memory";

fn outside() -> (Arc<StandingClock>, RuntimeContext) {
    let ManualRuntime { clock, outside } = surroundings();
    let executor = |work| drop(tokio::spawn(work));
    (clock, outside.with_executor(executor))
}

fn fact() -> Value {
    json!({"service_name": "api-server", "knowledge_type": "baseline", "knowledge_data": {"memory": "900Mi"}})
}

async fn save(memory: &SreMemory) -> bool {
    memory.save_event("infrastructure", "metrics-agent", fact(), Some("s-1")).await
}

async fn found(memory: &SreMemory) -> usize {
    memory.retrieve_memories("infrastructure", "metrics-agent", "api-server memory", None, None).await.len()
}

#[test]
fn it_is_offline_and_comes_back_by_itself() {
    run(|log| async move {
        let loci = TestLoci::new().unwrap();
        let (url, door) = Door::to(&loci.serve().await.unwrap()).await;
        let (clock, outside) = outside();
        let memory = Client::url(&url).unwrap().sre_memory_named(NAME, outside).await.unwrap();
        let clone = memory.clone();
        assert_eq!((memory.memory_id(), door.knocks(), log.of("WARN")), (None, 1, 1), "{:?}", log.lines());

        for _ in 0..50 {
            assert!(!save(&memory).await);
            assert_eq!(found(&clone).await, 0);
            // A plan needs the keys of a context, which are present.
            let started = memory.on_investigation_start("why", "alice", "", None, Some("i-1")).await;
            assert_eq!(started.context.infrastructure_by_agent.len(), 4);
            assert!(started.degraded && started.rendered.is_empty());
            let answer = AgentResult { text: "it leaks".to_owned(), tool_calls: Vec::new() };
            let state = InvestigationState::default();
            assert!(!memory.on_agent_response("logs-agent", &answer, &state).await);
        }
        let error = memory.try_save_event("infrastructure", "a", fact(), Some("s")).await.unwrap_err();
        assert!(matches!(error, ClientError::Unreachable { .. }) && error.is_retryable(), "{error}");
        let folder = tempfile::tempdir().unwrap();
        assert!(!memory.write_memory_id(folder.path()).unwrap(), "there is no id to write");
        assert_eq!(door.knocks(), 1, "no call goes out");
        assert_eq!(log.of("WARN"), 5, "one of each kind: {:?}", log.lines());
        assert_eq!(log.of("ERROR"), 0, "{:?}", log.lines());

        // One attempt is made every 30 seconds, regardless of the number of clones and calls.
        let half = i64::try_from(RETRY_MS / 2).unwrap();
        for expect in [1, 2, 2, 3] {
            until(|| clock.sleepers() > 0).await;
            clock.advance(half);
            until(|| door.knocks() >= expect).await;
            a_while().await;
            assert!(!save(&clone).await);
            assert_eq!(door.knocks(), expect);
        }
        // A minute is over: each kind that still occurs is logged once more.
        assert_eq!(log.of("WARN"), 7, "{:?}", log.lines());

        door.open();
        until(|| clock.sleepers() > 0).await;
        clock.advance(2 * half);
        until(|| memory.memory_id().is_some()).await;
        assert_eq!(clone.memory_id(), memory.memory_id());
        assert!(save(&memory).await);
        assert_eq!(found(&clone).await, 1);
        // No further attempts are made.
        let knocks = door.knocks();
        clock.advance(10 * half);
        a_while().await;
        assert_eq!(door.knocks(), knocks);
    });
}

#[test]
fn attempts_end_with_the_last_one_who_has_the_memory() {
    run(|_| async {
        let (url, door) = Door::to("http://127.0.0.1:9").await;
        let (clock, outside) = outside();
        let memory = Client::url(&url).unwrap().sre_memory_named(NAME, outside).await.unwrap();
        until(|| clock.sleepers() > 0).await;
        drop(memory);
        for _ in 0..3 {
            clock.advance(i64::try_from(RETRY_MS).unwrap());
            a_while().await;
        }
        assert_eq!(door.knocks(), 1);
    });
}

#[test]
fn without_an_executor_whoever_has_it_drives_it() {
    run(|_| async {
        let loci = TestLoci::new().unwrap();
        let (url, door) = Door::to(&loci.serve().await.unwrap()).await;
        let ManualRuntime { clock, outside } = surroundings();
        let memory = Client::url(&url).unwrap().sre_memory_named(NAME, outside).await.unwrap();
        door.open();
        let driven = tokio::spawn({
            let memory = memory.clone();
            async move { memory.reconnect().await }
        });
        until(|| clock.sleepers() > 0).await;
        clock.advance(i64::try_from(RETRY_MS).unwrap());
        driven.await.unwrap();
        assert!(save(&memory).await);
    });
}

#[test]
fn what_the_server_refuses_for_good_is_an_error_at_once() {
    run(|_| async {
        let loci = TestLoci::new().unwrap();
        let (client, _) = noting(&loci);
        let refused = client.sre_memory_named("no-name", outside().1).await.unwrap_err();
        assert_eq!(refused.status(), Some(400), "{refused}");
    });
}

#[test]
fn it_is_made_once_and_no_call_looks_at_it_again() {
    run(|_| async {
        let loci = TestLoci::new().unwrap();
        let (client, arrivals) = noting(&loci);
        let first = client.sre_memory_named(NAME, outside().1).await.unwrap();
        let again = client.sre_memory_named(NAME, outside().1).await.unwrap();
        assert_eq!(first.memory_id(), again.memory_id());
        assert!(save(&first).await);
        assert_eq!(found(&first).await, 1);
        let calls: Vec<String> = arrivals.lock().unwrap().iter().map(|came| came.call.clone()).collect();
        let id = first.memory_id().unwrap();
        let ensure = format!("PUT /v1/memories/{NAME}");
        let expect = [
            ensure.clone(),
            ensure,
            format!("POST /v1/memories/{id}/save"),
            format!("POST /v1/memories/{id}/retrieve"),
        ];
        assert_eq!(calls, expect);
    });
}
