//! A server of the HTTP format for file backends, for programs in other languages on this machine,
//! and for tests. Pages in a browser cannot use it: see `http_site`.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::response::Response;
use futures::StreamExt;
use futures::future::BoxFuture;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file_backend::FileBackend;
use super::file_change::{SnapshotRef, VersionQuery};
use super::http_form::{
    ChangesAsk, DiffAsk, FilesQuery, HTTP_BODY_BYTES_MAX, HistoryAsk, HttpProblem, RestoreBody, SearchAsk,
    SearchHits,
};
use super::http_site::check_site;
use super::path_rules::clean_path;
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::FilePrecondition;

/// The number of files on one page of a listing.
const PAGE_FILES: usize = 1_000;
/// The response to a request, or its error.
type BackendAnswer = Result<Response, StorageError>;

#[derive(Clone)]
struct ServedBackend {
    backend: Arc<dyn FileBackend>,
    token: Option<Arc<str>>,
}

/// Serves a backend on a listener of this machine until `stop` resolves. If a token is given, every
/// request must carry it.
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

/// Returns the router that serves a backend in the HTTP format.
pub fn backend_router(backend: Arc<dyn FileBackend>, token: Option<String>) -> Router {
    let served = ServedBackend { backend, token: token.map(Into::into) };
    Router::new().fallback(answer).with_state(served)
}

async fn answer(State(served): State<ServedBackend>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let mut response = match served.answered(parts, body).await {
        Ok(response) => response,
        Err(error) => {
            let (code, source) = (error.kind.code(), &error.source);
            if matches!(error.kind, StorageErrorKind::Broken | StorageErrorKind::Unavailable) {
                tracing::error!(code, ?source, "a request of the HTTP form failed");
            } else {
                tracing::debug!(code, ?source, "a request of the HTTP form was refused");
            }
            failure(&error)
        }
    };
    if is_head {
        // The length is that of the response to GET.
        if let Some(bytes) = response.body().size_hint().exact() {
            response.headers_mut().insert(header::CONTENT_LENGTH, bytes.into());
        }
        *response.body_mut() = Body::empty();
    }
    response
}

impl ServedBackend {
    async fn answered(&self, parts: Parts, body: Body) -> BackendAnswer {
        self.admit(&parts.headers)?;
        let path = parts.uri.path().trim_start_matches('/');
        let (place, rest) = path.split_once('/').unwrap_or((path, ""));
        let rest = decoded(rest)?;
        let rest = rest.as_str();
        if place != "files" && !rest.is_empty() {
            return Err(no_such_address(&parts));
        }
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
                let ask: SnapshotRef = parsed(&parts.headers, body).await?;
                json(&self.backend.snapshot(&ask.label).await?)
            }
            ("restore", &Method::POST) => {
                let ask: RestoreBody = parsed(&parts.headers, body).await?;
                json(&self.backend.restore(&SnapshotRef::new(ask.label), &ask.paths).await?)
            }
            _ => Err(no_such_address(&parts)),
        }
    }

    /// Checks the origin and the token of a request.
    fn admit(&self, headers: &HeaderMap) -> Result<(), StorageError> {
        check_site(headers)?;
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer "));
        match &self.token {
            Some(token) if !given.is_some_and(|given| is_same(given, token)) => {
                let rule = "the request must carry the server's token: send Authorization: Bearer <token>";
                Err(StorageError::new(StorageErrorKind::Denied, rule))
            }
            Some(_) | None => Ok(()),
        }
    }

    async fn page(&self, parts: &Parts) -> BackendAnswer {
        let ask: FilesQuery = query(parts)?;
        let prefix = ask.prefix.as_deref().unwrap_or_default();
        json(&self.backend.list_part(prefix, ask.cursor.as_deref(), PAGE_FILES).await?)
    }

    async fn file(&self, path: &str) -> BackendAnswer {
        match self.backend.read(path).await? {
            Some(file) => tagged(StatusCode::OK, &file.sha256, Body::from(file.bytes)),
            None => {
                let message = format!("there is no file {path}: see GET /files");
                Err(StorageError::new(StorageErrorKind::NotFound, message))
            }
        }
    }

    async fn put(&self, path: &str, headers: &HeaderMap, body: Body) -> BackendAnswer {
        let bytes = whole(body).await?;
        let written = self.backend.write(path, &bytes, &condition(headers)?).await?;
        tagged(StatusCode::OK, &written.sha256, Body::empty())
    }

    async fn delete(&self, path: &str, headers: &HeaderMap) -> BackendAnswer {
        let path = clean_path(path)?;
        if self.backend.delete(&path, &condition(headers)?).await? {
            return response(StatusCode::NO_CONTENT, &[], Body::empty());
        }
        Err(StorageError::new(StorageErrorKind::NotFound, format!("there was no file {path}")))
    }
}

