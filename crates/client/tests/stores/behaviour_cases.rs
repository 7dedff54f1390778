//! The cases that the stores of all clients pass; see `clients/behaviour/README.md`. The store is a
//! [`RemoteStore`], and the server is a listener that responds with the statuses of a case.
//!
//! A case is skipped only if the type of an option excludes its value: a number is no `String`, 0
//! is no `NonZeroU32`, and a `ReadNamespace` is one of two. Other clients must reject such a case,
//! and each list asserts the number of them.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use http::{HeaderMap, StatusCode, Uri};
use loci_client::Client;
use loci_client::agent::coordinator::ExtractionConfig;
use loci_client::agent::stores::topology::assert_writable_topology;
use loci_client::agent::stores::{ReadNamespace, RemoteStore, RemoteStoreOptions};
use loci_client::agent::{
    ErrorClass, MemoryManager, MemoryStore, Message, MessageBatch, Metadata, Role, RuntimeContext,
    SearchOptions, SequencedMessage,
};
use loci_client::api::memory::MemorySettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const CASES: &str = include_str!("../../../../clients/behaviour/memory-store.json");

/// Options of a store, each with the type that it has in Rust.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoreConfig {
    memory: String,
    actor: Option<String>,
    session: Option<String>,
    name: Option<String>,
    namespace: Option<String>,
    namespace_path: Option<String>,
    max_search_results: Option<NonZeroU32>,
    relevance_min: Option<f32>,
    writable: bool,
    extraction: bool,
    metadata_provider: bool,
    max_turns_per_event: Option<usize>,
}

/// Options of a search, each with its type.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SearchConfig {
    max_search_results: Option<u32>,
    relevance_min: Option<f32>,
}

/// A case that the types exclude.
struct Excluded;

/// A recorded request.
struct RecordedStoreRequest {
    token: String,
    body: Value,
}

/// A server on a loopback port that records requests and responds to events with the statuses of a
/// case.
struct Server {
    url: String,
    searches: Arc<Mutex<Vec<RecordedStoreRequest>>>,
    events: Arc<Mutex<Vec<RecordedStoreRequest>>>,
}

impl Server {
    async fn start(statuses: &Value) -> Self {
        let (searches, events) = (Arc::default(), Arc::default());
        let (sees_searches, sees_events) = (Arc::clone(&searches), Arc::clone(&events));
        let statuses: VecDeque<u16> = read(statuses).unwrap_or_default();
        let statuses = Arc::new(Mutex::new(statuses));
        let router = Router::new().fallback(move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let token = headers.get("idempotency-key").map(|token| token.to_str().unwrap().to_owned());
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let seen = RecordedStoreRequest { token: token.unwrap_or_default(), body };
            let (status, answer) = match uri.path() {
                "/v1/identity" => (200, identity()),
                "/v1/memories/notes-1" => (200, memory()),
                "/v1/search" => {
                    list(&sees_searches).push(seen);
                    (200, json!({ "hits": [] }))
                }
                "/v1/memories/notes-1/events" => {
                    let status = statuses.lock().unwrap().pop_front().unwrap_or(201);
                    list(&sees_events).push(seen);
                    (status, event(status))
                }
                other => panic!("nothing asks for {other}"),
            };
            async move { (StatusCode::from_u16(status).unwrap(), answer.to_string()) }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, searches, events }
    }

    fn client(&self) -> Client {
        Client::url(&self.url).unwrap()
    }
}

fn list(seen: &Mutex<Vec<RecordedStoreRequest>>) -> std::sync::MutexGuard<'_, Vec<RecordedStoreRequest>> {
    seen.lock().unwrap()
}

fn identity() -> Value {
    json!({"name": "agent", "grants": [{"capabilities": ["read", "write"]}], "server_version": "1.0.0"})
}

fn memory() -> Value {
    json!({
        "id": "notes-1", "arn": "arn", "name": "notes", "event_expiry_days": 90, "strategies": [],
        "indexed_keys": [], "namespace_keys": [], "tags": {}, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "settings": serde_json::to_value(MemorySettings::default()).unwrap()
    })
}

