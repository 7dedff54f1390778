//! The interfaces of the server: the AgentCore API, the native API, operations. They have no rules
//! of their own: every interface calls the operations of one [`loci_products::Loci`].
//!
//! * `agentcore`: AWS's paths, both planes; `v1`: the native API; `mcp`: the Model Context
//!   Protocol; `operations`: health, metrics, logs;
//! * `git`: clones of mirrors; `s3`: memory files and sessions for clients of buckets; `tools`: the
//!   tools that agents call by name, through `v1` and `mcp`; `authenticated_call`: the
//!   authenticated call that both share; `error_code`: the codes that both return;
//! * `auth`: credentials; `bodies`: bodies of requests in memory; `long_body`: work on long ones;
//!   `listener`: TCP, TLS and the unix socket;
//! * [`router`] combines them. To add an interface, write its module and add a line there.
//!
//! A product that is not compiled in has neither operations nor tools.

#![cfg_attr(
    not(all(feature = "coding", feature = "documents", feature = "operations")),
    allow(dead_code, reason = "parts that products share have no caller in a program without them")
)]

pub mod agentcore;
pub mod auth;
mod authenticated_call;
pub mod bodies;
pub mod doors;
pub mod error_code;
#[cfg(feature = "documents")]
mod git;
pub mod listener;
mod long_body;
pub mod mcp;
pub mod operations;
pub mod regular_file;
#[cfg(feature = "documents")]
pub mod s3;
pub mod secret_file;
pub mod tools;
pub mod v1;

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router, middleware};

use auth::gate::Peer;
pub use doors::{DoorOptions, Doors};

/// Returns the router of every interface, for requests that carry a [`Peer`].
pub fn router(doors: &Doors) -> Router {
    let router = Router::new()
        .route("/healthz", get(operations::health::healthz))
        .route("/readyz", get(operations::health::readyz))
        .route("/metrics", get(operations::health::metrics))
        .merge(v1::router())
        .merge(mcp::http::routes());
    #[cfg(feature = "documents")]
    let router = router.merge(git::routes()).merge(s3::routes());
    router
        .fallback(agentcore_door)
        .with_state(doors.clone())
        .layer(middleware::from_fn_with_state(doors.clone(), operations::observe::observe))
}

/// Returns the router of buckets alone, for a separate listener: paths begin with the bucket.
#[cfg(feature = "documents")]
pub fn router_of_buckets(doors: &Doors) -> Router {
    s3::routes_at_root()
        .with_state(doors.clone())
        .layer(middleware::from_fn_with_state(doors.clone(), operations::observe::observe))
        .layer(Extension(operations::observe::OwnListener))
}

/// The AgentCore API is the fallback, because it reads paths raw.
async fn agentcore_door(State(doors): State<Doors>, request: Request) -> Response {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let open = doors.gate.open_caller(peer, request.headers()).await;
    doors.wire.serve(open, request).await
}

/// Returns the router of every interface, for requests from within this process.
pub fn router_in_process(doors: &Doors) -> Router {
    router(doors).layer(Extension(Peer::Process))
}
