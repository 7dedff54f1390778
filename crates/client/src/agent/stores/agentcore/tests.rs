//! The requests of the store, sent by the real SDK to a real listener, and its handling of the
//! responses.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Value, json};

use super::recorder::{RecordedAnswer, RecordedRequest, Recorder, created, records};
use super::*;
use crate::agent::batch::{MessageBatch, SequencedMessage};
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::error::ErrorClass;
use crate::agent::message::{Message, Role};
use crate::agent::store::{MemoryStore, SearchQuery};
use crate::agent::stores::ReadNamespace;
use crate::agent::stores::topology::assert_writable_topology;
use crate::agent::tests::log::logged;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn question(text: &str, max_results: u32) -> SearchQuery {
    SearchQuery {
        text: text.to_owned(),
        max_results: NonZeroU32::new(max_results).unwrap(),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    }
}

fn batch(said: &[(Role, &str, i64)]) -> MessageBatch {
    let sequenced = |(sequence, (role, text, at_ms)): (usize, &(Role, &str, i64))| {
        let message = Message { at_ms: Some(*at_ms), ..Message::text(*role, *text) };
        Arc::new(SequencedMessage { sequence: sequence as u64, message })
    };
    MessageBatch { run_id: "fd62".into(), messages: said.iter().enumerate().map(sequenced).collect() }
}

/// A provider whose metadata puts every message into an event of its own.
fn by_text() -> MetadataProvider {
    Arc::new(|message| [("text".to_owned(), json!(message.joined_text()))].into_iter().collect())
}

#[test]
fn requests_are_those_that_were_captured() {
    runtime().block_on(async {
        let recorder = Recorder::new(|seen| match seen.path.rsplit('/').next() {
            Some("events") => created(seen),
            _ => records(&[("rec-1", 0.75)]),
        })
        .await;
        let mut options = recorder.options();
        options.writable = true;
        options.extraction_mode = Some(ExtractionMode::Skip);
        options.metadata_provider = Some(Arc::new(|_| [("role".to_owned(), json!("user"))].into_iter().collect()));
        let store = AgentCoreStore::new(options).unwrap();
        let time = 1_795_291_920_450;
        let silent = [(Role::Tool, "x", time), (Role::User, " ", time), (Role::Tool, "y", time)];
        let mut said = vec![(Role::User, "I live in Seattle", time)];
        said.extend(silent);
        said.extend([(Role::Tool, "z", time), (Role::Assistant, "Noted.", time + 5)]);
        let outcome = store.add_messages(&batch(&said)).await.unwrap();
        assert_eq!(outcome.stored, [0, 1, 2, 3, 4, 5]);
        let found = store.search(&question("where do I live", 5)).await.unwrap();
        assert_eq!((found[0].content.as_str(), found[0].score), ("text of rec-1", Some(0.75)));
        assert_eq!(found[0].metadata["_createdAt"], json!("2026-01-02T00:00:00.500Z"));

        let [event, search] = <[RecordedRequest; 2]>::try_from(recorder.seen()).unwrap();
        assert_eq!(event.path, "/memories/mem-1234567890/events");
        assert_eq!(
            event.body,
            json!({
                "actorId": "alice", "sessionId": "s-1",
                "eventTimestamp": serde_json::from_str::<Value>("1795291920.45").unwrap(),
                "payload": [
                    {"conversational": {"role": "USER", "content": {"text": "I live in Seattle"}}},
                    {"conversational": {"role": "ASSISTANT", "content": {"text": "Noted."}}}
                ],
                "clientToken": "mem-1234567890-alice-fd62-0-5",
                "metadata": {"role": {"stringValue": "user"}},
                "extractionMode": "SKIP"
            })
        );
        assert_eq!(search.path, "/memories/mem-1234567890/retrieve");
        assert_eq!(
            search.body,
            json!({
                "searchCriteria": {"searchQuery": "where do I live", "topK": 5}, "namespace": "/users/alice/facts"
            })
        );
        // Dated by the manual clock, which stands at the beginning of 1970; after the first
        // response the SDK corrects it by the server's.
        let signed = event.headers["authorization"].to_str().unwrap();
        let scope =
            "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/19700101/us-west-2/bedrock-agentcore/aws4_request";
        assert!(signed.starts_with(scope), "{signed}");
    });
}

