//! The requests of the store, recorded by a router in this process, and its handling of the
//! responses.

use std::sync::Mutex;

use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use futures::executor::block_on;
use http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};

use super::*;
use crate::agent::batch::SequencedMessage;
use crate::agent::error::ErrorClass;
use crate::agent::message::Message;
use crate::call::Client;

/// The recorded requests: path, token, body.
type RecordedCalls = Arc<Mutex<Vec<(String, Option<String>, Value)>>>;

fn options(answer: fn(&str, &Value) -> (u16, Value)) -> (RemoteStoreOptions, RecordedCalls) {
    let seen = RecordedCalls::default();
    let sees = Arc::clone(&seen);
    let router = Router::new().fallback(move |uri: Uri, headers: HeaderMap, body: Bytes| {
        let sees = Arc::clone(&sees);
        async move {
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let token = headers.get("idempotency-key").map(|token| token.to_str().unwrap().to_owned());
            let (status, value) = answer(uri.path(), &body);
            sees.lock().unwrap().push((uri.path().to_owned(), token, body));
            (StatusCode::from_u16(status).unwrap(), value.to_string()).into_response()
        }
    });
    let place = ReadNamespace::NamespacePath("/users/{actorId}/facts".to_owned());
    let mut options = RemoteStoreOptions::new(Client::in_process(router), "notes", place);
    options.actor = Some("alice".to_owned());
    options.session = Some("s-1".to_owned());
    (options, seen)
}

fn problem(code: &str) -> Value {
    json!({"error": {"code": code, "message": "no", "retryable": false}})
}

fn record() -> Value {
    json!({
        "id": "rec-1", "memory": "mem-1", "version": 1, "kind": "fact", "namespace": "/users/alice/facts/",
        "text": "User lives in Seattle", "metadata": {"k": "v"}, "provenance": {"sources": [], "verbatim": false},
        "origin": "extracted", "trust": 0.5, "tier": "external", "state": "active",
        "valid_from": "2026-01-01T00:00:00Z", "timestamp": "2026-01-01T00:00:00Z",
        "created_at": "2026-01-02T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"
    })
}

fn event(body: &Value) -> Value {
    json!({"event": {
        "id": "e", "memory": "mem-1", "actor": body["actor"], "session": "s-1", "time": "2026-01-01T00:00:00Z",
        "branch": {"name": "main"}, "over_limit": false, "expires_at": "2027-01-01T00:00:00Z"
    }})
}

fn batch(texts: &[(&str, i64)]) -> MessageBatch {
    let said = |(sequence, (text, at_ms)): (usize, &(&str, i64))| {
        let message = Message { at_ms: Some(*at_ms), ..Message::user(*text) };
        Arc::new(SequencedMessage { sequence: sequence as u64, message })
    };
    MessageBatch { run_id: "run".into(), messages: texts.iter().enumerate().map(said).collect() }
}

#[test]
fn names_and_rules() {
    let check = |shape: fn(&mut RemoteStoreOptions), expect: Result<&str, &str>| {
        let (mut options, _) = options(|_, _| (500, json!({})));
        shape(&mut options);
        let got = RemoteStore::new(options).map(|store| store.name().to_owned());
        assert_eq!(got.map_err(|error| error.to_string()), expect.map(str::to_owned).map_err(str::to_owned));
    };
    check(|_| {}, Ok("users-facts"));
    check(|options| options.name = Some(" ".into()), Ok("users-facts"));
    check(|options| options.name = Some("own".into()), Ok("own"));
    check(|options| options.memory = " ".into(), Err("RemoteStore: memory must be a non-empty string"));
    check(
        |options| options.actor = Some(String::new()),
        Err("RemoteStore: actor must be a non-empty string"),
    );
    check(
        |options| options.actor = None,
        Err("RemoteStore: namespace_path '/users/{actorId}/facts' needs actorId"),
    );
    let relevance = "RemoteStore: relevance_min must be a number between 0 and 1";
    check(|options| options.relevance_min = Some(1.5), Err(relevance));
    check(|options| options.relevance_min = Some(f32::NAN), Err(relevance));
}