/// Compares tokens in constant time for equal lengths.
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

fn no_such_address(parts: &Parts) -> StorageError {
    let (method, path) = (&parts.method, parts.uri.path());
    let message = format!("the HTTP form has no {method} {path}: see docs/guides/file-backends.md");
    StorageError::new(StorageErrorKind::NotFound, message)
}

/// Decodes each segment of a path: an encoded slash is no separator.
fn decoded(path: &str) -> Result<String, StorageError> {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        let text = percent_encoding::percent_decode_str(segment).decode_utf8().map_err(|error| {
            let rule = "the path must be percent-encoded UTF-8: encode each segment";
            StorageError::invalid_path(rule).caused_by(error)
        })?;
        if text.contains('/') {
            let rule = "a segment must not have an encoded slash: part segments by `/`";
            return Err(StorageError::invalid_path(rule));
        }
        segments.push(text);
    }
    Ok(segments.join("/"))
}

fn query<A: DeserializeOwned>(parts: &Parts) -> Result<A, StorageError> {
    axum::extract::Query::try_from_uri(&parts.uri).map(|query| query.0).map_err(|error| {
        let message = format!("the query cannot be read: {error}");
        StorageError::new(StorageErrorKind::InvalidContent, message)
    })
}

/// Returns a body with all its bytes.
async fn whole(body: Body) -> Result<Vec<u8>, StorageError> {
    let mut bytes = Vec::new();
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| {
            let message = "the body ended before its length: send it again";
            StorageError::new(StorageErrorKind::Unavailable, message).caused_by(error)
        })?;
        if bytes.len() + piece.len() > HTTP_BODY_BYTES_MAX {
            let message = format!("a body has at most {HTTP_BODY_BYTES_MAX} bytes: split the file");
            return Err(StorageError::new(StorageErrorKind::TooLarge, message));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Reads a body of JSON. The content type is required, because browser pages send other types
/// without a preflight request.
async fn parsed<A: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<A, StorageError> {
    let refused = |rule: String| StorageError::new(StorageErrorKind::InvalidContent, rule);
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(refused("the body must be JSON: send Content-Type: application/json".to_owned()));
    }
    let body = whole(body).await?;
    loci_json::from_slice(&body).map_err(|error| refused(format!("the body cannot be read: {error}")))
}

fn json(value: &impl Serialize) -> BackendAnswer {
    let body = serde_json::to_vec(value).map_err(|error| {
        StorageError::new(StorageErrorKind::Broken, "the answer cannot be written").caused_by(error)
    })?;
    response(StatusCode::OK, &[(header::CONTENT_TYPE, "application/json")], Body::from(body))
}

fn tagged(status: StatusCode, sha256: &str, body: Body) -> BackendAnswer {
    let tag = format!("\"{sha256}\"");
    let kind = (header::CONTENT_TYPE, "application/octet-stream");
    response(status, &[kind, (header::ETAG, &tag)], body)
}

fn response(status: StatusCode, headers: &[(header::HeaderName, &str)], body: Body) -> BackendAnswer {
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
