//! A server on a loopback port that records requests and answers by a script, for tests. The SDK,
//! its signatures and the HTTP are real.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};

use super::{AgentCoreConnection, AgentCoreCredentials, AgentCoreStoreOptions};
use crate::agent::stores::ReadNamespace;
use crate::agent::tests::test_runtime::{StandingClock, surroundings};

/// A recorded request.
#[derive(Debug, Clone)]
pub(super) struct RecordedRequest {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    /// The body as text, in which numbers keep their original form.
    pub(super) text: String,
}

/// A response: a status, the name of an error, a body.
pub(super) type RecordedAnswer = (u16, &'static str, Value);

/// The server. It ends with the runtime of its test.
pub(super) struct Recorder {
    seen: Arc<Mutex<Vec<RecordedRequest>>>,
    endpoint: String,
    pub(super) clock: Arc<StandingClock>,
}

impl Recorder {
    pub(super) async fn new(answer: fn(&RecordedRequest) -> RecordedAnswer) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sees = Arc::clone(&seen);
        let router = Router::new().fallback(move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let sees = Arc::clone(&sees);
            async move {
                let text = String::from_utf8(body.to_vec()).unwrap();
                let body = serde_json::from_str(&text).unwrap_or_default();
                let one = RecordedRequest { path: uri.path().to_owned(), headers, body, text };
                let (status, error, body) = answer(&one);
                sees.lock().unwrap().push(one);
                let status = StatusCode::from_u16(status).unwrap();
                (status, [("x-amzn-errortype", error)], body.to_string()).into_response()
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { seen, endpoint, clock: surroundings().clock }
    }

    /// The options of a store of Alice's facts that sends to this server.
    pub(super) fn options(&self) -> AgentCoreStoreOptions {
        let connection = AgentCoreConnection {
            endpoint: Some(self.endpoint.clone()),
            credentials: Some(AgentCoreCredentials::new("AKIAEXAMPLE", "secret", None, None, "test")),
            ..AgentCoreConnection::new(Arc::new(|_| None), Arc::clone(&self.clock) as Arc<_>)
        };
        let place = ReadNamespace::Namespace("/users/{actorId}/facts".to_owned());
        AgentCoreStoreOptions::new(connection, "mem-1234567890", "alice", "s-1", place)
    }

    pub(super) fn seen(&self) -> Vec<RecordedRequest> {
        self.seen.lock().unwrap().clone()
    }
}

/// Returns the response to a `CreateEvent`.
pub(super) fn created(seen: &RecordedRequest) -> RecordedAnswer {
    let event = json!({
        "memoryId": "mem-1234567890", "actorId": seen.body["actorId"], "sessionId": seen.body["sessionId"],
        "eventId": "1#a", "eventTimestamp": 1, "payload": []
    });
    (201, "", json!({"event": event}))
}

/// Returns the response to a `RetrieveMemoryRecords`: records with these ids and scores.
pub(super) fn records(of: &[(&str, f64)]) -> RecordedAnswer {
    let record = |(id, score): &(&str, f64)| {
        json!({
            "memoryRecordId": id, "content": {"text": format!("text of {id}")}, "memoryStrategyId": "s",
            "namespaces": ["/users/alice/facts/"], "createdAt": 1_767_312_000.5, "score": score
        })
    };
    (200, "", json!({"memoryRecordSummaries": of.iter().map(record).collect::<Vec<_>>()}))
}