#[test]
fn extraction_of_a_store_that_is_not_writable_is_left_out() {
    let (mut options, _) = options(|_, _| (500, json!({})));
    options.extraction = Some(ExtractionConfig::default());
    assert!(RemoteStore::new(options.clone()).unwrap().extraction().is_none());
    options.writable = true;
    let store = RemoteStore::new(options).unwrap();
    assert!(store.extraction().is_some());
}

#[test]
fn a_store_with_actor_and_session_names_its_conversation() {
    let (mut options, _) = options(|_, _| (500, json!({})));
    let place = RemoteStore::new(options.clone()).unwrap().write_place().unwrap();
    assert!(place.memory.starts_with("notes of "), "{place:?}");
    assert_eq!((place.actor.as_str(), place.session.as_str()), ("alice", "s-1"));
    options.session = None;
    assert!(RemoteStore::new(options).unwrap().write_place().is_none(), "it takes no messages");
}

#[test]
fn a_search_and_what_comes_of_it() {
    let (options, seen) = options(|path, _| match path {
        "/v1/search" => (
            200,
            json!({"hits": [{
                "record": record(), "part": 0, "score": 1.2, "relevance": 0.75, "time": "2026-01-03T00:00:00Z"
            }]}),
        ),
        _ => (404, problem("NOT_FOUND")),
    });
    let filter = |key: &str| serde_json::from_value(json!({"key": key, "operator": "exists"})).unwrap();
    let options = RemoteStoreOptions { filters: vec![filter("own")], relevance_min: Some(0.5), ..options };
    let store = RemoteStore::new(options).unwrap();
    assert_eq!(store.max_search_results(), NonZeroU32::new(5));
    let query = SearchQuery {
        text: "where".into(),
        max_results: NonZeroU32::new(5).unwrap(),
        filter: vec![filter("call")],
        as_of_ms: Some(0),
        budget_tokens: Some(100),
        relevance_min: None,
    };
    let found = block_on(store.search(&query)).unwrap();
    assert_eq!(
        serde_json::to_value(&found[0]).unwrap(),
        json!({
            "content": "User lives in Seattle", "store_name": "users-facts", "also_in": [], "metadata": {"k": "v"},
            "score": 0.75, "created_at_ms": 1_767_312_000_000_i64, "observed_at_ms": 1_767_398_400_000_i64,
            "id": "rec-1", "namespaces": ["/users/alice/facts/"], "trust": "untrusted"
        })
    );
    assert_eq!(
        seen.lock().unwrap()[0].2,
        json!({
            "memory": "notes", "query": "where", "namespace_paths": ["/users/alice/facts"],
            "metadata": [{"key": "own", "operator": "exists"}, {"key": "call", "operator": "exists"}],
            "as_of": "1970-01-01T00:00:00Z", "top_k": 5, "budget_tokens": 100, "relevance_min": 0.5,
            "explain": false
        })
    );
    let of_call = SearchQuery { relevance_min: Some(0.25), ..query.clone() };
    block_on(store.search(&of_call)).unwrap();
    assert_eq!(seen.lock().unwrap()[1].2["relevance_min"], json!(0.25), "the call's, not the store's");
    for least in [1.5, f32::NAN] {
        let wrong = SearchQuery { relevance_min: Some(least), ..query.clone() };
        let refused = block_on(store.search(&wrong)).unwrap_err();
        assert_eq!(refused.message, "RemoteStore: relevance_min must be a number between 0 and 1");
    }
    assert_eq!(seen.lock().unwrap().len(), 2, "nothing was asked");
}

fn memory() -> Value {
    json!({
        "id": "notes-a1B2c3D4e5", "arn": "arn", "name": "notes", "event_expiry_days": 90, "strategies": [],
        "indexed_keys": [], "namespace_keys": [], "tags": {}, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "settings": serde_json::to_value(loci_api::memory::MemorySettings::default()).unwrap()
    })
}

fn identity(capability: &str) -> Value {
    json!({"name": "agent", "grants": [{"capabilities": [capability]}], "server_version": "1.0.0"})
}

