//! The client: where it sends to, who it says it is, and the one way in which a call is made and an answer read.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::future::{BoxFuture, Either, select};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use loci_api::{Problem, ProblemBody};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::at::At;
use crate::error::ClientError;
use crate::transport::trace_parent::{self, TraceSource};
use crate::transport::{
    ByteStream, InProcess, InProcessBody, Network, Outgoing, Request, Response, Transport,
};

/// Header of an answer that an earlier request with the same idempotency key got.
const REPLAYED: &str = "loci-replayed";

/// A client of one server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    headers: HeaderMap,
    trace: Option<TraceSource>,
    deadline_ms: Option<u64>,
    meanwhile: Option<Meanwhile>,
}

/// Makes what is done while a request waits for its server: for a connection, and for the beginning of the
/// answer. It is dropped when the answer begins.
pub type Meanwhile = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Bytes of JSON lines, as they come.
pub type LineStream = ByteStream;

impl Client {
    /// Over a URL such as `http://127.0.0.1:8411`.
    ///
    /// # Errors
    /// Where it is no URL.
    pub fn url(base: &str) -> Result<Self, ClientError> {
        Ok(Self {
            transport: Transport::Network(Network::url(base)?),
            headers: HeaderMap::new(),
            trace: None,
            deadline_ms: None,
            meanwhile: None,
        })
    }

    /// Over the unix socket of a server.
    ///
    /// # Errors
    /// Where a client cannot be made.
    pub fn unix(socket: &Path) -> Result<Self, ClientError> {
        Ok(Self {
            transport: Transport::Network(Network::unix(socket)?),
            headers: HeaderMap::new(),
            trace: None,
            deadline_ms: None,
            meanwhile: None,
        })
    }

