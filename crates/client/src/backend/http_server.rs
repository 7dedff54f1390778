//! The HTTP form of a backend, served: for programs on this machine that speak another language,
//! and for tests.
//!
//! It answers the host names of this machine alone, so that no page of a browser reaches it under
//! another name.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file_backend::FileBackend;
use super::file_change::{SnapshotRef, VersionQuery};
use super::http_form::{
    ChangesAsk, DiffAsk, FilePage, FilesQuery, HTTP_BODY_BYTES_MAX, HistoryAsk, HttpProblem, PAGE_FILES,
    RestoreBody, SearchAsk, SearchHits,
};
use super::path_rules::clean_path;
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::FilePrecondition;

/// The answer to a request, or its failure.
type Answered = Result<Response, StorageError>;

#[derive(Clone)]
struct Served {
    backend: Arc<dyn FileBackend>,
    token: Option<Arc<str>>,
}

/// Serves a backend on a listener of this machine until `stop` resolves. With a token every request
/// must carry it.
///
/// # Errors
/// Errors if the listener fails.
pub async fn serve_backend(
    listener: tokio::net::TcpListener,
    backend: Arc<dyn FileBackend>,
    token: Option<String>,
    stop: BoxFuture<'static, ()>,
) -> std::io::Result<()> {
    axum::serve(listener, backend_router(backend, token)).with_graceful_shutdown(stop).await
}

/// Returns the router of the HTTP form of a backend.
pub fn backend_router(backend: Arc<dyn FileBackend>, token: Option<String>) -> Router {
    let served = Served { backend, token: token.map(Into::into) };
    Router::new().fallback(answer).with_state(served)
}

async fn answer(State(served): State<Served>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let mut response = match served.answered(parts, body).await {
        Ok(response) => response,
        Err(error) => {
            let (code, source) = (error.kind.code(), &error.source);
            tracing::debug!(code, ?source, "a request of the HTTP form failed");
            failure(&error)
        }
    };
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

impl Served {
    async fn answered(&self, parts: Parts, body: Body) -> Answered {
        self.admit(&parts.headers)?;
        let path = decoded(parts.uri.path())?;
        let (place, rest) =
            path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_matches('/'), ""));
        match (place, &parts.method) {
            ("capabilities", &Method::GET) => json(&self.backend.capabilities()),
            ("files", &Method::GET | &Method::HEAD) if rest.is_empty() => self.page(&parts).await,
            ("files", &Method::GET | &Method::HEAD) => self.file(rest).await,
            ("files", &Method::PUT) => self.put(rest, &parts.headers, body).await,
            ("files", &Method::DELETE) => self.delete(rest, &parts.headers).await,
            ("history", &Method::GET) => {
                let ask: HistoryAsk = query(&parts)?;
                let page = VersionQuery { limit: ask.limit, cursor: ask.cursor };
                json(&self.backend.history(&ask.path, &page).await?)
            }
            ("changes", &Method::GET) => {
                let ask: ChangesAsk = query(&parts)?;
                json(&self.backend.changes_since(ask.since.as_deref(), ask.limit).await?)
            }
            ("diff", &Method::GET) => {
                let ask: DiffAsk = query(&parts)?;
                let (a, b) = (SnapshotRef::new(ask.a), SnapshotRef::new(ask.b));
                json(&self.backend.diff(&a, &b, ask.path.as_deref()).await?)
            }
            ("search", &Method::GET) => {
                let ask: SearchAsk = query(&parts)?;
                let hits = self.backend.search(&ask.prefix, &ask.question, ask.limit).await?;
                json(&SearchHits { hits })
            }
            ("snapshots", &Method::POST) => {
                let ask: SnapshotRef = parsed(&whole(body).await?)?;
                json(&self.backend.snapshot(&ask.label).await?)
            }
            ("restore", &Method::POST) => {
                let ask: RestoreBody = parsed(&whole(body).await?)?;
                json(&self.backend.restore(&SnapshotRef::new(ask.label), &ask.paths).await?)
            }
            (_, method) => {
                let message =
                    format!("the HTTP form has no {method} /{place}: see docs/guides/file-backends.md");
                Err(StorageError::new(StorageErrorKind::NotFound, message))
            }
        }
    }

    /// Checks host and token.
    fn admit(&self, headers: &HeaderMap) -> Result<(), StorageError> {
        let text = |name: &header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(&header::HOST).unwrap_or_default();
        let name =
            host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(name, _)| name);
        if !matches!(name, "127.0.0.1" | "localhost" | "[::1]") {
            let rule = "this server answers the host names of its own machine: use http://127.0.0.1:<port>";
            return Err(StorageError::new(StorageErrorKind::Denied, rule));
        }
        let given = text(&header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        match &self.token {
            Some(token) if !given.is_some_and(|given| is_same(given, token)) => {
                let rule = "the request must carry the server's token: send Authorization: Bearer <token>";
                Err(StorageError::new(StorageErrorKind::Denied, rule))
            }
            Some(_) | None => Ok(()),
        }
    }

    async fn page(&self, parts: &Parts) -> Answered {
        let ask: FilesQuery = query(parts)?;
        let entries = self.backend.list(ask.prefix.as_deref().unwrap_or_default()).await?.into_iter();
        let after = ask.cursor.as_deref();
        let mut rest = entries.filter(|entry| after.is_none_or(|after| entry.path.as_str() > after));
        let files: Vec<_> = rest.by_ref().take(PAGE_FILES).collect();
        let next = rest.next().and(files.last()).map(|last| last.path.clone());
        json(&FilePage { files, next })
    }

    async fn file(&self, path: &str) -> Answered {
        match self.backend.read(path).await? {
            Some(file) => tagged(StatusCode::OK, &file.sha256, Body::from(file.bytes)),
            None => {
                let message = format!("there is no file {path}: see GET /files");
                Err(StorageError::new(StorageErrorKind::NotFound, message))
            }
        }
    }

    async fn put(&self, path: &str, headers: &HeaderMap, body: Body) -> Answered {
        let bytes = whole(body).await?;
        let written = self.backend.write(path, &bytes, &condition(headers)?).await?;
        tagged(StatusCode::OK, &written.sha256, Body::empty())
    }

    async fn delete(&self, path: &str, headers: &HeaderMap) -> Answered {
        let path = clean_path(path)?;
        if self.backend.delete(&path, &condition(headers)?).await? {
            return response(StatusCode::NO_CONTENT, &[], Body::empty());
        }
        Err(StorageError::new(StorageErrorKind::NotFound, format!("there was no file {path}")))
    }
}

