//! A file backend that calls a server over HTTP, in the format that `docs/guides/file-backends.md`
//! describes.
//!
//! The client compares received bytes with the entity tag of the response. That detects a proxy or
//! a server that changes them.

use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file_backend::{BackendCapabilities, FileBackend, StorageFuture};
use super::file_change::{
    BackendChanges, BackendDiff, FileVersions, Restored, SearchHit, SnapshotRef, VersionQuery,
};
use super::http_form::{
    ChangesAsk, DiffAsk, FilesQuery, HTTP_BODY_BYTES_MAX, HistoryAsk, HttpProblem, RestoreBody, SearchAsk,
    SearchHits,
};
use super::listing_part::{ListingPart, RisingPages};
use super::loci_errors::storage_error;
use super::path_rules::{clean_path, clean_prefix};
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult, sha256_hex};
use crate::call::bearer;
use crate::call_target::{path, with_query};
use crate::transport::{Network, Outgoing, Request, Response, Transport};

/// The timeout of a call, in milliseconds.
const DEADLINE_MS: u64 = 60_000;

/// A file backend that calls an HTTP server.
pub struct HttpBackend {
    transport: Transport,
    headers: HeaderMap,
    capabilities: BackendCapabilities,
    /// True if only the server checks the rules of paths. Set for conformance tests.
    leaves_paths: bool,
}