#[test]
fn what_is_not_said_is_not_sent() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let mut options = recorder.options();
        options.writable = true;
        let store = AgentCoreStore::new(options).unwrap();
        let mut sent = batch(&[(Role::User, "a", 5)]);
        let mut message = Message::clone(&sent.messages[0].message);
        message.metadata.insert("framework".into(), json!({"of": ["its", "own"]}));
        sent.messages = vec![Arc::new(SequencedMessage { sequence: 3, message })];
        assert_eq!(store.add_messages(&sent).await.unwrap().stored, [3]);
        let body = recorder.seen()[0].body.clone();
        let mut got: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        got.sort_unstable();
        let expect = ["actorId", "clientToken", "eventTimestamp", "payload", "sessionId"];
        assert_eq!(got, expect);
        assert_eq!(store.add_messages(&batch(&[(Role::User, "\n", 0)])).await.unwrap().stored, [0]);
        assert_eq!(recorder.seen().len(), 1, "nothing to say is no call");
    });
}

#[test]
fn calls_grow_with_what_differs_and_not_with_messages() {
    runtime().block_on(async {
        let calls = async |said: &[(Role, &str, i64)], provider: Option<MetadataProvider>| {
            let recorder = Recorder::new(created).await;
            let mut options = recorder.options();
            (options.writable, options.metadata_provider) = (true, provider);
            let store = AgentCoreStore::new(options).unwrap();
            let answer = store.add_messages(&batch(said)).await;
            (answer.map(|outcome| outcome.stored.len()).map_err(|error| error.class), recorder.seen().len())
        };
        let user = |text: &'static str| (Role::User, text, 0);
        assert_eq!(calls(&[user("x"); 4], None).await, (Ok(4), 1));
        assert_eq!(calls(&[user("x"); 51], None).await, (Ok(51), 2));
        let different = ["A", "A", "B", "C", "B"].map(user);
        assert_eq!(calls(&different, Some(by_text())).await, (Ok(5), 4));
        let refused = [user("good"), user("a,b")];
        assert_eq!(calls(&refused, Some(by_text())).await, (Err(ErrorClass::Permanent), 0));
    });
}

#[test]
fn times_of_a_session_increase() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let mut options = recorder.options();
        (options.writable, options.metadata_provider) = (true, Some(by_text()));
        let store = AgentCoreStore::new(options).unwrap();
        let said =
            [(Role::User, "a", 5000), (Role::User, "b", 5000), (Role::User, "c", 1), (Role::User, "d", 9000)];
        store.add_messages(&batch(&said)).await.unwrap();
        let times: Vec<String> =
            recorder.seen().iter().map(|seen| seen.body["eventTimestamp"].to_string()).collect();
        assert_eq!(times, ["5", "5.001", "5.002", "9"]);
        assert!(recorder.seen()[0].text.contains("\"eventTimestamp\":5,"), "{}", recorder.seen()[0].text);
    });
}

#[test]
fn more_is_asked_for_where_a_score_drops_some() {
    runtime().block_on(async {
        let ten: fn(&RecordedRequest) -> RecordedAnswer = |_| {
            records(&[
                ("a", 0.9),
                ("b", 0.8),
                ("c", 0.7),
                ("d", 0.6),
                ("e", 0.5),
                ("f", 0.4),
                ("g", 0.3),
                ("h", 0.2),
            ])
        };
        let recorder = Recorder::new(ten).await;
        let check = async |min_score: Option<f64>, factor: f64, wanted: u32, top_k: u32, found: &str| {
            let mut options = recorder.options();
            (options.min_score, options.over_fetch_factor) = (min_score, factor);
            let store = AgentCoreStore::new(options).unwrap();
            let entries = store.search(&question("q", wanted)).await.unwrap();
            let ids: String = entries.iter().filter_map(|entry| entry.id.clone()).collect();
            let sent = recorder.seen().pop().unwrap().body["searchCriteria"]["topK"].clone();
            assert_eq!((sent, ids.as_str()), (json!(top_k), found));
        };
        check(None, 4.0, 5, 5, "abcde").await;
        check(Some(0.35), 1.5, 5, 8, "abcde").await;
        check(Some(0.65), 4.0, 5, 20, "abc").await;
        check(Some(0.95), 4.0, 50, 100, "").await;
        check(None, 4.0, 200, 100, "abcdefgh").await;
    });
}