/// Compares tokens without ending at the first difference.
fn is_same(given: &str, token: &str) -> bool {
    let pairs = given.bytes().zip(token.bytes());
    given.len() == token.len() && pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn condition(headers: &HeaderMap) -> Result<FilePrecondition, StorageError> {
    let refused = |rule: &str| StorageError::new(StorageErrorKind::InvalidContent, rule);
    let text = |name: &header::HeaderName| headers.get(name).map(|value| value.to_str());
    match (text(&header::IF_MATCH), text(&header::IF_NONE_MATCH)) {
        (None, None) => Ok(FilePrecondition::Any),
        (None, Some(Ok("*"))) => Ok(FilePrecondition::Absent),
        (Some(Ok(tag)), None) => {
            let hex = tag.trim_matches('"');
            let is_hex = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let rule = "If-Match must be the quoted sha256 of the file: take it from its ETag";
            is_hex.then(|| FilePrecondition::Sha256(hex.to_lowercase())).ok_or_else(|| refused(rule))
        }
        _ => Err(refused("send either If-Match: \"<sha256>\" or If-None-Match: *")),
    }
}

fn decoded(path: &str) -> Result<String, StorageError> {
    let text = percent_encoding::percent_decode_str(path).decode_utf8();
    let rule = "the path must be percent-encoded UTF-8: encode each segment";
    text.map(Into::into).map_err(|error| StorageError::invalid_path(rule).caused_by(error))
}

fn query<A: DeserializeOwned>(parts: &Parts) -> Result<A, StorageError> {
    axum::extract::Query::try_from_uri(&parts.uri).map(|query| query.0).map_err(|error| {
        let message = format!("the query cannot be read: {error}");
        StorageError::new(StorageErrorKind::InvalidContent, message)
    })
}

async fn whole(body: Body) -> Result<Bytes, StorageError> {
    to_bytes(body, HTTP_BODY_BYTES_MAX).await.map_err(|error| {
        let message = format!("the body must arrive whole and have at most {HTTP_BODY_BYTES_MAX} bytes");
        StorageError::new(StorageErrorKind::TooLarge, message).caused_by(error)
    })
}

fn parsed<A: DeserializeOwned>(body: &[u8]) -> Result<A, StorageError> {
    serde_json::from_slice(body).map_err(|error| {
        StorageError::new(StorageErrorKind::InvalidContent, format!("the body cannot be read: {error}"))
    })
}

fn json(value: &impl Serialize) -> Answered {
    let body = serde_json::to_vec(value).map_err(|error| {
        StorageError::new(StorageErrorKind::Broken, "the answer cannot be written").caused_by(error)
    })?;
    response(StatusCode::OK, &[(header::CONTENT_TYPE, "application/json")], Body::from(body))
}

fn tagged(status: StatusCode, sha256: &str, body: Body) -> Answered {
    let tag = format!("\"{sha256}\"");
    let kind = (header::CONTENT_TYPE, "application/octet-stream");
    response(status, &[kind, (header::ETAG, &tag)], body)
}

fn response(status: StatusCode, headers: &[(header::HeaderName, &str)], body: Body) -> Answered {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).map_err(|error| {
            StorageError::new(StorageErrorKind::Broken, "a header cannot be written").caused_by(error)
        })?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

fn failure(error: &StorageError) -> Response {
    let problem = HttpProblem { code: error.kind.code().to_owned(), message: error.message.clone() };
    let mut response = json(&problem).unwrap_or_default();
    *response.status_mut() =
        StatusCode::from_u16(error.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}