fn event(status: u16) -> Value {
    if status != 201 {
        return json!({"error": {"code": "X", "message": "no", "retryable": status == 503}});
    }
    json!({"event": {
        "id": "e", "memory": "notes-1", "actor": "alice", "session": "s-1", "time": "2026-01-01T00:00:00Z",
        "branch": {"name": "main"}, "over_limit": false, "expires_at": "2027-01-01T00:00:00Z"
    }})
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

fn words(case: &Value) -> Option<Vec<String>> {
    read(&case["refused"])
}

fn is_refused(error: &str, words: &[String], case: &Value) {
    for word in words {
        assert!(error.contains(word.as_str()), "{error:?} without {word:?}: {case}");
    }
}

/// Runs a list, and counts the cases that the types exclude.
fn each(kind: &str, excluded: usize, check: impl AsyncFn(&Value) -> Result<(), Excluded>) {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    let cases = cases[kind].as_array().unwrap();
    assert!(cases.len() > excluded, "{kind}");
    let mut found = 0;
    for case in cases {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        if runtime.block_on(check(case)).is_err() {
            assert!(words(case).is_some(), "only what others refuse may be excluded by a type: {case}");
            found += 1;
        }
    }
    assert_eq!(found, excluded, "{kind}");
}

/// Returns the options of a case over the defaults of all.
fn options(config: &Value, client: Client) -> Result<RemoteStoreOptions, Excluded> {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    let mut given = cases["defaults"].as_object().unwrap().clone();
    given.extend(config.as_object().unwrap().clone());
    given.retain(|_, value| !value.is_null());
    let given: StoreConfig = read(&Value::Object(given)).ok_or(Excluded)?;
    let place = match (given.namespace, given.namespace_path) {
        (Some(_), Some(_)) => return Err(Excluded),
        (Some(exact), None) => ReadNamespace::Namespace(exact),
        (None, Some(path)) => ReadNamespace::NamespacePath(path),
        (None, None) => ReadNamespace::default(),
    };
    let mut options = RemoteStoreOptions::new(client, given.memory, place);
    options.actor = given.actor;
    options.session = given.session;
    options.name = given.name;
    options.max_search_results = given.max_search_results;
    options.relevance_min = given.relevance_min;
    options.writable = given.writable;
    options.extraction = given.extraction.then(ExtractionConfig::default);
    options.metadata_provider = given.metadata_provider.then(|| Arc::new(provided) as _);
    options.max_turns_per_event = given.max_turns_per_event.unwrap_or(options.max_turns_per_event);
    Ok(options)
}

fn provided(message: &Message) -> Metadata {
    let value = |value: &Value| match value.as_str() {
        Some("@256") => json!("x".repeat(256)),
        Some("@257") => json!("x".repeat(257)),
        _ => value.clone(),
    };
    message.metadata.iter().map(|(key, given)| (key.clone(), value(given))).collect()
}

fn nowhere() -> Client {
    Client::url("http://127.0.0.1:9").unwrap()
}

#[test]
fn constructions() {
    each("constructions", 14, async |case| {
        let made = RemoteStore::new(options(&case["config"], nowhere())?);
        match (words(case), made) {
            (None, made) => assert_eq!(made.unwrap().name(), case["name"], "{case}"),
            (Some(words), Err(error)) => is_refused(&error.to_string(), &words, case),
            (Some(_), Ok(_)) => panic!("it is not refused: {case}"),
        }
        Ok(())
    });
}

#[test]
fn searches() {
    each("searches", 4, async |case| {
        let server = Server::start(&json!([])).await;
        let store = RemoteStore::new(options(&case["config"], server.client())?).unwrap();
        let manager = MemoryManager::builder(RuntimeContext::system()).store(store).build().await.unwrap();
        let given = case.get("options").map_or_else(|| Some(SearchConfig::default()), read);
        let SearchConfig { max_search_results, relevance_min } = given.ok_or(Excluded)?;
        let asked = SearchOptions { max_search_results, relevance_min, ..SearchOptions::default() };
        let answer = manager.search_detailed("q", &asked).await;
        let seen = list(&server.searches);
        match (words(case), answer) {
            (None, answer) => {
                assert_eq!(answer.unwrap().failures.len(), 0, "{case}");
                for (member, value) in case["body"].as_object().unwrap() {
                    assert_eq!(&seen[0].body[member], value, "{member}: {case}");
                }
            }
            (Some(words), Err(error)) => {
                is_refused(&error.to_string(), &words, case);
                assert_eq!(seen.len(), 0, "{case}");
            }
            (Some(_), Ok(_)) => panic!("it is not refused: {case}"),
        }
        Ok(())
    });
}

fn batch(case: &Value) -> MessageBatch {
    let mut messages = Vec::new();
    for one in case["messages"].as_array().unwrap() {
        let role: Role = read(&one["role"]).unwrap();
        let mut message = Message::text(role, one["text"].as_str().unwrap());
        message.metadata = read(&one["metadata"]).unwrap_or_default();
        let repeat = one["repeat"].as_u64().unwrap_or(1);
        messages.extend((0..repeat).map(|_| message.clone()));
    }
    let sequenced = |(sequence, message)| Arc::new(SequencedMessage { sequence, message });
    MessageBatch { run_id: "run".into(), messages: (0..).zip(messages).map(sequenced).collect() }
}

fn has_events(seen: &[RecordedStoreRequest], expected: &[Value], case: &Value) {
    assert_eq!(seen.len(), expected.len(), "{case}");
    for (one, event) in seen.iter().zip(expected) {
        let payload = one.body["payload"].as_array().unwrap();
        let texts: Value = payload.iter().map(|part| part["message"]["text"].clone()).collect();
        if let Some(turns) = event["turns"].as_u64() {
            assert_eq!(payload.len() as u64, turns, "{case}");
        } else {
            assert_eq!(texts, event["texts"], "{case}");
        }
        if event["metadata"].is_object() {
            let metadata = one.body.get("metadata").cloned().unwrap_or_else(|| json!({}));
            assert_eq!(metadata, event["metadata"], "{case}");
        }
        let range = format!("notes-1-alice-run-{}-{}", event["range"][0], event["range"][1]);
        assert_eq!(one.token, range, "{case}");
    }
}

#[test]
fn batches() {
    each("batches", 0, async |case| {
        let server = Server::start(&case["statuses"]).await;
        let store = RemoteStore::new(options(&case["config"], server.client())?).unwrap();
        let batch = batch(case);
        let answer = store.add_messages(&batch).await;
        let seen = list(&server.events);
        if let Some(words) = words(case) {
            let error = answer.unwrap_err();
            is_refused(&error.message, &words, case);
            assert_eq!((error.class, seen.len()), (ErrorClass::Permanent, 0), "{case}");
            return Ok(());
        }
        let outcome = answer.unwrap();
        let Some(expected) = case.get("failed") else {
            let all: Vec<u64> = (0..batch.messages.len() as u64).collect();
            assert_eq!(outcome.stored, all, "{case}");
            assert!(outcome.failed.is_none(), "{case}");
            has_events(&seen, case["events"].as_array().unwrap(), case);
            return Ok(());
        };
        let error = outcome.failed.unwrap();
        let numbers: Vec<u64> =
            error.failures.iter().flat_map(|failure| failure.messages.iter().copied()).collect();
        assert_eq!(json!(numbers), expected["messages"], "{case}");
        let unstored: Vec<u64> = outcome.unstored.iter().map(|one| one.sequence).collect();
        assert_eq!(unstored, numbers, "{case}");
        let counts = json!({
            "messages": numbers, "events": error.failures.len(), "of": error.events, "requests": seen.len()
        });
        assert_eq!(&counts, expected, "{case}");
        let begin =
            format!("{} of {} event(s) not stored; first error: ", expected["events"], expected["of"]);
        assert!(error.to_string().starts_with(&begin), "{error}: {case}");
        Ok(())
    });
}

#[test]
fn topologies() {
    each("topologies", 0, async |case| {
        let mut stores: Vec<Arc<dyn MemoryStore>> = Vec::new();
        for config in case["stores"].as_array().unwrap() {
            stores.push(Arc::new(RemoteStore::new(options(config, nowhere())?).unwrap()));
        }
        let expects = case["expect_extraction"].as_bool().unwrap_or(false);
        match (words(case), assert_writable_topology(&stores, expects)) {
            (None, checked) => checked.unwrap(),
            (Some(words), Err(error)) => is_refused(&error.to_string(), &words, case),
            (Some(_), Ok(())) => panic!("it is not refused: {case}"),
        }
        Ok(())
    });
}