    /// In this process, by a service that answers requests, such as the router of the server.
    pub fn in_process<S, B>(service: S) -> Self
    where
        S: tower::Service<
                http::Request<InProcessBody>,
                Response = http::Response<B>,
                Error = std::convert::Infallible,
            > + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self {
            transport: Transport::InProcess(InProcess::new(service)),
            headers: HeaderMap::new(),
            trace: None,
            deadline_ms: None,
            meanwhile: None,
        }
    }

    /// Where it sends to, in words: tells servers apart.
    pub(crate) fn place(&self) -> String {
        self.transport.place()
    }

    /// The same client with the bearer token of a key.
    ///
    /// # Errors
    /// Where the token cannot stand in a header.
    pub fn with_token(mut self, token: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the token holds characters that no token has".to_owned());
        self.headers.insert(header::AUTHORIZATION, bearer(token).map_err(bad)?);
        Ok(self)
    }

    /// The same client whose calls of tools mean this memory, by name or id.
    ///
    /// # Errors
    /// Errors if the name cannot stand in a header.
    pub fn with_memory(mut self, name_or_id: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the name of a memory must be printable ASCII".to_owned());
        self.headers.insert("x-loci-memory", HeaderValue::from_str(name_or_id).map_err(bad)?);
        Ok(self)
    }

    /// A client whose requests are for this user of operations memory. The key must be that
    /// user's, or work for them.
    ///
    /// # Errors
    /// Errors if the name cannot stand in a header.
    pub fn with_user(mut self, user: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the name of a user must be printable ASCII".to_owned());
        self.headers.insert("x-loci-user", HeaderValue::from_str(user).map_err(bad)?);
        Ok(self)
    }

    /// The same client for a process that works in this directory of the server's machine: what `HEAD` and
    /// `WORKTREE` mean to every operation that reads code. Servers elsewhere refuse it.
    ///
    /// # Errors
    /// Where the directory cannot stand in a header.
    pub fn with_directory(mut self, directory: &Path) -> Result<Self, ClientError> {
        let text = directory.to_str().ok_or_else(|| {
            ClientError::Request("the name of the working directory must be UTF-8".to_owned())
        })?;
        let text =
            percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
        let bad = |_| ClientError::Request("the working directory cannot stand in a header".to_owned());
        self.headers.insert("x-loci-directory", HeaderValue::from_str(&text).map_err(bad)?);
        Ok(self)
    }

    /// The same client for a person at a command line: a person may decide where an agent must not.
    pub fn with_person(mut self) -> Self {
        self.headers.insert("x-loci-person", HeaderValue::from_static("true"));
        self
    }

    /// The same client whose creations carry this idempotency key: make one per creation.
    ///
    /// # Errors
    /// Where the key cannot stand in a header.
    pub fn with_idempotency_key(mut self, key: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("an idempotency key must be printable ASCII".to_owned());
        self.headers.insert("idempotency-key", HeaderValue::from_str(key).map_err(bad)?);
        Ok(self)
    }

    /// Returns a client that names, in each creation, the key under which an earlier version made
    /// it: an item that this one made counts as made, or as erased.
    ///
    /// # Errors
    /// An error where the key cannot stand in a header.
    pub fn with_former_key(mut self, key: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("a former key must be printable ASCII".to_owned());
        self.headers.insert("loci-former-key", HeaderValue::from_str(key).map_err(bad)?);
        Ok(self)
    }

    /// The same client whose changes are made only to what has this entity tag.
    ///
    /// # Errors
    /// Where the tag cannot stand in a header.
    pub fn with_if_match(mut self, etag: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("an entity tag must be printable ASCII".to_owned());
        self.headers.insert(header::IF_MATCH, HeaderValue::from_str(etag).map_err(bad)?);
        Ok(self)
    }

    /// The same client whose changes are made only where nothing is yet.
    pub fn with_if_absent(mut self) -> Self {
        self.headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("*"));
        self
    }

    /// A client whose changes are refused where their source was erased there, or, with `restore`,
    /// stored again.
    pub fn with_if_erased(mut self, restore: bool) -> Self {
        let word = if restore { "restore" } else { "refuse" };
        self.headers.insert("loci-if-erased", HeaderValue::from_static(word));
        self
    }

    /// The same client whose calls end after so long, answered or not, where they go over a connection. A server may have done what was
    /// asked all the same.
    pub fn with_deadline_ms(mut self, deadline_ms: u64) -> Self {
        self.deadline_ms = Some(deadline_ms);
        self
    }

    /// The same client, which does this while a request waits for a server over a connection.
    pub fn with_meanwhile(mut self, meanwhile: Meanwhile) -> Self {
        self.meanwhile = Some(meanwhile);
        self
    }

    /// The same client, which does nothing while a request waits: for calls whose purpose is to wait.
    pub fn without_meanwhile(mut self) -> Self {
        self.meanwhile = None;
        self
    }

    /// The same client whose calls are part of the program's trace: the source is asked at each call, and its `traceparent` is sent.
    pub fn with_trace_source(mut self, source: TraceSource) -> Self {
        self.trace = Some(source);
        self
    }

    /// The same client whose bodies are files.
    pub(crate) fn with_files(mut self) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
        self
    }

    /// The same client whose bodies are bytes.
    pub(crate) fn with_bytes(mut self) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        self
    }

    /// The bytes of an answer.
    pub(crate) async fn bytes<A>(&self, at: At<A>) -> Result<Vec<u8>, ClientError> {
        self.collected(at, Outgoing::Empty).await
    }

    /// The text of an answer that is no JSON.
    pub(crate) async fn text<A>(&self, at: At<A>, query: &impl Serialize) -> Result<String, ClientError> {
        String::from_utf8(self.collected(at.with_query(query)?, Outgoing::Empty).await?)
            .map_err(|_| ClientError::Unexpected("the server's answer is no UTF-8".to_owned()))
    }

    pub(crate) async fn query<A: DeserializeOwned>(
        &self,
        at: At<A>,
        query: &impl Serialize,
    ) -> Result<A, ClientError> {
        self.plain(at.with_query(query)?).await
    }

    /// The answer to a `POST`, or `None` where the server has nothing to say (204).
    pub(crate) async fn maybe_send<A: DeserializeOwned>(
        &self,
        at: At<A>,
        request: &impl Serialize,
    ) -> Result<Option<A>, ClientError> {
        let text = self.collected(at, whole(request)?).await?;
        if text.is_empty() { Ok(None) } else { read(&text).map(Some) }
    }

    pub(crate) async fn send<A: DeserializeOwned>(
        &self,
        at: At<A>,
        request: &impl Serialize,
    ) -> Result<A, ClientError> {
        self.plain_body(at, whole(request)?).await
    }

    pub(crate) async fn plain<A: DeserializeOwned>(&self, at: At<A>) -> Result<A, ClientError> {
        self.plain_body(at, Outgoing::Empty).await
    }

    pub(crate) async fn plain_body<A: DeserializeOwned>(
        &self,
        at: At<A>,
        body: Outgoing,
    ) -> Result<A, ClientError> {
        read(&self.collected(at, body).await?)
    }

    /// Sends, and gives the whole body of a success.
    async fn collected<A>(&self, at: At<A>, body: Outgoing) -> Result<Vec<u8>, ClientError> {
        collect(self.stream(at, body).await?).await
    }

    /// The answer to a `POST`, and whether an earlier request with the same idempotency key got it.
    /// Older servers say it of none.
    pub(crate) async fn send_once<A: DeserializeOwned>(
        &self,
        at: At<A>,
        request: &impl Serialize,
    ) -> Result<(A, bool), ClientError> {
        let response = self.success(at, whole(request)?).await?;
        let is_replayed = response.headers.contains_key(REPLAYED);
        Ok((read(&collect(response.body).await?)?, is_replayed))
    }

    /// Sends, and gives the body of a success as it comes.
    pub(crate) async fn stream<A>(&self, at: At<A>, body: Outgoing) -> Result<LineStream, ClientError> {
        Ok(self.success(at, body).await?.body)
    }

    /// Boxed, so that it is compiled once and not for each operation.
    fn success<A>(&self, at: At<A>, body: Outgoing) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(self.answered(at.method, at.path, body))
    }

    async fn answered(&self, method: Method, path: String, body: Outgoing) -> Result<Response, ClientError> {
        let mut headers = self.headers.clone();
        if let Some(value) = trace_parent::header(self.trace.as_ref()) {
            headers.insert("traceparent", value);
        }
        if !matches!(body, Outgoing::Empty) && !headers.contains_key(header::CONTENT_TYPE) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let request = Request { method, path, headers, body, deadline_ms: self.deadline_ms };
        let response = self.sent(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        Err(refusal(response.status, &collect(response.body).await?))
    }

    /// Sends, and does meanwhile what is to be done.
    async fn sent(&self, request: Request) -> Result<Response, ClientError> {
        let sending = self.transport.send(request);
        let meanwhile = match (&self.meanwhile, &self.transport) {
            (Some(meanwhile), Transport::Network(_)) => meanwhile(),
            (Some(_) | None, _) => return sending.await,
        };
        match select(pin!(sending), meanwhile).await {
            Either::Left((response, _)) => response,
            Either::Right(((), sending)) => sending.await,
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

fn read<A: DeserializeOwned>(text: &[u8]) -> Result<A, ClientError> {
    serde_json::from_slice(text)
        .map_err(|error| ClientError::Unexpected(format!("the server's answer cannot be read: {error}")))
}

/// A request as the body of a call.
fn whole(request: &impl Serialize) -> Result<Outgoing, ClientError> {
    let body = serde_json::to_vec(request)
        .map_err(|error| ClientError::Request(format!("the request cannot be written: {error}")))?;
    Ok(Outgoing::Whole(body.into()))
}

/// Returns all bytes of a body. Boxed as the call is.
fn collect(mut body: LineStream) -> BoxFuture<'static, Result<Vec<u8>, ClientError>> {
    Box::pin(async move {
        let mut text = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|source| ClientError::Unreachable {
                message: "the connection ended in the middle of the answer".to_owned(),
                source,
            })?;
            text.extend_from_slice(&piece);
        }
        Ok(text)
    })
}

