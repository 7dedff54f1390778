//! `/mcp` on the server's port: the endpoints, each with its tools, and their authentication.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::any;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use loci_model::ErrorKind;
use loci_model::ports::BoxFuture;

use super::reply::refused;
use super::{Admission, HttpDoor};
use crate::auth::gate::{Gate, Peer};
use crate::auth::single_header::single;
use crate::doors::Doors;
use crate::mcp::dispatch::Service;
use crate::mcp::loci::{EngineTools, LociOffer};
use crate::mcp::options::Naming;
use crate::mcp::provider::{Caller, Endpoint};
use crate::tools::profile::Profile;
use crate::v1::tools::{MEMORY, USER};

/// The challenge for a request without a token.
const CHALLENGE: &str = "Bearer scope=\"memory:read memory:write\"";

/// Returns the routes of the endpoints. They name their profile: `/mcp` is the configured one,
/// `/mcp/dotted` the same with dotted names, `/mcp/p/<profile>[+<profile>]` another.
pub(crate) fn routes() -> Router<Doors> {
    Router::new()
        .route("/mcp", any(plain))
        .route("/mcp/dotted", any(dotted))
        .route("/mcp/p/{profiles}", any(profiles))
}

async fn plain(State(doors): State<Doors>, request: Request) -> Response {
    let endpoint =
        Endpoint { profiles: doors.options.mcp.profiles.clone(), naming: doors.options.mcp.naming };
    door(&doors).serve(endpoint, request).await
}

async fn dotted(State(doors): State<Doors>, request: Request) -> Response {
    let endpoint = Endpoint { profiles: doors.options.mcp.profiles.clone(), naming: Naming::Dotted };
    door(&doors).serve(endpoint, request).await
}

async fn profiles(State(doors): State<Doors>, Path(asked): Path<String>, request: Request) -> Response {
    match Profile::parse_several(&asked) {
        Ok(profiles) => {
            door(&doors).serve(Endpoint { profiles, naming: doors.options.mcp.naming }, request).await
        }
        Err(error) => *refused(StatusCode::NOT_FOUND, &error.message),
    }
}

fn door(doors: &Doors) -> Arc<HttpDoor> {
    let options = &doors.options.mcp;
    let tools = EngineTools {
        engine: doors.engine.clone(),
        table: Arc::clone(&doors.tools),
        memory: options.memory.clone(),
    };
    let mcp = Arc::clone(&doors.mcp);
    let offer = LociOffer::new(Arc::clone(&doors.tools), Arc::new(tools), options.allow_unlisted, mcp);
    let service = Service {
        provider: Arc::new(offer),
        mcp: Arc::clone(&doors.mcp),
        revisions: options.revisions.clone(),
    };
    Arc::new(HttpDoor {
        service: Arc::new(service),
        admission: Arc::new(ByGate(Arc::clone(&doors.gate))),
        guard: options.guard.clone(),
        body_bytes_max: options.body_bytes_max,
        bodies: Arc::clone(&doors.bodies),
    })
}

/// Admits the callers that the gate accepts.
struct ByGate(Arc<Gate>);

impl Admission for ByGate {
    fn admit<'a>(
        &'a self,
        peer: Peer,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Caller, Box<Response>>> {
        Box::pin(async move {
            let open = self.0.open_caller(peer, headers).await;
            let found = match open {
                Ok(Some(caller)) => Ok(caller),
                Ok(None) => self.0.bearer_caller(headers).await,
                Err(error) => Err(error),
            };
            let named =
                found.and_then(|principal| Ok((principal, text(headers, MEMORY)?, text(headers, USER)?)));
            match named {
                Ok((principal, memory, user)) => {
                    Ok(Caller { principal: Some(principal), memory, user, request_id: None })
                }
                Err(error) => Err(turned_away(&error)),
            }
        })
    }
}

/// Returns the text of a header; `None` if it is absent or empty.
///
/// # Errors
/// `Invalid` if it occurs more than once, or is not printable ASCII text.
fn text(headers: &HeaderMap, name: &'static str) -> loci_model::Result<Option<String>> {
    let Some(value) = single(headers, name)? else { return Ok(None) };
    let rule = || loci_model::Error::invalid(name, format!("the header {name} must be printable ASCII text"));
    let text = value.to_str().map_err(|_| rule())?;
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

fn turned_away(error: &loci_model::Error) -> Box<Response> {
    match error.kind {
        ErrorKind::Unauthenticated => {
            let mut response = refused(StatusCode::UNAUTHORIZED, &error.message);
            let challenge = HeaderValue::from_static(CHALLENGE);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            response
        }
        ErrorKind::Denied => refused(StatusCode::FORBIDDEN, &error.message),
        ErrorKind::Invalid => refused(StatusCode::BAD_REQUEST, &error.message),
        ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::TooLarge
        | ErrorKind::Throttled
        | ErrorKind::Unavailable
        | ErrorKind::Upstream
        | ErrorKind::Bug => {
            tracing::error!(?error, "a caller could not be looked up");
            refused(StatusCode::SERVICE_UNAVAILABLE, "the caller cannot be looked up now")
        }
    }
}