#[test]
fn a_memory_is_found_by_name_or_id_or_made() {
    type Shape = fn(&mut RemoteStoreOptions);
    let check = |answer: fn(&str, &Value) -> (u16, Value), shape: Shape, expect: Result<&str, &str>| {
        let (mut options, _) = options(answer);
        shape(&mut options);
        let store = RemoteStore::new(options).unwrap();
        let got = block_on(store.initialize()).map(|()| store.memory().to_owned());
        assert_eq!(got.map_err(|error| error.message), expect.map(str::to_owned).map_err(str::to_owned));
    };
    let there = |path: &str, _: &Value| match path {
        "/v1/memories" => (200, json!({"memories": [memory()]})),
        "/v1/memories/notes-a1B2c3D4e5" => (200, memory()),
        "/v1/identity" => (200, identity("read")),
        _ => (404, problem("NOT_FOUND")),
    };
    let nowhere = |path: &str, body: &Value| match path {
        "/v1/memories" if body["name"] == "notes" => {
            assert_eq!(body["strategies"][0]["namespace"], "/users/{actorId}/facts");
            (200, memory())
        }
        "/v1/memories" => (200, json!({"memories": []})),
        _ => (404, problem("NOT_FOUND")),
    };
    check(there, |_| {}, Ok("notes-a1B2c3D4e5"));
    check(there, |options| options.memory = "notes-a1B2c3D4e5".into(), Ok("notes-a1B2c3D4e5"));
    check(
        there,
        |options| options.memory = "notes-0000000000".into(),
        Err("there is no memory 'notes-0000000000': make it first, or let the store do so with `create`"),
    );
    check(
        there,
        |options| options.writable = true,
        Err("the key of 'agent' may not write in the memory 'notes': give it a grant with write"),
    );
    check(
        nowhere,
        |_| {},
        Err("there is no memory 'notes': make it first, or let the store do so with `create`"),
    );
    check(nowhere, |options| options.create = true, Ok("notes-a1B2c3D4e5"));
    check(|_, _| (500, problem("BUG")), |_| {}, Err("the memory cannot be read: no"));
}

#[test]
fn messages_are_events_with_the_token_of_their_range() {
    let (mut options, seen) =
        options(
            |path, body| {
                if path.ends_with("/events") { (200, event(body)) } else { (404, problem("NOT_FOUND")) }
            },
        );
    options.writable = true;
    let store = RemoteStore::new(options).unwrap();
    let sent = batch(&[("a", 0), ("b", 1), ("much later", 120_000), (" ", 120_001)]);
    let outcome = block_on(store.add_messages(&sent)).unwrap();
    assert_eq!(outcome.stored, [0, 1, 2, 3]);
    let seen = seen.lock().unwrap();
    let tokens: Vec<&str> = seen.iter().map(|(_, token, _)| token.as_deref().unwrap()).collect();
    assert_eq!(tokens, ["notes-alice-run-0-1", "notes-alice-run-2-3"]);
    assert_eq!(seen[0].2["payload"].as_array().unwrap().len(), 2);
}

#[test]
fn an_error_that_may_pass_is_not_overtaken_and_one_that_will_not_is() {
    let send = |answer: fn(&str, &Value) -> (u16, Value)| {
        let (mut options, seen) = options(answer);
        options.writable = true;
        let store = RemoteStore::new(options).unwrap();
        let outcome =
            block_on(store.add_messages(&batch(&[("a", 0), ("b", 120_000), ("c", 240_000)]))).unwrap();
        let unstored: Vec<_> = outcome.unstored.iter().map(|one| (one.sequence, one.error.class)).collect();
        (outcome.stored, unstored, seen.lock().unwrap().len())
    };
    let is_b = |body: &Value| body["payload"][0]["message"]["text"] == json!("b");
    assert!(is_b(&json!({"payload": [{"message": {"text": "b"}}]})));
    let busy = send(|_, body| {
        let is_b = body["payload"][0]["message"]["text"] == json!("b");
        if is_b { (503, problem("UNAVAILABLE")) } else { (200, event(body)) }
    });
    assert_eq!(busy, (vec![0], vec![(1, ErrorClass::Transient), (2, ErrorClass::Transient)], 2));
    let refused = send(|_, body| {
        let is_b = body["payload"][0]["message"]["text"] == json!("b");
        if is_b { (400, problem("INVALID")) } else { (200, event(body)) }
    });
    assert_eq!(refused, (vec![0, 2], vec![(1, ErrorClass::Permanent)], 3));
    let denied = send(|_, _| (403, problem("DENIED")));
    assert_eq!((denied.0.len(), denied.1[0].1), (0, ErrorClass::Transient), "no message is at fault");
}