/// Returns the header of a bearer token, which no log shows.
///
/// # Errors
/// An error for a token that cannot stand in a header.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue, http::header::InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn refusal(status: StatusCode, body: &[u8]) -> ClientError {
    match serde_json::from_slice::<ProblemBody>(body) {
        Ok(body) => ClientError::Refused { status: status.as_u16(), problem: Box::new(body.error) },
        Err(_) => ClientError::Refused { status: status.as_u16(), problem: Box::new(foreign(status)) },
    }
}

/// What an error that is none of Loci's means: a proxy's page, most often. Its text is not shown, for it is foreign and may hold anything.
fn foreign(status: StatusCode) -> Problem {
    let retryable = status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    Problem {
        code: format!("HTTP_{}", status.as_u16()),
        message: format!(
            "the answer was {status}, and not in the words of Loci: a proxy before the server may have given it"
        ),
        field: None,
        retryable,
        details: None,
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;

    use super::*;

    fn somewhere<A>() -> At<A> {
        crate::at::at(&loci_api::operation::Operation::<(), A>::post("/v1", ""), &[])
    }

    #[test]
    fn calls_are_part_of_the_callers_trace() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let echo = |headers: HeaderMap| async move {
            serde_json::json!([headers.get("traceparent").map(|value| value.to_str().unwrap())]).to_string()
        };
        let client = Client::in_process(Router::new().fallback(echo));
        let traced = client.clone().with_trace_source(std::sync::Arc::new(|| Some(parent.to_owned())));
        let told = |client: &Client| {
            let answer = client.plain(somewhere::<[Option<String>; 1]>());
            futures::executor::block_on(answer).unwrap()
        };
        assert_eq!(told(&traced), [Some(parent.to_owned())]);
        assert_eq!(told(&client), [None]);
    }

    #[test]
    fn an_answer_that_was_given_before_says_so() {
        let once = |headers: HeaderMap| async move {
            let again = headers.get("idempotency-key").is_some_and(|key| key == "again");
            let told = again.then_some((REPLAYED, "true"));
            (axum::response::AppendHeaders(told), "1")
        };
        let client = Client::in_process(Router::new().fallback(once));
        let told = |key: &str| {
            let client = client.clone().with_idempotency_key(key).unwrap();
            futures::executor::block_on(client.send_once(somewhere::<u8>(), &())).unwrap()
        };
        assert_eq!([told("once"), told("again")], [(1, false), (1, true)]);
    }

    #[tokio::test]
    async fn something_is_done_while_a_server_is_waited_for() {
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let begun = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = begun.clone();
        let meanwhile: Meanwhile = Arc::new(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Box::pin(std::future::pending())
        });
        let url = format!("http://{}", silent.local_addr().unwrap());
        let client = Client::url(&url).unwrap().with_deadline_ms(50).with_meanwhile(meanwhile.clone());
        let ask = |client: Client| async move { client.plain(somewhere::<serde_json::Value>()).await };
        assert!(ask(client.clone()).await.unwrap_err().is_retryable());
        assert!(ask(client.without_meanwhile()).await.unwrap_err().is_retryable());
        let here = Client::in_process(Router::new().fallback(|| async { "1" })).with_meanwhile(meanwhile);
        assert_eq!(ask(here).await.unwrap(), 1);
        assert_eq!(begun.load(std::sync::atomic::Ordering::Relaxed), 1, "the first call alone");
    }

    #[test]
    fn errors_of_others_are_known_by_their_status_and_not_repeated() {
        let check = |status: StatusCode, retryable: bool| {
            let error = refusal(status, b"<html>a page of a proxy</html>");
            assert_eq!((error.status(), error.is_retryable()), (Some(status.as_u16()), retryable));
            let said = error.to_string();
            assert!(said.contains(status.as_str()) && !said.contains("page"), "{said}");
        };
        check(StatusCode::BAD_GATEWAY, true);
        check(StatusCode::GATEWAY_TIMEOUT, true);
        check(StatusCode::TOO_MANY_REQUESTS, true);
        check(StatusCode::UNAUTHORIZED, false);
        check(StatusCode::PAYLOAD_TOO_LARGE, false);
    }
}