#[test]
fn filters_of_the_store_go_with_every_question() {
    runtime().block_on(async {
        let recorder = Recorder::new(|_| records(&[])).await;
        let filter = |value: Value| serde_json::from_value(value).unwrap();
        let mut options = recorder.options();
        options.place = ReadNamespace::NamespacePath("//users/{actorId}//{sessionId}/".to_owned());
        options.filters = vec![filter(json!({"key": "own", "operator": "equals_to", "value": "x"}))];
        let store = AgentCoreStore::new(options).unwrap();
        let mut asked = question("q", 5);
        asked.filter = vec![
            filter(json!({"key": "n", "operator": "greater_than", "value": 2.5})),
            filter(json!({"key": "t", "operator": "before", "value": "1970-01-01T00:00:10Z"})),
            filter(json!({"key": "e", "operator": "exists"})),
        ];
        store.search(&asked).await.unwrap();
        store.initialize().await.unwrap();
        let seen = recorder.seen();
        let left = |key: &str| json!({"metadataKey": key});
        let own = json!({
            "left": left("own"), "operator": "EQUALS_TO", "right": {"metadataValue": {"stringValue": "x"}}
        });
        assert_eq!(
            seen[0].body,
            json!({"namespacePath": "/users/alice/s-1/", "searchCriteria": {"searchQuery": "q", "topK": 5, "metadataFilters": [
                own,
                {"left": left("n"), "operator": "GREATER_THAN", "right": {"metadataValue": {"numberValue": 2.5}}},
                {"left": left("t"), "operator": "BEFORE", "right": {"metadataValue": {"dateTimeValue": 10}}},
                {"left": left("e"), "operator": "EXISTS"}
            ]}})
        );
        assert_eq!(seen[1].body["searchCriteria"], json!({"searchQuery": "memory", "topK": 1, "metadataFilters": [own]}));
        asked.filter = vec![filter(json!({"key": "e", "operator": "exists"})); 5];
        let error = store.search(&asked).await.unwrap_err();
        assert_eq!(
            (error.class, error.message.as_str()),
            (
                ErrorClass::Permanent,
                "AgentCore retrieveMemoryRecords failed: a search must have at most 5 filters, those of the store \
                 included; found 6"
            )
        );
    });
}

#[test]
fn an_error_names_how_many_events_failed_and_says_of_each_what_to_do() {
    runtime().block_on(async {
        let recorder = Recorder::new(|seen| {
            let is = |text: &str| seen.body["payload"][0]["conversational"]["content"]["text"] == json!(text);
            if is("wrong") {
                (400, "ValidationException", json!({"message": "not so"}))
            } else if is("much") {
                (402, "ServiceQuotaExceededException", json!({"message": "no more"}))
            } else {
                created(seen)
            }
        })
        .await;
        let check = async |texts: &[&'static str], stored: &[u64], expect: &[(u64, ErrorClass, &str)]| {
            let before = recorder.seen().len();
            let mut options = recorder.options();
            (options.writable, options.metadata_provider) = (true, Some(by_text()));
            let store = AgentCoreStore::new(options).unwrap();
            let said: Vec<_> = texts.iter().map(|text| (Role::User, *text, 0)).collect();
            let outcome = store.add_messages(&batch(&said)).await.unwrap();
            let got: Vec<_> = outcome
                .unstored
                .iter()
                .map(|one| (one.sequence, one.error.class, one.error.message.as_str()))
                .collect();
            assert_eq!((outcome.stored.as_slice(), got.as_slice()), (stored, expect));
            recorder.seen().len() - before
        };
        let refused = "AgentCore createEvent failed for 1 of 3 event(s); first error: \
                       ValidationException: not so";
        let calls = check(&["a", "wrong", "b"], &[0, 2], &[(1, ErrorClass::Permanent, refused)]).await;
        assert_eq!(calls, 3, "one that is refused for good holds nobody up");
        let both = "AgentCore createEvent failed for 3 of 4 event(s); first error: \
                    ValidationException: not so";
        let own = "; this event: ServiceQuotaExceededException: no more";
        let spent = format!("{both}{own}");
        let expect = [
            (1, ErrorClass::Permanent, both),
            (2, ErrorClass::Transient, spent.as_str()),
            (3, ErrorClass::Transient, spent.as_str()),
        ];
        let calls = check(&["a", "wrong", "much", "b"], &[0], &expect).await;
        assert_eq!(calls, 3, "nothing overtakes what may pass");
    });
}

#[test]
fn what_may_pass_is_tried_three_times_by_our_clock() {
    runtime().block_on(async {
        let recorder = Recorder::new(|_| (500, "ServiceException", json!({"message": "later"}))).await;
        let store = AgentCoreStore::new(recorder.options()).unwrap();
        let asked = question("q", 1);
        let mut answer = store.search(&asked);
        // The clock is manual, so the SDK's pauses between attempts end only when the test advances
        // it.
        let error = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break answer.unwrap_err(),
                () = tokio::task::yield_now() => recorder.clock.advance(1),
            }
        };
        assert_eq!(recorder.seen().len(), 3);
        assert_eq!(error.class, ErrorClass::Transient);
        assert_eq!(error.message, "AgentCore retrieveMemoryRecords failed: ServiceException: later");
    });
}