fn hits(records: &[Value]) -> Value {
    let hits: Vec<Value> = records
        .iter()
        .map(|record| json!({"record": record, "part": 0, "score": 1.0, "relevance": 0.9, "time": "2026-01-01T00:00:00Z"}))
        .collect();
    json!({"hits": hits, "degraded": [], "warnings": []})
}

fn tokens_of_creations(seen: &RecordedCalls) -> Vec<String> {
    let seen = seen.lock().unwrap();
    let created = seen.iter().filter(|(path, _, _)| path.ends_with("/records"));
    created.map(|(_, token, _)| token.clone().unwrap()).collect()
}

#[test]
fn the_same_entry_has_the_same_token() {
    let (mut options, seen) = options(|path, body| match path {
        "/v1/search" => (200, hits(&[])),
        "/v1/memories/notes/records" if body["records"][0]["text"] == json!("bad") => {
            (200, json!({"items": [{"id": "x", "error": {"code": "INVALID", "message": "no"}}], "failed": 1}))
        }
        "/v1/memories/notes/records" => (200, json!({"items": [{"id": "rec-1"}], "failed": 0})),
        "/v1/memories/notes/records/rec-1" => (200, record()),
        _ => (404, problem("NOT_FOUND")),
    });
    options.writable = true;
    let store = RemoteStore::new(options).unwrap();
    for _ in 0..2 {
        let added = block_on(store.add(&NewEntry::text("likes tea"))).unwrap();
        assert_eq!(added.id.as_deref(), Some("rec-1"));
    }
    let error = block_on(store.add(&NewEntry::text("bad"))).unwrap_err();
    assert_eq!(
        (error.class, error.to_string().as_str()),
        (ErrorClass::Permanent, "the entry cannot be stored: no")
    );
    let tokens = tokens_of_creations(&seen);
    assert!(tokens[0] == tokens[1] && tokens[1] != tokens[2]);
    let seen = seen.lock().unwrap();
    let created = seen.iter().find(|(path, _, _)| path.ends_with("/records")).unwrap();
    assert_eq!(created.2, json!({"records": [{"namespace": "/users/alice/facts", "text": "likes tea"}]}));
}

#[test]
fn what_is_there_is_not_stored_again_and_what_was_forgotten_is() {
    let stored = |answer: fn(&str, &Value) -> (u16, Value), metadata: Value| {
        let (mut options, seen) = options(answer);
        options.writable = true;
        let store = RemoteStore::new(options).unwrap();
        let mut entry = NewEntry::text("User lives in Seattle");
        entry.metadata = metadata.as_object().unwrap().clone().into_iter().collect();
        let added = block_on(store.add(&entry)).unwrap();
        (added.id.unwrap(), tokens_of_creations(&seen).len())
    };
    // The record exists, long after the token has expired.
    assert_eq!(stored(|_, _| (200, hits(&[record()])), json!({"k": "v"})), ("rec-1".to_owned(), 0));
    // The same text with other metadata is another entry, and a replayed response may belong to a
    // deleted record.
    let forgotten = |path: &str, _: &Value| match path {
        "/v1/search" => (200, hits(&[record()])),
        "/v1/memories/notes/records" => (200, json!({"items": [{"id": "rec-0"}], "failed": 0})),
        _ => (404, problem("NOT_FOUND")),
    };
    assert_eq!(stored(forgotten, json!({"k": "other"})), ("rec-0".to_owned(), 2));
}

