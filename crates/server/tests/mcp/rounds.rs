//! Questions before a result: carried sealed by clients of the newest revision, asked during the
//! call by the others; and notifications during a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::response::Response;
use http::HeaderMap;
use http_body_util::BodyExt;
use loci_model::ports::BoxFuture;
use loci_server::auth::gate::Peer;
use loci_server::bodies::Bodies;
use loci_server::mcp::dispatch::Service;
use loci_server::mcp::fault::McpFault;
use loci_server::mcp::http::{Admission, HttpDoor};
use loci_server::mcp::listen::News;
use loci_server::mcp::message::Params;
use loci_server::mcp::provider::{
    CacheScope, CacheableResult, CallReply, Caller, CompletionTarget, CompletionValues, Endpoint,
    HandlerRequest, OfferedCapabilities, Provider, ResultFuture,
};
use loci_server::mcp::revision::Revision;
use loci_server::mcp::stdio::StdioDoor;
use loci_server::mcp::{Guard, Mcp};
use loci_testkit_ports::{ManualClock, SeededIds};
use serde_json::{Map, Value, json};

/// Asks for a name, then for a colour, and reports progress. The marks of its resources change at
/// every read.
#[derive(Default)]
pub(crate) struct Asks {
    looks: AtomicUsize,
}

fn form(name: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { name: { "type": "string" } } });
    json!({ "method": "elicitation/create", "params": { "message": name, "requestedSchema": schema } })
}

fn kept(value: Vec<Value>) -> CacheableResult<Vec<Value>> {
    CacheableResult { value, keep: CacheScope::Public, ttl_ms: 0 }
}

impl Provider for Asks {
    fn identity(&self) -> (&'static str, &'static str) {
        ("asks", "1")
    }
    fn instructions(&self, _: &Endpoint) -> Option<std::borrow::Cow<'static, str>> {
        None
    }
    fn offers(&self) -> OfferedCapabilities {
        OfferedCapabilities {
            subscribe: true,
            sessions: true,
            tools_change: true,
            ..OfferedCapabilities::default()
        }
    }
    fn tools<'a>(&'a self, _: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(Vec::new())) })
    }
    fn call<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        _: Params,
    ) -> ResultFuture<'a, CallReply> {
        Box::pin(async move {
            if name == "tells" {
                asking
                    .peer
                    .notify("notifications/progress", json!({ "progressToken": 1, "progress": 1 }))
                    .await;
            }
            if name == "waits" {
                std::future::pending::<()>().await;
            }
            let given = |name: &str| {
                let answer = asking.inputs.responses.get(name)?;
                Some(answer.pointer(&format!("/content/{name}"))?.as_str()?.to_owned())
            };
            let known = asking.inputs.state.get("name").and_then(Value::as_str).map(str::to_owned);
            let ask = |name: &str, state: Value| {
                Ok(CallReply::Ask { requests: Map::from_iter([(name.to_owned(), form(name))]), state })
            };
            match (known, given("name"), given("color")) {
                _ if name != "asks" => Ok(CallReply::Done(Map::new())),
                (Some(name), _, Some(color)) => {
                    Ok(CallReply::Done(Map::from_iter([("said".to_owned(), json!([name, color]))])))
                }
                (None, Some(name), _) => ask("color", json!({ "name": name })),
                _ => ask("name", json!({})),
            }
        })
    }
    fn resources<'a>(&'a self, _: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(Vec::new())) })
    }
    fn templates<'a>(&'a self, _: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(Vec::new())) })
    }
    fn read<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        uri: String,
    ) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async move { Err(McpFault::no_resource(&uri, asking.revision)) })
    }
    fn mark<'a>(&'a self, _: &'a HandlerRequest, _: &'a str) -> ResultFuture<'a, Option<String>> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(Some(look.to_string())) })
    }
    fn prompts<'a>(&'a self, _: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(Vec::new())) })
    }
    fn prompt<'a>(&'a self, _: Arc<HandlerRequest>, _: String, _: Params) -> ResultFuture<'a, CallReply> {
        Box::pin(async { Err(McpFault::invalid("none")) })
    }
    fn complete<'a>(
        &'a self,
        _: &'a HandlerRequest,
        _: CompletionTarget,
        _: String,
        _: String,
        _: Params,
    ) -> ResultFuture<'a, CompletionValues> {
        Box::pin(async { Ok(CompletionValues::default()) })
    }
}