#[test]
fn a_server_that_is_not_there_is_an_error_that_may_pass() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let mut options = recorder.options();
        // A port that was released just now.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        options.connection.endpoint = Some(format!("http://{}", listener.local_addr().unwrap()));
        drop(listener);
        let store = AgentCoreStore::new(options).unwrap();
        let asked = question("q", 1);
        let mut answer = store.search(&asked);
        let error = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break answer.unwrap_err(),
                () = tokio::task::yield_now() => recorder.clock.advance(1),
            }
        };
        assert_eq!(error.class, ErrorClass::Transient);
        assert!(error.message.starts_with("AgentCore retrieveMemoryRecords failed: "), "{}", error.message);
    });
}

#[test]
fn rules_of_the_options() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let check = |shape: fn(&mut AgentCoreStoreOptions), expect: Result<&str, &str>| {
            let mut options = recorder.options();
            shape(&mut options);
            let got = AgentCoreStore::new(options).map(|store| store.name().to_owned());
            let got = got.map_err(|error| error.to_string());
            assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned));
        };
        check(|_| {}, Ok("users-facts"));
        check(|options| options.name = Some(" ".into()), Ok("users-facts"));
        check(|options| options.name = Some("own".into()), Ok("own"));
        check(
            |options| options.place = ReadNamespace::NamespacePath("{actorId}".into()),
            Ok("agentcore-memory"),
        );
        let blank = |field: &str| format!("AgentCoreMemoryStore: {field} must be a non-empty string");
        check(|options| options.memory_id = String::new(), Err(&blank("memory_id")));
        check(|options| options.actor_id = " ".into(), Err(&blank("actor_id")));
        check(|options| options.session_id = "\t".into(), Err(&blank("session_id")));
        check(|options| options.place = ReadNamespace::Namespace(" ".into()), Err(&blank("namespace")));
        check(
            |options| options.place = ReadNamespace::NamespacePath(" ".into()),
            Err(&blank("namespace_path")),
        );
        let braces = "namespace '/{memoryStrategyId}' may hold {actorId} and {sessionId}, and no other brace";
        check(|options| options.place = ReadNamespace::Namespace("/{memoryStrategyId}".into()), Err(braces));
        check(|options| options.max_turns_per_event = 100, Ok("users-facts"));
        for turns in [0, 101] {
            let mut options = recorder.options();
            options.max_turns_per_event = turns;
            let error = AgentCoreStore::new(options).unwrap_err().to_string();
            assert_eq!(error, "AgentCoreMemoryStore: max_turns_per_event must be an integer from 1 to 100");
        }
        let score = "AgentCoreMemoryStore: min_score must be a number between 0 and 1";
        check(|options| options.min_score = Some(1.5), Err(score));
        check(|options| options.min_score = Some(f64::NAN), Err(score));
        let factor = "AgentCoreMemoryStore: over_fetch_factor must be a finite number of at least 1";
        check(|options| options.over_fetch_factor = 0.5, Err(factor));
        check(|options| options.over_fetch_factor = f64::INFINITY, Err(factor));
    });
}

#[test]
fn only_a_store_that_is_writable_keeps_extraction() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        for writable in [false, true] {
            let mut options = recorder.options();
            (options.writable, options.extraction) = (writable, Some(ExtractionConfig::default()));
            let store = AgentCoreStore::new(options).unwrap();
            assert_eq!(store.extraction().is_some(), writable);
            let can = store.capabilities();
            assert_eq!((can.writable, can.add_messages, can.add), (writable, writable, false));
            assert!(store.add(&crate::agent::NewEntry::text("x")).await.is_err());
            assert!(store.wait_extracted(1).await.is_err());
        }
    });
}