/// A response with its whole body.
struct WholeResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl HttpBackend {
    /// Connects to a base URL such as `http://127.0.0.1:8412`, and reads the server's capabilities.
    /// A token is sent as a bearer token.
    ///
    /// # Errors
    /// `Unavailable` if there is no response; `Denied` if the server rejects the token; `Broken` if
    /// the response is not in the expected format.
    pub async fn connect(base: &str, token: Option<&str>) -> Result<Self, StorageError> {
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let value = bearer(token).map_err(|error| {
                let rule = "the token has characters that no header takes: use printable ASCII";
                StorageError::new(StorageErrorKind::Denied, rule).caused_by(error)
            })?;
            headers.insert(header::AUTHORIZATION, value);
        }
        let transport = Transport::Network(Network::url(base, None).map_err(storage_error)?);
        let mut backend =
            Self { transport, headers, capabilities: BackendCapabilities::default(), leaves_paths: false };
        let capabilities = backend.asked("/capabilities".to_owned()).await;
        backend.capabilities = capabilities.map_err(|error| match error.kind {
            StorageErrorKind::NotFound => {
                let rule = "there is no /capabilities: give the base URL of a server of the HTTP form";
                StorageError::new(StorageErrorKind::NotFound, rule).caused_by(error)
            }
            _ => error,
        })?;
        Ok(backend)
    }

    /// Returns a backend that leaves the check of paths to the server, so that the conformance
    /// suite tests the server's rules. Only segments `.` and `..` are rejected here, because a URL
    /// cannot contain them.
    #[must_use]
    pub fn with_path_rules_of_server(mut self) -> Self {
        self.leaves_paths = true;
        self
    }

    fn clean(&self, input: &str) -> Result<String, StorageError> {
        let segments: Vec<&str> = input.split('/').filter(|segment| !segment.is_empty()).collect();
        let is_carried =
            !segments.is_empty() && !segments.iter().any(|segment| matches!(*segment, "." | ".."));
        if self.leaves_paths && is_carried { Ok(segments.join("/")) } else { clean_path(input) }
    }

    fn file(&self, input: &str) -> Result<String, StorageError> {
        let clean = self.clean(input)?;
        Ok(path(&[&["files"], clean.split('/').collect::<Vec<_>>().as_slice()].concat()))
    }

    async fn sent(
        &self,
        method: Method,
        path: String,
        headers: HeaderMap,
        body: Outgoing,
    ) -> Result<WholeResponse, StorageError> {
        let mut all = self.headers.clone();
        all.extend(headers);
        let request = Request { method, path, headers: all, body, deadline_ms: Some(DEADLINE_MS) };
        let Response { status, headers, mut body } =
            self.transport.send(request).await.map_err(storage_error)?;
        let mut bytes = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|error| {
                let message = "the connection ended in the middle of the answer: try again";
                StorageError::new(StorageErrorKind::Unavailable, message).caused_by(error)
            })?;
            bytes.extend_from_slice(&piece);
            if bytes.len() > HTTP_BODY_BYTES_MAX {
                let message = format!("the answer has more than {HTTP_BODY_BYTES_MAX} bytes: list a prefix");
                return Err(StorageError::new(StorageErrorKind::TooLarge, message));
            }
        }
        Ok(WholeResponse { status, headers, body: bytes })
    }

    /// Returns the JSON response to a `GET`.
    async fn asked<A: DeserializeOwned>(&self, path: String) -> Result<A, StorageError> {
        read(self.sent(Method::GET, path, HeaderMap::new(), Outgoing::Empty).await?)
    }

    async fn query<A: DeserializeOwned>(
        &self,
        path: &str,
        query: &impl Serialize,
    ) -> Result<A, StorageError> {
        self.asked(with_query(path.to_owned(), query).map_err(storage_error)?).await
    }

    async fn posted<A: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, StorageError> {
        let body = serde_json::to_vec(body).map_err(|error| {
            StorageError::new(StorageErrorKind::Broken, "the request cannot be written").caused_by(error)
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        read(self.sent(Method::POST, path.to_owned(), headers, Outgoing::Whole(body.into())).await?)
    }

    /// Returns the whole listing below a prefix, from all pages.
    async fn listed(&self, prefix: &str) -> Result<ListingPart, StorageError> {
        let prefix = clean_prefix(prefix)?;
        let mut query = FilesQuery { prefix: Some(prefix), cursor: None };
        let (mut pages, mut skipped) = (RisingPages::default(), Vec::new());
        loop {
            let page: ListingPart = self.query("/files", &query).await?;
            if page.next.is_some() && page.files.is_empty() {
                let message = "the listing does not end: a page with `next` must have files";
                return Err(StorageError::new(StorageErrorKind::Broken, message));
            }
            pages.add(page.files)?;
            skipped.extend(page.skipped);
            match page.next {
                None => return Ok(ListingPart { files: pages.files, skipped, next: None }),
                next => query.cursor = next,
            }
        }
    }

    async fn removed(&self, path: &str, only_if: &FilePrecondition) -> Result<bool, StorageError> {
        let answer =
            self.sent(Method::DELETE, self.file(path)?, condition(only_if)?, Outgoing::Empty).await?;
        if is_absent(&answer)? { Ok(false) } else { success(answer).map(|_| true) }
    }
}

/// Returns true if the response says that the file does not exist.
///
/// # Errors
/// `Broken` for a status 404 without the code `not_found`: then the URL is wrong, and not the file
/// missing.
fn is_absent(answer: &WholeResponse) -> Result<bool, StorageError> {
    if answer.status != StatusCode::NOT_FOUND {
        return Ok(false);
    }
    let problem = loci_json::from_slice::<HttpProblem>(&answer.body).ok();
    if problem.is_some_and(|problem| problem.code == StorageErrorKind::NotFound.code()) {
        return Ok(true);
    }
    let message = "the server answered 404 without the code not_found: check the base URL and the server";
    Err(StorageError::new(StorageErrorKind::Broken, message))
}

/// Returns the HTTP headers that express a precondition.
fn condition(only_if: &FilePrecondition) -> Result<HeaderMap, StorageError> {
    let mut headers = HeaderMap::new();
    match only_if {
        FilePrecondition::Any => {}
        FilePrecondition::Absent => {
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("*"));
        }
        FilePrecondition::Sha256(hex) => {
            let value = HeaderValue::from_str(&format!("\"{}\"", hex.to_lowercase())).map_err(|error| {
                let rule = "a precondition names a sha256 in hex digits: take it from the file that was read";
                StorageError::new(StorageErrorKind::InvalidContent, rule).caused_by(error)
            })?;
            headers.insert(header::IF_MATCH, value);
        }
    }
    Ok(headers)
}

fn success(answer: WholeResponse) -> Result<WholeResponse, StorageError> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let status = answer.status.as_u16();
    let problem = loci_json::from_slice::<HttpProblem>(&answer.body).ok();
    let kind = problem.as_ref().and_then(|problem| StorageErrorKind::of_code(&problem.code));
    let kind = kind.unwrap_or_else(|| StorageErrorKind::of_status(status));
    let message = match problem {
        Some(problem) if !problem.message.is_empty() => problem.message,
        _ => format!("the answer was {} without a message", answer.status),
    };
    Err(StorageError::new(kind, message))
}

fn read<A: DeserializeOwned>(answer: WholeResponse) -> Result<A, StorageError> {
    let answer = success(answer)?;
    loci_json::from_slice(&answer.body).map_err(|error| {
        let message = format!("the answer is not of the HTTP form of a file backend: {error}");
        StorageError::new(StorageErrorKind::Broken, message).caused_by(error)
    })
}

/// Returns the SHA-256 in an entity tag; `None` without a tag.
fn tag(headers: &HeaderMap) -> Option<&str> {
    let tag = headers.get(header::ETAG)?.to_str().ok()?;
    Some(tag.trim_start_matches("W/").trim_matches('"'))
}