#[test]
fn tools_of_the_store() {
    let (mut options, seen) = options(|path, _| match path {
        "/v1/memories/notes/records/rec-1" => (200, record()),
        "/v1/memories/notes/records/rec-2" => {
            let mut other = record();
            other["namespace"] = json!("/users/bob/facts/");
            (200, other)
        }
        "/v1/memories/notes/records/rec-1/feedback" => {
            (200, json!({"id": "rec-1", "version": 1, "useful": 1, "wrong": 1, "state": "active"}))
        }
        "/v1/memories/notes/records/rec-1/history" => (200, json!({"versions": [record()], "changes": []})),
        _ => (404, problem("NOT_FOUND")),
    });
    options.writable = true;
    let tools = RemoteStore::new(options.clone()).unwrap().tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        ["users_facts_timeline", "users_facts_history", "users_facts_forget", "users_facts_feedback"]
    );
    let history = block_on(tools[1].call(json!({"id": "rec-1"}))).unwrap().into_value();
    assert_eq!(history[0]["content"], json!("User lives in Seattle"));
    let before = seen.lock().unwrap().len();
    for id in ["rec-2", "rec-3"] {
        let refused = block_on(tools[2].call(json!({ "id": id }))).unwrap_err();
        assert_eq!(refused.0, format!("there is no entry {id}"), "what lies elsewhere is not told apart");
    }
    assert!(block_on(tools[2].call(json!({"id": "rec-1", "all": true}))).is_err());
    assert_eq!(seen.lock().unwrap().len(), before + 2, "nothing was deleted");
    // This router answers every call with a record, while the response to a deletion has no
    // members.
    let deleted = block_on(tools[2].call(json!({"id": "rec-1"}))).unwrap_err();
    assert!(deleted.0.contains("cannot be read"), "{}", deleted.0);
    assert!(block_on(tools[2].call(json!({}))).is_err());
    let standing = |arguments: Value| block_on(tools[3].call(arguments));
    let said = standing(json!({"id": "rec-1", "verdict": "wrong", "reason": "it moved"})).unwrap();
    let expect = json!({"id": "rec-1", "useful": 1, "wrong": 1, "state": "active"});
    assert_eq!(said.into_value(), expect);
    let sent = seen.lock().unwrap().last().cloned().unwrap();
    assert!(format!("{sent:?}").contains("agent"), "an agent says it, whatever its rights are: {sent:?}");
    assert_eq!(
        standing(json!({"id": "rec-2", "verdict": "wrong"})).unwrap_err().0,
        "there is no entry rec-2"
    );
    for wrong in [
        json!({"id": "rec-1"}),
        json!({"id": "rec-1", "verdict": "bad"}),
        json!({"id": "rec-1", "verdict": "wrong", "reason": 1}),
        json!({"id": "rec-1", "verdict": "wrong", "by": "human"}),
    ] {
        assert!(standing(wrong.clone()).is_err(), "{wrong}");
    }
    options.filters = vec![serde_json::from_value(json!({"key": "own", "operator": "exists"})).unwrap()];
    let names: Vec<String> =
        RemoteStore::new(options).unwrap().tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["users_facts_timeline"], "a condition of the store holds for single records, too");
}

#[test]
fn consolidation_is_of_the_stores_own_documents() {
    let answer = |path: &str, _: &Value| match path {
        "/v1/memories/notes/consolidations" => {
            let run =
                ConsolidationRun { summary: "Nothing to do.".to_owned(), ..ConsolidationRun::default() };
            (202, serde_json::to_value(run).unwrap())
        }
        _ => (404, problem("NOT_FOUND")),
    };
    let (mut asked, seen) = options(answer);
    asked.writable = true;
    let store = RemoteStore::new(asked).unwrap();
    let start = ConsolidationStart { dry_run: Some(false), ..ConsolidationStart::default() };
    let run = block_on(store.consolidate(&start)).unwrap().unwrap();
    assert_eq!(run.summary, "Nothing to do.");
    let elsewhere = ConsolidationStart { namespace: Some("/team".into()), ..ConsolidationStart::default() };
    block_on(store.consolidate(&elsewhere)).unwrap();
    let bodies: Vec<Value> = seen.lock().unwrap().iter().map(|(_, _, body)| body.clone()).collect();
    assert_eq!(
        bodies,
        [json!({"namespace": "/users/alice/facts", "dry_run": false}), json!({"namespace": "/team"})]
    );
    let (reading, seen) = options(answer);
    let refused = block_on(RemoteStore::new(reading).unwrap().consolidate(&start)).unwrap_err();
    assert!(refused.message.contains("is read-only"), "{refused}");
    assert!(seen.lock().unwrap().is_empty());
}