#[test]
fn of_several_places_one_is_written_to() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let check = |flags: &[Option<bool>], extraction: bool, expect: Result<&str, &str>| {
            let of = recorder.options();
            let place = |(at, writable): (usize, &Option<bool>)| AgentCorePlace {
                writable: *writable,
                ..AgentCorePlace::new(ReadNamespace::Namespace(format!("/p{at}/{{actorId}}/")))
            };
            let places = flags.iter().enumerate().map(place).collect();
            let (memory, actor, session) = (of.memory_id, of.actor_id, of.session_id);
            let mut options = AgentCoreStoresOptions::new(of.connection, memory, actor, session, places);
            options.extraction = extraction.then(ExtractionConfig::default);
            let got = agentcore_stores(options).map(|stores| {
                let stores: Vec<Arc<dyn MemoryStore>> =
                    stores.into_iter().map(|store| Arc::new(store) as Arc<dyn MemoryStore>).collect();
                assert_writable_topology(&stores, extraction).unwrap();
                let writers = stores.iter().filter(|store| store.capabilities().writable);
                writers.map(|store| store.name().to_owned()).collect::<Vec<_>>().join(" ")
            });
            let got = got.map_err(|error| error.to_string());
            assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{flags:?}");
        };
        check(&[], false, Err("agentcore_stores: at least one namespace is required"));
        check(&[None, None], false, Ok(""));
        check(&[None, None], true, Ok("p0"));
        check(&[Some(false), None], true, Ok("p1"));
        check(&[None, Some(true)], true, Ok("p1"));
        check(&[None, Some(true)], false, Ok("p1"));
        check(&[Some(true), Some(true)], true, Err("at most one store may be writable"));
        check(
            &[Some(false), Some(false)],
            true,
            Err("extraction needs a writable store, and all opted out with writable = false"),
        );
        check(&[Some(false), Some(false)], false, Ok(""));
    });
}

#[test]
fn what_is_said_of_several_places_holds_for_the_one_that_writes() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let of = recorder.options();
        let places = ["/a/{actorId}/", "/b/{actorId}/"];
        let places = places.map(|place| AgentCorePlace::new(ReadNamespace::Namespace(place.to_owned())));
        let options = AgentCoreStoresOptions {
            extraction: Some(ExtractionConfig::default()),
            extraction_mode: Some(ExtractionMode::Skip),
            metadata_provider: Some(Arc::new(|_| [("k".to_owned(), json!(1))].into_iter().collect())),
            max_turns_per_event: Some(2),
            ..AgentCoreStoresOptions::new(
                of.connection,
                of.memory_id,
                of.actor_id,
                of.session_id,
                places.into(),
            )
        };
        let stores = agentcore_stores(options).unwrap();
        assert!(
            stores[0].extraction().is_some_and(|config| config.triggers.is_none()),
            "the manager's defaults"
        );
        assert!(stores[1].extraction().is_none());
        stores[0].add_messages(&batch(&[(Role::User, "x", 0); 3])).await.unwrap();
        let seen = recorder.seen();
        let lengths: Vec<usize> =
            seen.iter().map(|seen| seen.body["payload"].as_array().unwrap().len()).collect();
        assert_eq!(lengths, [2, 1]);
        for seen in seen {
            assert_eq!(seen.body["extractionMode"], json!("SKIP"));
            assert_eq!(seen.body["metadata"], json!({"k": {"stringValue": "1"}}));
        }
    });
}

#[test]
fn what_is_left_out_is_told_once() {
    let ((), lines) = logged(|| {
        runtime().block_on(async {
            let recorder = Recorder::new(|seen| match seen.path.rsplit('/').next() {
                Some("events") => created(seen),
                _ => records(&[]),
            })
            .await;
            let mut options = recorder.options();
            options.writable = true;
            let store = AgentCoreStore::new(options).unwrap();
            let mut said = batch(&[(Role::User, "x", 0)]);
            let mut message = SequencedMessage::clone(&said.messages[0]);
            message.message.metadata.insert("k".to_owned(), json!(1));
            said.messages = vec![Arc::new(message)];
            for _ in 0..2 {
                store.search(&question("q", 100)).await.unwrap();
                store.search(&question("q", 101)).await.unwrap();
                store.add_messages(&said).await.unwrap();
            }
            let mut silent = recorder.options();
            (silent.writable, silent.extraction) = (false, Some(ExtractionConfig::default()));
            AgentCoreStore::new(silent).unwrap();
        });
    });
    let ours: Vec<&str> = lines.iter().filter(|line| line.contains("store=<")).map(String::as_str).collect();
    assert_eq!(
        ours,
        [
            "WARN store=<users-facts>, wanted=<101>, asked=<100> | the service gives no more",
            "WARN store=<users-facts> | messages have metadata, which is not sent without a metadata_provider",
            "WARN store=<users-facts> | extraction is configured on a store that is not writable, and left out",
        ]
    );
}

#[test]
fn nothing_of_a_credential_is_shown() {
    runtime().block_on(async {
        let recorder = Recorder::new(created).await;
        let mut options = recorder.options();
        let secret = AgentCoreCredentials::new("AKIAEXAMPLE", "s3cret", Some("t0ken".into()), None, "test");
        options.connection.credentials = Some(secret);
        let store = AgentCoreStore::new(options).unwrap();
        let shown = format!("{store:?}");
        assert!(!shown.contains("s3cret") && !shown.contains("t0ken"), "{shown}");
    });
}