/// Checks bytes against the entity tag of their response.
fn check_tag(path: &str, headers: &HeaderMap, sha256: &str) -> Result<(), StorageError> {
    match tag(headers) {
        Some(tag) if tag.eq_ignore_ascii_case(sha256) => Ok(()),
        found => {
            let found = found.unwrap_or("absent");
            let rule =
                format!("{path}: the ETag must be the quoted sha256 {sha256} of the bytes, and is {found}");
            Err(StorageError::new(StorageErrorKind::Broken, rule))
        }
    }
}

impl FileBackend for HttpBackend {
    fn capabilities(&self) -> BackendCapabilities {
        self.capabilities
    }

    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
        async move {
            let answer = self.sent(Method::GET, self.file(path)?, HeaderMap::new(), Outgoing::Empty).await?;
            if is_absent(&answer)? {
                return Ok(None);
            }
            let answer = success(answer)?;
            let file = BackendFile::new(answer.body);
            check_tag(path, &answer.headers, &file.sha256)?;
            Ok(Some(file))
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult> {
        async move {
            let mut headers = condition(only_if)?;
            let kind = HeaderValue::from_static("application/octet-stream");
            headers.insert(header::CONTENT_TYPE, kind);
            let body = Outgoing::Whole(Bytes::copy_from_slice(bytes));
            let answer = success(self.sent(Method::PUT, self.file(path)?, headers, body).await?)?;
            let sha256 = sha256_hex(bytes);
            check_tag(path, &answer.headers, &sha256)?;
            Ok(FileWriteResult { sha256 })
        }
        .boxed()
    }

    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
        self.removed(path, only_if).boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>> {
        async move { Ok(self.listed(prefix).await?.files) }.boxed()
    }

    fn list_part<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> StorageFuture<'a, ListingPart> {
        async move {
            let mut whole = self.listed(prefix).await?;
            whole.skipped.retain(|file| after.is_none_or(|after| file.path.as_str() > after));
            let part = ListingPart::of_listing(whole.files, after, limit);
            let next = part.next.as_deref();
            whole.skipped.retain(|file| next.is_none_or(|next| file.path.as_str() <= next));
            Ok(ListingPart { skipped: whole.skipped, ..part })
        }
        .boxed()
    }

    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
        async move {
            let answer = self.sent(Method::HEAD, self.file(path)?, HeaderMap::new(), Outgoing::Empty).await?;
            // A response to HEAD has no code: each 404 means an absent file.
            let is_absent = answer.status == StatusCode::NOT_FOUND;
            if is_absent { Ok(false) } else { success(answer).map(|_| true) }
        }
        .boxed()
    }

    fn history<'a>(&'a self, path: &'a str, page: &'a VersionQuery) -> StorageFuture<'a, FileVersions> {
        async move {
            let ask = HistoryAsk { path: self.clean(path)?, limit: page.limit, cursor: page.cursor.clone() };
            self.query("/history", &ask).await
        }
        .boxed()
    }

    fn changes_since<'a>(&'a self, since: Option<&'a str>, limit: u32) -> StorageFuture<'a, BackendChanges> {
        async move { self.query("/changes", &ChangesAsk { since: since.map(str::to_owned), limit }).await }
            .boxed()
    }

    fn diff<'a>(
        &'a self,
        a: &'a SnapshotRef,
        b: &'a SnapshotRef,
        path: Option<&'a str>,
    ) -> StorageFuture<'a, BackendDiff> {
        async move {
            let path = path.map(|path| self.clean(path)).transpose()?;
            self.query("/diff", &DiffAsk { a: a.label.clone(), b: b.label.clone(), path }).await
        }
        .boxed()
    }

    fn snapshot<'a>(&'a self, label: &'a str) -> StorageFuture<'a, SnapshotRef> {
        async move { self.posted("/snapshots", &SnapshotRef::new(label)).await }.boxed()
    }

    fn restore<'a>(&'a self, to: &'a SnapshotRef, paths: &'a [String]) -> StorageFuture<'a, Restored> {
        async move {
            let paths = paths.iter().map(|path| self.clean(path)).collect::<Result<_, _>>()?;
            self.posted("/restore", &RestoreBody { label: to.label.clone(), paths }).await
        }
        .boxed()
    }

    fn search<'a>(
        &'a self,
        prefix: &'a str,
        question: &'a str,
        limit: u32,
    ) -> StorageFuture<'a, Vec<SearchHit>> {
        async move {
            let ask = SearchAsk { question: question.to_owned(), prefix: clean_prefix(prefix)?, limit };
            Ok(self.query::<SearchHits>("/search", &ask).await?.hits)
        }
        .boxed()
    }
}

impl std::fmt::Debug for HttpBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpBackend")
            .field("place", &self.transport.place())
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}
