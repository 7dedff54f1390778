//! A vendor's server that records each request and returns its responses in order. It can also
//! disconnect or stay silent.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use futures::stream::{self, StreamExt};
use serde_json::Value;

/// The response of a vendor.
#[derive(Debug, Clone)]
pub(crate) enum VendorAnswer {
    Said { status: u16, headers: BTreeMap<String, String>, body: String },
    BreaksOff,
    Silent,
}

/// A request as received.
#[derive(Debug, Clone)]
pub(crate) struct VendorRequest {
    pub(crate) method: Method,
    /// The path and query, not decoded.
    pub(crate) place: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Clone, Default)]
struct Script {
    seen: Arc<Mutex<Vec<VendorRequest>>>,
    answers: Arc<Mutex<VecDeque<VendorAnswer>>>,
}

pub(crate) struct Vendor {
    pub(crate) url: String,
    script: Script,
}

impl Vendor {
    /// Starts the server; the last response is repeated.
    pub(crate) async fn start(answers: &[VendorAnswer]) -> Self {
        let script = Script::default();
        script.answers.lock().unwrap().extend(answers.iter().cloned());
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, script }
    }

    pub(crate) fn seen(&self) -> Vec<VendorRequest> {
        self.script.seen.lock().unwrap().clone()
    }
}

async fn answer(
    State(script): State<Script>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let place = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    script.seen.lock().unwrap().push(VendorRequest { method, place, headers, body });
    let next = {
        let mut answers = script.answers.lock().unwrap();
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
    };
    match next.expect("an exchange has an answer") {
        VendorAnswer::Said { status, headers, body } => {
            let mut response = Response::builder().status(status).header("content-type", "application/json");
            for (name, value) in &headers {
                response = response.header(name, value);
            }
            response.body(Body::from(body)).unwrap()
        }
        VendorAnswer::BreaksOff => {
            let half = stream::once(async { Ok("{\"half\":") });
            let broken = stream::once(async {
                // The first half has been sent by then.
                for _ in 0..16 {
                    tokio::task::yield_now().await;
                }
                Err(std::io::Error::other("broken off"))
            });
            let body = Body::from_stream(half.chain(broken));
            Response::builder().header("content-length", "100").body(body).unwrap()
        }
        VendorAnswer::Silent => std::future::pending().await,
    }
}
