//! The conformance suite's own tools, prompts and resources, served by the product's MCP interface.
//! It is never shipped: `cargo xtask acceptance mcp` builds and runs it.

#![expect(clippy::disallowed_methods, reason = "a server for tests on the machine's own time")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "it ends where it cannot serve, and says where it listens"
)]

mod asks;
mod contents;
mod offer;
mod talks;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::any;
use http::HeaderMap;
use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_server::auth::gate::Peer;
use loci_server::bodies::Bodies;
use loci_server::mcp::dispatch::Service;
use loci_server::mcp::http::{Admission, HttpDoor};
use loci_server::mcp::provider::{Caller, Endpoint};
use loci_server::mcp::revision::Revision;
use loci_server::mcp::{Guard, Mcp};
use loci_testkit_ports::SeededIds;

use offer::Fixtures;

/// The machine's time.
struct Machine(Instant);

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(millis)))
    }
}

/// Admits all callers, because it listens on loopback, for tests.
struct Open;

impl Admission for Open {
    fn admit<'a>(
        &'a self,
        _peer: Peer,
        _headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Caller, Box<Response>>> {
        Box::pin(async { Ok(Caller::default()) })
    }
}

#[tokio::main]
async fn main() {
    let clock: Arc<dyn Clock> = Arc::new(Machine(Instant::now()));
    let bodies = Arc::new(Bodies::new(Arc::clone(&clock), 16 * 1024 * 1024));
    let mcp = Arc::new(Mcp::new(Arc::clone(&clock), Arc::new(SeededIds::new(7))));
    let service = Service {
        provider: Arc::new(Fixtures::new(Arc::clone(&mcp), clock)),
        mcp,
        revisions: Revision::ALL.to_vec(),
    };
    let door = Arc::new(HttpDoor {
        service: Arc::new(service),
        admission: Arc::new(Open),
        guard: Guard::default(),
        body_bytes_max: 1024 * 1024,
        bodies,
    });
    let serve = move |mut request: Request| {
        request.extensions_mut().insert(Peer::Loopback);
        Arc::clone(&door).serve(Endpoint::default(), request)
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    eprintln!("listening on http://127.0.0.1:{port}/mcp");
    if let Some(file) = std::env::args().skip_while(|word| word != "--port-file").nth(1) {
        std::fs::write(&file, format!("{port}\n")).unwrap();
    }
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let router = Router::new().route("/mcp", any(serve.clone()));
        tokio::spawn(async move {
            let service = hyper_util::service::TowerToHyperService::new(router);
            let io = hyper_util::rt::TokioIo::new(stream);
            // A client that disconnects ends its connection.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(io, service).await;
        });
    }
}