/// The caller that the header names.
struct Named;

impl Admission for Named {
    fn admit<'a>(&'a self, _: Peer, headers: &'a HeaderMap) -> BoxFuture<'a, Result<Caller, Box<Response>>> {
        let name = headers.get("x-name").map_or("ann", |name| name.to_str().unwrap());
        let principal = Some(loci_model::principal::Principal::administrator(name));
        Box::pin(async move { Ok(Caller { principal, ..Caller::default() }) })
    }
}

pub(crate) struct World {
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) clock: ManualClock,
    pub(crate) service: Arc<Service>,
    asks: Arc<Asks>,
    door: Arc<HttpDoor>,
}

impl World {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let clock = ManualClock::default();
        let mcp = Arc::new(Mcp::new(Arc::new(clock.clone()), Arc::new(SeededIds::new(5))));
        let asks = Arc::new(Asks::default());
        let provider = Arc::clone(&asks) as Arc<dyn Provider>;
        let service = Arc::new(Service { provider, mcp, revisions: Revision::ALL.to_vec() });
        let door = Arc::new(HttpDoor {
            service: Arc::clone(&service),
            admission: Arc::new(Named),
            guard: Guard::default(),
            body_bytes_max: 100_000,
            bodies: Arc::new(Bodies::new(Arc::new(clock.clone()), 1 << 20)),
        });
        Self { runtime, clock, service, asks, door }
    }

    /// Returns the number of reads of a resource.
    pub(crate) fn looks(&self) -> usize {
        self.asks.looks.load(Ordering::Relaxed)
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &Value) -> (u16, HeaderMap, axum::body::Body) {
        let mut request =
            Request::builder().method("POST").uri("/mcp").header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(axum::body::Body::from(body.to_string())).unwrap();
        let door = Arc::clone(&self.door);
        self.runtime.block_on(async {
            let (parts, body) = door.serve(Endpoint::default(), request).await.into_parts();
            (parts.status.as_u16(), parts.headers, body)
        })
    }

    fn whole(&self, body: axum::body::Body) -> String {
        let bytes = self.runtime.block_on(async { body.collect().await.unwrap().to_bytes() });
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// Sends a call in the newest revision as `who`, from a client that can answer questions.
    fn call(&self, who: &str, name: &str, mut params: Value) -> Value {
        params["name"] = name.into();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        });
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
            ("x-name", who),
        ];
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let (_, _, body) = self.post(&headers, &message);
        serde_json::from_str(&self.whole(body)).unwrap()
    }
}

fn accepted(name: &str, value: &str) -> Value {
    json!({ name: { "action": "accept", "content": { name: value } } })
}

#[test]
fn rounds_are_carried_sealed() {
    let world = World::new();
    let first = world.call("ann", "asks", json!({}));
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert!(first["result"].get("ttlMs").is_none());
    let state = first["result"]["requestState"].as_str().unwrap().to_owned();
    let second = world.call(
        "ann",
        "asks",
        json!({ "inputResponses": accepted("name", "Ann"), "requestState": state }),
    );
    assert_eq!(second["result"]["inputRequests"]["color"]["method"], "elicitation/create", "{second}");
    let carried = second["result"]["requestState"].as_str().unwrap().to_owned();
    let last = json!({ "inputResponses": accepted("color", "blue"), "requestState": carried });
    let done = world.call("ann", "asks", last.clone());
    assert_eq!(done["result"]["said"], json!(["Ann", "blue"]), "{done}");
    assert_eq!(done["result"]["resultType"], "complete");
    let refused = |answer: Value| assert_eq!(answer["error"]["code"], -32602, "{answer}");
    refused(world.call("bob", "asks", last.clone()));
    refused(world.call("ann", "tells", last.clone()));
    refused(world.call("ann", "asks", json!({ "arguments": { "other": 1 }, "requestState": carried })));
    refused(world.call("ann", "asks", json!({ "requestState": format!("{carried}0") })));
    refused(world.call("ann", "asks", json!({ "requestState": 7 })));
    refused(world.call("ann", "asks", json!({ "inputResponses": { "name": 7 } })));
    world.clock.advance_ms(10 * 60 * 1000 + 1);
    refused(world.call("ann", "asks", last));
}

