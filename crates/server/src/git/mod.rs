//! Clones of git mirrors over HTTP, read-only, by `git http-backend` if git is installed. A caller
//! with read access to the tree may clone it. Unknown and forbidden repositories yield the same
//! response. Pushes are rejected.

pub(crate) mod backend;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use loci_model::principal::Principal;
use loci_model::{Error, ErrorKind, Result};

use crate::auth::gate::Peer;
use crate::auth::single_header::single;
use crate::bodies::check_declared;
use crate::doors::Doors;
use backend::GitRequest;

/// The challenge for a client without credentials.
const CHALLENGE: &str = "Basic realm=\"loci\", charset=\"UTF-8\"";
const FETCH: &str = "git-upload-pack";
const PUSH: &str = "git-receive-pack";

pub(crate) fn routes() -> Router<Doors> {
    Router::new().route("/git/{memory}/{*rest}", any(door))
}

async fn door(
    State(doors): State<Doors>,
    Path((memory, rest)): Path<(String, String)>,
    request: Request,
) -> Response {
    match served(&doors, &memory, &rest, request).await {
        Ok(response) => response,
        Err(error) => told(&error),
    }
}

async fn served(doors: &Doors, memory: &str, rest: &str, request: Request) -> Result<Response> {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let (parts, body) = request.into_parts();
    check_declared(&body, doors.options.body_bytes_max)?;
    let caller = caller_of(doors, peer, &parts.headers).await?;
    let missing = || Error::not_found("there is no such repository");
    let (name, service) = rest.split_once(".git/").ok_or_else(missing)?;
    let memory = match doors.engine.memory_visible(&caller, memory).await? {
        Some(memory) => memory,
        None => return Err(missing()),
    };
    let place = doors.engine.documents.mirror_repository(&caller, &memory, name).await.map_err(|error| {
        match error.kind {
            // A caller without read access learns nothing about it.
            ErrorKind::Denied | ErrorKind::NotFound | ErrorKind::Invalid => missing(),
            _ => error,
        }
    })?;
    let query = parts.uri.query().unwrap_or_default();
    if query.contains(PUSH) || service.ends_with(PUSH) {
        let rule = "this remote rejects pushes: commit in a clone, then run loci mirror pull";
        return Err(Error::new(ErrorKind::Denied, rule));
    }
    let is_asked = match (&parts.method, service) {
        (&Method::GET, "info/refs") => query == format!("service={FETCH}"),
        (&Method::POST, service) => service == FETCH,
        _ => false,
    };
    if !is_asked {
        return Err(missing());
    }
    let body = doors.bodies.read(body, doors.options.body_bytes_max).await?;
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let asked = GitRequest {
        place,
        service: service.to_owned(),
        method: parts.method.as_str().to_owned(),
        query: query.to_owned(),
        content_type: text("content-type"),
        content_encoding: text("content-encoding"),
        protocol: text("git-protocol"),
        body,
    };
    let permit = Arc::clone(&doors.clones).try_acquire_owned().map_err(|_| {
        let rule = "the server is at as many clones as it serves at once: try again in a minute";
        Error::new(ErrorKind::Throttled, rule)
    })?;
    backend::run(asked, Arc::clone(&doors.clock), permit).await
}

/// Returns the caller: any name with a key as its password, or a bearer token.
async fn caller_of(doors: &Doors, peer: Peer, headers: &HeaderMap) -> Result<Principal> {
    if let Some(caller) = doors.gate.open_caller(peer, headers).await? {
        return Ok(caller);
    }
    let refused = |error: Error| Error::new(ErrorKind::Unauthenticated, error.message);
    let given = single(headers, header::AUTHORIZATION.as_str()).map_err(refused)?;
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some(basic) = given.strip_prefix("Basic ") else {
        return doors.gate.bearer_caller(headers).await;
    };
    let wrong = || Error::new(ErrorKind::Unauthenticated, "the password must be an access key");
    let decoded = BASE64_STANDARD.decode(basic.trim()).ok().and_then(|text| String::from_utf8(text).ok());
    let (_, key) = decoded.as_deref().and_then(|text| text.split_once(':')).ok_or_else(wrong)?;
    let bearer = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| wrong())?;
    let mut headers = headers.clone();
    headers.insert(header::AUTHORIZATION, bearer);
    doors.gate.bearer_caller(&headers).await
}

/// Returns a response with the error's message, which git shows to its user.
fn told(error: &Error) -> Response {
    let status = match error.kind {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Denied => StatusCode::FORBIDDEN,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Invalid | ErrorKind::Conflict => StatusCode::BAD_REQUEST,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::Throttled => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Unavailable | ErrorKind::Upstream => {
            tracing::warn!(?error, "a repository could not be served");
            StatusCode::NOT_IMPLEMENTED
        }
        ErrorKind::Bug => {
            tracing::error!(?error, "failed");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    };
    let mut response = (status, format!("{}\n", error.message)).into_response();
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    }
    response
}
