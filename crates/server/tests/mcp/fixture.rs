//! A server in a test, and requests to it.

use std::sync::Arc;

use axum::body::Body;
use http::{HeaderName, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use loci_engine::memories::NewMemory;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::ports::code::CodeSources;
use loci_model::principal::Principal;
use loci_server::auth::gate::Peer;
use loci_server::mcp::McpOptions;
use loci_server::tools::profile::Profile;
use loci_server::{DoorOptions, Doors};
use loci_testkit_ports::SeededIds;
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) struct World {
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) test: TestEngine,
    pub(crate) doors: Doors,
    pub(crate) peer: Peer,
    pub(crate) token: Option<String>,
}

/// A response over HTTP.
#[derive(Debug)]
pub(crate) struct ServerResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl ServerResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn code(&self) -> Option<i64> {
        self.json().pointer("/error/code").and_then(Value::as_i64)
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(McpOptions { profiles: vec![Profile::Recall], ..McpOptions::default() })
    }

    pub(crate) fn with(mcp: McpOptions) -> Self {
        Self::over(mcp, TestEngine::new().unwrap())
    }

    /// Returns a server that reads code.
    pub(crate) fn reading(mcp: McpOptions, code: Arc<dyn CodeSources>) -> Self {
        Self::over(mcp, TestEngine::with_code(code).unwrap())
    }

    fn over(mcp: McpOptions, test: TestEngine) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let options = DoorOptions { mcp, ..DoorOptions::default() };
        let ids = Arc::new(SeededIds::new(3));
        let doors = Doors::new(test.engine(), Arc::new(test.clock()), ids, options);
        Self { runtime, test, doors, peer: Peer::Loopback, token: None }
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Creates a memory and returns its id.
    pub(crate) fn memory(&self, name: &str) -> String {
        let new = NewMemory { name: name.to_owned(), event_expiry_days: 90, ..NewMemory::default() };
        let admin = Principal::administrator("tester");
        self.block_on(self.test.engine().memory_create(&admin, new, None)).unwrap().id.to_string()
    }

    /// Creates a key with grants and uses its token.
    pub(crate) fn with_token(mut self, grants: Value) -> Self {
        self.token = Some(self.token_of(grants));
        self
    }

    pub(crate) fn token_of(&self, grants: Value) -> String {
        let principal: Principal =
            serde_json::from_value(json!({ "name": "agent", "grants": grants })).unwrap();
        let admin = Principal::administrator("tester");
        let issued = self.block_on(self.test.engine().key_create(&admin, principal)).unwrap();
        self.doors.gate.keys_changed();
        issued.token.expose().to_owned()
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> ServerResponse {
        let mut request = Request::builder().method(method).uri(path).body(Body::from(body)).unwrap();
        request.extensions_mut().insert(self.peer);
        if let Some(token) = &self.token {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
        }
        self.block_on(async {
            let response = loci_server::router(&self.doors).oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
            ServerResponse { status: parts.status, headers: parts.headers, text }
        })
    }

    /// Sends a request in the newest revision, with its required headers.
    pub(crate) fn modern(&self, path: &str, method: &str, params: Value) -> ServerResponse {
        let name =
            params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).unwrap_or("").to_owned();
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        self.send("POST", path, &headers, request(method, with_meta(params)).to_string())
    }

    /// Sends a request of an initialize-based revision.
    pub(crate) fn legacy(&self, path: &str, method: &str, params: Value) -> ServerResponse {
        let headers = [("content-type", "application/json"), ("mcp-protocol-version", "2025-11-25")];
        self.send("POST", path, &headers, request(method, params).to_string())
    }
}

pub(crate) fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Adds the description that a request of the newest revision requires.
pub(crate) fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}