#[test]
fn nobody_is_asked_who_cannot_answer() {
    let world = World::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "asks", "_meta": meta } });
    let headers =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "asks")];
    let (status, _, body) = world.post(&headers, &message);
    let answer: Value = serde_json::from_str(&world.whole(body)).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32021)));
    assert_eq!(answer["error"]["data"]["requiredCapabilities"], json!({ "elicitation": {} }));
}

#[test]
fn what_is_told_meanwhile_makes_a_stream() {
    let world = World::new();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "tells" } });
    let (status, headers, body) = world.post(&[("mcp-protocol-version", "2025-11-25")], &message);
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "text/event-stream"));
    assert_eq!(headers["x-accel-buffering"], "no");
    let text = world.whole(body);
    let events: Vec<_> = text.split("\n\n").filter(|event| !event.is_empty()).collect();
    assert_eq!(events.len(), 2, "{text}");
    assert!(
        events[0].contains("notifications/progress") && events[1].contains(r#""id":1,"result""#),
        "{text}"
    );
    // A client that reads no streams gets only the response.
    let headers = [("mcp-protocol-version", "2025-11-25"), ("accept", "application/json")];
    let (_, headers, body) = world.post(&headers, &message);
    assert_eq!(headers["content-type"], "application/json");
    assert!(world.whole(body).contains("result"));
}

#[test]
fn older_clients_are_asked_on_the_way() {
    let world = World::new();
    let began = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} } },
    });
    let (_, headers, _) = world.post(&[], &began);
    let session = headers["mcp-session-id"].to_str().unwrap().to_owned();
    let message = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "asks" } });
    let with_session = [("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", session.as_str())];
    let (status, _, mut body) = world.post(&with_session, &message);
    assert_eq!(status, 200);
    let mut next = || {
        let frame = world.runtime.block_on(async { body.frame().await.unwrap().unwrap() });
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        serde_json::from_str::<Value>(data).unwrap()
    };
    for (name, value) in [("name", "Ann"), ("color", "blue")] {
        let asked = next();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let answer = json!({ "action": "accept", "content": { name: value } });
        let response = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answer });
        assert_eq!(world.post(&with_session, &response).0, 202);
    }
    assert_eq!(next()["result"]["said"], json!(["Ann", "blue"]));
    // Without the session the client's capabilities are unknown; a changed session is invalid.
    for session in ["", &format!("{session}0")] {
        let headers = [("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", session)];
        let (_, _, body) = world.post(&headers, &message);
        assert!(world.whole(body).contains("-32021"), "{session}");
    }
}

#[test]
fn listeners_hear_what_they_asked_for() {
    let world = World::new();
    let params = json!({
        "notifications": { "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["memory://a"] },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    });
    let message = json!({ "jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let (_, _, mut body) = world.post(&headers, &message);
    let mut frame = || {
        let frame = world.runtime.block_on(async { body.frame().await.unwrap().unwrap() });
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    };
    let begun = frame();
    assert!(begun.contains("notifications/subscriptions/acknowledged"), "{begun}");
    assert!(begun.contains(r#""io.modelcontextprotocol/subscriptionId":"l""#), "{begun}");
    assert!(begun.contains("toolsListChanged") && !begun.contains("promptsListChanged"), "{begun}");
    let hub = &world.service.mcp.hub;
    hub.tell(News::Prompts);
    hub.tell(News::Resource("memory://b".to_owned()));
    hub.tell(News::Resource("memory://a".to_owned()));
    hub.tell(News::Tools);
    assert!(frame().contains(r#""uri":"memory://a""#));
    assert!(frame().contains("notifications/tools/list_changed"));
    hub.close();
    let last = frame();
    assert!(last.contains(r#""resultType":"complete""#) && last.contains("subscriptionId"), "{last}");
}

#[test]
fn what_is_cancelled_is_not_answered() {
    let world = World::new();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(far);
    let door = StdioDoor::new(Arc::clone(&world.service), Caller::default(), Endpoint::default(), 10_000);
    world.runtime.block_on(async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let served = tokio::spawn(door.serve(tokio::io::BufReader::new(input), output));
        let (mut from, mut to) = tokio::io::split(near);
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        ] {
            to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        to.shutdown().await.unwrap();
        served.await.unwrap().unwrap();
        let mut said = String::new();
        from.read_to_string(&mut said).await.unwrap();
        assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    });
}
